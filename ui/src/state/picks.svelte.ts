// What was picked of servers and is not sent yet, per chat. The host holds the things themselves; a window that reloads
// forgets them here, and the host forgets them with the chat.
import { SvelteMap } from "svelte/reactivity";
import type { AttachmentId, AttachmentView, ChatId } from "../host/bindings";

export class Picks {
  readonly #all = new SvelteMap<ChatId, AttachmentView[]>();

  of(chat: ChatId | null): AttachmentView[] {
    return chat === null ? [] : (this.#all.get(chat) ?? []);
  }

  add(chat: ChatId, picked: AttachmentView): void {
    this.#all.set(chat, [...this.of(chat), picked]);
  }

  drop(chat: ChatId, ids: readonly AttachmentId[]): void {
    this.#all.set(
      chat,
      this.of(chat).filter(({ id }) => !ids.includes(id)),
    );
  }
}
