// The entries of one chat. Each entry is its own cell, so that words that stream into one of them touch nothing else.
import type { EntryBody, EntryId, EntryView } from "../host/bindings";
import { troubleOf, type Trouble } from "../host/trouble";

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
  #loading = 0;

  /**
   * Reads everything anew. What streams in while the reading is under way is in the answer, because the host sends
   * what it has told us before it answers; such words are therefore not added a second time.
   */
  async load(read: () => Promise<EntryView[]>): Promise<void> {
    const loading = ++this.#loading;
    this.loaded = false;
    try {
      const entries = await read();
      if (loading !== this.#loading) return;
      this.cells = entries.map((entry) => new EntryCell(entry)).toSorted((a, b) => a.position - b.position);
      this.trouble = null;
    } catch (error) {
      if (loading === this.#loading) this.trouble = troubleOf(error);
    }
    if (loading === this.#loading) this.loaded = true;
  }

  put(entry: EntryView): void {
    const cell = this.#cell(entry.id);
    if (cell) cell.body = entry.body;
    else this.cells = [...this.cells, new EntryCell(entry)].toSorted((a, b) => a.position - b.position);
  }

  drop(entry: EntryId): void {
    this.cells = this.cells.filter((cell) => cell.id !== entry);
  }

  grow(entry: EntryId, text: string, reasoning: string): void {
    const cell = this.#cell(entry);
    if (!this.loaded || cell?.body.kind !== "assistant") return;
    cell.body = { ...cell.body, text: cell.body.text + text, reasoning: cell.body.reasoning + reasoning };
  }

  #cell(id: EntryId): EntryCell | undefined {
    return this.cells.findLast((cell) => cell.id === id);
  }
}
