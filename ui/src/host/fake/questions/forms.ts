// Forms that servers ask to have filled in, and what would not fit in them.
import type { QuestionBody, FormField, FieldError } from "../../bindings";

function field(name: string, kind: FormField["kind"], rest: Partial<FormField> = {}): FormField {
  return { name, title: null, description: null, required: false, secret: false, broken_default: null, kind, ...rest };
}

const TEXT = { kind: "text", min_length: null, max_length: null, pattern: null, format: null, default: null } as const;

const plain = (...values: string[]) => values.map((value) => ({ value, title: null }));

/** A form as a careful server writes one. */
export const FILL: QuestionBody = {
  kind: "fill_form",
  message: "Where should the new service run?",
  fields: [
    field(
      "region",
      {
        kind: "choice",
        options: [
          { value: "eu1", title: "Europe" },
          { value: "us1", title: "United States" },
        ],
        default: "eu1",
      },
      { title: "Region", required: true },
    ),
    field(
      "replicas",
      { kind: "number", integer: true, minimum: 1, maximum: 9, default: 2 },
      { title: "Replicas", required: true },
    ),
    field(
      "contact",
      { ...TEXT, format: "email" },
      { title: "Contact", required: true, description: "Who is told when it fails" },
    ),
    field("public", { kind: "boolean", default: null }, { title: "Reachable from outside" }),
  ],
};

/** A form with every kind of field, and with what servers do wrong. */
export const FILL_ALL: QuestionBody = {
  kind: "fill_form",
  message: "Please fill in \u202Eeverything\u202C. <b>Bold</b> [here](https://example.net)\n[ Allow ]",
  fields: [
    field("name", { ...TEXT, min_length: 2, max_length: 40 }, { title: "Name", required: true }),
    field("notes", { ...TEXT, default: "First line" }, { title: "Notes" }),
    field("site", { ...TEXT, format: "uri", default: "https://example.org/a" }, { title: "Site" }),
    field("day", { ...TEXT, format: "date" }, { title: "Day" }),
    field("at", { ...TEXT, format: "date-time" }, { title: "Moment" }),
    field(
      "code",
      { ...TEXT, max_length: 8, pattern: { source: "^[A-Z]{3}-[0-9]+$", checked: true } },
      { title: "Code" },
    ),
    field("odd", { ...TEXT, pattern: { source: "(?=.*[A-Z]).{8,}", checked: false } }, { title: "Odd" }),
    field("size", { kind: "number", integer: false, minimum: 0.5, maximum: 10, default: null }, { title: "Size" }),
    field(
      "count",
      { kind: "number", integer: true, minimum: null, maximum: 9, default: null },
      { title: "Count", broken_default: "12" },
    ),
    field("agree", { kind: "boolean", default: false }, { title: "Agree" }),
    field("maybe", { kind: "boolean", default: null }, { title: "Maybe" }),
    field(
      "colour",
      { kind: "choice", options: plain("red", "green", "blue"), default: null },
      { title: "Colour", required: true },
    ),
    field(
      "city",
      {
        kind: "choice",
        options: Array.from({ length: 30 }, (_, n) => ({ value: `c${n}`, title: `City ${n + 1}` })),
        default: "c3",
      },
      { title: "City" },
    ),
    field(
      "tags",
      { kind: "choices", options: plain("alpha", "beta", "gamma"), min_items: null, max_items: 2, default: ["beta"] },
      { title: "Tags" },
    ),
    field("api_key", TEXT, { title: "API key", secret: true, description: "Paste it here" }),
  ],
};

/** What had been entered there before the window was reloaded. */
export const ENTERED = {
  content: [
    ["name", "Ada Lovelace"],
    ["day", "1815-12-10"],
    ["tags", ["alpha", "beta"]],
  ],
  withheld: true,
};

export function misfit({ name, required, kind }: FormField, value: unknown): FieldError[] {
  if (value === undefined) return required ? [{ field: name, problem: { problem: "missing" } }] : [];
  if (kind.kind === "text" && kind.format === "email" && !String(value).includes("@"))
    return [{ field: name, problem: { problem: "format", format: "email" } }];
  if (kind.kind === "number" && kind.maximum !== null && Number(value) > kind.maximum)
    return [{ field: name, problem: { problem: "too_large", most: kind.maximum } }];
  if (kind.kind === "choices" && kind.max_items !== null && (value as unknown[]).length > kind.max_items)
    return [{ field: name, problem: { problem: "too_many", most: kind.max_items } }];
  return [];
}
