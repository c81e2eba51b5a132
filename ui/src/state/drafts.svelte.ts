// What is written but not sent, per chat. The host keeps it, so that it survives the end of the application; and a
// message that could not be sent comes back here.
import { SvelteMap } from "svelte/reactivity";
import type { MainHost } from "../host";
import type { ChatId, DraftView } from "../host/bindings";

/** How long after the last key a text is kept, in milliseconds. */
const REST = 400;

export class Drafts {
  readonly #host: MainHost;
  readonly #texts = new SvelteMap<ChatId | null, string>();
  readonly #timers = new SvelteMap<ChatId | null, ReturnType<typeof setTimeout>>();

  constructor(host: MainHost) {
    this.#host = host;
  }

  of(chat: ChatId | null): string {
    return this.#texts.get(chat) ?? "";
  }

  /** Takes over what the host kept. What was written in this window meanwhile is newer. */
  restore(drafts: readonly DraftView[]): void {
    for (const { chat, text } of drafts) if (!this.#texts.has(chat)) this.#texts.set(chat, text);
  }

  write(chat: ChatId | null, text: string): void {
    this.#texts.set(chat, text);
    clearTimeout(this.#timers.get(chat));
    this.#timers.set(
      chat,
      setTimeout(() => this.#keep(chat), text === "" ? 0 : REST),
    );
  }

  /** Has everything kept now that waits for a rest: the window is hidden or closed. */
  flush(): void {
    for (const chat of [...this.#timers.keys()]) this.#keep(chat);
  }

  #keep(chat: ChatId | null): void {
    clearTimeout(this.#timers.get(chat));
    this.#timers.delete(chat);
    // A draft that cannot be kept still stands in its field.
    this.#host.draftSave(chat, this.of(chat)).catch(() => undefined);
  }
}
