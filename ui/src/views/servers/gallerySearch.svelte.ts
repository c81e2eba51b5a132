// The search in a registry: what was asked for, and the pages that came so far. Only the answer to the newest search
// counts, and nothing is asked before the first one.
import { troubleOf, type Trouble } from "../../host";
import type { GalleryEntry, GalleryPage, LeftOutEntries } from "../../host/bindings";

type Ask = (search: string, cursor: string | null) => Promise<GalleryPage>;

const NOTHING: LeftOutEntries = { deleted: 0, repeated: 0, unreadable: 0, beyond: 0 };

export class GallerySearch {
  readonly #ask: Ask;
  #search = "";
  #asked = 0;
  /** What is entered to be searched. */
  words = $state("");
  /** The host that answered last; null before that. */
  host = $state<string | null>(null);
  entries = $state.raw<GalleryEntry[]>([]);
  leftOut = $state.raw(NOTHING);
  next = $state<string | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  searching = $state(false);

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Begins a search; what was found before is forgotten. */
  async begin(search: string): Promise<void> {
    this.#search = search.trim();
    this.host = null;
    this.entries = [];
    this.leftOut = NOTHING;
    this.next = null;
    await this.#read(null);
  }

  /** Reads the next page of the same search. */
  async more(): Promise<void> {
    if (this.next !== null) await this.#read(this.next);
  }

  async #read(cursor: string | null): Promise<void> {
    const number = ++this.#asked;
    this.searching = true;
    this.trouble = null;
    try {
      const page = await this.#ask(this.#search, cursor);
      if (number === this.#asked) this.#add(page);
    } catch (error) {
      if (number === this.#asked) this.trouble = troubleOf(error);
    }
    if (number === this.#asked) this.searching = false;
  }

  #add(page: GalleryPage): void {
    const known = this.entries.map(keyOf);
    this.host = page.host;
    this.entries = [...this.entries, ...page.entries.filter((entry) => !known.includes(keyOf(entry)))];
    this.next = page.next;
    const { deleted, repeated, unreadable, beyond } = this.leftOut;
    this.leftOut = {
      deleted: deleted + page.left_out.deleted,
      repeated: repeated + page.left_out.repeated,
      unreadable: unreadable + page.left_out.unreadable,
      beyond: beyond + page.left_out.beyond,
    };
  }
}

/** What tells an entry from the others of its registry. */
export const keyOf = ({ name, version }: GalleryEntry) => `${name} ${version}`;
