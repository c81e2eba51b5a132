import { expect, it } from "vitest";
import type { EntryView, TextState } from "../../src/host/bindings";
import { EntryCell } from "../../src/state/entryCell.svelte";

const answer = (text: string, state: TextState): EntryView => ({
  id: "e",
  chat: "c",
  position: 0,
  at_ms: 0,
  body: { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state },
});
const words = (text: string, reasoning: string) =>
  ({ event: "words", chat: "c", entry: "e", text, reasoning }) as const;

it("keeps_the_pieces_of_an_answer_while_it_is_written", () => {
  const cell = new EntryCell(answer("one", "streaming"), 10);
  // The body that was read contained it already.
  cell.apply(10, words("one", ""));
  cell.apply(11, words(" two", ""));
  cell.apply(12, words("", "thought"));
  expect(cell.pieces).toEqual({ text: ["one", " two"], reasoning: ["", "thought"] });
  expect(cell.body).toMatchObject({ text: "one two", reasoning: "thought" });

  const before = cell.pieces;
  cell.apply(13, { event: "entry", entry: answer("changed", "streaming"), added: false });
  expect(cell.pieces).toEqual({ text: ["changed"], reasoning: [""] });
  expect(cell.pieces).not.toBe(before);

  cell.apply(14, { event: "entry", entry: answer("changed", "done"), added: false });
  expect(cell.pieces).toBeUndefined();
});
