// Moves chats to the trash and back. The last one that was moved can be brought back at once.
import type { ChatView } from "../host/bindings";
import type { Navigation } from "./navigation.svelte";
import type { Notices } from "./notices.svelte";
import type { Projection } from "./projection.svelte";

export class Trash {
  /** The chat that was moved last, until the user has gone on. */
  last = $state.raw<ChatView | null>(null);
  readonly #projection: Projection;
  readonly #navigation: Navigation;
  readonly #notices: Notices;
  #wasShown = false;

  constructor(projection: Projection, navigation: Navigation, notices: Notices) {
    this.#projection = projection;
    this.#navigation = navigation;
    this.#notices = notices;
  }

  async move(chat: ChatView): Promise<void> {
    const isShown = this.#navigation.view === "chat" && this.#navigation.chat === chat.id;
    if (!(await this.#notices.attempt(() => this.#projection.host.chatTrash(chat.id, true)))) return;
    this.last = chat;
    this.#wasShown = isShown;
  }

  async undo(): Promise<void> {
    const { last } = this;
    if (!last || !(await this.restore(last)) || !this.#wasShown) return;
    this.#projection.expect(last.id);
    this.#navigation.toChat(last.id);
  }

  async restore(chat: ChatView): Promise<boolean> {
    const isRestored = await this.#notices.attempt(() => this.#projection.host.chatTrash(chat.id, false));
    if (isRestored && this.last?.id === chat.id) this.last = null;
    return isRestored;
  }
}
