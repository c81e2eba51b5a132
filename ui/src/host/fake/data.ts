// What every window of the fake host starts from. Names, texts and sizes are of the kind real servers send, and some
// are of the kind hostile ones do.
import type { ChatView, ModelView, Settings, WorkspaceView } from "../bindings";

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
  };
}

export const models: ModelView[] = [
  { id: "rehearsal", label: "Rehearsal", kind: { kind: "rehearsal" }, has_key: false, price_in: null, price_out: null },
  {
    id: "llama",
    label: "llama3.1 · Ollama",
    kind: {
      kind: "open_ai_compatible",
      wire: "ollama",
      base_url: "http://localhost:11434/",
      model: "llama3.1:8b",
      proxy: null,
    },
    has_key: false,
    price_in: null,
    price_out: null,
  },
  {
    id: "large",
    label: "Large, in the office",
    kind: {
      kind: "open_ai_compatible",
      wire: "chat_completions",
      base_url: "https://models.example.org/v1",
      model: "qwen3-235b",
      proxy: "http://proxy.harbour.example:3128",
    },
    has_key: true,
    price_in: 3_000_000,
    price_out: 15_000_000,
  },
];

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

export const chats: ChatView[] = [
  {
    id: "oslo",
    title: "Packing for Oslo",
    model: null,
    workspace: HOME,
    updated_ms: NOW,
    busy: true,
    servers_off: [],
    usage: { input: 18_420, output: 812, cached: 12_288, cost: null },
  },
  {
    id: "invoices",
    title: "Invoices, third quarter",
    model: null,
    workspace: HOME,
    updated_ms: NOW - 50 * MINUTE,
    busy: false,
    servers_off: [],
  },
  {
    id: "release",
    title: "Release notes 2.4",
    model: "large",
    workspace: HOME,
    updated_ms: NOW - 90 * MINUTE,
    busy: false,
    servers_off: [],
  },
  {
    id: "hostile",
    title: "A page somebody sent",
    model: null,
    workspace: HOME,
    updated_ms: NOW - 2000 * MINUTE,
    busy: false,
    servers_off: [],
  },
  {
    id: "zh",
    title: "给妈妈的生日计划",
    model: "rehearsal",
    workspace: HOME,
    updated_ms: NOW - 3000 * MINUTE,
    busy: false,
    servers_off: [],
  },
];
