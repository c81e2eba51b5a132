// What it means to allow a tool, for each scope.
import type { Claims, Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { slot, type Sentence } from "../text/rich";

/** `limited` says whether the permission has conditions on the arguments. */
export function toolMeaning(scope: Scope, tool: string, chat: string, limited: boolean): Sentence {
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

/** Why wider scopes are not offered: the tool's own claim; null where they are. */
export function heldToOneChat(claims: Claims, scopes: Scope[]): string | null {
  return claims.destructive === true && !scopes.includes("always") ? m.never_longer_than_chat() : null;
}
