// Puts events and a snapshot together without losing or repeating anything. Events that arrive before the snapshot
// wait; those the snapshot already contains are dropped; a missing number means that something was lost, and the only
// honest way on is to open again.
import type { Envelope } from "./bindings";

/** One subscription's order of events. */
export class Sequence {
  #last: number | undefined;
  #early: Envelope[] = [];

  /** Takes the snapshot's number and returns the early events that follow it, or `"gap"`. */
  begin(seq: number): Envelope[] | "gap" {
    this.#last = seq;
    const early = this.#early.toSorted((a, b) => a.seq - b.seq);
    this.#early = [];
    const due: Envelope[] = [];
    for (const envelope of early) {
      const next = this.take(envelope);
      if (next === "gap") return "gap";
      due.push(...next);
    }
    return due;
  }

  /** Takes one event and returns what is to be applied now, or `"gap"`. */
  take(envelope: Envelope): Envelope[] | "gap" {
    if (this.#last === undefined) {
      this.#early.push(envelope);
      return [];
    }
    if (envelope.seq <= this.#last) return [];
    if (envelope.seq !== this.#last + 1) return "gap";
    this.#last = envelope.seq;
    return [envelope];
  }
}
