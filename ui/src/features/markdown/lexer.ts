// The lexer with a bound on its work. Emphasis takes time that grows with the square of a paragraph, and lists with their
// depth times their length, so a text of some kilobytes could stop the window for seconds. What is beyond the bound stays
// the text it is.
import { Lexer, type Token, type TokensList } from "marked";
import { MATHEMATICS } from "./math/extensions";
import { FOOTNOTES } from "./notes/extension";

/** What reading one paragraph and a whole text may cost: characters of a paragraph times the marks in it. */
const MOST_WORK = { paragraph: 3_000_000, text: 20_000_000 };
/** How deep lists and quotations are read, as deep as they are drawn. */
const DEEPEST = 16;
/** What is read besides the Markdown of the library. */
const EXTENSIONS = {
  renderers: {},
  childTokens: {},
  inline: [...(MATHEMATICS.inline ?? []), ...(FOOTNOTES.inline ?? [])],
  block: [...(MATHEMATICS.block ?? []), ...(FOOTNOTES.block ?? [])],
  startInline: [...(MATHEMATICS.startInline ?? []), ...(FOOTNOTES.startInline ?? [])],
  startBlock: [...(MATHEMATICS.startBlock ?? []), ...(FOOTNOTES.startBlock ?? [])],
};
/** The characters that can begin or end emphasis, code, a link, a picture, HTML or mathematics. */
const MARKS = /[*_~`[\]<!&\\$]/g;

export class BoundedLexer extends Lexer {
  #work = 0;
  #depth = 0;

  constructor() {
    super({ gfm: true, breaks: false, extensions: EXTENSIONS });
  }

  /** How many blocks what is read now is within: 1 at the top of a text. */
  get depth(): number {
    return this.#depth;
  }

  override blockTokens(text: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(text: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(text: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#depth === DEEPEST) {
      tokens.push(plain(text));
      return tokens;
    }
    this.#depth += 1;
    try {
      return super.blockTokens(text, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const work = text.length * (text.match(MARKS)?.length ?? 0);
    if (work <= MOST_WORK.paragraph && this.#work + work <= MOST_WORK.text) {
      this.#work += work;
      return super.inlineTokens(text, tokens);
    }
    tokens.push(plain(text));
    return tokens;
  }
}

function plain(text: string): Token {
  return { type: "text", raw: text, text };
}
