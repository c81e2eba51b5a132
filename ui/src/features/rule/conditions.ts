// Conditions on arguments, between the form the user edits and the one the policy keeps to. What an argument offers
// comes from its value: a path offers its folders, an address its host, a number a limit.
import type { Condition, Test } from "../../host/bindings";
import { isObject } from "../json";

export type ConditionKind =
  | "equals"
  | "one_of"
  | "starts"
  | "ends"
  | "glob"
  | "under"
  | "host"
  | "mail"
  | "at_most"
  | "at_least"
  | "between"
  | "at_most_bytes"
  | "exactly";

/** A condition while it is edited. */
export interface ConditionDraft {
  at: string;
  kind: ConditionKind;
  text: string;
}

export const KINDS: ConditionKind[] = [
  "equals",
  "one_of",
  "starts",
  "ends",
  "glob",
  "under",
  "host",
  "mail",
  "at_most",
  "at_least",
  "between",
  "at_most_bytes",
  "exactly",
];

/** Separates the values of a list. Chinese keyboards write the full-width comma and the enumeration comma. */
const COMMA = /[,，、]/;
const COMMA_OR_SPACE = /[\s,，、]+/;

/** The policy's form, or null where the draft is not whole. */
export function conditionOf({ at, kind, text }: ConditionDraft): Condition | null {
  const is = testOf(kind, text);
  return is === null || !/^(\/[^/]*)+$/.test(at) ? null : { at, is };
}

function testOf(kind: ConditionKind, text: string): Test | null {
  const trimmed = text.trim();
  switch (kind) {
    case "equals":
      return { equals: text };
    case "one_of":
      return oneOf(trimmed);
    case "starts":
      return text === "" || /[*?]/.test(text) ? null : { glob: `${text}**` };
    case "ends":
      return text === "" || /[*?]/.test(text) ? null : { glob: `**${text}` };
    case "glob":
      return text === "" ? null : { glob: text };
    case "under":
      return trimmed.startsWith("/") ? { under: trimmed } : null;
    case "host":
      return trimmed === "" ? null : { host: trimmed.split(COMMA_OR_SPACE) };
    case "mail":
      return mail(trimmed);
    case "at_most":
      return numeric(trimmed) ? { between: { least: null, most: Number(trimmed) } } : null;
    case "at_least":
      return numeric(trimmed) ? { between: { least: Number(trimmed), most: null } } : null;
    case "between":
      return between(trimmed);
    case "at_most_bytes":
      return /^\d{1,12}$/.test(trimmed) ? { at_most_bytes: Number(trimmed) } : null;
    case "exactly":
      return exactly(trimmed);
    default:
      return kind satisfies never;
  }
}

/** Values with commas between them. */
function oneOf(text: string): Test | null {
  const values = text.split(COMMA).map((value) => value.trim());
  return values.includes("") ? null : { one_of: values };
}

/** Whole addresses, and domains with an @ before them. */
function mail(text: string): Test | null {
  const wanted = text.split(COMMA_OR_SPACE);
  return wanted.every((one) => /^[^@\s]*@[^@\s]+\.[^@\s]+$/.test(one)) ? { mail: wanted } : null;
}

/** Two numbers with dots between them, both included. */
function between(text: string): Test | null {
  const [least, most, ...rest] = text.split(/\s*(?:\.\.+|…)\s*/);
  if (least === undefined || most === undefined || rest.length > 0) return null;
  if (!numeric(least) || !numeric(most) || Number(least) > Number(most)) return null;
  return { between: { least: Number(least), most: Number(most) } };
}

/** Any test, as the policy writes it: for what has no field of its own. */
function exactly(text: string): Test | null {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? (read as Test) : null;
  } catch {
    return null;
  }
}

/** Whether a field of one line with commas between values gives this value back unchanged. */
function isListable(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value === value.trim() && !/[,，、\r\n]/.test(value);
}

function numeric(text: string): boolean {
  return text !== "" && Number.isFinite(Number(text));
}

/** What the user edits for a condition that exists. */
export function draftOf({ at, is }: Condition): ConditionDraft {
  if ("equals" in is && typeof is.equals === "string") return { at, kind: "equals", text: is.equals };
  if ("one_of" in is && is.one_of.every(isListable)) return { at, kind: "one_of", text: is.one_of.join(", ") };
  if ("glob" in is) return { at, ...globDraft(is.glob) };
  if ("under" in is) return { at, kind: "under", text: is.under };
  if ("host" in is) return { at, kind: "host", text: is.host.join(" ") };
  if ("mail" in is) return { at, kind: "mail", text: is.mail.join(" ") };
  if ("at_most_bytes" in is) return { at, kind: "at_most_bytes", text: String(is.at_most_bytes) };
  if ("between" in is) {
    const { least, most } = is.between;
    if (least === null && most !== null) return { at, kind: "at_most", text: String(most) };
    if (most === null && least !== null) return { at, kind: "at_least", text: String(least) };
    if (most !== null && least !== null) return { at, kind: "between", text: `${least}..${most}` };
  }
  return { at, kind: "exactly", text: JSON.stringify(is) };
}

function globDraft(glob: string): { kind: ConditionKind; text: string } {
  const start = /^([^*?]+)\*\*$/.exec(glob)?.[1];
  if (start !== undefined) return { kind: "starts", text: start };
  const end = /^\*\*([^*?]+)$/.exec(glob)?.[1];
  return end === undefined ? { kind: "glob", text: glob } : { kind: "ends", text: end };
}

/** One argument of a card that a rule can speak of. */
export interface Choosable {
  at: string;
  /** The drafts its value offers, the narrowest first. */
  offers: ConditionDraft[];
}

/**
 * What the arguments of a call offer; values inside other values are reached to a depth of three. `links` are texts that
 * a link leads somewhere else: no folder is offered for them.
 */
export function choosable(value: unknown, links: ReadonlySet<string> = new Set(), at = "", depth = 0): Choosable[] {
  if (isObject(value)) {
    if (depth === 3) return [];
    return Object.entries(value).flatMap(([name, inner]) =>
      choosable(inner, links, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1),
    );
  }
  const offers = offersOf(at, value).filter(({ kind }) => kind !== "under" || !links.has(String(value)));
  return at === "" || offers.length === 0 ? [] : [{ at, offers }];
}

function offersOf(at: string, value: unknown): ConditionDraft[] {
  const draft = (kind: ConditionKind, text: string): ConditionDraft => ({ at, kind, text });
  if (typeof value === "number")
    return [
      same(at, value),
      draft("at_most", String(value)),
      draft("at_least", String(value)),
      draft("between", `${value}..${value}`),
    ];
  if (typeof value === "boolean") return [same(at, value)];
  if (typeof value !== "string" || value.length > 1000) return [];
  const offers = [draft("equals", value)];
  if (isListable(value)) offers.push(draft("one_of", value));
  const folder = /^(\/.+)\/[^/]*$/.exec(value)?.[1];
  if (folder !== undefined) offers.push(draft("under", folder));
  const host = hostOf(value);
  if (host !== null) offers.push(draft("host", host));
  const domain = /^[\w.+-]+(@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+)$/.exec(value)?.[1];
  if (domain !== undefined) offers.push(draft("mail", domain));
  if (isPlain(value)) offers.push(draft("starts", value.slice(0, 60)), draft("ends", value.slice(-60)));
  offers.push(draft("at_most_bytes", String(new TextEncoder().encode(value).length)));
  return offers;
}

/** Whether a text is judged well by its beginning or end: not a path, an address, or anything with hidden characters. */
function isPlain(value: string): boolean {
  return value !== "" && !/[/\\@\p{Cc}]|\.\.|^~|^[A-Za-z]:/u.test(value);
}

function same(at: string, value: number | boolean): ConditionDraft {
  return { at, kind: "exactly", text: JSON.stringify({ equals: value }) };
}

function hostOf(value: string): string | null {
  try {
    const url = new URL(value);
    return /^https?:$/.test(url.protocol) && url.hostname !== "" ? url.hostname : null;
  } catch {
    return null;
  }
}

/** A pointer as the user reads it. */
export function argumentName(at: string): string {
  return at
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(" › ");
}
