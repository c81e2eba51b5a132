// A sign-in has nothing to enter, but something unusual on it can need a permission of its own.
import type { BodyDraft } from "../kind";

export class SignInDraft implements BodyDraft {
  readonly changed = null;
  readonly entered = null;
  confirmed = $state(false);

  // It is confirmed again after a reload.
  restore(): void {
    this.confirmed = false;
  }
}
