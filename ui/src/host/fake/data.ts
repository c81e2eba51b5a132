// What every window of the fake host starts from. Names, texts and sizes are of the kind real servers send, and some
// are of the kind hostile ones do.
import type {
  ChatView,
  ConnectionView,
  Cost,
  CostsView,
  ModelListingView,
  ModelView,
  Settings,
  WorkspaceView,
} from "../bindings";

export const NOW = Date.UTC(2026, 10, 20, 13, 3, 12);
export const MINUTE = 60_000;

const query = new URLSearchParams(location.search);

export function scene(): string {
  return query.get("scene") ?? "chat";
}

export function settings(): Settings {
  const appearance = query.get("appearance");
  const language = query.get("language");
  return {
    appearance: appearance === "dark" || appearance === "light" ? appearance : "system",
    language: language === "zh-CN" || language === "en" ? language : "system",
    default_model: scene() === "first" ? "rehearsal" : "llama",
    max_rounds: 12,
    call_timeout_s: 60,
    notify: true,
    zoom: 100,
    tool_discovery: "automatic",
    large_results: "part",
    compact: true,
    compact_at: 80,
    title_chats: false,
    budget: scene() === "budget" ? { limit: 20_000_000, currency: "USD", stop: true } : null,
    day_budget: null,
    currency: "EUR",
    server_order: [],
    picture_edge: 1568,
    pictures_sent: 4,
    gallery_address: "https://registry.modelcontextprotocol.io",
  };
}

/** What models cost so far. */
export function costs(): CostsView {
  const [today, month] = [1_250_000, 16_400_000];
  const euros: Cost = { currency: "EUR", amount: 2_300_000 };
  return { day: [{ currency: "USD", amount: today }], month: [euros, { currency: "USD", amount: month }] };
}

export const connections: ConnectionView[] = [
  {
    id: "c-ollama",
    label: "Ollama",
    wire: "ollama",
    base_url: "http://localhost:11434/",
    proxy: null,
    has_key: false,
    headers: [],
    local: null,
  },
  {
    id: "c-office",
    label: "Office",
    wire: "chat_completions",
    base_url: "https://models.example.org/v1",
    proxy: "http://proxy.harbour.example:3128",
    has_key: true,
    headers: ["X-Team", "X-Project"],
    local: null,
  },
];

/** A model file with the program that serves it, which ended. */
export const localConnection: ConnectionView = {
  id: "c-file",
  label: "Small One",
  wire: "chat_completions",
  base_url: "http://127.0.0.1/v1",
  proxy: null,
  has_key: false,
  headers: [],
  local: {
    program: "llama-server",
    file: "/home/ada/models/small-one-4b-q4.gguf",
    state: {
      state: "stopped",
      problem: {
        problem: "server_ended",
        exit: "exit code 1",
        stderr: ["error loading model: unknown model architecture: 'tiny'"],
      },
    },
  },
};

const remote = (connection: string, model: string) => ({
  kind: "remote" as const,
  connection,
  base_url: connections.find(({ id }) => id === connection)?.base_url ?? "",
  model,
});

export const models: ModelView[] = [
  { id: "rehearsal", label: "Rehearsal", kind: { kind: "rehearsal" }, favourite: false, facts: {} },
  {
    id: "llama",
    label: "llama3.1 · Ollama",
    kind: remote("c-ollama", "llama3.1:8b"),
    favourite: false,
    facts: {
      context: { value: 131_072, source: "server" },
      tools: { value: true, source: "server" },
      images: { value: false, source: "server" },
    },
  },
  {
    id: "tiny",
    label: "gemma3:270m",
    kind: remote("c-ollama", "gemma3:270m"),
    favourite: false,
    facts: { context: { value: 32_768, source: "server" }, tools: { value: false, source: "server" } },
  },
  {
    id: "large",
    label: "Large, in the office",
    kind: remote("c-office", "qwen3-235b"),
    favourite: true,
    facts: {
      context: { value: 262_144, source: "server" },
      tools: { value: true, source: "server" },
      images: { value: true, source: "catalogue" },
      thinking: { value: true, source: "catalogue" },
      prices: { input: 3_000_000, output: 15_000_000, cached: null, source: "user" },
    },
  },
];

/** What a connection offers: also names that hide something, and very long ones. */
export const listing: ModelListingView = {
  cut: true,
  took_ms: 212,
  models: [
    { name: "qwen3-235b", facts: { context: { value: 262_144, source: "server" } } },
    {
      name: "deepseek-v4-flash",
      facts: {
        context: { value: 1_000_000, source: "server" },
        tools: { value: true, source: "catalogue" },
        thinking: { value: true, source: "catalogue" },
        prices: { input: 140_000, output: 280_000, cached: 28_000, source: "catalogue" },
      },
    },
    { name: "gpt\u202E5-oss", facts: {} },
    { name: "mistral-small-3.2-24b-instruct", facts: { images: { value: true, source: "server" } } },
    ...Array.from({ length: 80 }, (_, at) => ({ name: `house-model-${String(at + 1)}`, facts: {} })),
  ],
};

/** The workspace every chat begins in. */
export const HOME = "00000000-0000-0000-0000-000000000000";

export const workspaces: WorkspaceView[] = [
  {
    id: HOME,
    name: "",
    folders: [
      {
        path: "/home/ada/Travel",
        trouble: null,
        shares: [
          { server: "s-files", shared_ms: NOW - 90 * MINUTE, told_ms: NOW - 30 * MINUTE },
          { server: "s-notes", shared_ms: NOW - 20 * MINUTE, told_ms: null },
        ],
      },
      { path: "/home/ada/Documents/Invoices 2026", trouble: null, shares: [] },
    ],
  },
  {
    id: "w-site",
    name: "Website",
    folders: [
      { path: "/home/ada/code/site", trouble: null, shares: [] },
      { path: "/media/stick/pictures", trouble: "gone", shares: [] },
    ],
  },
];

/** A chat with nothing of its own beside what is given. */
export const chatOf = (own: Pick<ChatView, "id" | "title" | "updated_ms"> & Partial<ChatView>): ChatView => ({
  temporary: false,
  model: null,
  workspace: HOME,
  busy: false,
  servers_off: [],
  tools_off: [],
  queue: [],
  settings: {},
  pinned: false,
  archived: false,
  trashed_ms: null,
  ...own,
});

export const chats: ChatView[] = [
  chatOf({
    id: "oslo",
    title: "Packing for Oslo",
    updated_ms: NOW,
    busy: true,
    usage: { input: 18_420, output: 812, cached: 12_288, costs: [] },
  }),
  chatOf({
    id: "invoices",
    title: "Invoices, third quarter",
    updated_ms: NOW - 50 * MINUTE,
  }),
  chatOf({
    id: "release",
    title: "Release notes 2.4",
    model: "large",
    updated_ms: NOW - 90 * MINUTE,
  }),
  chatOf({
    id: "hostile",
    title: "A page somebody sent",
    updated_ms: NOW - 2000 * MINUTE,
  }),
  chatOf({
    id: "zh",
    title: "给妈妈的生日计划",
    model: "rehearsal",
    updated_ms: NOW - 3000 * MINUTE,
  }),
];
