// What the user has entered in a form so far. What is left empty is left out of the answer; the server's
// suggestions are filled in and marked until they are changed. Whether it fits is the host's to say, with the very
// rules it checks the answer by before it is sent: a server's pattern never runs in this window.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { typedNumber } from "../../features/text/typedNumber";
import type { FieldProblem, Form, FormField, FieldError } from "../../host/bindings";
import type { BodyDraft, Check } from "../kind";

/** What stands in a field: text as typed, yes or no, or what is chosen. Undefined where nothing does. */
export type Entered = string | boolean | string[] | undefined;

/** A field's name and what was entered there; null where it was emptied. */
type EnteredField = [string, Exclude<Entered, undefined> | null];

/** How many fields are shown before the user asks for more. */
const AT_ONCE = 25;

export class FormAnswers implements BodyDraft {
  /** The content goes with an answer of its own. */
  readonly changed = null;
  readonly form: Form;
  /** The fields the user has changed. */
  readonly touched = new SvelteSet<string>();
  /** The fields that look like a secret and that the user said hold none. The others of them cannot be filled in. */
  readonly notSecret = new SvelteSet<string>();
  /** Whether the fields beyond the first have been opened. */
  opened = $state(false);
  #misfits = $state.raw<FieldError[] | null>(null);
  #asked = 0;
  readonly #entered = new SvelteMap<string, Entered>();
  readonly #check: Check;

  constructor(form: Form, check: Check) {
    this.form = form;
    this.#check = check;
    for (const field of form.fields) this.#entered.set(field.name, suggested(field));
    void this.#look();
  }

  shown = $derived.by(() => (this.opened ? this.form.fields : this.form.fields.slice(0, AT_ONCE)));

  /** What would be sent. */
  content = $derived.by(() => {
    const content: [string, unknown][] = [];
    for (const field of this.form.fields) {
      if (this.isLocked(field)) continue;
      const value = valueOf(field, this.#entered.get(field.name));
      if (value !== undefined) content.push([field.name, value]);
    }
    // A field may be called anything, also what every object has.
    return Object.fromEntries(content) as Record<string, unknown>;
  });

  /** What does not fit; null until the host has said so. */
  misfits = $derived.by(() => {
    const unread = this.form.fields.filter((field) => isUnread(field, this.#entered.get(field.name)));
    const notNumbers = unread.map(({ name }): FieldError => ({ field: name, problem: { problem: "not_a_number" } }));
    const others = this.#misfits?.filter(({ field }) => !unread.some(({ name }) => name === field));
    return others === undefined ? null : [...notNumbers, ...others];
  });

  /** Whether a field cannot be filled in because it looks like a secret. */
  isLocked(field: FormField): boolean {
    return field.secret && !this.notSecret.has(field.name);
  }

  valueIn(field: FormField): Entered {
    return this.#entered.get(field.name);
  }

  /** What the user entered, by field. What looks like a secret stays in its field and nowhere else. */
  get entered(): EnteredField[] | null {
    const all = this.#changed.filter(({ secret }) => !secret);
    return all.length === 0 ? null : all.map((field) => [field.name, this.valueIn(field) ?? null]);
  }

  /** Whether something that looks like a secret was entered. */
  get withheld(): boolean {
    return this.#changed.some((field) => field.secret && (this.valueIn(field) ?? "") !== "");
  }

  restore(entered: unknown): void {
    for (const [name, value] of entered as EnteredField[]) {
      this.touched.add(name);
      this.#entered.set(name, value ?? undefined);
    }
    void this.#look();
  }

  get #changed(): FormField[] {
    return this.form.fields.filter(({ name }) => this.touched.has(name));
  }

  /** Whether what stands there is what the server suggested. */
  isSuggested(field: FormField): boolean {
    const given = suggested(field);
    return given !== undefined && JSON.stringify(given) === JSON.stringify(this.valueIn(field));
  }

  /** What is wrong with a field the user has dealt with. An empty required field is not wrong before that. */
  complaint(field: FormField): FieldProblem | undefined {
    const problem = this.misfits?.find((misfit) => misfit.field === field.name)?.problem;
    return problem && (this.touched.has(field.name) || problem.problem !== "missing") ? problem : undefined;
  }

  enter(field: FormField, value: Entered): void {
    this.touched.add(field.name);
    this.#entered.set(field.name, value);
    void this.#look();
  }

  /** From now on says everything that is wrong. */
  complain(): void {
    for (const { name } of this.form.fields) this.touched.add(name);
  }

  /** The newest answer counts; until it comes the last one stands. */
  async #look(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const misfits = await this.#check($state.snapshot(this.content));
      if (asked === this.#asked) this.#misfits = misfits;
    } catch {
      // It was not checked, so it cannot be sent.
      if (asked === this.#asked) this.#misfits = null;
    }
  }
}

function suggested({ kind }: FormField): Entered {
  switch (kind.kind) {
    case "number":
      return kind.default === null ? undefined : String(kind.default);
    case "boolean":
    case "text":
    case "choice":
      return kind.default ?? undefined;
    case "choices":
      return kind.default.length > 0 ? kind.default : undefined;
    default:
      return kind satisfies never;
  }
}

function valueOf(field: FormField, entered: Entered): unknown {
  if (field.kind.kind === "number") {
    if (typeof entered !== "string" || entered.trim() === "" || isUnread(field, entered)) return undefined;
    return typedNumber(entered);
  }
  if (field.kind.kind === "choices") {
    const chosen = Array.isArray(entered) ? entered : [];
    return chosen.length > 0 || meansNone(field) ? chosen : undefined;
  }
  // The empty text can be an option, which was chosen then.
  return field.kind.kind === "text" && entered === "" ? undefined : entered;
}

/**
 * Whether none of several is an answer: where one is required, and where the server would take its suggestion for what is
 * left out.
 */
function meansNone({ kind, required }: FormField): boolean {
  if (required || kind.kind !== "choices") return required;
  return kind.default.length > 0 && (kind.min_items ?? 0) === 0;
}

/** Whether something stands in a number's field that is none, or that would be sent as another one. */
function isUnread({ kind }: FormField, entered: Entered): boolean {
  if (kind.kind !== "number" || typeof entered !== "string" || entered.trim() === "") return false;
  const number = typedNumber(entered);
  return number === undefined || (Number.isInteger(number) && !Number.isSafeInteger(number));
}
