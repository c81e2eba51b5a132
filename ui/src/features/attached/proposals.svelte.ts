/** What a server proposes for a field, and which proposal is marked. */
export class Proposals {
  values = $state.raw<string[]>([]);
  /** The place of the marked proposal; -1 where none is. */
  at = $state(-1);
  #asked = 0;

  /** Asks for proposals. Only the newest question counts. */
  async ask(current: string, complete: () => Promise<{ values: string[] }>) {
    const mine = ++this.#asked;
    let values: string[] = [];
    try {
      values = (await complete()).values.filter((value) => value !== current);
    } catch {
      // Proposals are a help; without them the field is a field.
    }
    if (mine !== this.#asked) return;
    // An answer may come between the key that marks and the key that takes.
    const { marked } = this;
    this.values = values;
    this.at = marked === undefined ? -1 : values.indexOf(marked);
  }

  get marked(): string | undefined {
    return this.values[this.at];
  }

  /** Marks the next proposal (1) or the one before (-1), around the ends. */
  walk(step: 1 | -1) {
    const from = this.at === -1 && step === -1 ? 0 : this.at;
    this.at = (from + step + this.values.length) % this.values.length;
  }

  hide() {
    this.#asked++;
    this.values = [];
    this.at = -1;
  }
}
