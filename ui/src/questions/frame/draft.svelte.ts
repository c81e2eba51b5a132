// What the user has done on one card so far, whatever it asks. It can be taken out as JSON and put back, so that the
// window may be reloaded in the middle of it.
import type { QuestionBody, Answer, Question, Scope } from "../../host/bindings";
import { NOTHING_ENTERED, type BodyDraft, type Check, type QuestionKind } from "../kind";
import { contentOf } from "./content";

/** What was entered on a card, as JSON; what is left out is as it was shown. */
export interface Entered {
  scope?: Scope | undefined;
  reason?: string | undefined;
  also?: boolean | undefined;
  /** In the form of the body of the card. */
  content?: unknown;
  /** Something that looks like a secret was entered and is not here. */
  withheld?: boolean | undefined;
}

export class CardDraft {
  /** The kind of the card. */
  readonly card: QuestionKind;
  /** The kind of what is answered: another one where the card stands for several questions that are all alike. */
  readonly kind: QuestionKind;
  readonly body: BodyDraft;
  scope = $state<Scope>("once");
  reason = $state("");
  reasonOpen = $state(false);
  /** Whether the answer is for every other question that asks exactly the same. */
  also = $state(false);
  /** Whether what stands here was entered before the window was reloaded: all of it, or all but secrets. */
  restored = $state<"whole" | "part" | null>(null);

  readonly #narrowest: Scope;

  constructor(question: Question, kindOf: (about: QuestionBody) => QuestionKind, check: Check) {
    this.card = kindOf(question.about);
    const { about, scopes } = contentOf(question, this.card);
    this.kind = kindOf(about);
    this.body = this.kind.draft?.(about, check) ?? NOTHING_ENTERED;
    this.#narrowest = scopes[0] ?? "once";
    this.scope = this.#narrowest;
  }

  /** The permitting answer, with what the user did on the card. */
  get permission(): Answer {
    if (this.kind.permit) return this.kind.permit(this.body);
    const when = this.scope === "once" ? [] : (this.body.when ?? []);
    return { answer: "accept", scope: this.scope, arguments: this.body.changed, when };
  }

  /** What is kept for a reload of the window; null where nothing was entered. What was looked at is not: it is read again. */
  get entered(): Entered | null {
    const all: Entered = {
      scope: this.scope === this.#narrowest ? undefined : this.scope,
      reason: this.reason || undefined,
      also: this.also || undefined,
      content: this.body.entered ?? undefined,
      withheld: this.body.withheld || this.restored === "part" || undefined,
    };
    return Object.values(all).some((value) => value !== undefined) ? all : null;
  }

  /** Puts back what was entered on this very card before. */
  restore(entered: Entered): void {
    this.scope = entered.scope ?? this.scope;
    this.reason = entered.reason ?? "";
    this.reasonOpen = this.reason !== "";
    this.also = entered.also ?? false;
    if (entered.content !== undefined) this.body.restore(entered.content);
    this.restored = entered.withheld ? "part" : "whole";
  }
}
