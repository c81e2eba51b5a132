/** What a server proposes for a field, and which proposal is marked. */
export class Proposals {
  values = $state.raw<string[]>([]);
  /** The index of the marked proposal in `values`; -1 where none is marked. */
  at = $state(-1);
  #asked = 0;

  /** Asks for proposals. Only the newest question counts. */
  async ask(current: string, complete: () => Promise<{ values: string[] }>) {
    const mine = ++this.#asked;
    let values: string[] = [];
    try {
      // A server may propose a value twice.
      const isFirst = (value: string, index: number, all: string[]) => all.indexOf(value) === index;
      values = (await complete()).values.filter(isFirst).filter((value) => value !== current);
    } catch {
      // The field takes any value, so an answer that failed only leaves it without proposals.
    }
    if (mine !== this.#asked) return;
    // The answer may come after the user marked a proposal and before Enter takes it.
    const { marked } = this;
    this.values = values;
    this.at = marked === undefined ? -1 : values.indexOf(marked);
  }

  /** The proposal that Enter takes. */
  get marked(): string | undefined {
    return this.values[this.at];
  }

  /** Marks the next proposal (1) or the one before (-1), around the ends. */
  walk(step: 1 | -1) {
    const from = this.at === -1 && step === -1 ? 0 : this.at;
    this.at = (from + step + this.values.length) % this.values.length;
  }

  /** Removes the proposals and drops an answer that is still to come. */
  hide() {
    this.#asked++;
    this.values = [];
    this.at = -1;
  }
}
