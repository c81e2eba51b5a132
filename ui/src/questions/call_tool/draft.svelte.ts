// What the user has done on the card of a call: edited arguments, and conditions for a permission that lasts.
import { choosable, conditionOf, type ConditionDraft } from "../../features/rule/conditions";
import { ArgumentsDraft } from "../../features/schema/arguments.svelte";
import type { Call, Condition } from "../../host/bindings";
import type { BodyDraft } from "../kind";

export class CallDraft implements BodyDraft {
  readonly arguments: ArgumentsDraft;
  /** What was chosen, also for an argument that has no such condition now. */
  #chosen = $state.raw<ConditionDraft[]>([]);
  /** What later arguments have to be like, where the answer is to hold for longer. */
  conditions = $derived.by(() => fitting(this.#chosen, this.arguments.value));

  constructor({ tool, arguments: given, last_arguments }: Call) {
    this.arguments = new ArgumentsDraft(inputSchema(tool.definition), given, last_arguments);
  }

  get changed(): Record<string, unknown> | null {
    return this.arguments.edited ? { ...this.arguments.value } : null;
  }

  /** Chooses these conditions in place of all others. */
  limit(conditions: ConditionDraft[]): void {
    this.#chosen = conditions;
  }

  get when(): Condition[] | null {
    const whole = this.conditions.map(conditionOf);
    return whole.every((condition) => condition !== null) ? whole : null;
  }

  /** The edits of the arguments, and the conditions where there are some. */
  get entered(): object | null {
    const edits = this.arguments.entered;
    if (this.#chosen.length === 0) return edits;
    return { ...edits, conditions: this.#chosen };
  }

  restore(entered: unknown): void {
    const { conditions = [], ...edits } = entered as { conditions?: ConditionDraft[] };
    if ("value" in edits) this.arguments.restore(edits);
    this.#chosen = conditions;
  }
}

/** The conditions that the arguments can have; one for an exact value is for the value of now. */
function fitting(chosen: ConditionDraft[], value: unknown): ConditionDraft[] {
  if (chosen.length === 0) return chosen;
  const rows = choosable(value);
  return chosen.flatMap((condition) => {
    const offers = rows.find(({ at }) => at === condition.at)?.offers;
    const offer = offers?.find(({ kind }) => kind === condition.kind);
    if (offer === undefined) return [];
    return offer.kind === "equals" || offer.kind === "exactly" ? [offer] : [condition];
  });
}

function inputSchema(definition: unknown): unknown {
  return typeof definition === "object" && definition !== null && "inputSchema" in definition
    ? definition.inputSchema
    : {};
}
