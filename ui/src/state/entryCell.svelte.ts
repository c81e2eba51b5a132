// One entry of a chat as a cell of its own, so that words that stream into it touch nothing else.
import type { EntriesView, EntryBody, EntryId, EntryView, HostEvent, VersionsView } from "../host/bindings";

/** An event about the entries of a chat. */
export type EntryEvent = Extract<HostEvent, { event: "entry" | "entry_gone" | "words" }>;

/** The two texts of an answer in the pieces they came in. */
export interface AnswerPieces {
  readonly text: string[];
  readonly reasoning: string[];
}

/** One entry, replaced as a whole. */
export class EntryCell {
  readonly id: EntryId;
  readonly position: number;
  readonly at_ms: number;
  /** Where it is among its versions; undefined where it is the only one. */
  readonly versions: VersionsView | undefined;
  body: EntryBody;
  /** What the words of an answer that is still written came in. */
  pieces: AnswerPieces | undefined;
  /** The number of the last event that the body contained when it was read. */
  readonly #read: number;

  constructor(entry: EntryView, read: number) {
    this.id = entry.id;
    this.position = entry.position;
    this.at_ms = entry.at_ms;
    this.versions = entry.versions;
    this.body = $state.raw(entry.body);
    this.pieces = piecesOf(entry.body);
    this.#read = read;
  }

  /** Applies an event, unless the body contained it already. */
  apply(seq: number, event: EntryEvent): void {
    if (seq <= this.#read) return;
    if (event.event === "entry") {
      this.pieces = piecesOf(event.entry.body);
      this.body = event.entry.body;
    }
    if (event.event !== "words" || this.body.kind !== "assistant") return;
    const { text, reasoning } = this.body;
    if (event.text !== "") this.pieces?.text.push(event.text);
    if (event.reasoning !== "") this.pieces?.reasoning.push(event.reasoning);
    this.body = { ...this.body, text: text + event.text, reasoning: reasoning + event.reasoning };
  }
}

function piecesOf(body: EntryBody): AnswerPieces | undefined {
  if (body.kind !== "assistant" || body.state !== "streaming") return undefined;
  return { text: [body.text], reasoning: [body.reasoning] };
}

/** The cells of what was read, in order. */
export function cellsOf({ seq, entries }: EntriesView): EntryCell[] {
  return entries.map((entry) => new EntryCell(entry, seq)).toSorted((a, b) => a.position - b.position);
}

/** The entry that an event is about. */
export function entryOf(event: EntryEvent): EntryId {
  return event.event === "entry" ? event.entry.id : event.entry;
}
