// The ends of changes that the user is asked about in the consent window. The command that begins a change returns once its
// question waits; an event reports the end.
import type { ChangeEnd, QuestionId } from "../host/bindings";

/** How many ends are kept that no caller waits for yet. */
const MOST_KEPT = 32;

export class ChangeEnds {
  /** Callers that wait for an end. */
  readonly #asked = new Map<QuestionId, (end: ChangeEnd | null) => void>();
  /** Changes that ended before the command that began them returned. */
  readonly #ends = new Map<QuestionId, ChangeEnd>();

  /** Waits for the end of a change; null where it was lost. */
  of(question: QuestionId): Promise<ChangeEnd | null> {
    const early = this.#ends.get(question);
    this.#ends.delete(question);
    if (early) return Promise.resolve(early);
    return new Promise((ended) => this.#asked.set(question, ended));
  }

  /** Takes an end that was reported. */
  take(question: QuestionId, end: ChangeEnd): void {
    if (this.#asked.has(question)) {
      this.#tell(question, end);
      return;
    }
    this.#ends.set(question, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MOST_KEPT && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** An end that was reported between two subscriptions is not reported again. */
  loseAllBut(waiting: readonly QuestionId[]): void {
    for (const question of [...this.#asked.keys()]) {
      if (!waiting.includes(question)) this.#tell(question, null);
    }
  }

  #tell(question: QuestionId, end: ChangeEnd | null): void {
    const ended = this.#asked.get(question);
    this.#asked.delete(question);
    ended?.(end);
  }
}
