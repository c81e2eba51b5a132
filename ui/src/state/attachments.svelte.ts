// Attachments that are not sent yet, of servers and of files, per chat. The host holds their content; a window reads once
// what waits in a chat, so that it is there after a reload, and files after a restart.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { MainHost } from "../host";
import type { AttachmentId, AttachmentView, ChatId } from "../host/bindings";

export class Attachments {
  readonly #host: MainHost;
  readonly #all = new SvelteMap<ChatId, AttachmentView[]>();
  readonly #loaded = new SvelteSet<ChatId>();
  readonly #dropped = new SvelteSet<AttachmentId>();

  constructor(host: MainHost) {
    this.#host = host;
  }

  of(chat: ChatId | null): AttachmentView[] {
    return chat === null ? [] : (this.#all.get(chat) ?? []);
  }

  /** Reads what waits in a chat, the first time it is shown. What was attached meanwhile comes after it. */
  async load(chat: ChatId): Promise<void> {
    if (this.#loaded.has(chat)) return;
    this.#loaded.add(chat);
    const waiting = await this.#host.attachmentsWaiting(chat);
    const known = this.of(chat);
    const missing = waiting.filter(({ id }) => !this.#dropped.has(id) && !known.some((one) => one.id === id));
    if (missing.length > 0) this.#all.set(chat, [...missing, ...known]);
  }

  add(chat: ChatId, attachment: AttachmentView): void {
    if (!this.of(chat).some(({ id }) => id === attachment.id)) this.#all.set(chat, [...this.of(chat), attachment]);
  }

  drop(chat: ChatId, ids: readonly AttachmentId[]): void {
    for (const id of ids) this.#dropped.add(id);
    this.#all.set(
      chat,
      this.of(chat).filter(({ id }) => !ids.includes(id)),
    );
  }
}
