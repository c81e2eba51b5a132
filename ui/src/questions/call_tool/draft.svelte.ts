// What the user has done on the card of a call: edited arguments, and conditions for a permission that lasts.
import { conditionOf, type ConditionDraft } from "../../features/rule/conditions";
import { ArgumentsDraft } from "../../features/schema/arguments.svelte";
import type { Call, Condition } from "../../host/bindings";
import type { BodyDraft } from "../kind";

export class CallDraft implements BodyDraft {
  readonly arguments: ArgumentsDraft;
  /** What later arguments have to be like, where the answer is to hold for longer. */
  conditions = $state.raw<ConditionDraft[]>([]);

  constructor({ tool, arguments: given, last_arguments }: Call) {
    this.arguments = new ArgumentsDraft(inputSchema(tool.definition), given, last_arguments);
  }

  get changed(): Record<string, unknown> | null {
    return this.arguments.edited ? { ...this.arguments.value } : null;
  }

  get when(): Condition[] | null {
    const whole = this.conditions.map(conditionOf);
    return whole.every((condition) => condition !== null) ? whole : null;
  }

  /** The edits of the arguments, and the conditions where there are some. */
  get entered(): object | null {
    const edits = this.arguments.entered;
    if (this.conditions.length === 0) return edits;
    return { ...edits, conditions: this.conditions };
  }

  restore(entered: unknown): void {
    const { conditions = [], ...edits } = entered as { conditions?: ConditionDraft[] };
    if ("value" in edits) this.arguments.restore(edits);
    this.conditions = conditions;
  }
}

function inputSchema(definition: unknown): unknown {
  return typeof definition === "object" && definition !== null && "inputSchema" in definition
    ? definition.inputSchema
    : {};
}
