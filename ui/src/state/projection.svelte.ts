// Everything the main window shows, kept equal to the host's truth: a snapshot first, then events in order. Nothing is
// invented here; what the user does goes to the host and comes back as an event. Events are applied once per frame,
// so that a fast model costs one update a frame and not one a word.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type {
  AttachmentId,
  ChatId,
  CostsView,
  ChatView,
  ConnectionView,
  DraftView,
  Envelope,
  EntryId,
  HeadState,
  LedgerCheck,
  ModelView,
  MutedView,
  RowsView,
  SecretsState,
  ServerId,
  ServerView,
  Settings,
  Snapshot,
  ToolProfile,
  WaitingView,
  WorkspaceView,
} from "../host/bindings";
import type { MainHost, Trouble } from "../host";
import { ChangeEnds } from "./changeEnds";
import { EventReader } from "./eventReader";
import { LoadedChats } from "./loadedChats";
import { inOrder } from "./serverOrder";
import type { Transcript } from "./transcript.svelte";

const SETTINGS: Settings = {
  appearance: "system",
  language: "system",
  default_model: "",
  max_rounds: 0,
  call_timeout_s: 0,
  notify: true,
  zoom: 100,
  tool_discovery: "automatic",
  large_results: "part",
  compact: true,
  compact_at: 80,
  title_chats: false,
  day_budget: null,
  currency: "USD",
  budget: null,
  server_order: [],
  picture_edge: 1568,
  pictures_sent: 4,
  gallery_address: "https://registry.modelcontextprotocol.io",
};

export class Projection {
  /** Whether the first snapshot is here. */
  ready = $state(false);
  /** Why the host could not be reached. */
  trouble = $state.raw<Trouble | null>(null);
  chats = $state.raw<ChatView[]>([]);
  /** The chats of the list: those that are kept at its top come first. */
  readonly listed = $derived(
    this.chats
      .filter(({ archived, trashed_ms }) => !archived && trashed_ms === null)
      .toSorted((a, b) => Number(b.pinned) - Number(a.pinned)),
  );
  /** The chats that were put away. */
  readonly archived = $derived(this.chats.filter(({ archived, trashed_ms }) => archived && trashed_ms === null));
  /** The chats in the trash; the last that was moved there comes first. */
  readonly trash = $derived(
    this.chats
      .filter(({ trashed_ms }) => trashed_ms !== null)
      .toSorted((a, b) => (b.trashed_ms ?? 0) - (a.trashed_ms ?? 0)),
  );
  #servers = $state.raw<ServerView[]>([]);
  connections = $state.raw<ConnectionView[]>([]);
  models = $state.raw<ModelView[]>([]);
  settings = $state.raw<Settings>(SETTINGS);
  /** The servers in the order of the user. */
  readonly servers: ServerView[] = $derived(inOrder(this.#servers, this.settings.server_order));
  /** What the user's models cost today and in this month, an amount for each currency. */
  costs = $state.raw<CostsView>({ day: [], month: [] });
  /** The profiles of tools, by name. */
  profiles = $state.raw<ToolProfile[]>([]);
  secrets = $state.raw<SecretsState>({ state: "keychain" });
  waiting = $state.raw<WaitingView[]>([]);
  /** The kinds of requests that are muted, by server. */
  muted = $state.raw<MutedView[]>([]);
  workspaces = $state.raw<WorkspaceView[]>([]);
  /** Goes up whenever the rules changed. */
  rules = $state(0);
  /** Whether the ledger is the newest there was. */
  ledger = $state.raw<HeadState>({ state: "continues" });
  /** What checking the whole ledger came to, once it was checked. */
  ledgerCheck = $state.raw<LedgerCheck | null>(null);
  /** The same where it is not as it was written. */
  readonly broken = $derived(this.ledgerCheck?.found === "broken" ? this.ledgerCheck : null);
  /** Which rules, servers and tools were changed outside Vestibule. */
  rows = $state.raw<RowsView>({
    protection: { state: "signed" },
    unproven_tools: 0,
    list_changed: false,
    findings: [],
  });
  /** What was written but not sent when the window opened. */
  drafts: DraftView[] = [];
  /** The chat of a notification that was clicked, until it is shown. */
  askedChat = $state<ChatId | null>(null);
  /** What closing the application now would end; null where nothing was asked about it. */
  closing = $state.raw<{ chats: number; requests: number } | null>(null);
  /** Whether files are dragged over the window. */
  filesOver = $state(false);
  /** Goes up whenever files were dropped on the window. */
  fileDrops = $state(0);
  version = $state("");
  dataFolder = $state("");
  logFolder = $state("");

  readonly host: MainHost;
  readonly #loaded = new LoadedChats((chat, part) => this.host.chatEntries(chat, part));
  readonly #toolChanges = new SvelteMap<ServerId, number>();
  readonly #offerChanges = new SvelteMap<ServerId, number>();
  /** What servers said is another now than when it was read. */
  readonly changedAttachments = new SvelteSet<AttachmentId>();
  readonly #logChanges = new SvelteMap<ServerId, number>();
  readonly #expected = new SvelteSet<ChatId | ServerId>();
  readonly changeEnds = new ChangeEnds();
  readonly #events: EventReader;

  constructor(host: MainHost) {
    this.host = host;
    this.#events = new EventReader(host, {
      take: (snapshot) => this.#take(snapshot),
      apply: (envelope) => this.#apply(envelope),
      fail: (trouble) => (this.trouble = trouble),
    });
  }

  /** Subscribes and takes the snapshot; also the way back after a lost event. */
  open(): Promise<void> {
    return this.#events.open();
  }

  chat(id: ChatId | null): ChatView | undefined {
    return this.chats.find((chat) => chat.id === id);
  }

  server(id: ServerId | null): ServerView | undefined {
    return this.servers.find((server) => server.id === id);
  }

  /**
   * Notes that a chat or server was made just now, or a chat was taken out of the trash; the event that tells of it may
   * still be on its way.
   */
  expect(id: ChatId | ServerId): void {
    const chat = this.chat(id);
    const isShown = chat !== undefined && chat.trashed_ms === null;
    if (!isShown && !this.server(id)) this.#expected.add(id);
  }

  awaits(id: ChatId | ServerId): boolean {
    return this.#expected.has(id);
  }

  /** What is loaded of a chat: nothing before it is shown, and nothing once so many others were shown since. */
  transcript(chat: ChatId | null): Transcript | undefined {
    return chat === null ? undefined : this.#loaded.get(chat);
  }

  /** Goes up whenever the tools of this server changed. */
  toolsOf(server: ServerId): number {
    return this.#toolChanges.get(server) ?? 0;
  }

  /** Goes up whenever what this server offers besides tools changed. */
  offersOf(server: ServerId): number {
    return this.#offerChanges.get(server) ?? 0;
  }

  /** Goes up whenever the log of this server grew. */
  logOf(server: ServerId): number {
    return this.#logChanges.get(server) ?? 0;
  }

  /** The question that waits at an entry. */
  waitingAt(entry: EntryId): WaitingView | undefined {
    return this.waiting.find((waiting) => waiting.entry === entry);
  }

  /** Reads the newest entries of a chat that is shown now, unless they are loaded. */
  show(chat: ChatId): Promise<void> {
    return this.#loaded.show(chat);
  }

  /** Reads the newest entries of a chat. */
  load(chat: ChatId): Promise<void> {
    return this.#loaded.load(chat);
  }

  /** Applies what the host has told so far. The reply to a command may come before the events that tell what it did. */
  catchUp(): Promise<void> {
    return this.#events.catchUp();
  }

  /** Has a chat show the branch of an entry. */
  async showBranch(entry: EntryId): Promise<void> {
    await this.host.branchShow(entry);
    await this.catchUp();
  }

  #take(snapshot: Snapshot): void {
    this.chats = snapshot.chats;
    this.#servers = snapshot.servers;
    this.connections = snapshot.connections;
    this.models = snapshot.models;
    this.settings = snapshot.settings;
    this.costs = snapshot.costs;
    this.secrets = snapshot.secrets;
    this.waiting = snapshot.waiting;
    this.muted = snapshot.muted;
    this.workspaces = snapshot.workspaces;
    this.ledger = snapshot.ledger;
    this.ledgerCheck = snapshot.ledger_check;
    this.rows = snapshot.rows;
    this.changeEnds.loseAllBut(snapshot.waiting.map(({ question }) => question));
    this.rules += 1;
    this.profiles = snapshot.profiles;
    this.drafts = snapshot.drafts;
    this.version = snapshot.version;
    this.dataFolder = snapshot.data_folder;
    this.logFolder = snapshot.log_folder;
    this.ready = true;
    this.trouble = null;
    this.#loaded.reload();
    for (const server of snapshot.servers) this.#changed(server.id);
  }

  #apply({ seq, event }: Envelope): void {
    switch (event.event) {
      case "chat":
        this.#expected.delete(event.chat.id);
        this.chats = replaced(this.chats, event.chat, "first").toSorted((a, b) => b.updated_ms - a.updated_ms);
        break;
      case "chat_gone":
        this.#expected.delete(event.chat);
        this.chats = this.chats.filter((chat) => chat.id !== event.chat);
        this.#loaded.delete(event.chat);
        break;
      case "branch":
        void this.#loaded.get(event.chat)?.load();
        break;
      case "entry":
        this.#loaded.get(event.entry.chat)?.apply(seq, event);
        break;
      case "entry_gone":
      case "words":
        this.#loaded.get(event.chat)?.apply(seq, event);
        break;
      case "server":
        this.#expected.delete(event.server.id);
        this.#servers = replaced(this.#servers, event.server, "last");
        break;
      case "server_gone":
        this.#servers = this.#servers.filter((server) => server.id !== event.server);
        break;
      case "tools":
        this.#toolChanges.set(event.server, this.toolsOf(event.server) + 1);
        break;
      case "offers":
        this.#offerChanges.set(event.server, this.offersOf(event.server) + 1);
        break;
      case "attachments_changed":
        for (const id of event.attachments) this.changedAttachments.add(id);
        break;
      case "files_dragged":
        this.filesOver = event.now === "over";
        if (event.now === "dropped") this.fileDrops += 1;
        break;
      case "log":
        this.#logChanges.set(event.server, this.logOf(event.server) + 1);
        break;
      case "rules":
        this.rules += 1;
        break;
      case "profiles":
        this.profiles = event.profiles;
        break;
      case "rows":
        this.rows = event.rows;
        break;
      case "ledger_checked":
        this.ledgerCheck = event.check;
        break;
      case "waiting":
        this.waiting = event.waiting;
        break;
      case "answered":
        this.changeEnds.take(event.question, event.end);
        break;
      case "muted":
        this.muted = event.muted;
        break;
      case "models":
        this.connections = event.connections;
        this.models = event.models;
        break;
      case "workspaces":
        this.workspaces = event.workspaces;
        break;
      case "settings":
        this.settings = event.settings;
        break;
      case "costs":
        this.costs = event.costs;
        break;
      case "chat_asked":
        this.askedChat = event.chat;
        break;
      case "close_asked":
        this.closing = { chats: event.chats, requests: event.requests };
        break;
      default:
        event satisfies never;
    }
  }

  #changed(server: ServerId): void {
    this.#toolChanges.set(server, this.toolsOf(server) + 1);
    this.#logChanges.set(server, this.logOf(server) + 1);
  }
}

function replaced<Item extends { id: string }>(items: Item[], item: Item, fresh: "first" | "last"): Item[] {
  if (items.some(({ id }) => id === item.id)) return items.map((old) => (old.id === item.id ? item : old));
  return fresh === "first" ? [item, ...items] : [...items, item];
}
