// Markdown of a model as tokens, block by block. Only the lexer of the library is used: no HTML is ever made, and what
// looks like HTML stays text. While words stream in, only what can still change is read again: the last block, and of a
// list its last item, of a table its last row, of code its last line. What was settled keeps its identity, so it is not
// drawn again. A text that is done is read whole once more, unless it is long, since its end may change how its beginning
// reads. A text is read in slices and up to a bound; what is beyond it stays the text it is.
import type { Token } from "marked";
import { BoundedLexer } from "./lexer";
import { keptWhereEqual } from "./kept";
import { LineSearch } from "./lineSearch";
import { continued, settled, type OpenBlock } from "./openBlock";
import { ownText } from "../text/ownText";
import { PieceReader, type TextPieces } from "./pieces";

/** A text up to this many characters is read whole once it is done. */
const WHOLE = 24_000;
/** The same for a text that names the addresses of its links elsewhere. */
const MOST_WITH_ADDRESSES = 100_000;
/** How many characters are added between two readings of a longer one. */
const SLICE = 8_000;
/** The most characters that are read again and again because they can still change. */
const MOST_UNSETTLED = 16_000;
/** The most characters that are read as Markdown. */
const MOST_MARKDOWN = 400_000;
/** Plain text is drawn in pieces of about so many characters. */
const PIECE = 4_000;
/** The address of a link that is written elsewhere, which may come after the link. */
const LATE_ADDRESS = /^ {0,3}\[[^\]\n]{1,200}\]:/m;

/** The blocks of one message as it grows. */
export class Blocks {
  /** How many characters the lexer got in the last reading. */
  lexed = 0;
  #text = "";
  #done = false;
  #hasReturns = false;
  #tokens: Token[] = [];
  /** The blocks that can no longer change, and how many characters of the text are in them or in the open block. */
  #settled: Token[] = [];
  #length = 0;
  /** What was read after that. */
  #rest = "";
  /** How many characters were read, and what came beyond the bound. */
  #readTo = 0;
  #beyond = "";
  #open: OpenBlock | null = null;
  #plain: Token[] = [];
  readonly #lateAddress = new LineSearch(LATE_ADDRESS);
  readonly #pieces = new PieceReader();

  /** Takes the whole text so far and returns its blocks. Of a text with pieces only the new ones are looked into. */
  read(text: string, done: boolean, pieces?: TextPieces): Token[] {
    const added = this.#pieces.next(pieces);
    const goesOn = added !== undefined && !done && !this.#done && !this.#hasReturns && !added.includes("\r");
    return goesOn ? this.#readOn(text, added) : this.#readAll(text, done);
  }

  #readOn(text: string, added: string): Token[] {
    this.lexed = 0;
    this.#text = text;
    if (added !== "") this.#grow(added);
    return this.#tokens;
  }

  #readAll(text: string, done: boolean): Token[] {
    this.#hasReturns = text.includes("\r");
    const next = this.#hasReturns ? text.replaceAll(/\r\n?/g, "\n") : text;
    if (done === this.#done && next === this.#text) return this.#tokens;
    this.lexed = 0;
    const most = this.#lateAddress.test(next) ? MOST_WITH_ADDRESSES : WHOLE;
    const isWhole = done && next.length <= most;
    if (isWhole || !next.startsWith(this.#text)) this.#begin();
    this.#text = next;
    this.#done = done;
    if (isWhole) this.#tokens = keptWhereEqual(this.#tokens, this.#lex(next).filter(isBlock));
    else this.#grow(next.slice(this.#readTo + this.#beyond.length));
    return this.#tokens;
  }

  #begin(): void {
    this.#settled = [];
    this.#length = 0;
    this.#rest = "";
    this.#readTo = 0;
    this.#beyond = "";
    this.#open = null;
    this.#plain = [];
  }

  #grow(added: string): void {
    const end = Math.min(added.length, MOST_MARKDOWN - this.#readTo);
    let tail: Token[];
    let from = 0;
    do {
      const to = Math.min(end, from + SLICE);
      const rest = ownText(this.#rest + added.slice(from, to));
      const before = this.#length;
      tail = this.#step(rest);
      this.#rest = rest.slice(this.#length - before);
      from = to;
    } while (from < end);
    this.#readTo += end;
    this.#beyond += added.slice(end);
    if (this.#beyond !== "") this.#plain = plainPieces(this.#beyond, this.#plain);
    this.#tokens = [...this.#settled, ...tail, ...this.#plain];
  }

  /** Reads what is not settled, settles what can be, and gives the blocks that are not. */
  #step(rest: string): Token[] {
    const open = this.#open;
    const lexed = this.#lex((open?.prefix ?? "") + rest);
    const tokens = open ? continued(open, lexed) : lexed;
    const last = lexed.findLastIndex(isBlock);
    const before = lexed.slice(0, Math.max(last, 0));
    this.#settled.push(...tokens.slice(0, tokens.length - lexed.length + before.length).filter(isBlock));
    let left = rest.length;
    if (before.length > 0 || tokens.length > lexed.length) {
      const taken = before.reduce((sum, { raw }) => sum + raw.length, 0) - (open?.prefix.length ?? 0);
      this.#length += taken;
      left -= taken;
      this.#open = null;
    }
    const [block, raw] = [tokens.at(last - lexed.length), lexed[last]?.raw];
    const more = block && raw !== undefined ? settled(block, raw, this.#open) : null;
    if (more) {
      this.#length += more.taken;
      this.#open = more.open;
      return [more.drawn];
    }
    if (left > MOST_UNSETTLED) return this.#giveUp(rest.slice(rest.length - left));
    return block ? [block] : [];
  }

  /** What takes too much again and again stays the text it is. */
  #giveUp(rest: string): Token[] {
    if (this.#open) this.#settled.push(this.#open.token);
    this.#settled.push(...plainPieces(rest, []));
    this.#length += rest.length;
    this.#open = null;
    return [];
  }

  /** A text that the lexer cannot read (it recurses) is shown as it is. */
  #lex(text: string): Token[] {
    this.lexed += text.length;
    try {
      return new BoundedLexer().lex(text);
    } catch {
      return [plain(text)];
    }
  }
}

function isBlock(token: Token): boolean {
  return token.type !== "space" && token.type !== "def";
}

function plain(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] };
}

/** A text in pieces, cut after lines where there are some. Pieces that were there before keep their identity. */
function plainPieces(text: string, before: Token[]): Token[] {
  const pieces: Token[] = [];
  for (let at = 0; at < text.length;) {
    const line = text.lastIndexOf("\n", at + PIECE);
    const end = text.length - at <= PIECE ? text.length : line > at ? line + 1 : at + PIECE;
    const piece = text.slice(at, end);
    const old = before[pieces.length];
    pieces.push(old?.raw === piece ? old : plain(ownText(piece)));
    at = end;
  }
  return pieces;
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
