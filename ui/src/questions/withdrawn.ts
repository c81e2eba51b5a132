// The notices for a card that was withdrawn while the user looked at it.

import { slot } from "../features/text/rich";
import { m } from "../paraglide/messages";
import type { QuestionKind } from "./kind";

/** For what a server asked: it withdrew its request, or the call behind it ended. */
export function withdrawnByServer(names: { server: string }): { sentence: string; meaning: string } {
  return { sentence: m.withdrawn(names), meaning: m.withdrawn_long() };
}

/** A sentence with a gap for the server's name, and what it means. */
export function withdrawn(kind: QuestionKind): { sentence: string; meaning: string } {
  const server = slot(0);
  // Vestibule withdraws its own questions when their reason is over or a new rule answered them.
  return (
    kind.words.withdrawn?.({ server }) ?? { sentence: m.withdrawn_own({ server }), meaning: m.withdrawn_own_long() }
  );
}
