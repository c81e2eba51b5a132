// The menu of the composer: which offers of servers fit the word at the caret, and which of them the keys stand on.
import type { Projection } from "../../state/projection.svelte";
import { found, offersOf, type Offer } from "./offers";
import { triggerAt, type Trigger } from "./trigger";

/** How many offers the menu shows. */
const MOST = 8;

export class OfferMenuState {
  at = $state(0);
  #trigger = $state.raw<Trigger | null>(null);
  #offers = $state.raw<Offer[]>([]);
  /** The word for which the user closed the menu. */
  #closed = $state<number | null>(null);
  #loading = false;
  readonly #projection: Projection;

  readonly shown = $derived.by(() => {
    const trigger = this.#trigger;
    if (trigger === null || trigger.from === this.#closed) return [];
    const fits = (offer: Offer) => (offer.kind === "prompt") === (trigger.sign === "/") && found(offer, trigger.word);
    return this.#offers.filter(fits).slice(0, MOST);
  });

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  get trigger(): Trigger | null {
    return this.#trigger;
  }

  /** Looks at the text after a change of it or of the caret. */
  look(text: string, caret: number): void {
    const before = this.#trigger;
    this.#trigger = triggerAt(text, caret);
    if (this.#trigger === null) this.#closed = null;
    else if (before === null) void this.#load();
    if (before?.word !== this.#trigger?.word) this.at = 0;
  }

  walk(step: number): void {
    this.at = (this.at + step + this.shown.length) % this.shown.length;
  }

  close(): void {
    this.#closed = this.#trigger?.from ?? null;
  }

  /** What connected servers offer now. A server that does not answer offers nothing. */
  async #load(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    const ready = this.#projection.servers.filter(({ state }) => state.state === "ready");
    const read = ready.map(async (server) => offersOf(server, await this.#projection.host.serverOffers(server.id)));
    const settled = await Promise.allSettled(read);
    this.#offers = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    this.#loading = false;
  }
}
