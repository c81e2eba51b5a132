// What the user has done on one card so far, whatever it asks. It can be taken out as JSON and put back, so that the
// window may be reloaded in the middle of it.
import type { Condition, Question, Scope } from "../host/bindings";
import { contentOf } from "../features/cards/content";
import { FoldersDraft } from "../features/cards/folders.svelte";
import { PromptDraft, ReplyDraft } from "../features/cards/sampling.svelte";
import { FormAnswers, type Check } from "../features/form/answers.svelte";
import { conditionOf, type ConditionDraft } from "../features/rule/conditions";
import { ArgumentsDraft } from "../features/schema/arguments.svelte";

/** What was entered on a card, as JSON; what is left out is as it was shown. */
export interface Entered {
  scope?: Scope | undefined;
  reason?: string | undefined;
  also?: boolean | undefined;
  conditions?: ConditionDraft[] | undefined;
  /** In the form of the part of the card that was filled in. */
  content?: unknown;
  /** Something that looks like a secret was entered and is not here. */
  withheld?: boolean | undefined;
}

/** A part of a card that can be filled in. */
interface Part {
  /** What was entered, as JSON; null where nothing was. */
  readonly entered: unknown;
  /** Puts back what `entered` was, on the same card. */
  restore(entered: unknown): void;
}

/** What the user has done on one card so far. */
export class CardDraft {
  scope = $state<Scope>("once");
  reason = $state("");
  reasonOpen = $state(false);
  /** For a tool call. */
  readonly arguments: ArgumentsDraft | undefined;
  /** For the text sent to a model. */
  readonly prompt: PromptDraft | undefined;
  /** For the reply sent to a server. */
  readonly reply: ReplyDraft | undefined;
  /** For folders to share. */
  readonly folders: FoldersDraft | undefined;
  /** For a form. */
  readonly answers: FormAnswers | undefined;
  /** Whether long things on the card have been opened, for cards without arguments. */
  revealed = $state(false);
  /** Whether something unusual that needs a yes of its own got it. */
  confirmed = $state(false);
  /** What later arguments have to be like, where the answer is to hold for longer. */
  conditions = $state.raw<ConditionDraft[]>([]);

  /** The conditions that go with the answer; null where one of them is not whole. */
  get when(): Condition[] | null {
    if (this.scope === "once") return [];
    const whole = this.conditions.map(conditionOf);
    return whole.every((condition) => condition !== null) ? whole : null;
  }
  /** Whether the answer is for every other question that asks exactly the same. */
  also = $state(false);

  /** Whether what stands here was entered before the window was reloaded: all of it, or all but secrets. */
  restored = $state<"whole" | "part" | null>(null);

  readonly #narrowest: Scope;

  constructor(card: Question, check: Check) {
    const question = contentOf(card);
    this.#narrowest = question.scopes[0] ?? "once";
    this.scope = this.#narrowest;
    if (question.about.kind === "call_tool") {
      const { tool, arguments: given, last_arguments } = question.about;
      this.arguments = new ArgumentsDraft(inputSchema(tool.definition), given, last_arguments);
    } else if (question.about.kind === "sample_prompt") this.prompt = new PromptDraft(question.about);
    else if (question.about.kind === "sample_reply") this.reply = new ReplyDraft(question.about);
    else if (question.about.kind === "share_folders") this.folders = new FoldersDraft(question.about);
    else if (question.about.kind === "fill_form") this.answers = new FormAnswers(question.about, check);
  }

  /** What the user changed on the card; null where it is as it was shown. */
  get changed(): Record<string, unknown> | null {
    const draft = this.#editable;
    return draft?.edited ? { ...draft.value } : null;
  }

  /** What is kept for a reload of the window; null where nothing was entered. What was looked at is not: it is read again. */
  get entered(): Entered | null {
    const all: Entered = {
      scope: this.scope === this.#narrowest ? undefined : this.scope,
      reason: this.reason || undefined,
      also: this.also || undefined,
      conditions: this.conditions.length > 0 ? this.conditions : undefined,
      content: this.#part?.entered ?? undefined,
      withheld: this.answers?.withheld || this.restored === "part" || undefined,
    };
    return Object.values(all).some((value) => value !== undefined) ? all : null;
  }

  /** Puts back what was entered on this very card before. */
  restore(entered: Entered): void {
    this.scope = entered.scope ?? this.scope;
    this.reason = entered.reason ?? "";
    this.reasonOpen = this.reason !== "";
    this.also = entered.also ?? false;
    this.conditions = entered.conditions ?? [];
    if (entered.content !== undefined) this.#part?.restore(entered.content);
    this.restored = entered.withheld ? "part" : "whole";
  }

  get #part(): Part | undefined {
    return this.#editable ?? this.answers;
  }

  get #editable(): ArgumentsDraft | PromptDraft | ReplyDraft | FoldersDraft | undefined {
    return this.arguments ?? this.prompt ?? this.reply ?? this.folders;
  }
}

function inputSchema(definition: unknown): unknown {
  return typeof definition === "object" && definition !== null && "inputSchema" in definition
    ? definition.inputSchema
    : {};
}
