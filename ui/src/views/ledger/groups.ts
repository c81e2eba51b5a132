// Records as the list shows them: a request with its result as one row, and rows under the day they belong to.
import type { LedgerView } from "../../host/bindings";
import { amount } from "./words";

interface Row {
  record: LedgerView;
  /** How it ended, where that is recorded and loaded. */
  result: LedgerView | undefined;
}

export interface Day {
  /** A moment of it, in milliseconds since 1970. */
  at_ms: number;
  rows: Row[];
}

/** Records, newest first, as rows by day. */
export function daysOf(records: readonly LedgerView[]): Day[] {
  const requests = new Set(records.map(({ seq }) => seq));
  const results = new Map<number, LedgerView>();
  for (const record of records) {
    const intent = record.kind === "outcome" ? amount(record.body, "intent") : null;
    if (intent !== null && requests.has(intent)) results.set(intent, record);
  }
  const attached = new Set([...results.values()].map(({ seq }) => seq));
  const days = new Map<string, Day>();
  for (const record of records) {
    if (attached.has(record.seq)) continue;
    const key = new Date(record.at_ms).toDateString();
    const day = days.get(key) ?? { at_ms: record.at_ms, rows: [] };
    days.set(key, day);
    day.rows.push({ record, result: results.get(record.seq) });
  }
  return [...days.values()];
}
