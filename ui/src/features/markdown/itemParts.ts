// The items of a list, the rows of a table or the blocks of a text as parts of some each. A part that is full keeps its
// identity while others are added, so that what it draws is not even compared again.

/** How many items of a list or rows of a table are one part. */
export const ITEMS = 50;

/** The parts of one list as it grows. */
export class ItemParts<Item> {
  #parts: Item[][] = [];
  readonly #size: number;

  /** `size` is how many items are one part. */
  constructor(size = ITEMS) {
    this.#size = size;
  }

  /** Takes the items so far: those that stay, and those that can still change. */
  read(items: readonly Item[], more: readonly Item[] = []): Item[][] {
    const parts: Item[][] = [];
    const count = items.length + more.length;
    const moreWithin = (from: number, to: number) =>
      more.slice(Math.max(0, from - items.length), Math.max(0, to - items.length));
    const itemAt = (at: number) => (at < items.length ? items[at] : more[at - items.length]);
    for (let from = 0; from < count; from += this.#size) {
      const to = Math.min(count, from + this.#size);
      const old = this.#parts[parts.length];
      const isSame = old?.length === to - from && old.every((item, at) => item === itemAt(from + at));
      parts.push(isSame ? old : [...items.slice(from, to), ...moreWithin(from, to)]);
    }
    this.#parts = parts;
    return parts;
  }
}
