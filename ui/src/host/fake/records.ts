// Rules and records of the ledger as the fake host tells them.
import type {
  LedgerSigned,
  LedgerView,
  RemovedServerView,
  RowFinding,
  RuleTrial,
  RuleView,
  SeenByServer,
} from "../bindings";

const NOW = Date.UTC(2026, 10, 20, 13, 3, 12);
const DAY = 86_400_000;

function rule(id: string, rest: Partial<RuleView>): RuleView {
  return {
    id,
    server: "s-notes",
    server_name: "notes",
    action: { action: "call_tool", tool: "search_notes" },
    decision: "allow",
    when: [],
    reach: { reach: "everywhere" },
    scope: "always",
    chat: null,
    made_in: "oslo",
    made_ms: NOW - 3 * DAY,
    expires_ms: NOW + 27 * DAY,
    last_used_ms: NOW - 40_000,
    ended: false,
    outdated: false,
    ...rest,
  };
}

export const rules: RuleView[] = [
  rule("r-mail", {
    action: { action: "call_tool", tool: "send_mail" },
    when: [
      { at: "/to", is: { mail: ["@ours.example"] } },
      { at: "/attachments/*", is: { under: "/home/ada/Notes" } },
    ],
  }),
  rule("r-search", { reach: { reach: "chat", in: "oslo" }, scope: "chat", chat: "oslo", expires_ms: null }),
  rule("r-delete", {
    action: { action: "call_tool", tool: "delete_page" },
    decision: "deny",
    expires_ms: null,
    last_used_ms: null,
  }),
  rule("r-start", { action: { action: "start_server" }, last_used_ms: null, outdated: false }),
  rule("r-share", {
    action: { action: "call_tool", tool: "share_page" },
    when: [{ at: "/to", is: { mail: ["@ours.example"] } }],
  }),
  rule("r-old", { action: { action: "call_tool", tool: "rename\u202epage" }, outdated: true }),
];

const [mail, , refusal] = rules;

function finding(id: string, rest: Partial<RowFinding>): RowFinding {
  return {
    row: { table: "rule", id },
    fault: "changed",
    server: "s-notes",
    server_name: "notes",
    tool: null,
    rule: null,
    kept: null,
    can_keep: true,
    can_remove: true,
    ...rest,
  };
}

/** Rows that another program changed, of each kind. */
export const rowFindings: RowFinding[] = [
  finding("s-notes", { row: { table: "server", id: "s-notes" } }),
  finding("r-mail", { rule: mail ? { ...mail, when: [] } : null, kept: mail ?? null }),
  finding("r-delete", { fault: "missing", kept: refusal ?? null, can_remove: false }),
  finding("r-new", {
    fault: "unsigned",
    rule: mail ? { ...mail, action: { action: "call_tool", tool: "delete_all" }, when: [] } : null,
  }),
  finding("r-broken", { fault: "unreadable", server: null, server_name: "", can_keep: false }),
  finding("s-notes/search_notes", {
    row: { table: "tool", id: "s-notes/search_notes" },
    tool: "search_notes",
    can_keep: false,
  }),
];

export const trial: RuleTrial = {
  allowed: 2,
  asked: 3,
  denied: 0,
  without_arguments: 1,
  requests: [
    {
      at_ms: NOW,
      chat_title: "Packing for Oslo",
      arguments: { to: "kari@ours.example" },
      before: "ask",
      after: "allow",
    },
    { at_ms: NOW - DAY, chat_title: null, arguments: null, before: "ask", after: "ask" },
  ],
};

export function record(seq: number, rest: Partial<LedgerView>): LedgerView {
  return {
    seq,
    at_ms: NOW - (60 - seq) * 1000,
    kind: "intent",
    server: "s-notes",
    chat: "oslo",
    action: "tool.call",
    object: "search_notes",
    decision: "allowed",
    because: [{ why: "person", scope: "once" }],
    names: [],
    body: { arguments: "sha256:4f8c", bytes: 84, edited: false, waited_ms: 3400 },
    hash: "9b1f".repeat(16),
    ...rest,
  };
}

export const records: LedgerView[] = [
  record(7, {
    kind: "checkpoint",
    server: null,
    chat: null,
    action: "ledger.checkpoint",
    object: "",
    decision: null,
    because: [],
    body: { of: 6, key: "9c1d" },
  }),
  record(6, { kind: "revoke", decision: "deny", object: "delete_page", because: [], body: {} }),
  record(5, { kind: "decision", decision: "refused", object: "delete_page" }),
  record(4, {
    kind: "outcome",
    decision: null,
    because: [],
    body: { intent: 3, ended: "answered", result: "sha256:77aa", bytes: 2300, took_ms: 240 },
  }),
  record(3, { because: [{ why: "rule", rule: "r-search", scope: "chat" }] }),
  record(2, { action: "server.start", object: "", chat: null, server: "s-gone" }),
  record(1, { action: "server.start", object: "", chat: null, server: "s-unnamed-4f1c" }),
];

/** The first was removed by this version, the second before names were kept. */
export const removed: RemovedServerView[] = [
  { id: "s-gone", name: "suspicious\u202e", removed_ms: NOW - 2 * DAY },
  { id: "s-unnamed-4f1c", name: "", removed_ms: NOW - 40 * DAY },
];

export const signed: LedgerSigned = { checkpoints: 2, through: 6, of_other_keys: 0 };

export const seen: SeenByServer = {
  folders: ["/home/ada/Notes"],
  names: [
    { named: { what: "file", name: "/home/ada/Notes/Oslo.md" }, records: 3 },
    { named: { what: "host", name: "api.ours.example" }, records: 1 },
    { named: { what: "file", name: "/home/ada/\u202eterces.md" }, records: 1 },
  ],
};
