// Has the host prepare what the next message needs while it is written. The host keeps it for a minute.
import type { ChatId } from "../../host/bindings";

/** How long what was prepared is not prepared again, in milliseconds. */
const AGAIN = 30_000;

export class MessagePreparation {
  readonly #prepare: (chat: ChatId | null) => Promise<void>;
  #last: { chat: ChatId | null; at: number } | undefined;

  constructor(prepare: (chat: ChatId | null) => Promise<void>) {
    this.#prepare = prepare;
  }

  /** Something was written in a chat; null is one that has not begun. */
  written(chat: ChatId | null): void {
    const at = performance.now();
    if (this.#last?.chat === chat && at - this.#last.at < AGAIN) return;
    this.#last = { chat, at };
    // What stands in the way is said by the message.
    void this.#prepare(chat).catch(() => undefined);
  }

  /** A message was sent: the next one needs it again. */
  sent(): void {
    this.#last = undefined;
  }
}
