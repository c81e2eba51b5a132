// What is asked about rules that would let more through.
import type { QuestionBody, Action, RuleBinding } from "../../bindings";
import { chats } from "../data";
import { rules } from "../records";

function bindingOf(action: Action): RuleBinding | null {
  if (action.action !== "call_tool") return { to: "opening" };
  const definition = { name: action.tool, description: "Does what it says.", inputSchema: { type: "object" } };
  return { to: "definition", definition };
}

/** The title of the chat that a rule holds in. */
export function placeOf(chat: string | null): string | null {
  return chats.find(({ id }) => id === chat)?.title ?? null;
}

/** Rules for every kind of condition, as a file may bring them. */
export const KEEP: Extract<QuestionBody, { kind: "keep_rules" }> = {
  kind: "keep_rules",
  before: null,
  outside: false,
  rules: rules
    .filter(({ decision }) => decision === "allow")
    .map(({ action, decision, when, scope, expires_ms, chat }) => ({
      action,
      decision,
      when,
      scope,
      place: placeOf(chat),
      expires_ms,
      binding: bindingOf(action),
    })),
};

/** A rule that is held here already; its card does not say what it is bound to. */
const HELD = KEEP.rules.slice(0, 1).map((rule) => ({ ...rule, binding: null }));

export const WIDEN: QuestionBody = {
  ...KEEP,
  rules: HELD.map((rule) => ({ ...rule, when: rule.when.slice(0, 1) })),
  before: HELD[0] ?? null,
};

/** A permission that another program changed, which may hold again as it was. */
export const HOLD_AGAIN: QuestionBody = { ...KEEP, rules: KEEP.rules.slice(0, 1), outside: true };
