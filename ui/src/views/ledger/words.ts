// The ledger's own words (`tool.call`, `intent`) as the user reads them.
import { number } from "../../features/text/format";
import type { HeadState, LedgerBreak, LedgerSigned, LedgerView } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** The kinds of records a filter picks. */
export const OF_KIND = {
  all: [] as string[],
  requests: ["intent", "decision"],
  results: ["outcome"],
  rules: ["grant", "revoke", "config"],
  checkpoints: ["checkpoint"],
};

/** The token that a path or a domain belongs to. */
export function placeToken(place: string): "file" | "host" {
  return /^([/~]|[A-Za-z]:[/\\]|file:)/.test(place) ? "file" : "host";
}

/** What was done, in a word or two; the ledger's own name where this version has none. */
export function actionName(action: string): string {
  const names: Record<string, () => string> = {
    "server.start": m.action_start,
    "model.start": m.action_start,
    "server.update": m.action_server_update,
    "server.connect": m.action_connect,
    "tool.call": m.action_call,
    "tool.accept": m.action_accept,
    "resource.read": m.action_read,
    "prompt.get": m.action_prompt,
    "fields.complete": m.action_complete,
    "resource.watch": m.action_watch,
    "log.level": m.action_log_level,
    "form.send": m.action_form,
    "page.open": m.action_page,
    "roots.share": m.action_share,
    "roots.tell": m.action_tell,
    "sampling.run": m.action_sample,
    "sampling.reply": m.action_reply,
    "issuer.look_up": m.action_look_up,
    "server.sign_in": m.action_sign_in,
    "model.sample": m.action_sample,
    "ledger.checkpoint": m.action_checkpoint,
    "everything.stop": m.action_stop,
    "ledger.accept": m.action_ledger,
    "ledger.upgrade": m.action_upgrade,
    "chat.delete": m.action_chat_delete,
    "server.edit": m.action_server_edit,
    "server.forget": m.action_server_forget,
    "rule.take_back": m.action_take_back,
    "chat.move": m.action_move_chat,
    "sampling.budget": m.action_budget,
    "model.budget": m.action_month_budget,
    "model.over_budget": m.action_over_budget,
    "model.prices": m.action_model_prices,
    "model.save": m.action_model,
    "connection.save": m.action_connection,
    "questions.mute": m.action_mute,
    "rows.keep": m.action_rows_keep,
    "rows.list": m.action_rows_list,
    "rows.quarantine": m.action_rows_quarantine,
    "rows.remove": m.action_rows_remove,
    "rows.sign": m.action_rows_sign,
    "rule.remove": m.action_rule_remove,
    "task.follow": m.action_task_follow,
    "chat.model": m.action_chat_model,
    "file.send": m.action_file_send,
  };
  return names[action]?.() ?? action;
}

/** The ends of something that was allowed and then did not work. */
const FAILED = ["failed", "server ended", "timed out"];

interface LedgerOutcome {
  words: string;
  tone: "ok" | "no" | "plain";
}

/** How it was decided or ended. */
export function outcomeOf({ kind, action, decision, body }: LedgerView): LedgerOutcome {
  switch (kind) {
    case "intent":
      return { words: m.ledger_allowed(), tone: "ok" };
    case "outcome": {
      const ended = text(body, "ended");
      return { words: endedWords(ended), tone: FAILED.includes(ended) ? "no" : "plain" };
    }
    case "grant":
      return { words: m.ledger_granted(), tone: "ok" };
    case "revoke":
      return { words: decision === "deny" ? m.ledger_forbidden() : m.ledger_taken_back(), tone: "no" };
    case "decision":
      return decisionWords(action, decision);
    case "checkpoint":
      return { words: m.ledger_signed(), tone: "plain" };
    case "config":
      return { words: m.ledger_changed(), tone: "plain" };
    default:
      return { words: decision ?? kind, tone: "plain" };
  }
}

/** A decision that permitted nothing. */
function decisionWords(action: string, decision: string | null): LedgerOutcome {
  switch (decision) {
    case "not now":
      return { words: m.ledger_not_now(), tone: "no" };
    case "heard again":
      return { words: m.ledger_unmuted(), tone: "plain" };
    case "muted":
      if (action === "questions.mute") return { words: m.ledger_muted(), tone: "plain" };
      return { words: m.ledger_denied_muted(), tone: "no" };
    case "too many":
      return { words: m.ledger_too_many(), tone: "no" };
    default:
      return { words: m.ledger_refused(), tone: "no" };
  }
}

/** How something ended; the ledger's own word where this version has none. */
function endedWords(ended: string): string {
  const names: Record<string, () => string> = {
    answered: m.ended_answered,
    changed: m.ended_changed,
    downloaded: m.ended_downloaded,
    outdated: m.ended_outdated,
    failed: m.ended_failed,
    "ended by itself": m.ended_by_itself,
    "not sent": m.ended_not_sent,
    "not used": m.ended_not_used,
    "not opened": m.ended_not_opened,
    opened: m.ended_opened,
    "page not visited": m.ended_not_visited,
    sent: m.ended_sent,
    "server ended": m.ended_server,
    stopped: m.ended_stopped,
    "timed out": m.ended_timed_out,
  };
  return names[ended]?.() ?? m.ledger_ended({ how: ended });
}

/** What a digest of a record stands for. */
export function digestName(name: string): string {
  switch (name) {
    case "arguments":
      return m.digest_arguments();
    case "wanted":
      return m.digest_wanted();
    case "definition":
      return m.digest_definition();
    case "result":
      return m.digest_result();
    case "question":
    case "shown":
      return m.digest_shown();
    case "url":
      return m.digest_url();
    default:
      return m.digest_content();
  }
}

/** What a file that went to a model is; empty for another record. */
export function fileKind(body: unknown): string {
  switch (text(body, "file")) {
    case "picture":
      return m.sent_picture();
    case "pdf":
      return m.sent_pdf({ pages: amount(body, "pages") ?? 0 });
    case "text":
      return m.sent_text();
    default:
      return "";
  }
}

/** A text of the body, where it has one. */
export function text(body: unknown, name: string): string {
  if (typeof body !== "object" || body === null) return "";
  const value = (body as Record<string, unknown>)[name];
  return typeof value === "string" ? value : "";
}

/** A number of the body, where it has one. */
export function amount(body: unknown, name: string): number | null {
  if (typeof body !== "object" || body === null) return null;
  const value = (body as Record<string, unknown>)[name];
  return typeof value === "number" ? value : null;
}

/** What was done to a ledger that is not as it was written. */
function breakWords(what: LedgerBreak): string {
  switch (what) {
    case "altered":
      return m.break_altered();
    case "missing":
      return m.break_missing();
    case "inserted":
      return m.break_inserted();
    case "reordered":
      return m.break_reordered();
    case "truncated":
      return m.break_truncated();
    case "words":
      return m.break_words();
    case "forged":
      return m.break_forged();
    case "head_missing":
      return m.break_head_missing();
    default:
      return what satisfies never;
  }
}

/** Where a ledger stops being as it was written. */
export function brokenWords({ seq, what }: { seq: number; what: LedgerBreak }): string {
  return m.ledger_broken({ seq: number(seq), what: breakWords(what) });
}

/** How far an intact ledger is signed. */
export function signedWords({ checkpoints, through, of_other_keys }: LedgerSigned): string {
  if (through !== null)
    return m.ledger_signed_to({ seq: number(through), count: checkpoints, shown: number(checkpoints) });
  return of_other_keys > 0 ? m.ledger_signed_elsewhere() : m.ledger_unsigned();
}

/** What the keychain adds to an intact ledger; empty where that stands above already. */
export function headWords(head: HeadState): string {
  switch (head.state) {
    case "first":
      return m.head_first();
    case "continues":
      return m.head_continues();
    case "unknown":
      return m.head_unknown();
    case "older":
    case "rewritten":
      return "";
    default:
      return head satisfies never;
  }
}
