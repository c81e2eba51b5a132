// The chat that a composer attaches to. A new chat is made for the first attachment, and all attachments of that composer
// go to it. Reading a file can take longer than the user stays: by then another chat can be shown.
import type { AttachmentView, ChatId } from "../../host/bindings";
import type { WindowState } from "../../state/window";
import { newChat } from "./newChat";

type State = Pick<WindowState, "projection" | "navigation" | "drafts" | "attachments" | "fileReads">;

export class ComposerChat {
  /** The chat that the composer was made for; null for a new one. */
  readonly #chat: ChatId | null;
  readonly #state: State;
  #making: Promise<ChatId> | null = null;
  /** The chat that was made here, until it is shown or deleted. */
  #made: ChatId | null = null;
  /** The profile that the made chat took from the new one. */
  #profile: string | null = null;
  /** How many readings and sheets are at work for the chat. */
  #holds = 0;

  constructor(chat: ChatId | null, state: State) {
    this.#chat = chat;
    this.#state = state;
  }

  /** The chat, made where there is none yet. */
  get(): Promise<ChatId> {
    if (this.#chat !== null) return Promise.resolve(this.#chat);
    this.#making ??= this.#make();
    return this.#making;
  }

  /** Keeps a chat that is made until `release`, which is called as often. */
  hold(): void {
    this.#holds += 1;
  }

  async release(): Promise<void> {
    this.#holds -= 1;
    // A sheet can be closed while the chat is made.
    await this.#making?.catch(() => undefined);
    if (this.#holds === 0) await this.#settle();
  }

  attach(chat: ChatId, attachment: AttachmentView): void {
    this.#state.attachments.add(chat, attachment);
  }

  /** Shows the chat that was made here, or deletes it where nothing was attached. */
  async #settle(): Promise<void> {
    const made = this.#made;
    if (made === null) return;
    const { projection, navigation, attachments, fileReads } = this.#state;
    if (attachments.of(made).length > 0) {
      this.#forget();
      this.#show(made);
    } else if (this.#isUnused(made)) {
      this.#forget();
      navigation.newProfile ??= this.#profile;
      await projection.host.chatDelete(made);
    } else fileReads.moveTo(made);
  }

  async #make(): Promise<ChatId> {
    const { projection, navigation } = this.#state;
    this.#profile = navigation.newProfile;
    try {
      this.#made = await newChat(projection, navigation);
      return this.#made;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#making = null;
    this.#made = null;
  }

  /** Shows a chat with what was written before, unless the user has gone to another one. */
  #show(made: ChatId): void {
    const { navigation, drafts, fileReads } = this.#state;
    const text = drafts.of(null);
    if (text !== "" && drafts.of(made) === "") {
      drafts.write(made, text);
      drafts.write(null, "");
    }
    fileReads.moveTo(made);
    if (navigation.chat === null) navigation.chat = made;
  }

  /**
   * Whether the user has not begun to use a chat, which is in the list as soon as it is made. One whose entries are no longer
   * loaded counts as used, because what it contains is not known here.
   */
  #isUnused(made: ChatId): boolean {
    const { projection, navigation, drafts } = this.#state;
    return navigation.chat !== made && drafts.of(made) === "" && projection.transcript(made)?.newest.length === 0;
  }
}
