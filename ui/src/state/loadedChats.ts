// The chats whose entries are loaded: the one that is shown, and those that were shown before it. Their number is bounded; an
// earlier one is read again when it is shown.
import { SvelteMap } from "svelte/reactivity";
import type { ChatId, EntriesPart, EntriesView } from "../host/bindings";
import { Transcript } from "./transcript.svelte";

/** The most chats that stay loaded. */
export const MOST_LOADED = 6;

export class LoadedChats {
  readonly #transcripts = new SvelteMap<ChatId, Transcript>();
  /** The loaded chats, the one that was shown last at the end. */
  #shown: ChatId[] = [];
  readonly #read: (chat: ChatId, part: EntriesPart) => Promise<EntriesView>;

  constructor(read: (chat: ChatId, part: EntriesPart) => Promise<EntriesView>) {
    this.#read = read;
  }

  get(chat: ChatId): Transcript | undefined {
    return this.#transcripts.get(chat);
  }

  /** Reads the newest entries of a chat that is shown now, unless they are loaded. */
  async show(chat: ChatId): Promise<void> {
    if (this.#transcripts.has(chat)) this.#keep(chat);
    else await this.load(chat);
  }

  /** Reads the newest entries of a chat. */
  async load(chat: ChatId): Promise<void> {
    let transcript = this.#transcripts.get(chat);
    if (!transcript) {
      transcript = new Transcript((part) => this.#read(chat, part));
      this.#transcripts.set(chat, transcript);
      this.#keep(chat);
    }
    await transcript.load();
  }

  /** Reads the newest entries of each loaded chat again. */
  reload(): void {
    for (const transcript of this.#transcripts.values()) void transcript.load();
  }

  delete(chat: ChatId): void {
    this.#transcripts.delete(chat);
    this.#shown = this.#shown.filter((id) => id !== chat);
  }

  /** Notes that a chat was shown last, and drops the one that was shown longest ago where too many are loaded. */
  #keep(chat: ChatId): void {
    this.#shown = [...this.#shown.filter((id) => id !== chat), chat];
    for (const id of this.#shown.splice(0, this.#shown.length - MOST_LOADED)) this.#transcripts.delete(id);
  }
}
