// Attachments that are not sent yet, of servers and of files, per chat. The host holds their content. A window that reloads forgets
// them, and the host deletes them with the chat.
import { SvelteMap } from "svelte/reactivity";
import type { AttachmentId, AttachmentView, ChatId } from "../host/bindings";

export class Attachments {
  readonly #all = new SvelteMap<ChatId, AttachmentView[]>();

  of(chat: ChatId | null): AttachmentView[] {
    return chat === null ? [] : (this.#all.get(chat) ?? []);
  }

  add(chat: ChatId, attachment: AttachmentView): void {
    this.#all.set(chat, [...this.of(chat), attachment]);
  }

  drop(chat: ChatId, ids: readonly AttachmentId[]): void {
    this.#all.set(
      chat,
      this.of(chat).filter(({ id }) => !ids.includes(id)),
    );
  }
}
