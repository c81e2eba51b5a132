// Puts events and a snapshot together without losing or repeating anything: those the snapshot already contains are
// dropped, and a missing number means that something was lost, and the only honest way on is to open again.
import type { Envelope } from "./bindings";

/** One subscription's order of events. */
export class Sequence {
  #last: number;

  /** After a snapshot with this number. */
  constructor(seq: number) {
    this.#last = seq;
  }

  /** The number of the last event that was taken. */
  get last(): number {
    return this.#last;
  }

  /** Takes the next events and returns those that are to be applied now, or `"gap"`. */
  take(envelopes: readonly Envelope[]): Envelope[] | "gap" {
    const due: Envelope[] = [];
    for (const envelope of envelopes) {
      if (envelope.seq <= this.#last) continue;
      if (envelope.seq !== this.#last + 1) return "gap";
      this.#last = envelope.seq;
      due.push(envelope);
    }
    return due;
  }
}
