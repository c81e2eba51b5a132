// What is wrong with a field, and what it takes, in words.
import type { FieldProblem, FormField } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { visible } from "../../features/text/escapes";

/** The reason why a value is refused. */
export function complaintWords(problem: FieldProblem): string {
  switch (problem.problem) {
    case "missing":
      return m.form_missing();
    case "foreign":
      return m.form_foreign();
    case "too_short":
      return m.field_min_length({ count: problem.least });
    case "too_long":
      return m.field_max_length({ count: problem.most });
    case "pattern":
      return m.form_no_match();
    case "format":
      return formatWords(problem.format);
    case "not_a_number":
      return m.field_number();
    case "not_whole":
      return m.field_integer();
    case "too_small":
      return m.field_minimum({ limit: problem.least });
    case "too_large":
      return m.field_maximum({ limit: problem.most });
    case "no_option":
      return m.form_no_option();
    case "too_few":
      return m.field_min_items({ count: problem.least });
    case "too_many":
      return m.field_max_items({ count: problem.most });
    default:
      return problem satisfies never;
  }
}

function formatWords(format: string): string {
  switch (format) {
    case "email":
      return m.form_email();
    case "uri":
      return m.form_uri();
    case "date":
      return m.form_date();
    case "date-time":
      return m.form_date_time();
    default:
      return m.form_foreign();
  }
}

/** What the server's rules ask for, before anything is wrong. */
export function rulesOf({ kind }: FormField): string[] {
  const rules: string[] = [];
  const say = (limit: number | null, words: (limit: number) => string) => {
    if (limit !== null) rules.push(words(limit));
  };
  switch (kind.kind) {
    case "text":
      if (kind.format !== null)
        rules.push(KNOWN.includes(kind.format) ? formatWords(kind.format) : unknown(kind.format));
      say(kind.min_length, (count) => m.field_min_length({ count }));
      say(kind.max_length, (count) => m.field_max_length({ count }));
      break;
    case "number":
      if (kind.minimum !== null && kind.maximum !== null) {
        const range = { least: kind.minimum, most: kind.maximum };
        rules.push(kind.integer ? m.field_integer_between(range) : m.field_between(range));
        break;
      }
      if (kind.integer) rules.push(m.field_integer());
      say(kind.minimum, (limit) => m.field_minimum({ limit }));
      say(kind.maximum, (limit) => m.field_maximum({ limit }));
      break;
    case "choices":
      say(kind.min_items, (count) => m.field_min_items({ count }));
      say(kind.max_items, (count) => m.field_max_items({ count }));
      break;
    default:
  }
  return rules;
}

const KNOWN = ["email", "uri", "date", "date-time"];

function unknown(format: string): string {
  return m.form_unknown_format({ format: visible(format) });
}

/** An example of what a format looks like. */
export function exampleOf({ kind }: FormField): string | undefined {
  if (kind.kind !== "text") return undefined;
  return { email: "name@example.org", uri: "https://…", date: "2026-12-31", "date-time": "2026-12-31T18:30:00Z" }[
    kind.format ?? ""
  ];
}
