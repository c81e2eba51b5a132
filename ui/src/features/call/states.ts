// How far a call is, in a few words for its line.
import type { CallBody } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { duration, percent } from "../text/format";
import { openChoice } from "./openChoice";
import { decisionOf, refusedBy } from "./why";

/** Why a call was allowed or how it failed, and how long it took; the details of its row have the rest. */
export function stateWords(call: CallBody): string {
  switch (call.state) {
    case "deciding":
      return m.call_deciding();
    case "waiting":
      return m.call_waiting();
    case "running":
      return call.progress?.total
        ? m.call_running_share({ share: percent(Math.min(1, Math.max(0, call.progress.done / call.progress.total))) })
        : m.call_running();
    case "task":
      if (call.task.away) return m.call_task_away();
      return call.task.needs_input ? m.call_task_input() : m.call_task();
    case "answered":
      if (openChoice(call)) return m.call_choice();
      return join(call.result.failed ? m.call_tool_failed() : decisionOf(call), took(call.elapsed_ms));
    case "failed":
      return m.call_failed();
    case "refused":
      return refusedBy(call.by);
    case "cancelled":
      return call.sent ? m.call_cancelled_sent() : m.call_cancelled();
    case "interrupted":
      return call.sent ? m.call_interrupted() : m.call_interrupted_unsent();
    default:
      return call satisfies never;
  }
}

/** Files of other applications do not say how long a call took. */
const took = (ms: number) => (ms === 0 ? "" : duration(ms));

function join(...words: string[]): string {
  return words.filter((word) => word !== "").join(" · ");
}
