// A text as parts of some lines each, so that of one that grows only the last part is drawn again, and of a long one only
// the parts that are near.

import { ownText } from "./ownText";

/** How many lines are one part. */
const LINES = 50;

/** The parts of one text as it grows. Together they are its text. */
export class LineParts {
  #text = "";
  #full: string[] = [];
  #length = 0;

  read(text: string): string[] {
    // The parts of a text that is there at once may share its memory.
    const grows = this.#text !== "";
    if (!text.startsWith(this.#text)) {
      this.#full = [];
      this.#length = 0;
    }
    this.#text = text;
    for (let end = nextEnd(text, this.#length); end !== null; end = nextEnd(text, this.#length)) {
      const part = text.slice(this.#length, end);
      this.#full.push(grows ? ownText(part) : part);
      this.#length = end;
    }
    const rest = text.slice(this.#length);
    return rest === "" ? [...this.#full] : [...this.#full, rest];
  }
}

/** Where the next full part ends; null where there is none. */
function nextEnd(text: string, from: number): number | null {
  let end = from;
  for (let line = 0; line < LINES; line += 1) {
    end = text.indexOf("\n", end) + 1;
    if (end === 0) return null;
  }
  return end;
}
