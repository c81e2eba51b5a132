// Records as the list shows them: a request with its result as one row, and rows under the day they belong to.
import type { LedgerView } from "../../host/bindings";
import { amount } from "./words";

interface Row {
  record: LedgerView;
  /** How it ended, where that is recorded and loaded. */
  result: LedgerView | undefined;
}

export interface Day {
  /** Its first moment, in milliseconds since 1970. */
  at_ms: number;
  rows: Row[];
}

/** The request that a record is the result of. */
const requestOf = ({ kind, body }: LedgerView) => (kind === "outcome" ? amount(body, "intent") : null);

/** Counts the rows of records that are read page by page, newest first: a result comes before its request. */
export class RowCounter {
  /** Requests whose result was read and that were not read themselves. */
  readonly #awaited = new Set<number>();
  #rows = 0;

  /** Adds the next page; returns the rows of all pages. */
  add(records: readonly LedgerView[]): number {
    for (const record of records) {
      if (!this.#awaited.delete(record.seq)) this.#rows += 1;
      const request = requestOf(record);
      if (request !== null) this.#awaited.add(request);
    }
    return this.#rows;
  }
}

/** The rows that were made: one that is the same object is not drawn again when the records around it change. */
const made = new WeakMap<LedgerView, Row>();

function rowOf(record: LedgerView, result: LedgerView | undefined): Row {
  const known = made.get(record);
  if (known && known.result === result) return known;
  const row = { record, result };
  made.set(record, row);
  return row;
}

/** Records, newest first, as rows by day. */
export function daysOf(records: readonly LedgerView[]): Day[] {
  const requests = new Set(records.map(({ seq }) => seq));
  const results = new Map<number, LedgerView>();
  for (const record of records) {
    const request = requestOf(record);
    if (request !== null && requests.has(request)) results.set(request, record);
  }
  const attached = new Set([...results.values()].map(({ seq }) => seq));
  const days = new Map<number, Day>();
  for (const record of records) {
    if (attached.has(record.seq)) continue;
    // The first moment and not that of a record, so that a day is the same whichever of its records are drawn.
    const at_ms = new Date(record.at_ms).setHours(0, 0, 0, 0);
    const day = days.get(at_ms) ?? { at_ms, rows: [] };
    days.set(at_ms, day);
    day.rows.push(rowOf(record, results.get(record.seq)));
  }
  return [...days.values()];
}
