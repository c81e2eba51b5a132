// The messages of a host as a test decides them.

export class MessageSource<Message> {
  #give: ((messages: Message[]) => void) | undefined;
  #asked: (() => void) | undefined;

  /** What a window asks for. */
  next(): Promise<Message[]> {
    return new Promise((give) => {
      this.#give = give;
      this.#asked?.();
    });
  }

  /** Hands messages out, and waits until the window has read them and asks for more. */
  async send(...messages: Message[]): Promise<void> {
    await this.#isAsked();
    const give = this.#give;
    this.#give = undefined;
    give?.(messages);
    await this.#isAsked();
  }

  #isAsked(): Promise<void> {
    return this.#give ? Promise.resolve() : new Promise((asked) => (this.#asked = asked));
  }
}
