import { describe, expect, it } from "vitest";
import type { Envelope } from "../../src/host/bindings";
import { Sequence } from "../../src/host/sequence";

const event = (seq: number): Envelope => ({ seq, event: { event: "chat_gone", chat: `c${seq}` } });
const numbers = (taken: Envelope[] | "gap") => (taken === "gap" ? taken : taken.map(({ seq }) => seq));

describe("a subscription", () => {
  it("holds_events_back_until_the_snapshot_is_there", () => {
    const sequence = new Sequence();
    expect(numbers(sequence.take(event(4)))).toEqual([]);
    expect(numbers(sequence.take(event(5)))).toEqual([]);
    expect(numbers(sequence.begin(3))).toEqual([4, 5]);
  });

  it("drops_what_the_snapshot_already_contains", () => {
    const sequence = new Sequence();
    for (const seq of [2, 3, 4]) sequence.take(event(seq));
    expect(numbers(sequence.begin(3))).toEqual([4]);
    expect(numbers(sequence.take(event(4)))).toEqual([]);
    expect(numbers(sequence.take(event(5)))).toEqual([5]);
  });

  it("orders_early_events_that_came_out_of_order", () => {
    const sequence = new Sequence();
    for (const seq of [3, 1, 2]) sequence.take(event(seq));
    expect(numbers(sequence.begin(0))).toEqual([1, 2, 3]);
  });

  it("names_a_gap_before_and_after_the_snapshot", () => {
    const early = new Sequence();
    early.take(event(7));
    expect(early.begin(5)).toBe("gap");
    const late = new Sequence();
    late.begin(5);
    expect(late.take(event(7))).toBe("gap");
  });
});
