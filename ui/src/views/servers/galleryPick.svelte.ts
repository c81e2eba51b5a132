// The entry of a registry that the user looks at, and what is picked of it.
import type { GalleryEntry } from "../../host/bindings";
import type { Projection } from "../../state/projection.svelte";
import { keyOf } from "./gallerySearch.svelte";
import { ServerPicks, type Candidate } from "./serverPicks.svelte";

export class GalleryPick {
  readonly picks: ServerPicks;
  entry = $state.raw<GalleryEntry | null>(null);
  /** The servers of the entry. */
  candidates = $state.raw<Candidate[]>([]);
  /** The entry whose row gets the focus in the list. */
  last = $state<string | null>(null);
  #isNew = false;

  constructor(projection: Projection) {
    this.picks = new ServerPicks(projection);
  }

  choose(entry: GalleryEntry): void {
    this.entry = entry;
    this.candidates = entry.servers.servers.map((server, index) => ({
      key: `${index}`,
      server,
      chosen: server.chosen,
    }));
    this.picks.show(this.candidates);
    this.#isNew = true;
  }

  /** Whether the entry has not been shown yet; asked once. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** Goes back to the list. */
  leave(): void {
    this.last = this.entry && keyOf(this.entry);
    this.entry = null;
  }
}
