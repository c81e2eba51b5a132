// Why a card can not be permitted as it stands, apart from the guard: something on it was not looked at yet, or an edit
// is not whole.
import type { Question } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { CardDraft } from "../../state/inbox.svelte";
import { closedDifferences } from "./changes";
import { closedArguments } from "./launch";

/** Why not, and whether it is because something was not looked at. */
interface Block {
  words: string;
  unseen: boolean;
}

/** The reason, or null when only the guard stands before the answer. */
export function blockedBy(question: Question, draft: CardDraft): Block | null {
  const { about } = question;
  switch (about.kind) {
    case "start_server":
      return !draft.revealed && closedArguments(about) ? unseen(m.blocked_unseen()) : null;
    case "tool_changed":
      return !draft.revealed && closedDifferences(about) ? unseen(m.blocked_unseen()) : null;
    case "call_tool":
      if (draft.arguments === undefined) return null;
      if (draft.arguments.unseen > 0) return unseen(m.blocked_unseen_values({ count: draft.arguments.unseen }));
      return draft.arguments.fit ? null : { words: m.blocked_unfit(), unseen: false };
    case "connect_server":
    case "allow_tool":
      return null;
    case "sample_prompt":
      if (draft.prompt === undefined) return null;
      if (draft.prompt.texts.unseen > 0) return unseen(m.blocked_unseen_values({ count: draft.prompt.texts.unseen }));
      return draft.prompt.fit ? null : { words: m.blocked_unfit(), unseen: false };
    case "sample_reply": {
      const count = draft.reply?.texts.unseen ?? 0;
      return count > 0 ? unseen(m.blocked_unseen_values({ count })) : null;
    }
    case "share_folders":
      return draft.folders?.count === 0 ? { words: m.blocked_no_folder(), unseen: false } : null;
    default:
      return about satisfies never;
  }
}

function unseen(words: string): Block {
  return { words, unseen: true };
}
