// Where the focus goes when what had it is replaced.
import { tick } from "svelte";

/** Focuses an element once what was just changed is drawn. It is looked up only then, since the change can replace it. */
export function focusDrawn(element: () => HTMLElement | undefined): void {
  void tick().then(() => element()?.focus());
}

/** Focuses an element where what had the focus is gone once what was just changed is drawn. */
export function focusWhereLost(element: () => HTMLElement | null | undefined): void {
  void tick().then(() => {
    if (document.activeElement === document.body) element()?.focus();
  });
}

/** Finds, once a row of a list is gone, the first button of the row that was after it, or else before it. */
export function rowBeside(row: Element | undefined): () => HTMLElement | null | undefined {
  const beside = [row?.nextElementSibling, row?.previousElementSibling];
  return () => beside.find((one) => one?.isConnected)?.querySelector<HTMLElement>("button:enabled");
}
