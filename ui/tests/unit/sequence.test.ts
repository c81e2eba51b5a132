import { describe, expect, it } from "vitest";
import type { Envelope } from "../../src/host/bindings";
import { Sequence } from "../../src/host/sequence";

const events = (...numbers: number[]): Envelope[] =>
  numbers.map((seq) => ({ seq, event: { event: "chat_gone", chat: `c${seq}` } }));
const numbers = (taken: Envelope[] | "gap") => (taken === "gap" ? taken : taken.map(({ seq }) => seq));

describe("a subscription", () => {
  it("drops_what_the_snapshot_already_contains", () => {
    const sequence = new Sequence(3);
    expect(numbers(sequence.take(events(2, 3, 4)))).toEqual([4]);
    expect(numbers(sequence.take(events(4)))).toEqual([]);
    expect(numbers(sequence.take(events(5)))).toEqual([5]);
  });

  it("names_a_gap_after_the_snapshot_and_after_an_event", () => {
    expect(new Sequence(5).take(events(7))).toBe("gap");
    const later = new Sequence(5);
    later.take(events(6));
    expect(later.take(events(7, 9))).toBe("gap");
  });
});
