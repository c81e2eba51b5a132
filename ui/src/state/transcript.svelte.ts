// The entries of the branch that a chat shows, as far as they are loaded: the newest ones, and while the user reads
// further up the stretch that is read. The number of cells is bounded: beyond it the end that is not looked at is dropped, and loaded again when
// it comes near. Events are applied once, whether they arrive before a reading is done or after.
import type { EntriesPart, EntriesView, EntryId, EntryView } from "../host/bindings";
import { troubleOf, type Trouble } from "../host/trouble";
import { cellsOf, EntryCell, entryOf, type EntryEvent } from "./entryCell.svelte";

/** Reads a part of the chat from the host. */
export type ReadPart = (part: EntriesPart) => Promise<EntriesView>;

/** The most cells of one stretch. */
export const MOST_CELLS = 180;
/** How many of the newest cells are kept while others are shown. */
const TAIL = 60;

/** Cells that follow each other, and whether the chat has entries before them. */
interface Stretch {
  cells: EntryCell[];
  earlier: boolean;
}

export class Transcript {
  loaded = $state(false);
  trouble = $state.raw<Trouble | null>(null);
  /** The newest cells, to the end of the chat. */
  #tail = $state.raw<Stretch>({ cells: [], earlier: false });
  /** What is shown instead, where it does not reach the tail. */
  #part = $state.raw<Stretch | null>(null);
  readonly #shown = $derived(this.#part ?? this.#tail);
  /** The number of the last event that the tail contained when it was read. */
  #read = 0;
  #loading = 0;
  #loads: Promise<void> = Promise.resolve();
  /** How many readings are under way, what happened since the first of them began, and whether that was applied. */
  #readings = 0;
  #meanwhile: { seq: number; event: EntryEvent; applied: boolean }[] = [];
  /** The number of the part that is read now; 0 while none is. */
  #turning = 0;
  #turns = 0;
  readonly #host: ReadPart;

  constructor(read: ReadPart) {
    this.#host = read;
  }

  /** The cells that are shown. */
  get cells(): EntryCell[] {
    return this.#shown.cells;
  }

  /** The newest cells, also while others are shown. */
  get newest(): EntryCell[] {
    return this.#tail.cells;
  }

  /** Whether the chat has entries before those shown. */
  get earlier(): boolean {
    return this.#shown.earlier;
  }

  /** Whether the chat has entries after those shown. */
  get later(): boolean {
    return this.#part !== null;
  }

  /** Reads the newest entries from the host again, down to the first of those shown where these reached the end. */
  load(): Promise<void> {
    this.#loads = this.#load();
    return this.#loads;
  }

  /** Waits until the last `load` is done. */
  settled(): Promise<void> {
    return this.#loads;
  }

  async #load(): Promise<void> {
    const loading = ++this.#loading;
    const first = this.later ? undefined : this.cells[0]?.position;
    let done = false;
    this.loaded = false;
    this.#readings += 1;
    try {
      const tail = await this.#readTail(first);
      if (loading === this.#loading) {
        this.#part = null;
        this.#tail = tail;
        this.#read = tail.seq;
        this.trouble = null;
        done = true;
      }
    } catch (error) {
      if (loading === this.#loading) this.trouble = troubleOf(error);
    }
    if (loading === this.#loading) {
      this.loaded = true;
      for (const { seq, event, applied } of this.#meanwhile) if (done || !applied) this.#happen(seq, event);
    }
    this.#endReading();
  }

  async #readTail(first: number | undefined): Promise<Stretch & { seq: number }> {
    const newest = await this.#host({ part: "newest" });
    let cells = cellsOf(newest);
    let { earlier } = newest;
    while (cells[0] && earlier && first !== undefined && cells[0].position > first && cells.length < MOST_CELLS) {
      const before = await this.#host({ part: "before", position: cells[0].position });
      cells = [...cellsOf(before), ...cells];
      ({ earlier } = before);
    }
    return { cells, earlier, seq: newest.seq };
  }

  /** Puts the entries before those shown in front of them. */
  async loadEarlier(): Promise<void> {
    const { cells, earlier } = this.#shown;
    if (!cells[0] || !earlier) return;
    await this.#turn({ part: "before", position: cells[0].position }, (page, before) => {
      if (this.cells[0] !== cells[0]) return;
      this.#show({ cells: [...before, ...this.cells], earlier: page.earlier }, this.later, "first");
    });
  }

  /** Adds the entries after those shown. */
  async loadLater(): Promise<void> {
    const last = this.cells.at(-1);
    if (!last || !this.later) return;
    await this.#turn({ part: "after", position: last.position }, (page, after) => {
      if (this.cells.at(-1) !== last || !this.later) return;
      this.#show({ cells: [...this.cells, ...after], earlier: this.earlier }, page.later, "last");
    });
  }

  /** Shows the part of the chat around an entry. Rejects where it cannot be read or is gone. */
  async loadAround(entry: EntryId): Promise<void> {
    if (this.cells.some(({ id }) => id === entry)) return;
    if (this.newest.some(({ id }) => id === entry)) this.toEnd();
    else
      await this.#turn({ part: "around", entry }, (page, cells) =>
        this.#show({ cells, earlier: page.earlier }, page.later, "first"),
      );
  }

  /** Shows the newest entries. */
  toEnd(): void {
    this.#part = null;
  }

  /** Drops what is far from the end, which is looked at. */
  trim(): void {
    if (!this.later && this.newest.length > MOST_CELLS) this.#shorten(MOST_CELLS - TAIL);
  }

  /** Keeps only what is shown first when the chat is opened again. */
  leave(): void {
    this.toEnd();
    if (this.newest.length > TAIL) this.#shorten(TAIL);
  }

  #shorten(most: number): void {
    this.#tail = { cells: this.newest.slice(-most), earlier: true };
  }

  /** Shows cells, which are the tail where they reach it; too many are dropped at the end that is not kept. */
  #show({ cells, earlier }: Stretch, later: boolean, keep: "first" | "last"): void {
    const [oldest] = this.newest;
    const last = cells.at(-1);
    const reaches = !later || (oldest !== undefined && last !== undefined && oldest.position <= last.position);
    const all = reaches
      ? [...cells.filter(({ position }) => !oldest || position < oldest.position), ...this.newest]
      : cells;
    if (reaches && (keep === "last" || all.length <= MOST_CELLS)) {
      this.#tail = { cells: all.slice(-MOST_CELLS), earlier: earlier || all.length > MOST_CELLS };
      this.#part = null;
      return;
    }
    const kept = keep === "first" ? all.slice(0, MOST_CELLS) : all.slice(-MOST_CELLS);
    this.#part = { cells: kept, earlier: earlier || kept[0] !== all[0] };
    if (reaches) this.#shorten(TAIL);
  }

  /** Reads one part at a time, brings it up to date and hands it on. What is looked for comes before what is near. */
  async #turn(part: EntriesPart, put: (page: EntriesView, cells: EntryCell[]) => void): Promise<void> {
    if (this.#turning > 0 && part.part !== "around") return;
    const loading = this.#loading;
    const turn = ++this.#turns;
    this.#turning = turn;
    this.#readings += 1;
    try {
      const page = await this.#host(part);
      if (loading === this.#loading && turn === this.#turning) put(page, this.#brought(cellsOf(page)));
    } finally {
      if (turn === this.#turning) this.#turning = 0;
      this.#endReading();
    }
  }

  /** Applies what happened while they were read. */
  #brought(cells: EntryCell[]): EntryCell[] {
    for (const { seq, event } of this.#meanwhile) cells.find(({ id }) => id === entryOf(event))?.apply(seq, event);
    const isGone = (cell: EntryCell) =>
      this.#meanwhile.some(({ event }) => event.event === "entry_gone" && event.entry === cell.id);
    return cells.filter((cell) => !isGone(cell));
  }

  #endReading(): void {
    this.#readings -= 1;
    if (this.#readings === 0) this.#meanwhile = [];
  }

  apply(seq: number, event: EntryEvent): void {
    if (this.#readings > 0) this.#meanwhile.push({ seq, event, applied: this.loaded });
    if (this.loaded) this.#happen(seq, event);
  }

  #happen(seq: number, event: EntryEvent): void {
    const id = entryOf(event);
    if (event.event === "entry_gone") this.#drop(id);
    else {
      const known = this.#known(id);
      for (const cell of known) cell.apply(seq, event);
      const isNew = known.length === 0 && event.event === "entry" && event.added;
      if (isNew && seq > this.#read) this.#add(seq, event.entry);
    }
  }

  /** Adds a new entry. One before the tail was there already and is not loaded. */
  #add(seq: number, entry: EntryView): void {
    const { cells, earlier } = this.#tail;
    if (earlier && cells[0] && entry.position < cells[0].position) return;
    const all = [...cells, new EntryCell(entry, seq)];
    if (entry.position < (cells.at(-1)?.position ?? 0)) all.sort((a, b) => a.position - b.position);
    this.#tail = { cells: all, earlier };
  }

  #drop(id: EntryId): void {
    const without = ({ cells, earlier }: Stretch) => ({ cells: cells.filter((cell) => cell.id !== id), earlier });
    this.#tail = without(this.#tail);
    if (this.#part) this.#part = without(this.#part);
  }

  /** The cells of an entry: in the tail, and in what is shown instead. */
  #known(id: EntryId): EntryCell[] {
    const stretches = this.#part ? [this.#tail, this.#part] : [this.#tail];
    return stretches.flatMap(({ cells }) => cells.findLast((cell) => cell.id === id) ?? []);
  }
}
