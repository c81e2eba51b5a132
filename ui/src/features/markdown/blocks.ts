// Markdown of a model as tokens, block by block. Only the lexer of the library is used: no HTML is ever made, and what
// looks like HTML stays text. While words stream in, only the last block is read again; the blocks before it keep their
// identity, so they are not drawn again.
import type { Token } from "marked";
import { BoundedLexer } from "./lexer";

/** The blocks of one message as it grows. */
export class Blocks {
  #text = "";
  #tokens: Token[] = [];
  /** How many tokens, and how many characters, can no longer change. */
  #settledTokens = 0;
  #settledLength = 0;

  /** Takes the whole text so far and returns its blocks. `done` reads everything once more, for late link targets. */
  read(text: string, done: boolean): Token[] {
    const next = text.replaceAll(/\r\n?/g, "\n");
    if (!done && next === this.#text) return this.#tokens;
    if (done || !next.startsWith(this.#text)) {
      this.#settledTokens = 0;
      this.#settledLength = 0;
    }
    this.#text = next;
    const tail = lex(next.slice(this.#settledLength));
    this.#tokens = [...this.#tokens.slice(0, this.#settledTokens), ...tail.filter(isBlock)];
    if (!done) this.#settle(tail);
    return this.#tokens;
  }

  /** Everything before the last block can no longer change. */
  #settle(tail: Token[]): void {
    const last = tail.findLastIndex(isBlock);
    for (const token of tail.slice(0, Math.max(last, 0))) this.#settledLength += token.raw.length;
    this.#settledTokens = Math.max(this.#tokens.length - 1, 0);
  }
}

function isBlock(token: Token): boolean {
  return token.type !== "space" && token.type !== "def";
}

/** A text that the lexer cannot read (it recurses) is shown as it is. */
function lex(text: string): Token[] {
  try {
    return new BoundedLexer().lex(text);
  } catch {
    return [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] }];
  }
}

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  copy: "©",
  times: "×",
  deg: "°",
};

/** Resolves the character references that Markdown allows in text. */
export function unreferenced(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\uFFFD";
  });
}
