// A text that grows, as the pieces it came in. Looking into the whole text for each piece would copy it each time: engines
// join strings when they are looked into.

/** The pieces of a text in order. A text that grows keeps the array, and another text has another one. */
export type TextPieces = readonly string[];

/** Reads each piece once. */
export class PieceReader {
  #pieces: TextPieces | undefined;
  #read = 0;

  /** What came since the last call; undefined where that was about another text or about one without pieces. */
  next(pieces: TextPieces | undefined): string | undefined {
    const added = pieces && pieces === this.#pieces ? pieces.slice(this.#read).join("") : undefined;
    this.#pieces = pieces;
    this.#read = pieces?.length ?? 0;
    return added;
  }
}
