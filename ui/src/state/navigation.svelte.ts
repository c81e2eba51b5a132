// What the main window shows and which panels are open. Panels close where the window is too narrow for them and come
// back when there is room.
import { MediaQuery } from "svelte/reactivity";
import type { ChatId, ServerId } from "../host/bindings";

export class Navigation {
  view = $state<"chat" | "servers" | "workspaces" | "rules" | "ledger" | "settings">("chat");
  /** Null is a chat that has not begun. */
  chat = $state<ChatId | null>(null);
  server = $state<ServerId | null>(null);
  adding = $state(false);

  readonly #roomForSide = new MediaQuery("min-width: 960px", true);
  readonly #roomForActivity = new MediaQuery("min-width: 1160px", true);
  #sideClosed = $state(false);
  #drawer = $state(false);
  #activityClosed = $state(false);
  #activityDrawer = $state(false);

  /** Whether the left panel lies over the chat instead of beside it. */
  get narrow(): boolean {
    return !this.#roomForSide.current;
  }

  /** Whether the right panel lies over the chat instead of beside it. */
  get narrowActivity(): boolean {
    return !this.#roomForActivity.current;
  }

  get side(): boolean {
    return this.narrow ? this.#drawer : !this.#sideClosed;
  }

  get activity(): boolean {
    return this.narrowActivity ? this.#activityDrawer : !this.#activityClosed;
  }

  toggleSide(): void {
    if (this.narrow) this.#drawer = !this.#drawer;
    else this.#sideClosed = !this.#sideClosed;
  }

  openSide(): void {
    if (!this.side) this.toggleSide();
  }

  toggleActivity(): void {
    if (this.narrowActivity) this.#activityDrawer = !this.#activityDrawer;
    else this.#activityClosed = !this.#activityClosed;
  }

  toChat(chat: ChatId | null): void {
    this.view = "chat";
    this.chat = chat;
    this.#drawer = false;
  }

  toServer(server: ServerId | null): void {
    this.view = "servers";
    this.server = server;
    this.adding = false;
    this.#drawer = false;
  }

  toNewServer(): void {
    this.toServer(null);
    this.adding = true;
  }

  toWorkspaces(): void {
    this.view = "workspaces";
    this.#drawer = false;
  }

  toRules(): void {
    this.view = "rules";
    this.#drawer = false;
  }

  toLedger(): void {
    this.view = "ledger";
    this.#drawer = false;
  }

  toSettings(): void {
    this.view = "settings";
    this.#drawer = false;
  }
}
