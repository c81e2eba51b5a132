// How many differences are shown before the user asks for the rest. Until then the change cannot be accepted.
import type { Change } from "../../host/bindings";

const MOST = { differences: 12, characters: 4000 };

/** How many differences are shown at first, or false where all of them are. */
export function closedDifferences(change: Change): { shown: number } | false {
  let characters = 0;
  for (const [index, { before, after }] of change.differences.entries()) {
    characters += (before ?? "").length + (after ?? "").length;
    if (index > 0 && (index >= MOST.differences || characters > MOST.characters)) return { shown: index };
  }
  return false;
}

/** How many differences the host lists at most (`MOST` in `consent/src/change.rs`). */
const LISTED = 200;

/** Whether there may be more differences than are listed. */
export function listEnds({ differences }: Change): boolean {
  return differences.length >= LISTED;
}
