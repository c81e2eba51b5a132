// The items of a list or the rows of a table as parts of some each. A part that is full keeps its identity while others
// are added, so that what it draws is not even compared again.

/** How many items are one part. */
export const ITEMS = 50;

/** The parts of one list as it grows. */
export class ItemParts<Item> {
  #parts: Item[][] = [];

  read(items: readonly Item[]): Item[][] {
    const parts: Item[][] = [];
    for (let from = 0; from < items.length; from += ITEMS) {
      const to = Math.min(items.length, from + ITEMS);
      const old = this.#parts[parts.length];
      const isSame = old?.length === to - from && old[0] === items[from] && old.at(-1) === items[to - 1];
      parts.push(isSame ? old : items.slice(from, to));
    }
    this.#parts = parts;
    return parts;
  }
}
