// Files on their way into each chat: how many are read, what was refused or not saved, and folders, which can be added to
// a workspace instead. The window keeps this, because reading a file can take longer than its chat is shown.
import { SvelteMap } from "svelte/reactivity";
import type { Trouble } from "../host";
import type { ChatId } from "../host/bindings";

/** What is shown above the message field of a chat until the user dismisses it. */
export interface FileNotes {
  refused: readonly Trouble[];
  folders: readonly string[];
}

const NONE: FileNotes = { refused: [], folders: [] };

/** By chat, and by null for a new one. */
export class FileReads {
  readonly #notes = new SvelteMap<ChatId | null, FileNotes>();
  readonly #reading = new SvelteMap<ChatId | null, number>();

  notes(chat: ChatId | null): FileNotes {
    return this.#notes.get(chat) ?? NONE;
  }

  isReading(chat: ChatId | null): boolean {
    return (this.#reading.get(chat) ?? 0) > 0;
  }

  /** Counts a reading. What earlier ones said is forgotten, unless one of them goes on. */
  begin(chat: ChatId | null): void {
    if (!this.isReading(chat)) this.#notes.delete(chat);
    this.#reading.set(chat, (this.#reading.get(chat) ?? 0) + 1);
  }

  end(chat: ChatId | null): void {
    this.#reading.set(chat, (this.#reading.get(chat) ?? 0) - 1);
  }

  note(chat: ChatId | null, refused: readonly Trouble[], folders: readonly string[] = []): void {
    const before = this.notes(chat);
    const all = [...before.folders, ...folders];
    this.#notes.set(chat, {
      refused: [...before.refused, ...refused],
      folders: all.filter((folder, at) => all.indexOf(folder) === at),
    });
  }

  /** Shows in a chat what was noted in the new chat that it was made from. */
  moveTo(made: ChatId): void {
    const { refused, folders } = this.notes(null);
    this.#notes.delete(null);
    this.note(made, refused, folders);
  }

  dismissRefused(chat: ChatId | null): void {
    this.#notes.set(chat, { ...this.notes(chat), refused: [] });
  }

  /** Forgets a folder that was added or is not wanted. */
  dismissFolder(chat: ChatId | null, folder: string): void {
    const { refused, folders } = this.notes(chat);
    this.#notes.set(chat, { refused, folders: folders.filter((other) => other !== folder) });
  }
}
