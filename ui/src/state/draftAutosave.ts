// Saves what is entered on a card in the host while its question waits. One message is sent at a time and only the newest
// is queued, so that typing is never delayed.
import type { ConsentHost } from "../host";
import type { Question, QuestionId } from "../host/bindings";
import type { Entered } from "../questions/frame/draft.svelte";

type Message = Parameters<ConsentHost["keep"]>;

const NOTHING = "null";

export class DraftAutosave {
  readonly #host: ConsentHost;
  /** The nonce and the text sent last, by question. */
  readonly #sent = new Map<QuestionId, { nonce: string; text: string }>();
  readonly #waiting = new Map<QuestionId, Message>();
  #sending = false;

  constructor(host: ConsentHost) {
    this.#host = host;
  }

  keep({ id, nonce }: Question, entered: Entered | null): void {
    const text = JSON.stringify(entered);
    const sent = this.#sent.get(id);
    if ((sent?.nonce === nonce ? sent.text : NOTHING) === text) return;
    this.#sent.set(id, { nonce, text });
    this.#waiting.set(id, [id, nonce, JSON.parse(text) as Message[2]]);
    void this.#send();
  }

  /** Forgets a question that is gone; the host has done the same. */
  drop(question: QuestionId): void {
    this.#sent.delete(question);
    this.#waiting.delete(question);
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (const [id, message] of this.#waiting) {
      this.#waiting.delete(id);
      // A failed save changes nothing on the card.
      await this.#host.keep(...message).catch(() => undefined);
    }
    this.#sending = false;
  }
}
