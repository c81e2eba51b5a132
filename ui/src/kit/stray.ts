// What is dropped on a window belongs into a text field or nowhere: it never opens, runs or replaces the page.

/** Keeps a drag or a drop from doing anything outside of text fields. */
export function refuseStray(event: DragEvent): void {
  const text = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement;
  if (!text || event.dataTransfer?.types.includes("Files")) event.preventDefault();
}
