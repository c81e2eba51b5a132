// Has the host keep what is entered on a card while its question waits. One message is under way at a time and the newest
// counts, so that typing is never held up.
import type { ConsentHost } from "../host";
import type { Question, QuestionId } from "../host/bindings";
import type { Entered } from "./card.svelte";

type Message = Parameters<ConsentHost["keep"]>;

const NOTHING = "null";

export class Keeping {
  readonly #host: ConsentHost;
  /** The nonce and what was told last, by question. */
  readonly #told = new Map<QuestionId, { nonce: string; text: string }>();
  readonly #waiting = new Map<QuestionId, Message>();
  #sending = false;

  constructor(host: ConsentHost) {
    this.#host = host;
  }

  keep({ id, nonce }: Question, entered: Entered | null): void {
    const text = JSON.stringify(entered);
    const told = this.#told.get(id);
    if ((told?.nonce === nonce ? told.text : NOTHING) === text) return;
    this.#told.set(id, { nonce, text });
    this.#waiting.set(id, [id, nonce, JSON.parse(text) as Message[2]]);
    void this.#send();
  }

  /** Forgets a question that is gone; the host has. */
  drop(question: QuestionId): void {
    this.#told.delete(question);
    this.#waiting.delete(question);
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (const [id, message] of this.#waiting) {
      this.#waiting.delete(id);
      // What is not kept still stands on the card.
      await this.#host.keep(...message).catch(() => undefined);
    }
    this.#sending = false;
  }
}
