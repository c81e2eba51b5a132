// The arguments of one call while the user looks at them: what the model wrote, what it is now, what does not parse
// yet, and which long values have been looked at. Nothing is sent from here.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { fieldsOf, keyOf, type Field, type Kind, type Path } from "./fields";
import { complaintsOf } from "./validate";
import { holdsInexactNumber, isWithin, pathWithout, same, valueAt, withoutValue, withValue } from "./values";
import { isObject } from "../json";

/** A text longer than this, or of more lines, is not shown whole at once. */
const LONG = { characters: 700, lines: 12, items: 20, fields: 24 };
/** How much of a long text is shown before the rest is asked for. */
const BEGINNING = { characters: 400, lines: 7 };
/** How many characters the values of an object or a list have that are shown at once. */
const AT_ONCE = 4000;

type Arguments = Record<string, unknown>;

/** The arguments as they were left, with what does not parse yet. */
interface EnteredArguments {
  value: Arguments;
  json: string | null;
  unparsed: [string, string][];
  view: "form" | "json";
}

export class ArgumentsDraft {
  readonly original: Arguments;
  readonly last: Arguments | null;
  readonly schema: unknown;
  /** Whether a number cannot be shown exactly. */
  readonly inexact: boolean;
  value: Arguments;
  view = $state<"form" | "json">("form");
  /** The JSON as it is being typed; null while it follows the form. */
  json = $state<string | null>(null);
  /** Texts of number and JSON fields that do not parse, by the key of the field. */
  readonly unparsed = new SvelteMap<string, string>();
  readonly revealed = new SvelteSet<string>();
  readonly #typed = new SvelteMap<string, { kind: Kind; value: unknown }>();

  fields = $derived.by(() => fieldsOf(this.schema, this.value, this.#typed));
  complaints = $derived.by(() => complaintsOf(this.fields));
  edited = $derived.by(() => !same(this.value, this.original));
  jsonBroken = $derived.by(() => this.json !== null && readObject(this.json) === undefined);
  /** How many long values were not looked at yet. One that was left out is not shown and not sent. */
  unseen = $derived.by(() => this.#gates.filter((key) => !this.revealed.has(key) && this.#isThere(key)).length);
  /** Whether the host can be given this. What the model wrote may always be answered; edits must be whole. */
  fit = $derived.by(() => this.unparsed.size === 0 && !this.jsonBroken && (!this.edited || this.complaints.size === 0));

  readonly #gates: string[];

  constructor(schema: unknown, original: Arguments, last: Arguments | null) {
    this.schema = schema;
    this.original = original;
    this.last = last;
    this.inexact = holdsInexactNumber(original);
    this.value = $state.raw(original);
    this.#gates = gatesOf(fieldsOf(schema, original));
  }

  /** Whether this value is too long to be shown at once and has not been opened. */
  closed(path: Path): boolean {
    const key = keyOf(path);
    return this.#gates.includes(key) && !this.revealed.has(key);
  }

  reveal(path: Path): void {
    this.revealed.add(keyOf(path));
  }

  revealAll(): void {
    for (const key of this.#gates) this.revealed.add(key);
  }

  /** Sets what stands at a path. What was typed inside it and does not parse goes, since nothing would show it. */
  set(path: Path, value: unknown): void {
    this.#moveTexts((at) => (isWithin(at, path) ? undefined : at));
    this.#take(withValue(this.value, path, value));
  }

  /** Adds an item at the end of a list. */
  add(path: Path, item: unknown): void {
    this.#take(withValue(this.value, path, [...(valueAt(this.value, path) as unknown[]), item]));
  }

  /**
   * Takes a value that is being typed. Its field and the groups around it keep their kinds, since another control would
   * not have the focus.
   */
  type({ path, kind }: Field, value: unknown): void {
    this.set(path, value);
    for (let depth = 1; depth <= path.length; depth++) {
      const at = path.slice(0, depth);
      const inside = valueAt(this.value, at);
      const group = Array.isArray(inside) ? "list" : "object";
      this.#typed.set(keyOf(at), { kind: depth === path.length ? kind : group, value: inside });
    }
  }

  /** Keeps a text that is not a value yet. */
  keep(path: Path, text: string): void {
    this.unparsed.set(keyOf(path), text);
  }

  remove(path: Path): void {
    const { value } = this;
    this.#moveTexts((at) => pathWithout(value, at, path));
    this.#take(withoutValue(value, path));
  }

  /** Puts back what the model wrote at a path. */
  undo(path: Path): void {
    const first = valueAt(this.original, path);
    if (first === undefined) this.remove(path);
    else this.set(path, first);
  }

  get entered(): EnteredArguments | null {
    if (!this.edited && this.json === null && this.unparsed.size === 0) return null;
    return { value: this.value, json: this.json, unparsed: [...this.unparsed], view: this.view };
  }

  restore(entered: unknown): void {
    const { value, json, unparsed, view } = entered as EnteredArguments;
    this.value = value;
    this.json = json;
    for (const [key, text] of unparsed) this.unparsed.set(key, text);
    this.view = view;
  }

  undoAll(): void {
    this.unparsed.clear();
    this.json = null;
    this.value = this.original;
  }

  typeJson(text: string): void {
    this.json = text;
    const value = readObject(text);
    if (value === undefined) return;
    this.unparsed.clear();
    this.value = value;
  }

  changedByPerson(path: Path): boolean {
    return !same(valueAt(this.value, path), valueAt(this.original, path));
  }

  /** The value of the last call that was allowed, where this one differs from it. */
  lastValue(path: Path): { value: unknown } | undefined {
    if (this.last === null || valueAt(this.last, path.slice(0, -1)) === undefined) return undefined;
    const value = valueAt(this.last, path);
    return same(value, valueAt(this.value, path)) ? undefined : { value };
  }

  #isThere(key: string): boolean {
    return valueAt(this.value, JSON.parse(key) as Path) !== undefined;
  }

  #take(value: Arguments): void {
    this.value = value;
    this.json = null;
  }

  /** Has each text that does not parse follow its field to another path; a text without a path is dropped. */
  #moveTexts(pathNow: (at: Path) => Path | undefined): void {
    const texts = [...this.unparsed];
    this.unparsed.clear();
    for (const [key, text] of texts) {
      const at = pathNow(JSON.parse(key) as Path);
      if (at !== undefined) this.unparsed.set(keyOf(at), text);
    }
  }
}

/** Whether a text is too long to be shown at once. */
export function isLong(text: string): boolean {
  return text.length > LONG.characters || text.split("\n").length > LONG.lines;
}

/** The part of a long text that is shown before the rest is asked for. */
export function beginningOf(text: string): string {
  const beginning = text.split("\n").slice(0, BEGINNING.lines).join("\n").slice(0, BEGINNING.characters);
  // A space at the cut is not one at the end of the text, and would be marked as such.
  return beginning === text ? text : beginning.trimEnd() || beginning;
}

/** How many parts of an object or a list are shown before the rest is asked for. */
export function shownParts(parts: Field[], kind: "object" | "list"): number {
  const most = kind === "object" ? LONG.fields : LONG.items;
  let characters = 0;
  for (const [index, part] of parts.entries()) {
    characters += shownCharacters(part);
    if (index >= most || (index > 0 && characters > AT_ONCE)) return index;
  }
  return parts.length;
}

/** How many characters of a value are shown at once. */
function shownCharacters(field: Field): number {
  if (!field.present) return 0;
  if (field.kind !== "object" && field.kind !== "list") {
    const text = field.kind === "json" ? JSON.stringify(field.value, null, 2) : String(field.value);
    return isLong(text) ? beginningOf(text).length : text.length;
  }
  const shown = field.fields.slice(0, shownParts(field.fields, field.kind));
  return shown.reduce((sum, part) => sum + shownCharacters(part), 0);
}

/** The values of the card that are not shown whole at once. */
function gatesOf(fields: Field[]): string[] {
  const sent = fields.filter(({ present, required }) => present || required);
  const own = shownParts(sent, "object") < sent.length ? [keyOf([])] : [];
  return [...own, ...fields.flatMap(gatesOfField)];
}

function gatesOfField(field: Field): string[] {
  if (!field.present) return [];
  const key = keyOf(field.path);
  switch (field.kind) {
    case "text":
      return isLong(String(field.value)) ? [key] : [];
    case "json":
      return isLong(JSON.stringify(field.value, null, 2)) ? [key] : [];
    case "object":
    case "list": {
      const many = shownParts(field.fields, field.kind) < field.fields.length;
      return [...(many ? [key] : []), ...field.fields.flatMap(gatesOfField)];
    }
    default:
      return [];
  }
}

function readObject(text: string): Arguments | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Arguments) : undefined;
  } catch {
    return undefined;
  }
}
