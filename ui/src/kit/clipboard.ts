// Writes to the clipboard what is not there yet when the user presses a button.

/** Copies a text. The clipboard is asked at once, because engines refuse it where the press was too long ago. */
export async function copyWhenReady(text: Promise<string>): Promise<void> {
  const plain = text.then((words) => new Blob([words], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": plain })]);
}
