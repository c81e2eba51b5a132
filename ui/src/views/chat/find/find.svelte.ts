// What "Find in chat" found and where it is. The host searches the whole branch; a place is one step of "next", and a
// message that has the text several times is several places.
import type { ChatFindHit, ChatFindPlace, ChatFindView, EntryId } from "../../../host/bindings";

/** One place of the text. */
export interface FoundPlace {
  entry: EntryId;
  /** The place of the entry in the chat. */
  position: number;
  place: ChatFindPlace;
  /** Which of the places in this part of the entry it is, from 0. */
  nth: number;
}

export class Find {
  /** What is searched for, as it stands in the field. */
  text = $state("");
  /** What the places are of; empty before anything was found or where nothing is searched. */
  searched = $state("");
  /** Whether these are all places in the chat. */
  complete = $state(true);
  places = $state.raw<FoundPlace[]>([]);
  #at = $state(0);
  readonly current = $derived(this.places[this.#at]);
  /** The number of the current place, from 1. */
  readonly number = $derived(this.#at + 1);

  /**
   * Takes what was found of a text. The text of before keeps its place; another one begins at the entry of that place,
   * or else at the first place from a position on, or at the last of all. Says whether the current place is another one.
   */
  take(text: string, { hits, complete }: ChatFindView, position: number): boolean {
    const before = this.current;
    const isNew = text !== this.searched;
    this.searched = text;
    this.complete = complete;
    this.places = hits.flatMap(placesOf);
    const same = isNew ? -1 : this.places.findIndex((place) => before !== undefined && isSame(place, before));
    const near = this.places.findIndex((place) => place.position >= (before?.position ?? position));
    this.#at = Math.max(0, [same, near].find((at) => at >= 0) ?? this.places.length - 1);
    return this.current !== undefined && same < 0;
  }

  /** Goes so many places on, and begins again at the other end. */
  step(by: number): void {
    const { length } = this.places;
    if (length > 0) this.#at = (this.#at + by + length) % length;
  }

  /** The folded part of an entry that has the current place. */
  folded(entry: EntryId): ChatFindPlace | undefined {
    const { current } = this;
    return current?.entry === entry && current.place !== "message" ? current.place : undefined;
  }
}

function placesOf({ count, ...hit }: ChatFindHit): FoundPlace[] {
  return Array.from({ length: count }, (_, nth) => ({ ...hit, nth }));
}

function isSame(one: FoundPlace, other: FoundPlace): boolean {
  return one.entry === other.entry && one.place === other.place && one.nth === other.nth;
}
