// What is asked about rules that would let more through.
import type { About } from "../../bindings";
import { rules } from "../records";

/** Rules for every kind of condition, as a file may bring them. */
export const KEEP: Extract<About, { kind: "keep_rules" }> = {
  kind: "keep_rules",
  before: null,
  outside: false,
  rules: rules
    .filter(({ decision }) => decision === "allow")
    .map(({ action, decision, when, scope, expires_ms }) => ({ action, decision, when, scope, expires_ms })),
};

export const WIDEN: About = {
  ...KEEP,
  rules: KEEP.rules.slice(0, 1).map((rule) => ({ ...rule, when: rule.when.slice(0, 1) })),
  before: KEEP.rules[0] ?? null,
};

/** A permission that another program changed, which may hold again as it was. */
export const HOLD_AGAIN: About = { ...KEEP, rules: KEEP.rules.slice(0, 1), outside: true };
