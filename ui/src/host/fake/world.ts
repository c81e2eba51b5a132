// What the fake main host knows. Every change is reported by an event, as in the real one.
import type {
  AttachmentId,
  AttachmentView,
  BackupView,
  Budget,
  BundleDraft,
  BundleView,
  ChangeOutcome,
  ChatId,
  ChatImportView,
  ChatView,
  CostsView,
  DraftView,
  Envelope,
  EntryView,
  FilesAttached,
  FolderView,
  HeadState,
  HostEvent,
  MutedView,
  PicturePlace,
  Problem,
  RowRef,
  RowsView,
  ServerView,
  SignInPhase,
  ToolProfile,
  WaitingView,
  WorkspaceView,
} from "../bindings";
import { Branches } from "./branches";
import { crowded } from "./crowded";
import { chats, connections, HOME, localConnection, models, scene, costs, settings, workspaces } from "./data";
import { leftFiles } from "./files";
import { Messages } from "./messages";
import { offers } from "./offers";
import { soon } from "./replies";
import { record, records, removed, rowFindings, rules } from "./records";
import { servers, tools, tour } from "./servers";
import { longChat, transcripts } from "./transcripts";
import { Trials } from "./trials";

/** The server of questions that concern none. */
const NO_SERVER = "00000000-0000-0000-0000-000000000000";
const isFirst = () => scene() === "first";

export class World {
  lastSeq = 0;
  readonly events = new Messages<Envelope>();
  chats = isFirst() ? [] : [...chats];
  servers = isFirst() ? [tour] : [...servers];
  workspaces: WorkspaceView[] = isFirst() ? [{ id: HOME, name: "", folders: [] }] : [...workspaces];
  budget: Budget = { tokens_hour: 50_000, tokens_day: 200_000, cost_hour: null, cost_day: 2_000_000, currency: "USD" };
  connections = isFirst() ? [] : [...connections];
  models = isFirst() ? models.slice(0, 1) : [...models];
  settings = settings();
  costs: CostsView = costs();
  /** What each chat shows. */
  entries = new Map<string, EntryView[]>(Object.entries(transcripts));
  readonly branches = new Branches();
  waiting: WaitingView[] = isFirst()
    ? []
    : [{ question: "q-delete", server: "s-notes", entry: "oslo-4", asked_ms: Date.now() - 12_000 }];
  rules = [...rules];
  readonly trials = new Trials();
  removed = [...removed];
  readonly offers = offers;
  findings = scene() === "outside" ? [...rowFindings] : [];
  muted: MutedView[] = isFirst() ? [] : [{ server: "s-notes", name: "notes", asking: "form", until_ms: null }];
  /** The chats whose answer is to stop. */
  stopped = new Set<string>();
  /** Those of them whose first message that waits is then sent. */
  sendAfterStop = new Set<string>();
  /** What was written and not sent; the host keeps it over a reload of the window. */
  drafts = JSON.parse(sessionStorage.getItem("fake.drafts") ?? "[]") as DraftView[];
  profiles: ToolProfile[] = [];
  records = [...records];
  #next = 0;

  #addLocalModel() {
    const { id, label, base_url: address } = localConnection;
    this.connections = [localConnection, ...this.connections];
    this.models.push({
      id: "small",
      label,
      kind: { kind: "remote", connection: id, base_url: address, model: label },
      favourite: false,
      facts: { context: { value: 16_384, source: "server" }, tools: { value: true, source: "server" } },
    });
  }

  constructor() {
    if (scene() === "crowded") Object.assign(this, crowded());
    if (scene() === "local_model") this.#addLocalModel();
  }

  /** Where the pages of the ledger began that the window asked for; null for the newest. */
  readonly ledgerReads: (number | null)[] = [];
  /** What the window asked servers for: the resources and prompts that were picked. */
  readonly fetched: string[] = [];
  /** What the window did, for tests: the questions it brought up, drafts, tools to allow, answers to closing. */
  readonly raised: string[] = [];
  readonly kept: DraftView[] = [];
  /** What a chosen file would add, until it is imported or dropped. */
  chosenImport: ChatImportView | null = null;
  /** The backup that waits to be restored. */
  chosenBackup: BackupView | null = null;
  /** The bundle that waits to be added; what is wrong with the next one; those that were added. */
  chosenBundle: BundleView | null = null;
  bundleProblem: Problem | null = null;
  readonly addedBundles: BundleDraft[] = [];
  /** The pictures that were to be saved; the path that was picked for them, or what went wrong. */
  readonly savedPictures: PicturePlace[] = [];
  savePath: string | null = "/home/ada/Pictures/harbour.png";
  /** The links that were clicked. */
  readonly clickedLinks: { chat: string; entry: string; address: string }[] = [];
  saveProblem: Problem | null = null;
  /** Whether answers stand where they are until they are stopped. */
  wordsHeld = false;
  /** How often the window read the log of a server, and the settings of a sign-in. */
  readonly reads = { log: 0, signIn: 0 };
  /** What the settings of a sign-in cannot be read for. */
  signInProblem: Problem | null = null;
  readonly allowed: string[][] = [];
  readonly closed: boolean[] = [];

  /** Files that wait to be sent. */
  #files: AttachmentView[] = [];

  keepFiles(files: AttachmentView[]): void {
    this.#files.push(...files);
  }

  /** The chats for which files were to be read, and what the readings resolve to. */
  readonly fileReads: { chat: ChatId; done: Promise<FilesAttached> }[] = [];
  /** Whether files that are dropped are all refused. */
  filesRefused = false;
  /** Readings wait for this. */
  #filesLetGo: Promise<void> | undefined;
  letFilesGo: () => void = () => undefined;

  /** Has the reading of files and resources last until it is let go. */
  holdFiles(): void {
    this.#filesLetGo = new Promise((letGo) => (this.letFilesGo = letGo));
  }

  /** Answers with what a server was asked for, once it is let go. */
  async fetch(name: string, attachment: () => AttachmentView): Promise<AttachmentView> {
    this.fetched.push(name);
    await this.#filesLetGo;
    return soon(attachment());
  }

  /** The attachments that the user did not want after all. */
  readonly droppedAttachments: AttachmentId[] = [];

  /** Reads files for a chat. */
  readFiles(chat: ChatId, read: () => FilesAttached): Promise<FilesAttached> {
    const reading = async () => {
      await this.#filesLetGo;
      return soon(read());
    };
    const done = reading();
    this.fileReads.push({ chat, done });
    return done;
  }

  /** The chat in which an earlier run left files that were not sent, and the files. */
  waitingFiles: { chat: ChatId; files: AttachmentView[] } | null = null;

  leaveFiles(chat: ChatId): void {
    this.waitingFiles = { chat, files: leftFiles() };
    this.keepFiles(this.waitingFiles.files);
  }

  /** The files of a message that is sent. */
  takeFiles(named: readonly AttachmentId[]): AttachmentView[] {
    return this.#files.filter(({ id }) => named.includes(id));
  }

  /** Reports a change to the window. */
  tell(event: HostEvent): void {
    this.events.push({ seq: ++this.lastSeq, event });
  }

  nextId(kind: string): string {
    return `${kind}-${this.#next++}`;
  }

  head(): HeadState {
    return scene() === "rollback" ? { state: "older", remembered: 41, found: 5 } : { state: "continues" };
  }

  /** The name of a server, also of a removed one. */
  ownerName(id: string | null): string {
    return [...this.servers, ...this.removed].find((server) => server.id === id)?.name ?? "";
  }

  rowsView(): RowsView {
    const detail = "org.freedesktop.secrets is not provided";
    const protection: RowsView["protection"] =
      scene() === "memory"
        ? { state: "off", detail }
        : scene() === "locked"
          ? { state: "unchecked", detail: "The keychain is locked." }
          : { state: "signed" };
    return {
      protection,
      unproven_tools: scene() === "signed" ? 14 : 0,
      list_changed: scene() === "outside",
      findings: this.findings,
    };
  }

  settle(row: RowRef): void {
    this.findings = this.findings.filter((found) => found.row.id !== row.id);
    this.tell({ event: "rows", rows: this.rowsView() });
  }

  /** Has a tool asked about again. */
  forget(server: string, tool: string): void {
    for (const known of tools[server] ?? []) if (known.name === tool) known.rule = "ask";
  }

  /** Gives the first servers these names. */
  rename(names: string[]): void {
    for (const [at, name] of names.entries()) {
      const server = this.servers[at];
      if (server) this.putServer({ ...server, name });
    }
  }

  /** A chat whose model was busy and is asked again in a while. */
  retrying(chat: string): void {
    const problem: Problem = { problem: "model_busy", retry_after_s: 40 };
    this.changeChat(chat, { busy: true, retry: { problem, at_ms: Date.now() + 40_000 } });
  }

  dropChat(id: string): void {
    this.chats = this.chats.filter((chat) => chat.id !== id);
    this.tell({ event: "chat_gone", chat: id });
  }

  dropEntry(chat: string, id: string): void {
    const left = (this.entries.get(chat) ?? []).filter((entry) => entry.id !== id);
    this.entries.set(chat, left);
    this.tell({ event: "entry_gone", chat, entry: id });
  }

  /** The model of a chat refuses tools. */
  refuseTools(chat: string): void {
    const problem: Problem = { problem: "model_takes_no_tools", model: "llama3.1:8b" };
    this.changeChat(chat, { busy: false });
    this.putEntry(chat, { kind: "failure", problem, retryable: true });
  }

  /** Notes as the user's word that the model of a chat uses no tools. */
  sayWithoutTools(chat: string): void {
    const id = this.chats.find((one) => one.id === chat)?.model ?? this.settings.default_model;
    const tools = { value: false, source: "user" } as const;
    this.models = this.models.map((model) =>
      model.id === id ? { ...model, facts: { ...model.facts, tools } } : model,
    );
    this.tell({ event: "models", connections: this.connections, models: this.models });
  }

  /** An answer that a limit of tokens ended; with `longest` it is the chat's own. */
  cutOff(chat: string, longest = false): void {
    const usage = { input: 1204, output: 64, cached: 1024, cost: null, currency: "USD", estimated: false };
    const text = "Once upon a time, in a harbour town at the end of a long";
    const model = "llama3.1 · Ollama";
    this.changeChat(chat, { busy: false });
    this.putEntry(chat, { kind: "assistant", text, reasoning: "", model, scripted: false, state: "length", usage });
    const problem: Problem = { problem: "longest_answer", tokens: 64 };
    if (longest) this.putEntry(chat, { kind: "failure", problem, retryable: true });
  }

  /** The budget of the month ends the next turn of a chat. */
  useUp(chat: string): void {
    const spent = 20_400_000;
    this.costs = { ...this.costs, month: [{ currency: "USD", amount: spent }] };
    this.tell({ event: "costs", costs: this.costs });
    const problem: Problem = { problem: "budget_used_up", spent, limit: 20_000_000 };
    this.changeChat(chat, { busy: false });
    this.putEntry(chat, { kind: "failure", problem, retryable: true });
  }

  /** Asks as the consent window would; after a moment it is allowed. In the scene "asking" there is no answer. */
  ask(question: string, change: () => void): ChangeOutcome {
    this.addWaiting(question, NO_SERVER);
    if (scene() !== "asking")
      setTimeout(() => {
        this.setWaiting(this.waiting.filter((waiting) => waiting.question !== question));
        change();
        this.tell({ event: "answered", question, end: { end: "done" } });
      }, 300);
    return { change: "asked", question };
  }

  /** Makes a change that lowers what budgets count: asked where one stops, and in the scene "asking". */
  lower(question: string, change: () => void): ChangeOutcome {
    const { budget, day_budget: day } = this.settings;
    if (budget?.stop || day?.stop || scene() === "asking") return this.ask(question, change);
    change();
    return { change: "done" };
  }

  addWaiting(question: string, server: string, entry: string | null = null): void {
    this.setWaiting([...this.waiting, { question, server, entry, asked_ms: Date.now() }]);
  }

  setWaiting(waiting: WaitingView[]): void {
    this.waiting = waiting;
    this.tell({ event: "waiting", waiting });
  }

  putChat(chat: ChatView): ChatView {
    this.chats = [chat, ...this.chats.filter(({ id }) => id !== chat.id)];
    this.tell({ event: "chat", chat });
    return chat;
  }

  /** Adds records on top of the ledger. */
  addRecords(count: number): void {
    const last = this.records[0]?.seq ?? 0;
    const more = Array.from({ length: count }, (_, index) => record(last + index + 1, {}));
    this.records = [...more.toReversed(), ...this.records];
  }

  /** Makes a chat of so many entries that is not shown yet. */
  addLongChat(id: string, count: number): void {
    this.entries.set(id, longChat(id, count));
    this.putChat({ ...(chats[0] as ChatView), id, title: `${count} entries`, busy: false });
  }

  changeChat(id: string, change: Partial<ChatView>): void {
    const chat = this.chats.find((item) => item.id === id);
    if (chat) this.putChat({ ...chat, ...change });
  }

  serverOf(id: string): ServerView | undefined {
    return this.servers.find((server) => server.id === id);
  }

  putServer(server: ServerView): void {
    this.servers = this.servers.some(({ id }) => id === server.id)
      ? this.servers.map((old) => (old.id === server.id ? server : old))
      : [...this.servers, server];
    this.tell({ event: "server", server });
  }

  setSignIn(id: string, phase: SignInPhase | null): void {
    const server = this.serverOf(id);
    if (server) this.putServer({ ...server, sign_in: { phase, held: server.sign_in?.held ?? null, offers: null } });
  }

  putWorkspaces(workspaces: WorkspaceView[]): void {
    this.workspaces = workspaces;
    this.tell({ event: "workspaces", workspaces });
  }

  changeFolders(id: string, change: (folders: FolderView[]) => FolderView[]): void {
    this.putWorkspaces(
      this.workspaces.map((space) => (space.id === id ? { ...space, folders: change(space.folders) } : space)),
    );
  }

  putEntry(chat: string, body: EntryView["body"], id = this.nextId("e")): EntryView {
    const all = this.entries.get(chat) ?? [];
    const old = all.find((entry) => entry.id === id);
    const position = old?.position ?? (all.at(-1)?.position ?? -1) + 1;
    const entry = { id, chat, position, at_ms: old?.at_ms ?? Date.now(), body };
    this.entries.set(
      chat,
      [...all.filter((item) => item.id !== id), entry].toSorted((a, b) => a.position - b.position),
    );
    this.tell({ event: "entry", entry: this.branches.placed(entry), added: !old });
    return entry;
  }
}
