// The records of the ledger that are drawn: pages that follow each other, newest first, and never more than a few. Where
// another page comes in at one end, the one at the other end is dropped, and read again when it comes near. Of a dropped
// page only where it begins is kept.
import type { LedgerPage, LedgerView } from "../../host/bindings";
import { RowCounter } from "./groups";

/** The most pages that are drawn at once. */
export const MOST_PAGES = 10;

interface KnownPage {
  /** Its records are those with smaller numbers than this; null for the newest there are. */
  before: number | null;
  length: number;
}

export class LedgerPages {
  /** What is drawn, page by page. */
  #drawn = $state.raw<LedgerView[][]>([]);
  /** The index of the first drawn page among those that are known. */
  #first = $state(0);
  #known = $state.raw<KnownPage[]>([]);
  /** Whether there may be records older than all known ones. */
  #more = $state(false);
  readonly records = $derived(this.#drawn.flat());
  /** How many records were read so far. */
  readonly count = $derived(this.#known.reduce((sum, { length }) => sum + length, 0));
  /** How many rows those records make. */
  rows = $state(0);
  #counter = new RowCounter();
  readonly #read: (before: number | null) => Promise<LedgerPage>;
  /** Goes up when another list begins. */
  #list = 0;
  #reading: Promise<void> | undefined;

  constructor(read: (before: number | null) => Promise<LedgerPage>) {
    this.#read = read;
  }

  /** Whether there are pages before those that are drawn. */
  get newer(): boolean {
    return this.#first > 0;
  }

  /** Whether there are pages after those that are drawn. */
  get older(): boolean {
    return this.#more || this.#first + this.#drawn.length < this.#known.length;
  }

  /** Whether another page drops one of those that are drawn. */
  get full(): boolean {
    return this.#drawn.length >= MOST_PAGES;
  }

  /** Whether nothing but the newest page was read, so that another one can take its place. */
  get isNewest(): boolean {
    return this.#known.length <= 1;
  }

  /** Begins with the newest page. */
  begin({ records, more }: LedgerPage): void {
    this.#list += 1;
    this.#drawn = [records];
    this.#first = 0;
    this.#known = [{ before: null, length: records.length }];
    this.#more = more;
    this.#counter = new RowCounter();
    this.rows = this.#counter.add(records);
  }

  /**
   * Puts a newer state of the newest page before the records that are drawn. Of these as many are dropped at the end as
   * come, so that the number of drawn records stays. Begins with it where records between may be missing.
   */
  renew(page: LedgerPage): void {
    const oldest = page.records.at(-1)?.seq ?? 0;
    const drawn = this.records.length;
    const overlaps = this.#first === 0 && oldest <= (this.records[0]?.seq ?? -1);
    if (!overlaps || drawn <= page.records.length) {
      this.begin(page);
      return;
    }
    // A page that is being read would begin after records that are dropped here.
    this.#list += 1;
    const all = [...page.records, ...this.records.filter(({ seq }) => seq < oldest)];
    this.#more = this.older || all.length > drawn;
    let end = 0;
    this.#drawn = this.#drawn.map(({ length }) => all.slice(end, (end += length)));
    this.#known = this.#drawn.map(({ length }, index) => ({
      before: this.#drawn[index - 1]?.at(-1)?.seq ?? (all[0]?.seq ?? 0) + 1,
      length,
    }));
    this.#counter = new RowCounter();
    this.rows = this.#counter.add(this.records);
  }

  /** Reads the page after those that are drawn; `draw` makes the change. */
  async loadOlder(draw: (change: () => void) => unknown): Promise<void> {
    const last = this.records.at(-1);
    const index = this.#first + this.#drawn.length;
    if (!last || !this.older) return;
    await this.#load(this.#known[index]?.before ?? last.seq, ({ records, more }, before) => {
      if (index === this.#known.length) this.#learn(records, before, more);
      if (records.length === 0) return undefined;
      return draw(() => {
        const all = [...this.#drawn, records];
        this.#first += Math.max(0, all.length - MOST_PAGES);
        this.#drawn = all.slice(-MOST_PAGES);
      });
    });
  }

  /** Reads the page before those that are drawn; `draw` makes the change. */
  async loadNewer(draw: (change: () => void) => unknown): Promise<void> {
    const page = this.#known[this.#first - 1];
    if (!page) return;
    await this.#load(page.before, ({ records }) =>
      draw(() => {
        this.#first -= 1;
        this.#drawn = [records, ...this.#drawn].slice(0, MOST_PAGES);
      }),
    );
  }

  /** Notes a page that was read for the first time. */
  #learn(records: LedgerView[], before: number, more: boolean): void {
    this.#more = more && records.length > 0;
    // From here on the first page has a fixed beginning, so that no record falls between it and the next one.
    const newest = this.#known[0]?.before === null ? this.records[0] : undefined;
    const known = newest
      ? [{ before: newest.seq + 1, length: this.records.length }, ...this.#known.slice(1)]
      : this.#known;
    this.#known = records.length > 0 ? [...known, { before, length: records.length }] : known;
    this.rows = this.#counter.add(records);
  }

  /** Reads one page at a time; a second caller waits for the first one's. */
  #load(before: number | null, put: (page: LedgerPage, before: number) => unknown): Promise<void> {
    this.#reading ??= this.#readPage(before, put).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** What belongs to a list that is no longer shown is dropped. */
  async #readPage(before: number | null, put: (page: LedgerPage, before: number) => unknown): Promise<void> {
    const list = this.#list;
    const page = await this.#read(before);
    if (list === this.#list) await put(page, before ?? 0);
  }
}
