// Footnotes as tokens of the lexer, as GitHub writes them: `[^label]` in a text, and `[^label]: …` on a line of its own, whose
// further paragraphs are indented. Definitions within lists, quotations and other footnotes stay text.
import type { MarkedOptions, TokenizerThis, Tokens } from "marked";

/** A place in the text that a footnote belongs to. `text` is the label. */
export interface MarkToken extends Tokens.Generic {
  type: "footnote-mark";
  text: string;
}

/** The text of a footnote, as GFM writes it at the end. */
export interface NoteToken extends Tokens.Generic {
  type: "footnote";
  label: string;
}

const MARK = /^\[\^([^\s[\]\\^]{1,100})\]/;
const DEFINITION = /^ {0,3}\[\^([^\s[\]\\^]{1,100})\]:[ \t]*/;
/** A definition anywhere in a text. */
export const ANY_DEFINITION = /^ {0,3}\[\^[^\s[\]\\^]{1,100}\]:/m;
/** A line that begins another block, so that it does not go on with the paragraph before. */
const OTHER_BLOCK = /^ {0,3}(?:\[\^|#{1,6}(?:\s|$)|>|[-*+][ \t]|\d{1,9}[.)][ \t]|`{3}|~{3}|\$\$|\\\[|\||[-*_]{3})/;
const INDENTED = /^(?: {4}|\t)/;
/** The most characters of a footnote. */
const LONGEST = 16_000;

export const FOOTNOTES: NonNullable<MarkedOptions["extensions"]> = {
  renderers: {},
  childTokens: {},
  inline: [
    (text) => {
      const [raw, label] = MARK.exec(text) ?? [];
      if (raw === undefined || label === undefined) return undefined;
      return { type: "footnote-mark", raw, text: label.toLowerCase() };
    },
  ],
  block: [definition],
  startInline: [(text) => text.indexOf("[^")],
  startBlock: [(text) => text.search(/\n {0,3}\[\^[^\s[\]\\^]{1,100}\]:/)],
};

function definition(this: TokenizerThis, text: string): Tokens.Generic | undefined {
  const [begin, label] = DEFINITION.exec(text) ?? [];
  // How deep the bounded lexer is: 1 at the top of a text.
  const { depth } = this.lexer as typeof this.lexer & { depth?: number };
  if (begin === undefined || label === undefined || depth !== 1) return undefined;
  const raw = text.slice(0, definitionEnd(text));
  const body = raw.slice(begin.length).replaceAll(/^(?: {4}|\t)/gm, "");
  return { type: "footnote", raw, label: label.toLowerCase(), tokens: this.lexer.blockTokens(body, []) };
}

/** Where the definition that a text begins with ends. */
function definitionEnd(text: string): number {
  const end = Math.min(text.length, LONGEST);
  let [taken, wasEmpty] = [lineEnd(text, 0), false];
  for (let at = taken; at < end;) {
    const next = lineEnd(text, at);
    const line = text.slice(at, next);
    const isEmpty = line.trim() === "";
    if (!isEmpty && !INDENTED.test(line) && (wasEmpty || OTHER_BLOCK.test(line))) break;
    at = next;
    if (!isEmpty) taken = at;
    wasEmpty = isEmpty;
  }
  return Math.min(taken, end);
}

/** Where the line ends that begins at a place, with its line feed. */
function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found === -1 ? text.length : found + 1;
}
