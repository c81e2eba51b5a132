// A stored text that is read in pieces as they come near, and forgotten as they are far. What a piece takes on screen is
// estimated until it was drawn once, so that the bar for scrolling stands for the whole text.
import { SvelteMap } from "svelte/reactivity";
import { troubleOf, type MainHost, type Trouble } from "../../host";
import type { EntryId, StoredPart } from "../../host/bindings";

/** How many pieces are drawn before and after those in sight. */
const BESIDE = 1;
/** How many pieces are kept: some screens full of short lines, about a megabyte. */
const KEPT = 32;

export class StoredPieces {
  readonly #host: MainHost;
  readonly #entry: EntryId;
  readonly #part: StoredPart;
  /** How high a piece is that was never drawn, in pixels. */
  readonly #estimate: number;
  readonly #heights = new SvelteMap<number, number>();
  readonly #texts = new SvelteMap<number, string>();
  #reading = false;
  /** The part that is in sight, in pixels. */
  #sight = $state.raw({ top: 0, height: 0 });
  trouble = $state.raw<Trouble | null>(null);

  constructor(host: MainHost, entry: EntryId, part: StoredPart, lineHeight: number) {
    this.#host = host;
    this.#entry = entry;
    this.#part = part;
    this.#estimate = Math.max(1, part.lines / part.pieces) * lineHeight;
  }

  /** Where each piece begins, and where the last one ends. */
  readonly #tops = $derived.by(() => {
    const tops = [0];
    for (let piece = 0; piece < this.#part.pieces; piece += 1)
      tops.push((tops[piece] ?? 0) + (this.#heights.get(piece) ?? this.#estimate));
    return tops;
  });

  /** The first piece that is drawn, and the one after the last. */
  readonly range = $derived.by(() => {
    const { top, height } = this.#sight;
    const first = Math.max(0, this.#at(top) - BESIDE);
    return { first, end: Math.min(this.#part.pieces, this.#at(top + height) + 1 + BESIDE) };
  });

  /** The pieces that are drawn, each with its text where it was read. */
  readonly drawn = $derived.by(() => {
    const { first, end } = this.range;
    return Array.from({ length: end - first }, (_, index) => ({
      piece: first + index,
      text: this.#texts.get(first + index) ?? null,
      height: this.#heights.get(first + index) ?? this.#estimate,
    }));
  });

  /** The room of the pieces that are not drawn, in pixels. */
  readonly before = $derived(this.#tops[this.range.first] ?? 0);
  readonly after = $derived((this.#tops.at(-1) ?? 0) - (this.#tops[this.range.end] ?? 0));

  /** To be called as the text is scrolled. */
  readonly look = (top: number, height: number): void => {
    this.#sight = { top, height };
    void this.#read();
  };

  /** Keeps how high a piece is. Returns by how much what follows it moved where it begins above what is in sight. */
  readonly measured = (piece: number, height: number): number => {
    const before = this.#heights.get(piece) ?? this.#estimate;
    if (before === height) return 0;
    const isAbove = (this.#tops[piece + 1] ?? 0) <= this.#sight.top;
    this.#heights.set(piece, height);
    return isAbove ? height - before : 0;
  };

  /** All of the text, read from the host once more; null where that failed. */
  async whole(shown: (piece: string) => string): Promise<string | null> {
    const texts: string[] = [];
    try {
      while (texts.length < this.#part.pieces) {
        const pieces = await this.#host.storedPieces(this.#entry, this.#part.number, texts.length);
        texts.push(...pieces.map(shown));
      }
      return texts.join("");
    } catch (error) {
      this.trouble = troubleOf(error);
      return null;
    }
  }

  /** The piece at a height. */
  #at(height: number): number {
    const tops = this.#tops;
    let [low, high] = [0, this.#part.pieces - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((tops[middle] ?? 0) <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Reads what is drawn and not there, one answer after the other. */
  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      for (let missing = this.#missing(); missing !== null; missing = this.#missing()) {
        const texts = await this.#host.storedPieces(this.#entry, this.#part.number, missing);
        texts.forEach((text, index) => this.#texts.set(missing + index, text));
        this.#forgetFar();
      }
      this.trouble = null;
    } catch (error) {
      this.trouble = troubleOf(error);
    }
    this.#reading = false;
  }

  #missing(): number | null {
    const { first, end } = this.range;
    for (let piece = first; piece < end; piece += 1) if (!this.#texts.has(piece)) return piece;
    return null;
  }

  #forgetFar(): void {
    const { first, end } = this.range;
    const distance = (piece: number) => Math.max(first - piece, piece - end, 0);
    const far = [...this.#texts.keys()].sort((one, other) => distance(one) - distance(other)).slice(KEPT);
    for (const piece of far) if (distance(piece) > 0) this.#texts.delete(piece);
  }
}
