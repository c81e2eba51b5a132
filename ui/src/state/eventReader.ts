// Reads the events of the host: in their order, applied once per frame, and from a new snapshot where some were lost.
import type { Envelope, Snapshot } from "../host/bindings";
import { troubleOf, type MainHost, type Trouble } from "../host";
import { Sequence } from "../host/sequence";

/** How often in `REOPENINGS_IN_MS` a lost event may make a reader open again before it fails. */
const REOPENINGS = 5;
const REOPENINGS_IN_MS = 60_000;

/** What is read goes to. */
interface EventTarget {
  take(snapshot: Snapshot): void;
  apply(envelope: Envelope): void;
  /** No more events come before the next opening. */
  fail(trouble: Trouble): void;
}

export class EventReader {
  readonly #host: MainHost;
  readonly #target: EventTarget;
  #subscription = 0;
  /** When a lost event made this open again lately, by `performance.now`. */
  #reopenings: number[] = [];
  /** What was read since the snapshot; nothing before it is here. */
  #sequence = new Sequence(0);
  #failed = false;
  /** Callers that wait until more was read. */
  readonly #readers: (() => void)[] = [];
  #due: Envelope[] = [];
  #frame = false;

  constructor(host: MainHost, target: EventTarget) {
    this.#host = host;
    this.#target = target;
  }

  /** Subscribes and takes the snapshot. */
  async open(): Promise<void> {
    const subscription = ++this.#subscription;
    this.#due = [];
    this.#sequence = new Sequence(0);
    try {
      const snapshot = await this.#host.open();
      if (subscription !== this.#subscription) return;
      this.#failed = false;
      this.#target.take(snapshot);
      this.#sequence = new Sequence(snapshot.seq);
      void this.#follow(subscription);
    } catch (error) {
      if (subscription === this.#subscription) this.#fail(troubleOf(error));
    }
    this.#wakeReaders();
  }

  /** Applies what the host has told so far. */
  async catchUp(): Promise<void> {
    // Where the host cannot be reached, no event can be read either, and the window says so.
    const seq = await this.#host.lastEvent().then(
      (last) => last.seq,
      () => 0,
    );
    while (this.#sequence.last < seq && !this.#failed) {
      await new Promise<void>((wake) => this.#readers.push(wake));
    }
    this.#flush();
  }

  /** Reads events until this subscription is over. */
  async #follow(subscription: number): Promise<void> {
    try {
      for (;;) {
        const events = await this.#host.events();
        if (subscription !== this.#subscription) return;
        const due = events === null ? "gap" : this.#sequence.take(events);
        if (due === "gap") return this.#openAgain();
        this.#accept(due);
        this.#wakeReaders();
      }
    } catch (error) {
      if (subscription === this.#subscription) this.#fail(troubleOf(error));
    }
  }

  #openAgain(): void {
    const now = performance.now();
    this.#reopenings = [...this.#reopenings.filter((at) => now - at < REOPENINGS_IN_MS), now];
    if (this.#reopenings.length <= REOPENINGS) void this.open();
    else this.#fail({ problem: "unexpected", detail: "events were lost" });
  }

  #accept(envelopes: Envelope[]): void {
    if (envelopes.length === 0) return;
    this.#due.push(...envelopes);
    if (this.#frame) return;
    this.#frame = true;
    nextFrame(() => this.#flush());
  }

  #flush(): void {
    const due = this.#due;
    this.#due = [];
    this.#frame = false;
    for (const envelope of due) this.#target.apply(envelope);
  }

  #fail(trouble: Trouble): void {
    this.#failed = true;
    this.#target.fail(trouble);
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    for (const wake of this.#readers.splice(0)) wake();
  }
}

/** The next frame, or soon where no frames are drawn (a hidden window). */
function nextFrame(act: () => void): void {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    act();
  };
  requestAnimationFrame(once);
  setTimeout(once, 100);
}
