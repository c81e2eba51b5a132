// Blocks that were read again. Those equal to what was there before keep their identity, so that they are not drawn again.
import type { Token, Tokens } from "marked";
import { codeOf, itemsOf, rowsOf, type GrowingCode } from "./openBlock";

/** The tokens that were read, each as the old one at its place where both are equal. Of lists and tables, each item and row. */
export function keptWhereEqual(old: readonly Token[], read: readonly Token[]): Token[] {
  return read.map((token, at) => kept(old[at], token));
}

function kept(old: Token | undefined, token: Token): Token {
  if (isList(token) && isList(old)) return { ...token, items: eachKept(itemsOf(old), token.items) };
  if (isTable(token) && isTable(old)) return { ...token, rows: eachKept(rowsOf(old), token.rows) };
  if (isCode(token) && isCode(old)) return old.lang === token.lang && codeOf(old) === token.text ? old : token;
  return old && isSame(old, token) ? old : token;
}

function eachKept<Part>(old: readonly Part[], read: readonly Part[]): Part[] {
  return read.map((part, at) => {
    const before = old[at];
    return before !== undefined && isSame(before, part) ? before : part;
  });
}

const isSame = (old: unknown, read: unknown): boolean => JSON.stringify(old) === JSON.stringify(read);
const isList = (token: Token | undefined): token is Tokens.List => token?.type === "list";
const isCode = (token: Token | undefined): token is GrowingCode => token?.type === "code";
const isTable = (token: Token | undefined): token is Tokens.Table => token?.type === "table";
