// Where the focus goes when what had it is replaced.
import { tick } from "svelte";

/** Focuses an element once what was just changed is drawn. It is looked up only then, since the change can replace it. */
export function focusDrawn(element: () => HTMLElement | undefined): void {
  void tick().then(() => element()?.focus());
}
