// The last block of a text that grows: what of it can no longer change, and how the rest of it is read alone. Of a list
// that is all but the last item, of a table all but the last row, of fenced code all but the last line.
import type { Token, Tokens } from "marked";

/** A list, a table or code that goes on. */
export interface OpenBlock {
  /** What is read before the rest, so that the lexer knows what the rest belongs to. */
  prefix: string;
  /** As far as it is settled: its items, its rows or its lines. */
  token: Tokens.List | Tokens.Table | Tokens.Code;
}

/** How many items or rows are left before the others are settled. */
const FEW = 8;
/** How many characters of code, or of a paragraph, are left. */
const SHORT = 2_000;

/** The tokens of the rest of an open block, the first of them as the whole of the block. */
export function continued({ token: open }: OpenBlock, tokens: readonly Token[]): Token[] {
  const [first, ...others] = tokens;
  if (!first) return [open];
  if (open.type === "list" && isList(first)) return [{ ...open, items: [...open.items, ...first.items] }, ...others];
  if (open.type === "table" && isTable(first)) return [{ ...open, rows: [...open.rows, ...first.rows] }, ...others];
  if (open.type === "code" && isCode(first)) {
    const text = first.text === "" ? open.text.replace(/\n$/, "") : open.text + first.text;
    return [{ ...open, text }, ...others];
  }
  return [open, first, ...others];
}

/** What is settled of a block, and how many characters of the text that took. */
interface Settled {
  open: OpenBlock;
  taken: number;
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

function settledList(list: Tokens.List, raw: string, open: OpenBlock | null): Settled | null {
  const before = open?.token.type === "list" ? open.token.items.length : 0;
  if (list.items.length - before <= FEW) return null;
  const items = list.items.slice(0, -1);
  const lines = items
    .slice(before)
    .map((item) => item.raw)
    .join("");
  if (!raw.startsWith(lines)) return null;
  return { open: { prefix: "", token: { ...list, items } }, taken: lines.length };
}

function settledTable(table: Tokens.Table, raw: string, open: OpenBlock | null): Settled | null {
  const before = open?.token.type === "table" ? open.token.rows.length : 0;
  if (table.rows.length - before <= FEW) return null;
  // Each row is one line; the two lines above them are read again with the rest.
  const lines = raw.split("\n");
  const prefix = open?.prefix ?? `${lines.slice(0, 2).join("\n")}\n`;
  const rows = lines.slice(2, table.rows.length + 1 - before);
  const taken = rows.reduce((sum, line) => sum + line.length + 1, open ? 0 : prefix.length);
  return { open: { prefix, token: { ...table, rows: table.rows.slice(0, -1) } }, taken };
}

function settledCode(code: Tokens.Code, raw: string, open: OpenBlock | null): Settled | null {
  const prefix = open?.prefix ?? /^(?:`{3,}|~{3,})[^\n]*\n/.exec(raw)?.[0];
  if (prefix === undefined) return null;
  const lines = raw.slice(prefix.length, raw.lastIndexOf("\n") + 1);
  if (lines.length <= SHORT) return null;
  const text = (open?.token.type === "code" ? open.token.text : "") + lines;
  return { open: { prefix, token: { ...code, text } }, taken: lines.length + (open ? 0 : prefix.length) };
}

const isList = (token: Token): token is Tokens.List => token.type === "list";
const isTable = (token: Token): token is Tokens.Table => token.type === "table";
const isCode = (token: Token): token is Tokens.Code => token.type === "code";
