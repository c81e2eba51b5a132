// How long an answer holds, where the user picks it.
import type { Question, Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { QuestionKind } from "../kind";

/** Whether the card lets the user choose how long the answer holds. */
export function isScopePicked({ scopes }: Question, kind: QuestionKind): boolean {
  return scopes.length > 1 && kind.lastingDays !== undefined;
}

/** What the permitting answer is called where it holds for longer than once; null where its usual name says it all. */
export function lastingName({ lastingDays }: QuestionKind, scope: Scope): string | null {
  if (lastingDays === undefined) return null;
  switch (scope) {
    case "once":
      return null;
    case "chat":
      return m.accept_chat();
    case "workspace":
      return m.accept_workspace({ days: 7 });
    case "always":
      return m.accept_days({ days: lastingDays });
    default:
      return scope satisfies never;
  }
}
