// The last block of a text that grows: what of it can no longer change, and how the rest of it is read alone. Of a list
// that is all but the last item, of a table all but the last row, of fenced code all but the last line.
import type { Token, Tokens } from "marked";
import { ownText } from "../text/ownText";

/** A list that may go on. */
export interface GrowingList extends Tokens.List {
  /** The items after `items`, which can still change. */
  more?: Tokens.ListItem[];
}

/** A table that may go on. */
export interface GrowingTable extends Tokens.Table {
  /** The rows after `rows`, which can still change. */
  more?: Tokens.TableCell[][];
}

/** Fenced code that may go on. */
export interface GrowingCode extends Tokens.Code {
  /** What stays, some lines each. `text` is what comes after it, which can still change. */
  lines?: string[];
}

/** A list, a table or code that goes on. */
export interface OpenBlock {
  /** What is read before the rest, so that the lexer knows what the rest belongs to. */
  prefix: string;
  /**
   * As far as it is settled: its items, its rows or its lines. The arrays of these are those of the tokens that were given
   * for it before, and get longer: a copy for each reading would be most of what a long list takes.
   */
  token: Tokens.List | Tokens.Table | GrowingCode;
}

/** How many items or rows are left before the others are settled. */
const FEW = 8;
/** How many characters of code, or of a paragraph, are left. */
const SHORT = 2_000;

/** The tokens of the rest of an open block, the first of them as the whole of the block. */
export function continued({ token: open }: OpenBlock, tokens: readonly Token[]): Token[] {
  const [first, ...others] = tokens;
  if (!first) return [open];
  if (open.type === "list" && isList(first)) return [{ ...open, more: first.items }, ...others];
  if (open.type === "table" && isTable(first)) return [{ ...open, more: first.rows }, ...others];
  if (open.type === "code" && isCode(first)) return [{ ...open, text: first.text }, ...others];
  return [open, first, ...others];
}

/** The items of a list that stay, and then those that can still change. */
export function itemsOf({ items, more }: GrowingList): Tokens.ListItem[] {
  return more ? [...items, ...more] : items;
}

/** The rows of a table that stay, and then those that can still change. */
export function rowsOf({ rows, more }: GrowingTable): Tokens.TableCell[][] {
  return more ? [...rows, ...more] : rows;
}

/** The whole text of code. It does not end with the last line break. */
export function codeOf({ lines, text }: GrowingCode): string {
  if (!lines) return text;
  return text === "" ? lines.join("").replace(/\n$/, "") : lines.join("") + text;
}

/** What is settled of a block, how many characters of the text that took, and the block as it is drawn. */
interface Settled {
  open: OpenBlock;
  taken: number;
  drawn: Token;
}

/**
 * Settles what it can of the last block. `block` is the whole of it, `raw` what was read of it now, and `open` what
 * was settled before. Null where nothing can be settled.
 */
export function settled(block: Token, raw: string, open: OpenBlock | null): Settled | null {
  if (isList(block)) return settledList(block, raw, open);
  if (isTable(block)) return settledTable(block, raw, open);
  if (isCode(block)) return settledCode(block, raw, open);
  return null;
}

function settledList(list: GrowingList, raw: string, open: OpenBlock | null): Settled | null {
  const pending = list.more ?? list.items;
  if (pending.length <= FEW) return null;
  const settling = pending.slice(0, -1);
  const lines = settling.map((item) => item.raw).join("");
  if (!raw.startsWith(lines)) return null;
  const items = open?.token.type === "list" ? open.token.items : [];
  for (const item of settling) items.push(item);
  const token = { ...list, items, more: [] };
  return { open: { prefix: "", token }, taken: lines.length, drawn: { ...token, more: pending.slice(-1) } };
}

function settledTable(table: GrowingTable, raw: string, open: OpenBlock | null): Settled | null {
  const pending = table.more ?? table.rows;
  if (pending.length <= FEW) return null;
  // Each row is one line; the two lines above them are read again with the rest.
  const lines = raw.split("\n");
  const prefix = open?.prefix ?? `${lines.slice(0, 2).join("\n")}\n`;
  const taken = lines
    .slice(2, pending.length + 1)
    .reduce((sum, line) => sum + line.length + 1, open ? 0 : prefix.length);
  const rows = open?.token.type === "table" ? open.token.rows : [];
  for (const row of pending.slice(0, -1)) rows.push(row);
  const token = { ...table, rows, more: [] };
  return { open: { prefix, token }, taken, drawn: { ...token, more: pending.slice(-1) } };
}

function settledCode(code: GrowingCode, raw: string, open: OpenBlock | null): Settled | null {
  const prefix = open?.prefix ?? /^(?:`{3,}|~{3,})[^\n]*\n/.exec(raw)?.[0];
  if (prefix === undefined) return null;
  const added = raw.slice(prefix.length, raw.lastIndexOf("\n") + 1);
  if (added.length <= SHORT) return null;
  const lines = code.lines ?? [];
  lines.push(ownText(added));
  const token = { ...code, lines, text: "" };
  const drawn = { ...token, text: code.text.slice(added.length) };
  return { open: { prefix, token }, taken: added.length + (open ? 0 : prefix.length), drawn };
}

const isList = (token: Token): token is GrowingList => token.type === "list";
const isTable = (token: Token): token is GrowingTable => token.type === "table";
const isCode = (token: Token): token is GrowingCode => token.type === "code";
