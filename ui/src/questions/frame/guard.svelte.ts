// The moment in which a card can be read but nothing can be permitted. The host decides how long it is and when it
// restarts (the card appeared, the window moved or came to the front); this is its visible half.

export class Guard {
  phase = $state<"waiting" | "running" | "passed">("waiting");
  /** How long the running guard takes, in milliseconds. */
  ms = $state(0);
  /** Goes up with every start, so that the bar restarts. */
  round = $state(0);
  #since = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** When it passed, in milliseconds of `performance.now()`; infinite before. */
  get since(): number {
    return this.#since;
  }

  /** Nothing is permitted until the host has started it. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#since = Infinity;
    this.phase = "waiting";
  }

  start(ms: number): void {
    this.reset();
    this.ms = ms;
    this.round += 1;
    this.phase = "running";
    this.#timer = setTimeout(() => {
      this.#since = performance.now();
      this.phase = "passed";
    }, ms);
  }
}
