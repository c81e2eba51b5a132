// What the user opened on the card of a change.
import { m } from "../../paraglide/messages";
import type { Change } from "../../host/bindings";
import { RevealDraft } from "../frame/reveal.svelte";
import { unseen, type Block } from "../kind";
import { closedDifferences, listEnds } from "./changes";

export class ChangeDraft extends RevealDraft {
  /** Whether the new definition is shown. It has what the list of differences leaves out. */
  definitionOpen = $state(false);
  #definitionSeen = $state(false);

  openDefinition(open: boolean): void {
    this.definitionOpen = open;
    this.#definitionSeen ||= open;
  }

  blockOf(change: Change): Block | null {
    const closed = this.blocked(closedDifferences(change) !== false);
    if (closed !== null || !this.awaitsDefinition(change)) return closed;
    return unseen(m.blocked_unseen());
  }

  awaitsDefinition(change: Change): boolean {
    return listEnds(change) && !this.#definitionSeen;
  }

  override restore(): void {
    super.restore();
    this.definitionOpen = false;
    this.#definitionSeen = false;
  }
}
