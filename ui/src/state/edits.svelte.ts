// The texts of chats that the user is changing. The window keeps them until they are saved or given up, so that they are
// there when the user folds one away or comes back from another chat.
import { SvelteMap } from "svelte/reactivity";
import type { ChatId, EntryId, QueuedView } from "../host/bindings";

/** A text while it is changed. */
export class TextEdit {
  readonly id: EntryId;
  readonly original: string;
  /** The chat in whose queue the message waits; null where it is an entry. */
  readonly queue: ChatId | null;
  text: string;
  isSaving = $state(false);
  #isNew = true;

  constructor(id: EntryId, original: string, queue: ChatId | null = null) {
    this.id = id;
    this.original = original;
    this.queue = queue;
    this.text = $state(original);
  }

  /** Whether its field has not been shown yet; asked once. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }
}

export class Edits {
  readonly #open = new SvelteMap<EntryId, TextEdit>();

  of(id: EntryId): TextEdit | undefined {
    return this.#open.get(id);
  }

  begin(id: EntryId, original: string, queue: ChatId | null = null): void {
    this.#open.set(id, new TextEdit(id, original, queue));
  }

  /** Ends an edit, but no other one of the same text that was begun since. */
  end(edit: TextEdit): void {
    if (this.of(edit.id) === edit) this.#open.delete(edit.id);
  }

  /**
   * Ends the edits of messages that do not wait in a chat any more, and returns the changed texts. An edit that is being
   * saved ends with that, or stays until it is asked for again.
   */
  takeOrphans(chat: ChatId, waiting: readonly QueuedView[]): string[] {
    const gone = [...this.#open.values()].filter(
      (edit) => edit.queue === chat && !edit.isSaving && waiting.every(({ id }) => id !== edit.id),
    );
    for (const edit of gone) this.end(edit);
    return gone.flatMap(({ text, original }) => (text === original ? [] : [text]));
  }
}
