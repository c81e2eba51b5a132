// Whether a component is still there when a reply comes.
import { onDestroy } from "svelte";

/** Call it while a component is created. What it returns tells whether the component is still there. */
export function aliveness(): () => boolean {
  let isAlive = true;
  onDestroy(() => (isAlive = false));
  return () => isAlive;
}
