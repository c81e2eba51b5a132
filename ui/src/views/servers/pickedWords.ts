import { m } from "../../paraglide/messages";
import type { ServerPicks } from "./serverPicks.svelte";

/** How many of the picked servers will be added, and how many need a value or another name first. */
export function pickedWords({ fresh, unfinished }: ServerPicks): string {
  const ready = m.will_be_added({ count: fresh.length });
  if (unfinished === 0) return ready;
  const waiting = m.will_be_unfinished({ count: unfinished });
  return fresh.length === 0 ? waiting : `${ready} · ${waiting}`;
}
