// Rules and their conditions as sentences. The values in them are set apart by `Rich`, never part of the sentence.
import type { Action, Condition, Decision } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { exactNumber, exactSize } from "../text/format";
import { slot, type Sentence } from "../text/rich";
import { argumentName, type ConditionKind } from "./conditions";

/** What a rule says, without its conditions. */
export function ruleSentence(decision: Decision, action: Action, server: string): Sentence {
  const allow = decision === "allow";
  const names = { server: slot(0), object: slot(1) };
  switch (action.action) {
    case "start_server":
      return { sentence: allow ? m.rule_start(names) : m.rule_never_start(names), values: [server] };
    case "connect_server":
      return { sentence: allow ? m.rule_connect(names) : m.rule_never_connect(names), values: [server] };
    case "call_tool":
      return { sentence: allow ? m.rule_call(names) : m.rule_never_call(names), values: [server, action.tool] };
    case "read_resource":
      return { sentence: allow ? m.rule_read(names) : m.rule_never_read(names), values: [server, action.uri] };
    case "get_prompt":
      return { sentence: allow ? m.rule_prompt(names) : m.rule_never_prompt(names), values: [server, action.prompt] };
    case "open_page":
      return { sentence: allow ? m.rule_page(names) : m.rule_never_page(names), values: [server, action.domain] };
    case "sample":
      return { sentence: allow ? m.rule_sample(names) : m.rule_never_sample(names), values: [server] };
    default:
      return action satisfies never;
  }
}

/** What a condition says. */
export function conditionSentence({ at, is }: Condition): Sentence {
  const name = argumentName(at);
  const says = (make: (gaps: { at: string; value: string }) => string, value: string): Sentence => ({
    sentence: make({ at: slot(0), value: slot(1) }),
    values: [name, value],
  });
  if ("equals" in is) return says(m.condition_equals, literal(is.equals));
  if ("one_of" in is) return says(m.condition_one_of, is.one_of.map(literal).join(" · "));
  if ("under" in is) return says(m.condition_under, is.under);
  if ("host" in is) return says(m.condition_host, is.host.join(" · "));
  if ("mail" in is) return says(m.condition_mail, is.mail.map(mailName).join(" · "));
  if ("at_most_bytes" in is) return says(m.condition_bytes, exactSize(is.at_most_bytes));
  if ("glob" in is) return glob(is.glob, says);
  const { least, most } = is.between;
  if (least === null) return says(m.condition_at_most, exactNumber(most ?? 0));
  if (most === null) return says(m.condition_at_least, exactNumber(least));
  return says(m.condition_between, `${exactNumber(least)} – ${exactNumber(most)}`);
}

type Says = (make: (gaps: { at: string; value: string }) => string, value: string) => Sentence;

function glob(pattern: string, says: Says): Sentence {
  const start = /^([^*?]+)\*\*$/.exec(pattern)?.[1];
  if (start !== undefined) return says(m.condition_starts, start);
  const end = /^\*\*([^*?]+)$/.exec(pattern)?.[1];
  return end === undefined ? says(m.condition_glob, pattern) : says(m.condition_ends, end);
}

/** An address, or any at a domain. */
function mailName(wanted: string): string {
  return wanted.startsWith("@") ? `…${wanted}` : wanted;
}

function literal(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a kind of condition is called where it is picked. */
export function kindName(kind: ConditionKind): string {
  switch (kind) {
    case "equals":
      return m.kind_equals();
    case "one_of":
      return m.kind_one_of();
    case "starts":
      return m.kind_starts();
    case "ends":
      return m.kind_ends();
    case "glob":
      return m.kind_glob();
    case "under":
      return m.kind_under();
    case "host":
      return m.kind_host();
    case "mail":
      return m.kind_mail();
    case "at_most":
      return m.kind_at_most();
    case "at_least":
      return m.kind_at_least();
    case "between":
      return m.kind_between();
    case "at_most_bytes":
      return m.kind_bytes();
    case "exactly":
      return m.kind_exactly();
    default:
      return kind satisfies never;
  }
}
