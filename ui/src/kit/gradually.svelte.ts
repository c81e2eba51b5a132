// Draws a long list some items at a time, so that the window never freezes while it grows.

/** How many items are added between two frames. */
const A_FRAME = 4;

/** How many of `wanted()` items are drawn; to be made while a component is. */
export class Gradually {
  #drawn = $state(A_FRAME);
  readonly #wanted: () => number;

  constructor(wanted: () => number) {
    this.#wanted = wanted;
    $effect(() => {
      const drawn = this.#drawn;
      if (drawn >= this.#wanted()) return;
      const frame = requestAnimationFrame(() => (this.#drawn = drawn + A_FRAME));
      return () => cancelAnimationFrame(frame);
    });
  }

  get drawn(): number {
    return Math.min(this.#drawn, this.#wanted());
  }
}
