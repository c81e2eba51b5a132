// The entries of one chat. Each entry is its own cell, so that words that stream into one of them touch nothing else.
// What is read from the host carries the number of the last event in it; only later events are applied on top, whether
// they arrived before the reading was done or after.
import type { EntriesView, EntryBody, EntryId, EntryView, HostEvent } from "../host/bindings";
import { troubleOf, type Trouble } from "../host/trouble";

/** An event about the entries of a chat. */
export type EntryEvent = Extract<HostEvent, { event: "entry" | "entry_gone" | "words" }>;

/** One entry, replaced as a whole. */
export class EntryCell {
  readonly id: EntryId;
  readonly position: number;
  readonly at_ms: number;
  body: EntryBody;

  constructor(entry: EntryView) {
    this.id = entry.id;
    this.position = entry.position;
    this.at_ms = entry.at_ms;
    this.body = $state.raw(entry.body);
  }
}

export class Transcript {
  cells = $state.raw<EntryCell[]>([]);
  loaded = $state(false);
  trouble = $state.raw<Trouble | null>(null);
  /** The number of the last event that the cells contain because they were read. */
  #read = 0;
  #loading = 0;
  #early: { seq: number; event: EntryEvent }[] = [];

  /** Reads the whole transcript from the host again. */
  async load(read: () => Promise<EntriesView>): Promise<void> {
    const loading = ++this.#loading;
    this.loaded = false;
    try {
      const { seq, entries } = await read();
      if (loading !== this.#loading) return;
      this.cells = entries.map((entry) => new EntryCell(entry)).toSorted((a, b) => a.position - b.position);
      this.#read = seq;
      this.trouble = null;
    } catch (error) {
      if (loading === this.#loading) this.trouble = troubleOf(error);
    }
    if (loading !== this.#loading) return;
    this.loaded = true;
    const early = this.#early;
    this.#early = [];
    for (const { seq, event } of early) this.apply(seq, event);
  }

  apply(seq: number, event: EntryEvent): void {
    if (!this.loaded) {
      this.#early.push({ seq, event });
      return;
    }
    if (seq <= this.#read) return;
    switch (event.event) {
      case "entry":
        this.#put(event.entry);
        break;
      case "entry_gone":
        this.cells = this.cells.filter((cell) => cell.id !== event.entry);
        break;
      case "words":
        this.#grow(event.entry, event.text, event.reasoning);
        break;
      default:
        event satisfies never;
    }
  }

  #put(entry: EntryView): void {
    const cell = this.#cell(entry.id);
    if (cell) cell.body = entry.body;
    else this.cells = [...this.cells, new EntryCell(entry)].toSorted((a, b) => a.position - b.position);
  }

  #grow(entry: EntryId, text: string, reasoning: string): void {
    const cell = this.#cell(entry);
    if (cell?.body.kind !== "assistant") return;
    cell.body = { ...cell.body, text: cell.body.text + text, reasoning: cell.body.reasoning + reasoning };
  }

  #cell(id: EntryId): EntryCell | undefined {
    return this.cells.findLast((cell) => cell.id === id);
  }
}
