// Files on their way into a chat: what of them was refused or not saved, and folders, which can be added to a workspace instead. The
// host reads them; a window has neither their paths nor the clipboard's picture.
import { troubleOf, type Trouble } from "../../host";
import type { AttachmentView, ChatId, FilesAttached } from "../../host/bindings";

interface Target {
  /** The chat they are for; made where there is none yet. */
  chat: () => Promise<ChatId>;
  attach: (chat: ChatId, attached: AttachmentView) => void;
  /** Called once no file is read any more. */
  settle: () => Promise<void>;
}

export class FileIntake {
  refused = $state.raw<Trouble[]>([]);
  folders = $state.raw<string[]>([]);
  /** How many are read at the moment. */
  #reading = $state(0);
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  get reading(): boolean {
    return this.#reading > 0;
  }

  /** Has the host read files for the chat, and attaches what it could. */
  async take(read: (chat: ChatId) => Promise<FilesAttached>): Promise<void> {
    this.clear();
    this.#reading += 1;
    try {
      const chat = await this.#target.chat();
      const { attached, refused, not_kept, folders } = await read(chat);
      for (const one of attached) this.#target.attach(chat, one);
      this.refused = [...refused, ...not_kept];
      this.folders = folders;
    } catch (error) {
      this.refused = [troubleOf(error)];
    }
    this.#reading -= 1;
    if (this.#reading > 0) return;
    await this.#target.settle().catch((error: unknown) => (this.refused = [...this.refused, troubleOf(error)]));
  }

  /** Forgets a folder that was added or is not wanted. */
  settle(folder: string): void {
    this.folders = this.folders.filter((other) => other !== folder);
  }

  clear(): void {
    this.refused = [];
    this.folders = [];
  }
}
