// Why a card can not be permitted as it stands, apart from the guard: something on it was not looked at yet, or an edit
// is not whole.
import type { Question } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { CardDraft } from "../../state/inbox.svelte";
import { closedDifferences } from "./changes";
import { closedArguments } from "./launch";

/** The reason in words, or null when only the guard stands before the answer. */
export function blockedBy(question: Question, draft: CardDraft): string | null {
  const { about } = question;
  switch (about.kind) {
    case "start_server":
      return !draft.revealed && closedArguments(about) ? m.blocked_unseen() : null;
    case "tool_changed":
      return !draft.revealed && closedDifferences(about) ? m.blocked_unseen() : null;
    case "call_tool":
      if (draft.arguments === undefined) return null;
      if (draft.arguments.unseen > 0) return m.blocked_unseen_values({ count: draft.arguments.unseen });
      return draft.arguments.fit ? null : m.blocked_unfit();
    case "allow_tool":
      return null;
    default:
      return about satisfies never;
  }
}
