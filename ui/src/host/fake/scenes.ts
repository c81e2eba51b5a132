// The scenes of the consent window: which questions wait in each.
import type { QuestionBody, Question, Scope } from "../bindings";
import { crowdedQuestions } from "./crowded";
import { SHARE } from "./questions/folders";
import { FILL, FILL_ALL } from "./questions/forms";
import {
  CONNECT,
  START,
  START_AGAIN,
  START_DOWNLOAD,
  START_BUNDLE,
  START_DOWNLOADED,
  START_MODEL,
  START_SERIOUS,
  START_UPDATED,
} from "./questions/launch";
import { BLOCKED, LINK, PAGE } from "./questions/pages";
import { HOLD_AGAIN, KEEP, WIDEN } from "./questions/rules";
import { LONG_SAMPLE, REPLY, SAMPLE } from "./questions/sampling";
import { LOOK_UP, SIGN_IN, SIGN_IN_ELSEWHERE, SIGN_IN_FILE, SIGN_IN_MORE, SIGN_IN_ODD } from "./questions/sign-in";
import {
  ALLOW,
  CALL,
  CARRIED,
  CHANGED,
  CHANGED_LONG,
  FORM,
  FOUND,
  HEADERS,
  INSTRUCTIONS,
  INSTRUCTIONS_FIRST,
  LONG,
  NEW_TOOLS,
  OUTSIDE,
  RECORD_LOST,
} from "./questions/tools";
import {
  BUDGET,
  CHAT_MODEL,
  DROP,
  LEDGER,
  MODEL,
  MODEL_BLOCKED,
  MODEL_HEADERS,
  MODEL_MOVED,
  MODEL_UNPRICED,
  CHAT_BUDGET,
  CURRENCY,
  GO_ON_ONCE,
  MONTH_BUDGET,
  MOVE,
  PRICES,
  REMOVE,
  UNPRICED,
  UPDATE,
  UPDATE_SCRIPTS,
} from "./questions/widening";

const ALL: Scope[] = ["once", "chat", "workspace", "always"];

const CAUSE = { chat: "oslo", chat_title: "Packing for Oslo", entry: "oslo-4", task_of: null };

export function question(id: string, about: QuestionBody, rest: Partial<Question> = {}): Question {
  return {
    id,
    server: { id: "s-notes", name: "notes", provenance: "npx -y @acme/notes-mcp@1.4.2" },
    cause: CAUSE,
    about,
    scopes: ALL,
    guard_ms: 500,
    asked_ms: Date.now(),
    often: null,
    denied: null,
    nonce: `nonce-${id}`,
    digest: `digest-${id}`,
    same: `same-${id}`,
    ...rest,
  };
}

const FILES = {
  id: "s-files",
  name: "files",
  provenance: "npx -y @modelcontextprotocol/server-filesystem@2026.10.3 /home/ada/Travel",
};

const PAYROLL = { id: "s-payroll", name: "payroll", provenance: "https://mcp.payroll-suite.com" };

const DEPLOY = { id: "s-deploy", name: "deploy", provenance: "uvx deploy-mcp==2.1.0" };

const CALENDAR: Partial<Question> = {
  server: { id: "s-calendar", name: "calendar", provenance: "https://calendar.example.org" },
  cause: null,
  scopes: ["once"],
};

/** A question that concerns no server. */
const OWN: Partial<Question> = {
  server: { id: "00000000-0000-0000-0000-000000000000", name: "Vestibule", provenance: "" },
  cause: null,
  scopes: ["once"],
};

/** A call of one tool on a page. */
const callOn = (page: string) => ({ ...CALL, arguments: { page, permanently: true } }) as QuestionBody;

export const SCENES: Record<string, () => Question[]> = {
  start_server: () => [question("q-start", START, { cause: null, scopes: ["once"], guard_ms: 3000 })],
  start_again: () => [question("q-start", START_AGAIN, { cause: null, scopes: ["once", "always"], guard_ms: 3000 })],
  start_download: () => [question("q-start", START_DOWNLOAD, { cause: null, scopes: ["once"], guard_ms: 3000 })],
  start_downloaded: () => [
    question("q-start", START_DOWNLOADED, { cause: null, scopes: ["once", "always"], guard_ms: 3000 }),
  ],
  start_bundle: () => [question("q-start", START_BUNDLE, { cause: null, scopes: ["once", "always"], guard_ms: 3000 })],
  start_updated: () => [
    question("q-start", START_UPDATED, { cause: null, scopes: ["once", "always"], guard_ms: 3000 }),
  ],
  start_serious: () => [question("q-start", START_SERIOUS, { cause: null, scopes: ["once"], guard_ms: 3000 })],
  start_model: () => [
    question("q-start", START_MODEL, {
      server: {
        id: "c-file",
        name: "Small One",
        provenance: "llama-server --model /home/ada/models/small-one-4b-q4.gguf",
      },
      scopes: ["once"],
      guard_ms: 3000,
    }),
  ],
  connect_server: () => [
    question("q-connect", CONNECT, {
      server: { id: "s-tickets", name: "tickets", provenance: "http://127.0.0.1:3001" },
      cause: null,
      scopes: ["once", "always"],
    }),
  ],
  look_up_issuer: () => [question("q-look-up", LOOK_UP, CALENDAR)],
  sign_in: () => [question("q-sign-in", SIGN_IN, CALENDAR)],
  sign_in_more: () => [question("q-sign-in", SIGN_IN_MORE, CALENDAR)],
  sign_in_odd: () => [question("q-sign-in", SIGN_IN_ODD, CALENDAR)],
  sign_in_elsewhere: () => [question("q-sign-in", SIGN_IN_ELSEWHERE, CALENDAR)],
  sign_in_file: () => [question("q-sign-in", SIGN_IN_FILE, CALENDAR)],
  /** A question in a form that no card can draw. */
  undrawn: () => [question("q-undrawn", { ...CALL, headers: null } as unknown as QuestionBody)],
  call_tool: () => [question("q-delete", CALL, { scopes: ["once", "chat"] })],
  headers: () => [question("q-headers", HEADERS, { scopes: ["once", "chat"] })],
  denied: () => [question("q-denied", FILL, { scopes: [], server: DEPLOY, denied: 3 })],
  form: () => [question("q-form", FORM, { server: FILES })],
  long: () => [question("q-long", LONG, { server: FILES })],
  tool_changed: () => [question("q-changed", CHANGED, { cause: null, scopes: ["once"] })],
  instructions: () => [question("q-instructions", INSTRUCTIONS, { cause: null, scopes: ["once"] })],
  instructions_first: () => [question("q-instructions", INSTRUCTIONS_FIRST, { cause: null, scopes: ["once"] })],
  new_tools: () => [question("q-new-tools", NEW_TOOLS, { cause: null, scopes: ["once"] })],
  record_lost: () => [question("q-lost", RECORD_LOST, { cause: null, scopes: ["once"] })],
  tool_changed_long: () => [question("q-changed-long", CHANGED_LONG, { cause: null, scopes: ["once"] })],
  allow_tool: () => [question("q-allow", ALLOW, { server: FILES, cause: null, scopes: ["workspace", "always"] })],
  keep_rules: () => [question("q-keep", KEEP, { cause: null, scopes: ["always"] })],
  hold_again: () => [question("q-hold", HOLD_AGAIN, { cause: null, scopes: ["always"] })],
  widen_rule: () => [question("q-widen", WIDEN, { cause: null, scopes: ["always"] })],
  drop_refusals: () => [question("q-drop", DROP, { cause: null, scopes: ["once"] })],
  move_chat: () => [question("q-move", MOVE, OWN)],
  remove_workspace: () => [question("q-remove", REMOVE, OWN)],
  raise_budget: () => [question("q-budget", BUDGET, { cause: null, scopes: ["once"] })],
  raise_month_budget: () => [question("q-month", MONTH_BUDGET, OWN)],
  lower_prices: () => [question("q-prices", PRICES, OWN)],
  change_currency: () => [question("q-currency", CURRENCY, OWN)],
  add_unpriced: () => [question("q-unpriced", UNPRICED, OWN)],
  raise_chat_budget: () => [question("q-chat-budget", CHAT_BUDGET, OWN)],
  go_on_once: () => [question("q-once", GO_ON_ONCE, OWN)],
  update_package: () => [question("q-update", UPDATE, { cause: null, scopes: ["once"] })],
  update_package_scripts: () => [question("q-update", UPDATE_SCRIPTS, { cause: null, scopes: ["once"] })],
  accept_ledger: () => [question("q-ledger", LEDGER, OWN)],
  save_model: () => [question("q-model", MODEL, OWN)],
  model_blocked: () => [question("q-model-blocked", MODEL_BLOCKED, OWN)],
  model_headers: () => [question("q-model-headers", MODEL_HEADERS, OWN)],
  move_model: () => [question("q-moved", MODEL_MOVED, OWN)],
  move_unpriced: () => [question("q-moved", MODEL_UNPRICED, OWN)],
  chat_model: () => [question("q-chat-model", CHAT_MODEL, OWN)],
  carried: () => [question("q-carried", CARRIED, { server: FILES })],
  outside: () => [question("q-outside", OUTSIDE, { server: FILES })],
  found: () => [question("q-found", FOUND, { server: FILES })],
  sample: () => [question("q-sample", SAMPLE, { scopes: ["once"] })],
  long_sample: () => [question("q-long-sample", LONG_SAMPLE, { scopes: ["once"], cause: null })],
  sample_reply: () => [question("q-reply", REPLY, { scopes: ["once"] })],
  folders: () => [question("q-folders", SHARE, { cause: null, scopes: ["always"] })],
  fill_form: () => [question("q-fill", FILL, { scopes: [], server: DEPLOY })],
  fill_form_all: () => [question("q-fill-all", FILL_ALL, { scopes: [], server: DEPLOY, cause: null })],
  open_page: () => [question("q-page", { kind: "open_page", ...PAGE }, { scopes: [], server: PAYROLL })],
  blocked_page: () => [
    question(
      "q-blocked",
      { kind: "open_page", ...PAGE, address: BLOCKED, source: { from: "server", relation: "unrelated" } },
      { scopes: [], server: PAYROLL, cause: null },
    ),
  ],
  open_link: () => [question("q-link", { kind: "open_page", ...LINK }, { ...OWN, scopes: [], cause: CAUSE })],
  blocked_link: () => [
    question("q-blocked-link", { kind: "open_page", ...LINK, address: BLOCKED }, { ...OWN, scopes: [], cause: CAUSE }),
  ],
  visit_page: () => [
    question(
      "q-visit",
      { kind: "visit_page", page: PAGE, not_opened: null, held: true },
      { scopes: [], server: PAYROLL },
    ),
  ],
  visit_failed: () => [
    question(
      "q-failed",
      { kind: "visit_page", page: PAGE, not_opened: 'no program "xdg-open" was found', held: true },
      { scopes: [], server: PAYROLL },
    ),
  ],
  several: () => [
    question("q-delete", CALL, { scopes: ["once", "chat"] }),
    question("q-form", FORM, { server: FILES }),
    question("q-changed", CHANGED, { cause: null, scopes: ["once"] }),
  ],
  parallel: () => [
    question("q-first", callOn("Packing 2023"), { scopes: ["once", "chat"] }),
    question("q-second", callOn("Packing 2024"), { scopes: ["once", "chat"] }),
    question("q-third", callOn("Invoices"), {
      scopes: ["once", "chat"],
      cause: { ...CAUSE, chat: "invoices", chat_title: "Invoices of October" },
    }),
  ],
  crowded: () => crowdedQuestions(question),
  flood: () => [
    question(
      "q-flood",
      {
        kind: "flood",
        asking: "form",
        asked: 540,
        turned_away: 476,
        waiting: 64,
        alike: null,
        groups: [
          { words: "Please confirm your e-mail address", count: 41 },
          { words: "Press \u{200B}Send\u{202E} to continue", count: 22 },
          { words: "Are you still there?", count: 1 },
        ],
      },
      { scopes: [], server: DEPLOY, cause: null, often: 540 },
    ),
  ],
  flood_alike: () => [
    question(
      "q-flood",
      {
        kind: "flood",
        asking: "form",
        asked: 40,
        turned_away: 0,
        waiting: 40,
        alike: FILL,
        groups: [{ words: "Where should the new service run?", count: 40 }],
      },
      { scopes: [], server: DEPLOY, often: 40 },
    ),
  ],
  often: () => [
    question("q-often", FILL, { scopes: [], server: DEPLOY, often: 7 }),
    question("q-again", FILL, { scopes: [], server: DEPLOY, same: "same-q-often" }),
  ],
  restored: () => [question("q-restored", FILL_ALL, { scopes: [], server: DEPLOY })],
  task: () => [question("q-task", FILL, { scopes: [], server: DEPLOY, cause: { ...CAUSE, task_of: "deploy" } })],
  empty: () => [],
};
