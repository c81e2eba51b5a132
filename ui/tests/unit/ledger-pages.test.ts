import { describe, expect, it } from "vitest";
import type { LedgerPage, LedgerView } from "../../src/host/bindings";
import { LedgerPages, MOST_PAGES } from "../../src/views/ledger/pages.svelte";

const PAGE = 10;
const COUNT = 200 * PAGE;
const record = (seq: number, intent?: number): LedgerView => ({
  seq,
  at_ms: seq,
  kind: intent === undefined ? "intent" : "outcome",
  server: null,
  chat: null,
  action: "tool.call",
  object: "",
  decision: null,
  because: [],
  body: intent === undefined ? {} : { intent },
  names: [],
  hash: "",
});

/** A ledger of so many records, and its pages with the newest one read. `intentOf` has some be results. */
function ledger(count: number, intentOf: (seq: number) => number | undefined = () => undefined) {
  const state = { newest: count };
  const read = (before: number | null): Promise<LedgerPage> => {
    const from = Math.min(state.newest, (before ?? Infinity) - 1);
    const length = Math.max(0, Math.min(PAGE, from));
    const records = Array.from({ length }, (_, index) => record(from - index, intentOf(from - index)));
    const rest = { newest: state.newest, head: { state: "continues" as const }, removed: [] };
    return Promise.resolve({ records, more: length === PAGE, ...rest });
  };
  const pages = new LedgerPages(read);
  const newest = () => read(null);
  return { state, pages, newest, begin: async () => pages.begin(await newest()) };
}

const draw = (change: () => void) => change();
const span = ({ records }: LedgerPages) => [records[0]?.seq, records.at(-1)?.seq];
const isGapless = ({ records }: LedgerPages) =>
  records.every(({ seq }, index) => index === 0 || records[index - 1]?.seq === seq + 1);

describe("the pages of the ledger", () => {
  it("keep_a_bounded_number_of_records_all_the_way_down_and_up", async () => {
    const { pages, begin } = ledger(COUNT);
    await begin();
    for (let turn = 0; pages.older; turn += 1) {
      await pages.loadOlder(draw);
      expect(pages.records.length).toBeLessThanOrEqual(MOST_PAGES * PAGE);
      if (turn > 5_000) throw new Error("no end");
    }
    expect([span(pages), pages.count]).toEqual([[MOST_PAGES * PAGE, 1], COUNT]);
    while (pages.newer) {
      await pages.loadNewer(draw);
      expect(isGapless(pages) && pages.records.length <= MOST_PAGES * PAGE).toBe(true);
    }
    expect(span(pages)[0]).toBe(COUNT);
    expect(pages.count).toBe(COUNT);
  });

  it("leave_no_gap_where_records_were_added_meanwhile", async () => {
    const { state, pages, begin } = ledger(200);
    await begin();
    for (let turn = 0; turn < MOST_PAGES; turn += 1) await pages.loadOlder(draw);
    expect(pages.newer).toBe(true);
    state.newest = 250;
    await pages.loadNewer(draw);
    expect([span(pages), isGapless(pages), pages.newer]).toEqual([[200, 101], true, false]);
  });

  it("count_a_request_and_its_result_as_one_row_also_where_they_are_on_two_pages", async () => {
    const { pages, begin } = ledger(100, (seq) => (seq % 10 === 1 && seq > 1 ? seq - 1 : undefined));
    await begin();
    while (pages.older) await pages.loadOlder(draw);
    expect([pages.count, pages.rows]).toEqual([100, 91]);
    while (pages.newer) await pages.loadNewer(draw);
    expect([pages.count, pages.rows]).toEqual([100, 91]);
    await begin();
    expect([pages.count, pages.rows]).toEqual([10, 10]);
  });

  it("take_new_records_before_those_that_are_drawn", async () => {
    const { state, pages, newest, begin } = ledger(100, (seq) => (seq % 10 === 1 && seq > 1 ? seq - 1 : undefined));
    await begin();
    await pages.loadOlder(draw);
    const late = pages.loadOlder(draw);
    state.newest = 103;
    pages.renew(await newest());
    await late;
    expect([span(pages), isGapless(pages), pages.count]).toEqual([[103, 84], true, 20]);
    // 101 with 100, and 91 with 90.
    expect([pages.rows, pages.newer, pages.older]).toEqual([18, false, true]);
    // What was dropped at the end is read again, all the way.
    while (pages.older) {
      await pages.loadOlder(draw);
      expect(isGapless(pages)).toBe(true);
    }
    expect([span(pages)[1], pages.count]).toEqual([1, 103]);
    while (pages.newer) await pages.loadNewer(draw);
    expect([span(pages)[0], isGapless(pages)]).toEqual([103, true]);
    // With known pages after those that are drawn.
    state.newest = 104;
    pages.renew(await newest());
    expect([span(pages), pages.count, pages.older]).toEqual([[104, 5], MOST_PAGES * PAGE, true]);
    while (pages.older) await pages.loadOlder(draw);
    expect([span(pages)[1], pages.count]).toEqual([1, 104]);
  });

  it("begin_again_where_more_than_a_page_came", async () => {
    const { state, pages, newest, begin } = ledger(100);
    await begin();
    await pages.loadOlder(draw);
    state.newest = 110;
    pages.renew(await newest());
    expect(span(pages)).toEqual([110, 101]);
    await pages.loadOlder(draw);
    expect([span(pages), isGapless(pages)]).toEqual([[110, 91], true]);
  });

  it("drop_what_was_read_for_another_list", async () => {
    const { pages, begin } = ledger(100);
    await begin();
    const late = pages.loadOlder(draw);
    await begin();
    await late;
    expect(span(pages)).toEqual([100, 91]);
  });
});
