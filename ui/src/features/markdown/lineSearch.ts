// Whether a line of a text that grows matches a pattern. Lines that were searched are not searched again, since a text can
// grow by some words in each frame.

/**
 * Searches a growing text for one pattern. The pattern has to match at the start of a line, and still match when more
 * follows in that line.
 */
export class LineSearch {
  readonly #pattern: RegExp;
  #text = "";
  #found = false;
  /** Where the last line of the text begins. */
  #from = 0;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** Takes the whole text so far. */
  test(text: string): boolean {
    if (!text.startsWith(this.#text)) {
      this.#found = false;
      this.#from = 0;
    }
    this.#text = text;
    if (this.#found) return true;
    this.#found = this.#pattern.test(text.slice(this.#from));
    this.#from = text.lastIndexOf("\n") + 1;
    return this.#found;
  }
}
