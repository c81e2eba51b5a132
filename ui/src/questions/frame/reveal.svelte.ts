// The draft of a card that has nothing to enter, but something long that is opened before it can be permitted.
import { m } from "../../paraglide/messages";
import { unseen, type Block, type BodyDraft } from "../kind";

export class RevealDraft implements BodyDraft {
  readonly changed = null;
  readonly entered = null;
  /** Whether everything on the card has been opened. */
  revealed = $state(false);

  /** `closed` says whether something of it is not shown at first. */
  blocked(closed: boolean): Block | null {
    return closed && !this.revealed ? unseen(m.blocked_unseen()) : null;
  }

  // What was opened is read again after a reload.
  restore(): void {
    this.revealed = false;
  }
}
