// The list of the composer: which offers of servers fit the word at the caret, and which of them is marked. It knows only
// what the application has listed already; no server is asked.
import { best } from "../../features/rank";
import type { Projection } from "../../state/projection.svelte";
import { offersOf, type Offer } from "./offers";
import { triggerAt, type Trigger } from "./trigger";

/** How many offers the list draws. */
const MOST = 8;

/** Where the caret of a field is. */
type Caret = Pick<HTMLTextAreaElement, "selectionStart" | "selectionEnd">;

/** Why there is nothing to choose, or how many fit beside those that are drawn. */
export type OfferLine =
  { line: "no_server" } | { line: "none"; sign: Trigger["sign"] } | { line: "more"; count: number };

export class OfferMenuState {
  at = $state(0);
  #caret = $state.raw<number | null>(null);
  /** Null until they are read. */
  #offers = $state.raw<Offer[] | null>(null);
  /** Where the word stands for which the user closed the list. */
  #closed = $state.raw<number | null>(null);
  #reading = false;
  readonly #projection: Projection;
  readonly #text: () => string;

  readonly trigger = $derived.by(() => (this.#caret === null ? null : triggerAt(this.#text(), this.#caret)));
  readonly #isOpen = $derived(this.trigger !== null && this.trigger.from !== this.#closed && this.#offers !== null);
  readonly #ready = $derived.by(() => this.#projection.servers.filter(({ state }) => state.state === "ready"));
  /** The offers for the sign, of servers that are connected still. */
  readonly #listed = $derived.by(() => {
    const ready = this.#ready.map(({ id }) => id);
    const isPrompt = this.trigger?.sign === "/";
    return (this.#offers ?? []).filter(
      ({ kind, server }) => (kind === "prompt") === isPrompt && ready.includes(server.id),
    );
  });
  readonly #fitting = $derived.by(() => {
    if (!this.#isOpen) return [];
    const entries = this.#listed.map((offer) => ({
      label: `${offer.name} ${offer.key}`,
      note: `${offer.about ?? ""} ${offer.server.name}`,
      offer,
    }));
    return best(entries, this.trigger?.word ?? "", entries.length).map(({ offer }) => offer);
  });
  readonly shown = $derived(this.#fitting.slice(0, MOST));
  readonly line = $derived.by((): OfferLine | null => {
    if (!this.#isOpen || this.trigger === null) return null;
    if (this.#ready.length === 0) return { line: "no_server" };
    if (this.#listed.length === 0) return { line: "none", sign: this.trigger.sign };
    const count = this.#fitting.length - this.shown.length;
    return count > 0 ? { line: "more", count } : null;
  });

  constructor(projection: Projection, text: () => string) {
    this.#projection = projection;
    this.#text = text;
  }

  /** Looks at the text after the user changed it. */
  typed(field: Caret): void {
    const before = this.trigger;
    this.#caret = field.selectionStart === field.selectionEnd ? field.selectionStart : null;
    const now = this.trigger;
    if (now === null) this.#closed = null;
    else if (before === null) void this.#read();
    if (before?.word !== now?.word) this.at = 0;
  }

  /** Follows the caret where the list is open; only typing opens it. */
  moved(field: Caret): void {
    if (this.trigger !== null) this.typed(field);
  }

  /** Moves the mark by this many rows, around the ends. */
  walk(step: number): void {
    this.at = (this.at + step + this.shown.length) % this.shown.length;
  }

  /** Closes the list for the word at the caret; returns whether there was something to close. */
  close(): boolean {
    const hasSomething = this.shown.length > 0 || this.line !== null;
    if (hasSomething) this.#closed = this.trigger?.from ?? null;
    return hasSomething;
  }

  /** Closes the list until the user types again. */
  leave(): void {
    this.#caret = null;
  }

  /** Reads what the application knows of connected servers. */
  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const read = this.#ready.map(async (server) =>
      offersOf(server, await this.#projection.host.serverOffers(server.id)),
    );
    const settled = await Promise.allSettled(read);
    this.#offers = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    this.#reading = false;
  }
}
