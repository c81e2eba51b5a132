// Whether a line of a text that grows matches a pattern. Lines that were searched are not searched again, since a text can
// grow by some words in each frame.

import { PieceReader, type TextPieces } from "./pieces";

/**
 * Searches a growing text for one pattern. The pattern has to match at the start of a line, and still match when more
 * follows in that line.
 */
export class LineSearch {
  readonly #pattern: RegExp;
  #text = "";
  #found = false;
  /** The last line of the text. */
  #line = "";
  readonly #pieces = new PieceReader();

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** Takes the whole text so far. Of a text with pieces only the new ones are looked into. */
  test(text: string, pieces?: TextPieces): boolean {
    let added = this.#pieces.next(pieces);
    if (added === undefined) {
      if (!text.startsWith(this.#text)) {
        this.#found = false;
        this.#line = "";
        this.#text = "";
      }
      added = text.slice(this.#text.length);
    }
    this.#text = text;
    if (this.#found) return true;
    const lines = this.#line + added;
    this.#found = this.#pattern.test(lines);
    this.#line = lines.slice(lines.lastIndexOf("\n") + 1);
    return this.#found;
  }
}
