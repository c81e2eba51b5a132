// Messages that a window reads, as the host hands them out.

/** How long a message takes, in milliseconds: it comes after the reply to the command that it tells of, as it may in the application. */
const TAKES = 25;

export class Messages<Message> {
  #waiting: Message[] = [];
  #reader: ((messages: Message[]) => void) | undefined;

  /** Forgets what was not read: a window that opens reads everything again. */
  begin(): void {
    this.#waiting = [];
    this.#reader = undefined;
  }

  push(message: Message): void {
    setTimeout(() => {
      this.#waiting.push(message);
      if (this.#reader) this.#give(this.#reader);
    }, TAKES);
  }

  /** Those that are there, once there is one. */
  next(): Promise<Message[]> {
    return new Promise((give) => {
      if (this.#waiting.length > 0) this.#give(give);
      else this.#reader = give;
    });
  }

  #give(reader: (messages: Message[]) => void): void {
    this.#reader = undefined;
    reader(this.#waiting);
    this.#waiting = [];
  }
}
