// What an answer will mean, in a sentence for each scope of each question.
import type { Question, Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { slot } from "../text/rich";
import { meansOf } from "./widening/words";

/** A sentence and the names in it. */
export interface Meaning {
  sentence: string;
  values: string[];
}

/**
 * What permitting with this scope means; null where there is nothing to say beyond the question. `limited` says whether
 * conditions on the arguments were chosen.
 */
export function meaningOf(question: Question, scope: Scope, limited = false): Meaning | null {
  const { about } = question;
  const chat = question.cause?.chat_title || m.untitled_chat();
  switch (about.kind) {
    case "start_server":
      return { sentence: startMeaning(scope), values: [] };
    case "connect_server":
      return { sentence: connectMeaning(scope), values: [] };
    case "sign_in": {
      const means = about.way.way === "page" ? m.means_sign_in_page : m.means_sign_in_machine;
      return { sentence: means({ server: slot(0) }), values: [question.server.name] };
    }
    case "call_tool":
      return toolMeaning(scope, about.tool.name, chat, limited);
    case "allow_tool":
      return toolMeaning(scope, about.name, chat, false);
    case "keep_rules":
      return { sentence: m.means_keep_rules(), values: [] };
    case "widen":
      return meansOf(about, question.server.name);
    case "tool_changed":
      return { sentence: m.means_accept_definition(), values: [] };
    case "sample_prompt":
      return { sentence: m.means_sample({ server: slot(0) }), values: [question.server.name] };
    case "sample_reply":
      return { sentence: m.means_reply({ server: slot(0) }), values: [question.server.name] };
    case "share_folders":
      return { sentence: m.means_folders({ server: slot(0) }), values: [question.server.name] };
    case "fill_form":
      return { sentence: m.means_form({ server: slot(0) }), values: [question.server.name] };
    case "open_page":
      return about.address.verdict === "block" ? null : { sentence: m.means_open_page(), values: [] };
    case "visit_page":
    case "flood":
      return null;
    default:
      return about satisfies never;
  }
}

/** Whether the tool's own claim is why wider scopes are not offered. */
export function heldToOneChat(question: Question): boolean {
  const { about } = question;
  const claims =
    about.kind === "call_tool" ? about.tool.claims : about.kind === "allow_tool" ? about.claims : undefined;
  return claims?.destructive === true && !question.scopes.includes("always");
}

function startMeaning(scope: Scope): string {
  switch (scope) {
    case "once":
      return m.means_start_once();
    case "chat":
      return m.means_start_chat();
    case "workspace":
      return m.means_start_workspace();
    case "always":
      return m.means_start_always();
    default:
      return scope satisfies never;
  }
}

function connectMeaning(scope: Scope): string {
  switch (scope) {
    case "once":
      return m.means_connect_once();
    case "chat":
      return m.means_connect_chat();
    case "workspace":
      return m.means_connect_workspace();
    case "always":
      return m.means_connect_always();
    default:
      return scope satisfies never;
  }
}

function toolMeaning(scope: Scope, tool: string, chat: string, limited: boolean): Meaning {
  const names = { tool: slot(0), chat: slot(1) };
  switch (scope) {
    case "once":
      return { sentence: m.means_call_once(), values: [] };
    case "chat":
      return { sentence: (limited ? m.means_call_chat_when : m.means_call_chat)(names), values: [tool, chat] };
    case "workspace":
      return { sentence: (limited ? m.means_call_workspace_when : m.means_call_workspace)(names), values: [tool] };
    case "always":
      return { sentence: (limited ? m.means_call_always_when : m.means_call_always)(names), values: [tool] };
    default:
      return scope satisfies never;
  }
}
