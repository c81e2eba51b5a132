// What the main window shows and which panels are open. Panels close where the window is too narrow for them and come
// back when there is room.
import { MediaQuery } from "svelte/reactivity";
import type { ChatId, EntryId, ServerDraft, ServerId } from "../host/bindings";

/** A part of the settings. */
export type SettingsSection =
  "models" | "servers" | "look" | "notifications" | "limits" | "data" | "shortcuts" | "about";

/** A prompt, resource or template of a server. */
export interface OfferRef {
  server: ServerId;
  kind: "prompt" | "resource" | "pattern";
  key: string;
}

export class Navigation {
  view = $state<"chat" | "stored" | "servers" | "workspaces" | "rules" | "ledger" | "settings">("chat");
  /** Null is a chat that has not begun. */
  chat = $state<ChatId | null>(null);
  server = $state<ServerId | null>(null);
  adding = $state(false);
  /** Whether the palette is open. */
  searching = $state(false);
  /** How often "Find in chat" was asked for since it was closed; 0 while it is closed. */
  finding = $state(0);
  /** What is searched for in all chats; null while that search is closed. */
  findingAll = $state<string | null>(null);
  section = $state<SettingsSection>("models");
  /** The profile that the next new chat begins with; null for all servers and tools. */
  newProfile = $state<string | null>(null);
  /** Whether the settings of the chat are to be opened; taken by the composer. */
  chatSettings = $state(false);
  /** The temporary chat that is closed once the user has confirmed it. */
  closing = $state<ChatId | null>(null);
  /** The chat whose name is to be changed in the list; taken by its row. */
  renaming = $state<ChatId | null>(null);
  /** What is to be shown of the next view; each is asked for once. */
  #entry = $state<EntryId | null>(null);
  #tool = $state<string | null>(null);
  #search = $state<string | null>(null);
  #draft: ServerDraft | null = null;
  #step: ServerId | null = null;
  #look = false;
  #offer = $state.raw<OfferRef | null>(null);
  /** The servers that were added last, until the user has gone on. */
  added = $state.raw<ServerId[]>([]);

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

  /** Shows a chat, and an entry of it where one is named. */
  toChat(chat: ChatId | null, entry: EntryId | null = null): void {
    this.view = "chat";
    this.chat = chat;
    this.#entry = entry;
    this.#drawer = false;
  }

  /** Shows the chats that were put away and those in the trash. */
  toStoredChats(): void {
    this.view = "stored";
    this.#drawer = false;
  }

  /** Opens the list of chats where the name of the chat that is shown can be changed. */
  renameChat(): void {
    if (this.view !== "chat" || this.chat === null) return;
    this.openSide();
    this.renaming = this.chat;
  }

  /** Opens "Find in chat", or goes back to its field. */
  findInChat(): void {
    if (this.view === "chat" && this.chat !== null) this.finding += 1;
  }

  /** Begins a chat with something that a server offers. */
  toNewChatWith(offer: OfferRef): void {
    this.toChat(null);
    this.#offer = offer;
  }

  /** Shows a server, and a tool of it where one is named. */
  toServer(server: ServerId | null, tool: string | null = null): void {
    this.view = "servers";
    this.server = server;
    this.adding = false;
    this.added = [];
    this.#tool = tool;
    this.#drawer = false;
  }

  get wantedEntry(): EntryId | null {
    return this.#entry;
  }

  get wantedTool(): string | null {
    return this.#tool;
  }

  get wantedOffer(): OfferRef | null {
    return this.#offer;
  }

  /** What the pane that opens is to be searched for. */
  get wantedSearch(): string | null {
    return this.#search;
  }

  /** Forgets what was wanted of a view, since it is shown. */
  shown(): void {
    this.#entry = null;
    this.#tool = null;
    this.#search = null;
    this.#offer = null;
  }

  /** Shows servers that were added just now: one on its page, several in the list. */
  toAdded(servers: ServerId[]): void {
    this.toServer(servers.length === 1 ? (servers[0] ?? null) : null);
    this.added = servers;
  }

  /** Whether this server alone was added just now; asked once. */
  takeAdded(server: ServerId): boolean {
    const isNew = this.added.length === 1 && this.added[0] === server;
    if (isNew) this.added = [];
    return isNew;
  }

  /** Shows a server and carries out the next step of its diagnosis there. */
  toStep(server: ServerId): void {
    this.toServer(server);
    this.#step = server;
  }

  /** Whether the next step of this server is to be carried out; asked once. */
  takeStep(server: ServerId): boolean {
    const wanted = this.#step === server;
    if (wanted) this.#step = null;
    return wanted;
  }

  /** Opens the form of a new server, which starts with a draft where there is one. */
  toNewServer(draft: ServerDraft | null = null): void {
    this.toServer(null);
    this.adding = true;
    this.#draft = draft;
  }

  /** Looks for the servers of other applications on this computer. */
  toFoundServers(): void {
    this.toNewServer();
    this.#look = true;
  }

  /** Whether this computer is to be looked at; asked once. */
  takeLook(): boolean {
    const look = this.#look;
    this.#look = false;
    return look;
  }

  /** What the form of a new server starts with; asked once. */
  takeDraft(): ServerDraft | null {
    const draft = this.#draft;
    this.#draft = null;
    return draft;
  }

  toWorkspaces(): void {
    this.view = "workspaces";
    this.#drawer = false;
  }

  toRules(search: string | null = null): void {
    this.view = "rules";
    this.#search = search;
    this.#drawer = false;
  }

  toLedger(search: string | null = null): void {
    this.view = "ledger";
    this.#search = search;
    this.#drawer = false;
  }

  toSettings(section: SettingsSection = "models"): void {
    this.view = "settings";
    this.section = section;
    this.#drawer = false;
  }
}
