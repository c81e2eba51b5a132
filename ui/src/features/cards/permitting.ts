// Why a card cannot be permitted as it stands, apart from the guard: something on it was not looked at yet, or an edit
// is not whole.
import type { Answer, Question, Scope, UrlInspection, Widening } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { CardDraft } from "../../state/card.svelte";
import { closedDifferences } from "./changes";
import { closedArguments, closedValues } from "./launch";
import { otherPage } from "./signIn";

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
      return !draft.revealed && (closedArguments(about) || closedValues(about)) ? unseen(m.blocked_unseen()) : null;
    case "tool_changed":
      return !draft.revealed && closedDifferences(about) ? unseen(m.blocked_unseen()) : null;
    case "call_tool":
      if (draft.arguments === undefined) return null;
      if (draft.arguments.unseen > 0) return unseen(m.blocked_unseen_values({ count: draft.arguments.unseen }));
      if (!draft.arguments.fit) return { words: m.blocked_unfit(), unseen: false };
      return draft.when === null ? { words: m.blocked_condition(), unseen: false } : null;
    case "sign_in": {
      const addresses = [about.issuer, about.page, about.token_endpoint, about.registration];
      const blocked = addresses.some((address) => address?.verdict === "block");
      if (blocked) return { words: m.blocked_sign_in(), unseen: false };
      return !draft.confirmed && otherPage(about) ? unseen(m.blocked_confirm()) : null;
    }
    case "widen": {
      const address = addressOf(about);
      return address?.verdict === "block" ? { words: m.blocked_address(), unseen: false } : null;
    }
    case "connect_server":
    case "allow_tool":
    case "keep_rules":
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
    case "open_page":
      return about.address.verdict === "block" ? { words: m.blocked_address(), unseen: false } : null;
    case "visit_page":
    case "flood":
      return null;
    case "fill_form": {
      if (draft.answers === undefined) return null;
      const { shown, form, misfits } = draft.answers;
      if (shown.length < form.fields.length) return unseen(m.blocked_unseen());
      if (misfits === null) return { words: m.blocked_checking(), unseen: false };
      return misfits.length > 0 ? unseen(m.blocked_fields({ count: misfits.length })) : null;
    }
    default:
      return about satisfies never;
  }
}

// Kinds with one scope, where no other could be.
const NO_PICK: Question["about"]["kind"][] = [
  "tool_changed",
  "sample_prompt",
  "sample_reply",
  "share_folders",
  "sign_in",
  "keep_rules",
  "widen",
];

/** Whether the card lets the user choose how long the answer holds. */
export function isScopePicked({ scopes, about }: Question): boolean {
  return scopes.length > 1 && !NO_PICK.includes(about.kind);
}

/** How many days a permission for every chat lasts. */
export function lastingDays({ about }: Question): number {
  return about.kind === "start_server" || about.kind === "connect_server" ? 180 : 30;
}

/** What the permitting answer is called where it holds for longer than once; null where its usual name says it all. */
export function lastingName(question: Question, scope: Scope): string | null {
  if (!["start_server", "connect_server", "call_tool", "allow_tool"].includes(question.about.kind)) return null;
  switch (scope) {
    case "once":
      return null;
    case "chat":
      return m.accept_chat();
    case "workspace":
      return m.accept_workspace({ days: 7 });
    case "always":
      return m.accept_days({ days: lastingDays(question) });
    default:
      return scope satisfies never;
  }
}

/** The permitting answer of a card, with what the user did on it. */
export function permission({ about }: Question, draft: CardDraft): Answer {
  if (about.kind === "open_page") return { answer: "open" };
  if (about.kind === "visit_page") return { answer: "done" };
  if (about.kind === "fill_form") return { answer: "submit", content: { ...draft.answers?.content } };
  return { answer: "accept", scope: draft.scope, arguments: draft.changed, when: draft.when ?? [] };
}

/** The address everything said in chats would go to. */
function addressOf(change: Widening): UrlInspection | null {
  if (change.widening === "save_model") return change.model.address;
  return change.widening === "chat_model" ? change.to.address : null;
}

function unseen(words: string): Block {
  return { words, unseen: true };
}
