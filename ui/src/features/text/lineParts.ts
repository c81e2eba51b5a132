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
  #lines: readonly string[] | undefined;
  /** How many of the lines were read, and what of them is in no full part. */
  #read = 0;
  #rest = "";

  /** The parts of a text. */
  read(text: string): string[] {
    // The parts of a text that is there at once may share its memory.
    const grows = this.#text !== "";
    if (this.#lines || !text.startsWith(this.#text)) this.#begin();
    this.#text = text;
    for (let end = nextEnd(text, this.#length); end !== null; end = nextEnd(text, this.#length)) {
      const part = text.slice(this.#length, end);
      this.#full.push(grows ? ownText(part) : part);
      this.#length = end;
    }
    return withRest(this.#full, text.slice(this.#length));
  }

  /**
   * The parts of a text of which `lines` stays, some whole lines each, and `rest` can change. The array of the lines gets
   * longer, and another text has another one. Where no rest follows, the last line break is left out.
   */
  readOn(lines: readonly string[], rest: string): string[] {
    if (lines !== this.#lines) this.#begin();
    this.#lines = lines;
    const added = this.#rest + lines.slice(this.#read).join("");
    this.#read = lines.length;
    let from = 0;
    for (let end = nextEnd(added, from); end !== null; end = nextEnd(added, from)) {
      this.#full.push(ownText(added.slice(from, end)));
      from = end;
    }
    this.#rest = ownText(added.slice(from));
    if (rest !== "") return withRest(this.#full, this.#rest + rest);
    const all = withRest(this.#full, this.#rest);
    return all.map((part, index) => (index === all.length - 1 ? part.replace(/\n$/, "") : part));
  }

  #begin(): void {
    this.#text = "";
    this.#full = [];
    this.#length = 0;
    this.#lines = undefined;
    this.#read = 0;
    this.#rest = "";
  }
}

function withRest(full: readonly string[], rest: string): string[] {
  return rest === "" ? [...full] : [...full, rest];
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
