// A structured result as a table, where it is a list of flat records: by itself, or as the one list of an object.
import { isObject } from "../json";

/** Wider or deeper data is read better as JSON. */
const MOST_COLUMNS = 8;

export interface DataTable {
  /** What the object has beside its list. */
  facts: { name: string; value: string }[];
  columns: string[];
  rows: string[][];
}

/** The table, or null where the value is no list of flat records. */
export function tableOf(value: unknown): DataTable | null {
  if (Array.isArray(value)) return fromList(value, []);
  if (!isObject(value)) return null;
  const lists = Object.values(value).filter((member) => Array.isArray(member));
  const rest = Object.entries(value).filter(([, member]) => !Array.isArray(member));
  const [list] = lists;
  if (lists.length !== 1 || list === undefined || rest.some(([, member]) => isObject(member))) return null;
  return fromList(
    list,
    rest.map(([name, member]) => ({ name, value: cell(member) })),
  );
}

function fromList(list: unknown[], facts: DataTable["facts"]): DataTable | null {
  if (list.length === 0 || !list.every(isObject)) return null;
  const columns = [...new Set(list.flatMap((record) => Object.keys(record)))];
  const flat = list.every((record) =>
    Object.values(record).every((member) => !isObject(member) && !Array.isArray(member)),
  );
  if (!flat || columns.length === 0 || columns.length > MOST_COLUMNS) return null;
  return { facts, columns, rows: list.map((record) => columns.map((name) => cell(record[name]))) };
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
