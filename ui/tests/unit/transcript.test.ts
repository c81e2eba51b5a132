import { describe, expect, it } from "vitest";
import type { EntriesPart, EntriesView, EntryView } from "../../src/host/bindings";
import { MOST_CELLS, Transcript } from "../../src/state/transcript.svelte";

const PART = 60;

const said = (position: number, text = `entry ${position}`): EntryView => ({
  id: `e-${position}`,
  chat: "c",
  position,
  at_ms: 0,
  body: { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state: "done" },
});

/** A host with a chat of so many entries, which answers when it is let. */
function host(count: number) {
  const state = { seq: 10, entries: Array.from({ length: count }, (_, position) => said(position)) };
  const asked: EntriesPart[] = [];
  const waiting: (() => void)[] = [];
  let held = false;
  const part = (of: EntriesPart): EntriesView => {
    const { seq, entries: all } = state;
    const at = of.part === "around" ? all.findIndex(({ id }) => id === of.entry) : 0;
    const [from, to] = {
      newest: () => [all.length - PART, all.length],
      before: () => [("position" in of ? of.position : 0) - PART, "position" in of ? of.position : 0],
      after: () => [("position" in of ? of.position : 0) + 1, ("position" in of ? of.position : 0) + 1 + PART],
      around: () => [at - PART / 2, at + PART / 2],
    }[of.part]() as [number, number];
    const entries = all.slice(Math.max(0, from), Math.max(0, to));
    return { seq, entries, earlier: (entries[0]?.position ?? 0) > 0, later: to < all.length };
  };
  const read = async (of: EntriesPart) => {
    asked.push(of);
    const view = part(of);
    if (held) await new Promise<void>((done) => waiting.push(done));
    return view;
  };
  const hold = () => (held = true);
  const letGo = () => {
    held = false;
    for (const done of waiting.splice(0)) done();
  };
  return { state, asked, hold, letGo, transcript: new Transcript(read) };
}

const span = ({ cells }: Transcript) => [cells[0]?.position, cells.at(-1)?.position];
const textOf = ({ cells }: Transcript, position: number) => {
  const body = cells.find((cell) => cell.position === position)?.body;
  return body?.kind === "assistant" ? body.text : undefined;
};
const words = (position: number, text: string) =>
  ({ event: "words", chat: "c", entry: `e-${position}`, text, reasoning: "" }) as const;

describe("the transcript of a long chat", () => {
  it("reads_one_part_from_its_end", async () => {
    const { transcript, asked } = host(10_000);
    await transcript.load();
    expect(asked).toEqual([{ part: "newest" }]);
    expect(span(transcript)).toEqual([9_940, 9_999]);
    expect([transcript.earlier, transcript.later]).toEqual([true, false]);
  });

  it("never_holds_more_than_its_bound_while_one_reads_up_and_down_again", async () => {
    const { transcript } = host(600);
    await transcript.load();
    while (transcript.earlier) {
      await transcript.loadEarlier();
      expect(transcript.cells.length).toBeLessThanOrEqual(MOST_CELLS);
    }
    expect(span(transcript)).toEqual([0, MOST_CELLS - 1]);
    expect(transcript.newest.at(-1)?.position).toBe(599);
    while (transcript.later) {
      const [, last = 0] = span(transcript);
      await transcript.loadLater();
      expect(transcript.cells.length).toBeLessThanOrEqual(MOST_CELLS);
      expect(span(transcript)[1]).toBeGreaterThan(last);
    }
    expect(span(transcript)).toEqual([600 - MOST_CELLS, 599]);
    const positions = transcript.cells.map(({ position }) => position);
    expect(positions).toEqual(positions.map((_, index) => 600 - MOST_CELLS + index));
  });

  it("shows_what_is_around_an_entry_and_joins_it_to_the_end_where_it_reaches_it", async () => {
    const { transcript } = host(600);
    await transcript.load();
    await transcript.loadAround("e-100");
    expect(span(transcript)).toEqual([70, 129]);
    expect(transcript.later).toBe(true);
    await transcript.loadAround("e-520");
    expect(span(transcript)).toEqual([490, 599]);
    expect(transcript.later).toBe(false);
  });

  it("adds_what_happens_at_the_end_while_another_part_is_shown", async () => {
    const { transcript } = host(600);
    await transcript.load();
    await transcript.loadAround("e-100");
    transcript.apply(11, { event: "entry", entry: said(600), added: true });
    expect(span(transcript)).toEqual([70, 129]);
    transcript.toEnd();
    expect(span(transcript)).toEqual([540, 600]);
  });

  it("changes_an_old_entry_that_is_shown_and_adds_none_that_is_not", async () => {
    const { transcript } = host(600);
    await transcript.load();
    transcript.apply(11, { event: "entry", entry: said(100, "changed"), added: false });
    expect(span(transcript)).toEqual([540, 599]);
    await transcript.loadAround("e-100");
    transcript.apply(12, { event: "entry", entry: said(100, "changed again"), added: false });
    expect(textOf(transcript, 100)).toBe("changed again");
    transcript.apply(13, { event: "entry_gone", chat: "c", entry: "e-100" });
    expect(transcript.cells).toHaveLength(59);
  });

  it("adds_no_entry_of_another_branch_that_changes_at_its_end", async () => {
    const { transcript } = host(60);
    await transcript.load();
    transcript.apply(11, { event: "entry", entry: said(61, "a task of another branch"), added: false });
    expect(span(transcript)).toEqual([0, 59]);
    transcript.apply(12, { event: "entry", entry: said(61), added: true });
    expect(span(transcript)).toEqual([0, 61]);
  });

  it("shows_the_entries_of_another_branch_and_what_is_added_to_it_meanwhile", async () => {
    const { transcript, state, hold, letGo } = host(60);
    await transcript.load();
    state.entries = [...state.entries.slice(0, 50), ...[70, 71].map((position) => said(position))];
    hold();
    const reading = transcript.load();
    transcript.apply(11, { event: "entry", entry: said(72), added: true });
    expect(span(transcript)).toEqual([0, 59]);
    letGo();
    await reading;
    expect(transcript.cells.map(({ position }) => position).slice(48)).toEqual([48, 49, 70, 71, 72]);
  });

  it("applies_what_happens_while_a_part_is_read_once", async () => {
    const { transcript, state, hold, letGo } = host(600);
    await transcript.load();
    state.seq = 12;
    hold();
    const reading = transcript.loadEarlier();
    transcript.apply(12, words(500, " was in it"));
    transcript.apply(13, words(500, " more"));
    transcript.apply(14, { event: "entry_gone", chat: "c", entry: "e-501" });
    letGo();
    await reading;
    expect(textOf(transcript, 500)).toBe("entry 500 more");
    expect(textOf(transcript, 501)).toBeUndefined();
    transcript.apply(15, words(500, " and more"));
    expect(textOf(transcript, 500)).toBe("entry 500 more and more");
  });

  it("reads_what_is_shown_again_after_events_were_lost", async () => {
    const { transcript, asked } = host(600);
    await transcript.load();
    await transcript.loadEarlier();
    asked.length = 0;
    await transcript.load();
    expect(span(transcript)).toEqual([480, 599]);
    expect(asked).toHaveLength(2);
  });

  it("keeps_a_bounded_number_of_entries_while_the_end_is_followed", async () => {
    const { transcript } = host(60);
    await transcript.load();
    for (let position = 60; position < 400; position += 1) {
      transcript.apply(11 + position, { event: "entry", entry: said(position), added: true });
      transcript.trim();
      expect(transcript.cells.length).toBeLessThanOrEqual(MOST_CELLS);
    }
    expect(transcript.cells.at(-1)?.position).toBe(399);
    expect(transcript.earlier).toBe(true);
  });
});
