// Why a call was let through, asked or refused, in a few words.
import type { Because, CallBody, Floor, RefusedBy, Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** The reasons for a decision, joined. */
export function whyOf(call: CallBody): string {
  return reasonsOf(call.because, call.state === "refused");
}

/** What decided, without the checks that led to the request; every reason where nothing else decided. */
export function decisionOf(call: CallBody): string {
  const refused = call.state === "refused";
  const decided = call.because.filter(({ why }) => why === "person" || why === "rule");
  return reasonsOf(decided, refused) || whyOf(call);
}

/** The same reason is said once. */
export function reasonsOf(because: Because[], refused: boolean): string {
  const reasons = because.map((one) => reason(one, refused));
  return [...new Set(reasons.filter((words) => words !== ""))].join(" · ");
}

/** Who refused, in words. */
export function refusedBy(by: RefusedBy): string {
  switch (by) {
    case "person":
      return m.refused_by_person();
    case "not_now":
      return m.refused_not_now();
    case "not_asked":
      return m.refused_not_asked();
    case "muted":
      return m.refused_muted();
    case "rule":
      return m.refused_by_rule();
    case "held":
      return m.refused_held();
    default:
      return by satisfies never;
  }
}

/** The scopes of a permission, with the time it ends. */
export function scopeWithTime(scope: Scope, days: number): string {
  switch (scope) {
    case "once":
    case "chat":
      return scopeName(scope);
    case "workspace":
      return m.scope_workspace_days({ days: 7 });
    case "always":
      return m.scope_always_days({ days });
    default:
      return scope satisfies never;
  }
}

/** How far an answer reaches, as the card offers it. */
export function scopeName(scope: Scope): string {
  switch (scope) {
    case "once":
      return m.scope_once();
    case "chat":
      return m.scope_chat();
    case "workspace":
      return m.scope_workspace();
    case "always":
      return m.scope_always();
    default:
      return scope satisfies never;
  }
}

function reason(because: Because, refused: boolean): string {
  switch (because.why) {
    case "rule":
      return refused ? m.why_rule_never() : ruled(because.scope);
    case "floor":
      return floor(because.floor);
    case "unruled":
      return m.why_unruled();
    case "person":
      return refused ? "" : allowed(because.scope);
    default:
      return because satisfies never;
  }
}

function floor(floor: Floor): string {
  switch (floor) {
    case "definition_changed":
      return m.why_definition_changed();
    case "claims_destructive":
      return m.why_claims_destructive();
    case "carries_values":
      return m.why_carries_values();
    case "too_much_to_check":
      return m.why_too_much_to_check();
    case "own_data":
      return m.why_own_data();
    case "paths_unchecked":
      return m.why_paths_unchecked();
    case "written_as_text":
      return m.why_written_as_text();
    default:
      return floor satisfies never;
  }
}

function ruled(scope: Scope): string {
  switch (scope) {
    case "once":
      return m.why_rule_once();
    case "chat":
      return m.why_rule_chat();
    case "workspace":
      return m.why_rule_workspace();
    case "always":
      return m.why_rule_always();
    default:
      return scope satisfies never;
  }
}

function allowed(scope: Scope): string {
  switch (scope) {
    case "once":
      return m.why_person_once();
    case "chat":
      return m.why_person_chat();
    case "workspace":
      return m.why_person_workspace();
    case "always":
      return m.why_person_always();
    default:
      return scope satisfies never;
  }
}
