// Why values were not checked against a schema, as a sentence of the catalogue.
import type { Unchecked } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { visible } from "../text/escapes";
import { number } from "../text/format";

/** The reason in words. */
export function uncheckedReason(reason: Unchecked): string {
  switch (reason.why) {
    case "too_large":
      return m.unchecked_too_large({ kilobytes: number(reason.kilobytes) });
    case "too_deep":
      return m.unchecked_too_deep({ levels: number(reason.levels) });
    case "too_many_parts":
      return m.unchecked_too_many_parts({ most: number(reason.most) });
    case "too_many_references":
      return m.unchecked_too_many_references({ most: number(reason.most) });
    case "multiplies":
      return m.unchecked_multiplies();
    case "circular":
      return m.unchecked_circular();
    case "outside":
      return m.unchecked_outside({ reference: visible(reason.reference) });
    case "pattern_refused":
      return m.unchecked_pattern_refused({ pattern: visible(reason.pattern) });
    case "patterns_too_large":
      return m.unchecked_patterns_too_large();
    case "invalid":
      return m.unchecked_invalid({ detail: visible(reason.detail) });
    case "value_too_large":
      return m.unchecked_value_too_large();
    case "stopped":
      return m.unchecked_stopped();
    case "used_up":
      return m.unchecked_used_up({ seconds: number(reason.seconds) });
    case "busy":
      return m.unchecked_busy();
    case "failed":
      return m.unchecked_failed({ detail: visible(reason.detail) });
  }
}
