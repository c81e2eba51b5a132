// What is asked about changes of the main window that let more happen.
import type { QuestionBody, ConnectionSummary, ModelSummary } from "../../bindings";
import { rules } from "../records";
import { BLOCKED } from "./pages";
import { placeOf } from "./rules";
import { address } from "./sign-in";

type Widen = Extract<QuestionBody, { kind: "widen" }>;

const RULES = rules.map(({ server_name, action, decision, when, scope, expires_ms, chat }) => ({
  server: server_name,
  rule: { action, decision, when, scope, place: placeOf(chat), expires_ms, binding: null },
}));
const ALLOWED = RULES.filter(({ rule }) => rule.decision === "allow");
const REFUSED = RULES.filter(({ rule }) => rule.decision === "deny");

const LARGE: ModelSummary = {
  label: "Large",
  model: "large-2026-10",
  address: address("https://api.models.example.com/v1"),
  proxy: null,
};

const LOCAL: ModelSummary = {
  label: "llama3.1:8b",
  model: "llama3.1:8b",
  address: { ...address("http://localhost:11434/v1"), registrable_domain: null, registrable_display: null },
  proxy: null,
};

export const DROP: Widen = { kind: "widen", widening: "drop_refusals", rules: REFUSED.map(({ rule }) => rule) };

export const MOVE: Widen = {
  kind: "widen",
  widening: "move_chats",
  chats: ["Packing for Oslo"],
  from: { name: "", folders: ["/home/ada/Travel"] },
  to: { name: "Website", folders: ["/home/ada/Travel", "/home/ada/site", "/home/ada/\u202Edeploy"] },
  removes: false,
  allowed: ALLOWED.slice(0, 2),
  refused: REFUSED.slice(0, 1),
};

export const REMOVE: Widen = {
  ...MOVE,
  chats: ["Packing for Oslo", ""],
  from: { name: "Website", folders: [] },
  to: { name: "", folders: ["/home/ada/Travel"] },
  removes: true,
} as Widen;

export const BUDGET: Widen = {
  kind: "widen",
  widening: "raise_budget",
  before: { tokens_hour: 50_000, tokens_day: 200_000, cost_hour: 500_000, cost_day: 2_000_000, currency: "USD" },
  after: { tokens_hour: 1_000_000, tokens_day: 200_000, cost_hour: 500_000, cost_day: null, currency: "USD" },
};

export const MONTH_BUDGET: Widen = {
  kind: "widen",
  widening: "raise_cost_budget",
  scope: "month",
  chat: "",
  before: { limit: 20_000_000, currency: "USD", stop: true },
  after: { limit: 50_000_000, currency: "USD", stop: false },
};

export const CHAT_BUDGET: Widen = { ...MONTH_BUDGET, scope: "chat", chat: "Packing for Oslo" } as Widen;

const dollars = (input: number, output: number) => ({ input, output, cached: null, currency: "USD" });

export const PRICES: Widen = {
  kind: "widen",
  widening: "lower_prices",
  models: [{ model: "large-2026-10", before: dollars(2_500_000, 10_000_000), after: dollars(0, 10_000_000) }],
};

export const CURRENCY: Widen = {
  kind: "widen",
  widening: "lower_prices",
  models: [
    {
      model: "large-2026-10",
      before: dollars(2_500_000, 10_000_000),
      after: { ...dollars(2_500_000, 10_000_000), currency: "EUR" },
    },
    {
      model: "small-2026-10",
      before: dollars(250_000, 1_000_000),
      after: { ...dollars(250_000, 1_000_000), currency: "EUR" },
    },
  ],
};

export const UNPRICED: Widen = {
  kind: "widen",
  widening: "lower_prices",
  models: ["large-2026-11-preview", "small-2026-11-preview"].map((model) => ({ model, before: null, after: null })),
};

export const GO_ON_ONCE: Widen = {
  kind: "widen",
  widening: "go_on_once",
  chat: "Packing for Oslo",
  used: [
    { scope: "chat", budget: { limit: 5_000_000, currency: "EUR", stop: true }, spent: 5_200_000 },
    { scope: "month", budget: { limit: 20_000_000, currency: "USD", stop: true }, spent: 20_400_000 },
  ],
};

export const LEDGER: Widen = { kind: "widen", widening: "accept_ledger", doubt: "older", remembered: 41, found: 5 };

export const UPDATE: Widen = {
  kind: "widen",
  widening: "update_package",
  package: "@acme/notes-mcp",
  before: "1.4.2",
  after: "1.5.0",
  changes: [
    { name: "@acme/words", before: "2.0.0", after: "2.1.0" },
    { name: "left-pad", before: "1.3.0", after: "" },
    { name: "native-store", before: "", after: "0.9.1" },
  ],
  scripts: [],
  maintainers: ["ann <ann@acme.example>", "ben <ben@acme.example>"],
  new_maintainers: [],
};

export const UPDATE_SCRIPTS: Widen = {
  ...UPDATE,
  scripts: ["native-store"],
  new_maintainers: ["ben <ben@acme.example>"],
};

const WORK: ConnectionSummary = {
  label: "Work",
  models: ["large-2026-10"],
  headers: [],
  address: LARGE.address,
  proxy: null,
};

export const MODEL: Widen = {
  kind: "widen",
  widening: "save_connection",
  connection: WORK,
  new: true,
  before: null,
  key: true,
  prices: [],
};

export const MODEL_MOVED: Widen = {
  kind: "widen",
  widening: "save_connection",
  connection: { ...WORK, models: [], proxy: "http://proxy.example.org:3128" },
  new: false,
  before: "http://localhost:11434/v1",
  key: false,
  prices: [],
};

export const MODEL_UNPRICED: Widen = {
  ...MODEL_MOVED,
  before: "https://api.vendor.example/v1",
  prices: [
    { model: "large-2026-10", before: dollars(2_500_000, 10_000_000), after: dollars(250_000, 10_000_000) },
    { model: "large-2026-11-preview", before: null, after: null },
  ],
} as Widen;

export const MODEL_HEADERS: Widen = {
  kind: "widen",
  widening: "save_connection",
  connection: { ...WORK, models: [], headers: ["X-Team", "Helicone-Target-Url"] },
  new: false,
  before: null,
  key: false,
  prices: [],
};

export const MODEL_BLOCKED: Widen = {
  kind: "widen",
  widening: "save_connection",
  connection: { ...WORK, address: BLOCKED },
  new: true,
  before: null,
  key: true,
  prices: [],
};

export const CHAT_MODEL: Widen = {
  kind: "widen",
  widening: "chat_model",
  chat: "Packing for Oslo",
  from: LOCAL,
  to: LARGE,
};
