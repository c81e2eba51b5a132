// The beginning of a long list, and more of it as its end comes near, so that a list of thousands costs no more than what
// was looked at. Another filter begins again.

/** How many items are drawn at first, and how many more each time. */
const STEP = 80;

/** To be made while a component is. `filter` is what the list is filtered by. */
export class LongList {
  /** How many items are drawn at most. */
  drawn = $state(STEP);
  readonly #step: number;

  constructor(filter: () => unknown, step = STEP) {
    this.#step = step;
    this.drawn = step;
    $effect.pre(() => {
      filter();
      this.drawn = step;
    });
  }

  readonly more = (): void => {
    this.drawn += this.#step;
  };

  /** Those items of each group that are drawn. */
  within<Item>(groups: readonly (readonly Item[])[]): Item[][] {
    let left = this.drawn;
    return groups.map((items) => {
      const drawn = items.slice(0, left);
      left -= drawn.length;
      return drawn;
    });
  }
}
