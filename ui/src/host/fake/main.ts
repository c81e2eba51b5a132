// The fake main host. It keeps its own small truth and tells of every change by an event, as the real one does.
import type { MainHost } from "../commands";
import type {
  Budget,
  ChangeOutcome,
  ChatHit,
  ChatView,
  DraftView,
  EnvPair,
  Envelope,
  EntryView,
  FolderView,
  HeadState,
  HostEvent,
  MutedView,
  ParsedServers,
  PlaceDraft,
  PlaceView,
  Problem,
  RowRef,
  RowsView,
  ServerView,
  SignInPhase,
  WaitingView,
  WorkspaceView,
} from "../bindings";
import { modelCommands, proxyTo } from "./models";
import { expanded, nothing, offers, proposals, read } from "./offers";
import { chats, connections, HOME, MINUTE, models, NOW, scene, settings, workspaces } from "./data";
import { records, removed, rowFindings, rules, seen, signed, trial } from "./records";
import { deciding, log, servers, tools, tour, traffic } from "./servers";
import { transcripts } from "./transcripts";

const REPLY = `Hello. I am the **rehearsal**: a script, not an AI. I pick tools by simple words, so that you can see how Vestibule asks you before anything happens.

| Write | You will see |
|---|---|
| \`remember the milk\` | one call after another |
| \`slow\` | progress, log lines and Stop |

Nothing runs before you allow it, and you may just as well *deny* it.`;

/** Whose the questions are that concern no server. */
const NO_SERVER = "00000000-0000-0000-0000-000000000000";

export function fakeMain(): MainHost {
  const fake = new FakeMain();
  Object.assign(window, { fake });
  return fake.host();
}

interface PastedServer {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
}

function pasted(values: Record<string, string> = {}): EnvPair[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, pasted: true }));
}

/** The chats in which all words of a search were said. */
function found(search: string, chats: ChatView[], entries: Map<string, EntryView[]>): ChatHit[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return chats.flatMap(({ id }) => {
    const said = (entries.get(id) ?? []).toReversed().flatMap(({ id: entry, body }) => {
      const text = body.kind === "user" || body.kind === "assistant" ? body.text : "";
      return words.length > 0 && words.every((word) => text.toLowerCase().includes(word)) ? [{ entry, text }] : [];
    })[0];
    return said ? [{ chat: id, entry: said.entry, excerpt: said.text.replaceAll(/\s+/g, " ").slice(0, 90) }] : [];
  });
}

function placed(place: PlaceDraft): PlaceView {
  if (place.at === "here") {
    const { command, args, env, folder } = place;
    return { at: "here", command, args, variables: env.map(({ name }) => name), folder };
  }
  const { url, transport, headers } = place;
  return {
    at: "address",
    url,
    origin: new URL(url).origin,
    transport,
    headers: headers.map(({ name }) => name),
    proxy: null,
  };
}

class FakeMain {
  #seq = 0;
  #hear: (envelope: Envelope) => void = () => undefined;
  #chats = scene() === "first" ? [] : [...chats];
  #servers = scene() === "first" ? [tour] : [...servers];
  #workspaces: WorkspaceView[] = scene() === "first" ? [{ id: HOME, name: "", folders: [] }] : [...workspaces];
  #budget: Budget = { tokens_hour: 50_000, tokens_day: 200_000, cost_hour: null, cost_day: 2_000_000 };
  #connections = scene() === "first" ? [] : [...connections];
  #models = scene() === "first" ? models.slice(0, 1) : [...models];
  #settings = settings();
  #entries = new Map<string, EntryView[]>(Object.entries(transcripts));
  /** The questions that were brought up. */
  raised: string[] = [];
  #waiting: WaitingView[] =
    scene() === "first"
      ? []
      : [{ question: "q-delete", server: "s-notes", entry: "oslo-4", asked_ms: Date.now() - 12_000 }];
  #rules = [...rules];
  #removed = [...removed];
  #muted: MutedView[] =
    scene() === "first" ? [] : [{ server: "s-notes", name: "notes", asking: "form", until_ms: null }];
  #next = 0;
  #stopped = new Set<string>();
  /** What was written and not sent; the host keeps it over a reload of the window. */
  #drafts = JSON.parse(sessionStorage.getItem("fake.drafts") ?? "[]") as DraftView[];
  /** What the window did, for tests. */
  readonly kept: DraftView[] = [];
  readonly allowed: string[][] = [];
  readonly closed: boolean[] = [];

  #head(): HeadState {
    return scene() === "rollback" ? { state: "older", remembered: 41, found: 5 } : { state: "continues" };
  }

  #ownerName(id: string | null): string {
    return [...this.#servers, ...this.#removed].find((server) => server.id === id)?.name ?? "";
  }

  #findings = scene() === "outside" ? [...rowFindings] : [];

  #rowsView(): RowsView {
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
      findings: this.#findings,
    };
  }

  #settle(row: RowRef): void {
    this.#findings = this.#findings.filter((found) => found.row.id !== row.id);
    this.tell({ event: "rows", rows: this.#rowsView() });
  }

  /** Has a tool asked about again. */
  forget(server: string, tool: string): void {
    for (const known of tools[server] ?? []) if (known.name === tool) known.rule = "ask";
  }

  /** Gives the first servers these names. */
  rename(names: string[]): void {
    for (const [at, name] of names.entries()) {
      const server = this.#servers[at];
      if (server) this.#server({ ...server, name });
    }
  }

  /** A chat whose model was busy and is asked again in a while. */
  retrying(chat: string): void {
    const problem: Problem = { problem: "model_busy", retry_after_s: 40 };
    this.#change(chat, { busy: true, retry: { problem, at_ms: Date.now() + 40_000 } });
  }

  tell(event: HostEvent): void {
    this.#hear({ seq: ++this.#seq, event });
  }

  host(): MainHost {
    const soon = <Value>(value: Value) =>
      new Promise<Value>((done) => setTimeout(() => done(structuredClone(value)), 20));
    const no = (problem: Problem) => Promise.reject(problem);
    return {
      open: (hear) => {
        this.#hear = hear;
        return soon({
          seq: this.#seq,
          chats: this.#chats,
          servers: this.#servers,
          connections: this.#connections,
          models: this.#models,
          workspaces: this.#workspaces,
          settings: this.#settings,
          secrets:
            scene() === "memory"
              ? { state: "memory_only", detail: "org.freedesktop.secrets is not provided" }
              : { state: "keychain" },
          ledger: this.#head(),
          rows: this.#rowsView(),
          ledger_check: scene() === "edited" ? { found: "broken", seq: 4, what: "altered" } : null,
          waiting: this.#waiting,
          muted: this.#muted,
          drafts: this.#drafts,
          version: "0.1.0",
          data_folder: "/home/ada/.local/share/vestibule",
          log_folder: "/home/ada/.local/share/vestibule/logs",
        });
      },
      chatCreate: () =>
        soon(
          this.#put({
            id: `c-${this.#next++}`,
            title: "",
            model: null,
            workspace: HOME,
            updated_ms: Date.now(),
            busy: false,
            servers_off: [],
            settings: {},
          }),
        ),
      chatRename: (id, title) => soon(void this.#change(id, { title })),
      chatDelete: (id) => {
        this.#chats = this.#chats.filter((chat) => chat.id !== id);
        this.tell({ event: "chat_gone", chat: id });
        return soon(undefined);
      },
      chatEntries: (id) => soon({ seq: this.#seq, entries: this.#entries.get(id) ?? [] }),
      serverLogLevel: () => soon(undefined),
      serverOffers: (id) => soon(offers[id] ?? nothing),
      resourceRead: (_, server, pick) =>
        soon(read(server, pick.pick === "listed" ? pick.uri : pick.pattern.replaceAll(/[{}]/g, ""))),
      promptGet: (_, server, name, args) => soon(expanded(server, name, args)),
      attachmentDrop: () => soon(undefined),
      complete: (_, { field, value }) => soon({ values: proposals(field, value), more: false }),
      chatSend: (id, text) => (text === "fail" ? no({ problem: "chat_busy" }) : soon(this.#reply(id, text))),
      callStop: (entry) => soon(this.#stopCall(entry)),
      chatSearch: (words) => soon(found(words, this.#chats, this.#entries)),
      chatServers: (id, servers_off) => soon(void this.#change(id, { servers_off })),
      draftSave: (chat, text) => {
        this.kept.push({ chat, text });
        this.#drafts = [...this.#drafts.filter((draft) => draft.chat !== chat), { chat, text }];
        sessionStorage.setItem("fake.drafts", JSON.stringify(this.#drafts));
        return soon(undefined);
      },
      chatStop: (id) => soon(void this.#stopped.add(id)),
      chatRetry: (id) => soon(this.#answer(id)),
      callAskAgain: (entry, text) => soon(this.#askAgain(entry, text)),
      chatWithoutTools: (id) => soon(this.#answer(id)),
      chatSettings: (id, wanted) => soon(void this.#change(id, { settings: wanted })),
      chatModel: (id, model) => soon(this.#done(this.#change(id, { model }))),
      serverParse: (text) => this.#parse(text),
      commandLineSplit: (line) =>
        line.includes('"') ? no({ problem: "command_line_unclosed" }) : soon(line.trim().split(/\s+/)),
      serverAdd: (draft) => {
        if (draft.name === "") return no({ problem: "name_missing" });
        if (draft.place.at === "here" && draft.place.command === "") return no({ problem: "command_missing" });
        if (draft.place.at === "address" && draft.place.url === "") return no({ problem: "address_missing" });
        if (this.#servers.some(({ name }) => name === draft.name))
          return no({ problem: "name_taken", name: draft.name });
        const id = `s-${this.#next++}`;
        const made = { ...tour, name: draft.name, era: draft.era, place: placed(draft.place), id };
        setTimeout(() => this.#server(made), 60);
        return soon(id);
      },
      serverRemove: (id) => {
        this.#servers = this.#servers.filter((server) => server.id !== id);
        this.tell({ event: "server_gone", server: id });
        return soon(undefined);
      },
      serverStart: (id) => {
        const server = this.#servers.find((item) => item.id === id);
        if (!server) return no({ problem: "gone" });
        if (server.missing.length > 0) return no({ problem: "secrets_missing", names: server.missing });
        this.#server({ ...server, state: { state: "asking", question: "q-start" } });
        this.#wait([...this.#waiting, { question: "q-start", server: id, entry: null, asked_ms: Date.now() }]);
        return soon(undefined);
      },
      serverStop: (id) => {
        const server = this.#servers.find((item) => item.id === id);
        if (server) this.#server({ ...server, state: { state: "stopped" } });
        return soon(undefined);
      },
      serverSignIn: (id) => soon(void this.#signIn(id, { phase: "finding" })),
      serverSignInSettings: () =>
        soon({
          method: "page" as const,
          client: null,
          bound: true,
          document: null,
          key: { algorithm: "ES256" as const, id: null },
          company: null,
          token_file: null,
        }),
      serverSignInSet: () => soon(undefined),
      serverSignInCancel: (id) => soon(void this.#signIn(id, null)),
      serverSignInPage: () => soon(undefined),
      serverSignOut: (id) => {
        const server = this.#servers.find((item) => item.id === id);
        if (server)
          this.#server({ ...server, state: { state: "stopped" }, sign_in: { phase: null, held: null, offers: null } });
        return soon(undefined);
      },
      serverSwitchAccount: (id) => soon(void this.#signIn(id, { phase: "finding" })),
      serverSecret: (id, name) => {
        const server = this.#servers.find((item) => item.id === id);
        if (server) this.#server({ ...server, missing: server.missing.filter((missing) => missing !== name) });
        return soon(undefined);
      },
      serverUnmute: (id, asking) => {
        this.#muted = this.#muted.filter((one) => one.server !== id || one.asking !== asking);
        this.tell({ event: "muted", muted: this.#muted });
        return soon(undefined);
      },
      serverToolList: (id) => {
        const state = this.#servers.find((server) => server.id === id)?.state.state;
        const listed_ms = state === "ready" || state === "reopening" ? null : NOW - 20 * MINUTE;
        return soon({ tools: tools[id] ?? [], listed_ms });
      },
      serverTraffic: (_, after) => soon({ exchanges: after === 0 ? traffic : [], upto: 5, oldest: 1 }),
      serverVariables: (id) => soon(deciding[id] ?? []),
      serverLog: (_, after) => soon({ lines: log.filter(({ number }) => number > after), dropped: 312 }),
      toolRule: (server, _, rule) => {
        if (rule === "allow")
          this.#wait([...this.#waiting, { question: "q-allow", server, entry: null, asked_ms: Date.now() }]);
        return soon(undefined);
      },
      toolsAllow: (server, names) => {
        this.allowed.push(names);
        this.#wait([...this.#waiting, { question: "q-allow", server, entry: null, asked_ms: Date.now() }]);
        return soon(undefined);
      },
      toolReview: (server) => {
        this.#wait([...this.#waiting, { question: "q-changed", server, entry: null, asked_ms: Date.now() }]);
        return soon(undefined);
      },
      rules: () => soon(this.#rules),
      ruleTakeBack: (id) => {
        this.#rules = this.#rules.filter((rule) => rule.id !== id);
        this.tell({ event: "rules" });
        return soon(this.#done());
      },
      ruleChange: (draft) => soon(draft.when.length === 0 ? "asked" : "holds"),
      ruleTry: () => soon(trial),
      rulesExport: () => soon(JSON.stringify({ format: "vestibule-rules", version: 2, rules: [] }, null, 2)),
      rulesImport: (text) =>
        text.startsWith("{")
          ? soon({ refusals: 1, permissions: 2, left_out: 1, outdated: 1 })
          : no({ problem: "rules_unreadable", detail: "this is no file of rules" }),
      rowKeep: (row) => soon(this.#settle(row)),
      rowRemove: (row) => soon(this.#settle(row)),
      ledgerPage: ({ words, kinds, server, file, host }) =>
        soon({
          records: records.filter(
            (record) =>
              (JSON.stringify(record) + this.#ownerName(record.server)).includes(words) &&
              (kinds.length === 0 || kinds.includes(record.kind)) &&
              (server === null || record.server === server) &&
              (file ?? host ?? null) === null,
          ),
          more: false,
          newest: 7,
          head: this.#head(),
          removed: this.#removed,
        }),
      ledgerVerify: () =>
        soon(
          scene() === "rollback"
            ? { found: "broken", seq: 4, what: "truncated" }
            : { found: "intact", records: 7, took_ms: 8, signed },
        ),
      ledgerExport: ({ words, server }) =>
        soon({
          path: "/home/ada/.local/share/vestibule/exports/ledger-2026-11-20.jsonl",
          count: words === "" && server === null ? 7 : 1,
        }),
      ledgerSeen: () => soon(seen),
      ledgerForgetServer: (id) => {
        this.#removed = this.#removed.filter((server) => server.id !== id);
        return soon(undefined);
      },
      ledgerAccept: () => soon(this.#ask("q-ledger", () => undefined)),
      questionRaise: (question) => soon(void this.raised.push(question)),
      ...modelCommands({
        connections: () => this.#connections,
        models: () => this.#models,
        keep: (kept, models) => {
          this.#connections = kept;
          this.#models = models;
          this.tell({ event: "models", connections: kept, models });
        },
        ask: (question, then) => this.#ask(question, then),
      }),
      modelProxy: (baseUrl) => soon(proxyTo(baseUrl)),
      modelDetect: () =>
        soon([
          {
            name: "Ollama",
            wire: "ollama" as const,
            base_url: "http://localhost:11434/",
            models: ["llama3.1:8b", "qwen3:14b"],
          },
        ]),
      settingsSave: (change) => {
        this.#settings = { ...this.#settings, ...change };
        this.tell({ event: "settings", settings: this.#settings });
        return soon(undefined);
      },
      stopEverything: () => {
        for (const server of this.#servers) this.#server({ ...server, state: { state: "stopped" } });
        this.#wait([]);
        return soon(undefined);
      },
      windowClose: (close) => soon(void this.closed.push(close)),
      workspaceCreate: (name) => {
        if (this.#workspaces.some((workspace) => workspace.name === name)) return no({ problem: "name_taken", name });
        const id = `w-${this.#next++}`;
        this.#spaces([...this.#workspaces, { id, name, folders: [] }]);
        return soon(id);
      },
      workspaceRename: (id, name) =>
        soon(this.#spaces(this.#workspaces.map((space) => (space.id === id ? { ...space, name } : space)))),
      workspaceRemove: (id) => soon(this.#done(this.#spaces(this.#workspaces.filter((space) => space.id !== id)))),
      chatWorkspace: (id, workspace) => soon(this.#ask("q-move", () => this.#change(id, { workspace }))),
      folderAdd: (id, path) => {
        if (!path.startsWith("/"))
          return no({ problem: "folder_unusable", folder: path, detail: "it is not a full path" });
        this.#folders(id, (folders) => [...folders, { path, trouble: null, shares: [] }]);
        return soon(path);
      },
      folderChoose: (id) => {
        this.#folders(id, (folders) => [...folders, { path: "/home/ada/Pictures", trouble: null, shares: [] }]);
        return soon("/home/ada/Pictures");
      },
      folderRemove: (id, path) =>
        soon(this.#folders(id, (folders) => folders.filter((folder) => folder.path !== path))),
      foldersShare: (server) => {
        this.#wait([...this.#waiting, { question: "q-folders", server, entry: null, asked_ms: Date.now() }]);
        return soon(undefined);
      },
      folderUnshare: (server, path) => {
        for (const { id } of this.#workspaces)
          this.#folders(id, (folders) =>
            folders.map((folder) =>
              folder.path === path
                ? { ...folder, shares: folder.shares.filter((share) => share.server !== server) }
                : folder,
            ),
          );
        return soon(undefined);
      },
      samplingBudget: () =>
        soon({ budget: this.#budget, spent_hour: 1204, spent_day: 8120, cost_spent_hour: 0, cost_spent_day: 41_200 }),
      samplingBudgetSave: (_, budget) => soon(this.#done((this.#budget = budget))),
    };
  }

  /** What was done acts at once, as in the host. */
  #done(done?: unknown): ChangeOutcome {
    void done;
    return { change: "done" };
  }

  /** Asks as the consent window would; after a moment it is allowed. In the scene "asking" there is no answer. */
  #ask(question: string, change: () => void): ChangeOutcome {
    this.#wait([...this.#waiting, { question, server: NO_SERVER, entry: null, asked_ms: Date.now() }]);
    if (scene() !== "asking")
      setTimeout(() => {
        this.#wait(this.#waiting.filter((waiting) => waiting.question !== question));
        change();
        this.tell({ event: "answered", question, end: { end: "done" } });
      }, 300);
    return { change: "asked", question };
  }

  #put(chat: ChatView): ChatView {
    this.#chats = [chat, ...this.#chats.filter(({ id }) => id !== chat.id)];
    this.tell({ event: "chat", chat });
    return chat;
  }

  #change(id: string, change: Partial<ChatView>): void {
    const chat = this.#chats.find((item) => item.id === id);
    if (chat) this.#put({ ...chat, ...change });
  }

  #server(server: ServerView): void {
    this.#servers = this.#servers.some(({ id }) => id === server.id)
      ? this.#servers.map((old) => (old.id === server.id ? server : old))
      : [...this.#servers, server];
    this.tell({ event: "server", server });
  }

  #spaces(spaces: WorkspaceView[]): void {
    this.#workspaces = spaces;
    this.tell({ event: "workspaces", workspaces: spaces });
  }

  #folders(id: string, change: (folders: FolderView[]) => FolderView[]): void {
    this.#spaces(
      this.#workspaces.map((space) => (space.id === id ? { ...space, folders: change(space.folders) } : space)),
    );
  }

  #signIn(id: string, phase: SignInPhase | null): void {
    const server = this.#servers.find((item) => item.id === id);
    if (server) this.#server({ ...server, sign_in: { phase, held: server.sign_in?.held ?? null, offers: null } });
  }

  #stopCall(id: string): void {
    for (const [chat, entries] of this.#entries) {
      const entry = entries.find((one) => one.id === id);
      if (entry?.body.kind !== "call") continue;
      const { call, called_as, server, server_name, tool, arguments: given, edited, because } = entry.body;
      const body = { call, called_as, server, server_name, tool, arguments: given, edited, because };
      this.#entry(chat, { kind: "call", ...body, state: "cancelled", sent: true }, id);
    }
  }

  #wait(waiting: WaitingView[]): void {
    this.#waiting = waiting;
    this.tell({ event: "waiting", waiting });
  }

  #entry(chat: string, body: EntryView["body"], id = `e-${this.#next++}`): EntryView {
    const all = this.#entries.get(chat) ?? [];
    const old = all.find((entry) => entry.id === id);
    const entry = { id, chat, position: old?.position ?? all.length, at_ms: old?.at_ms ?? Date.now(), body };
    this.#entries.set(chat, [...all.filter((item) => item.id !== id), entry]);
    this.tell({ event: "entry", entry });
    return entry;
  }

  #reply(chat: string, text: string): void {
    this.#entry(chat, { kind: "user", text, attachments: [] });
    if (!this.#chats.find(({ id }) => id === chat)?.title) this.#change(chat, { title: text.slice(0, 40) });
    this.#answer(chat);
  }

  #askAgain(id: string, text: string): void {
    for (const [chat, entries] of this.#entries) {
      const body = entries.find((entry) => entry.id === id)?.body;
      if (body?.kind !== "call") continue;
      this.#entry(chat, { kind: "user", text, attachments: [] });
      this.#change(chat, { busy: true });
      const waits = { call: "again", state: "waiting", question: "q-again" } as const;
      const entry = this.#entry(chat, { ...body, ...waits } as EntryView["body"]);
      const asked = { question: "q-again", server: body.server ?? "", entry: entry.id, asked_ms: Date.now() };
      this.#wait([...this.#waiting, asked]);
      return;
    }
  }

  #answer(chat: string): void {
    this.#stopped.delete(chat);
    this.#change(chat, { busy: true });
    const body = {
      kind: "assistant",
      text: "",
      reasoning: "",
      model: "Rehearsal",
      scripted: true,
      state: "streaming",
    } as const;
    setTimeout(() => {
      const { id } = this.#entry(chat, body);
      this.#speak(chat, id, 0);
    }, 250);
  }

  #speak(chat: string, entry: string, from: number): void {
    const stop = this.#stopped.has(chat);
    if (from >= REPLY.length || stop) {
      const text = REPLY.slice(0, from);
      this.#entry(
        chat,
        {
          kind: "assistant",
          text,
          reasoning: "",
          model: "Rehearsal",
          scripted: true,
          state: stop ? "stopped" : "done",
        },
        entry,
      );
      this.#change(chat, { busy: false });
      return;
    }
    this.tell({ event: "words", chat, entry, text: REPLY.slice(from, from + 6), reasoning: "" });
    setTimeout(() => this.#speak(chat, entry, Math.min(REPLY.length, from + 6)), 12);
  }

  #parse(text: string) {
    try {
      const read = JSON.parse(text) as { mcpServers?: Record<string, PastedServer> };
      if (!read.mcpServers) return Promise.reject({ problem: "json_without_servers" } satisfies Problem);
      const all = Object.entries(read.mcpServers);
      const effects: ParsedServers["effects"] = {};
      if (all.some(([, { env = {} }]) => "NODE_OPTIONS" in env)) effects["NODE_OPTIONS"] = "loads_code";
      return Promise.resolve({
        servers: all
          .filter(([, { command, url }]) => command ?? url)
          .map(([name, { command, args = [], env, url = "", headers }]) => ({
            name,
            era: "auto" as const,
            place: command
              ? { at: "here" as const, command, args, env: pasted(env), folder: null }
              : { at: "address" as const, url, transport: "auto" as const, headers: pasted(headers) },
          })),
        skipped: all
          .filter(([, { command, url }]) => !(command ?? url))
          .map(([name]) => ({ name, problem: { problem: "command_missing" as const } })),
        effects,
      });
    } catch {
      return Promise.reject({
        problem: "json_broken",
        line: 3,
        column: 18,
        detail: "expected `,` or `}`",
      } satisfies Problem);
    }
  }
}
