// Has the host read files for the chat of a composer, which has neither their paths nor the clipboard's picture.
import { troubleOf } from "../../host";
import type { AttachmentView, ChatId, FilesAttached } from "../../host/bindings";
import type { FileReads } from "../../state/fileReads.svelte";

interface Target {
  /** The chat they are for; made where there is none yet. */
  get: () => Promise<ChatId>;
  attach: (chat: ChatId, attached: AttachmentView) => void;
  /** Called before and after each reading. */
  hold: () => void;
  release: () => Promise<void>;
}

export class FileIntake {
  /** The chat that the composer shows; null for a new one. */
  readonly #shown: ChatId | null;
  readonly #reads: FileReads;
  readonly #target: Target;

  constructor(shown: ChatId | null, reads: FileReads, target: Target) {
    this.#shown = shown;
    this.#reads = reads;
    this.#target = target;
  }

  /** Has the host read files for the chat, and attaches what it could. */
  async take(read: (chat: ChatId) => Promise<FilesAttached>): Promise<void> {
    this.#reads.begin(this.#shown);
    this.#target.hold();
    try {
      const chat = await this.#target.get();
      const { attached, refused, not_kept, folders } = await read(chat);
      for (const one of attached) this.#target.attach(chat, one);
      this.#reads.note(this.#shown, [...refused, ...not_kept], folders);
    } catch (error) {
      this.#reads.note(this.#shown, [troubleOf(error)]);
    }
    this.#reads.end(this.#shown);
    await this.#target.release().catch((error: unknown) => this.#reads.note(this.#shown, [troubleOf(error)]));
  }
}
