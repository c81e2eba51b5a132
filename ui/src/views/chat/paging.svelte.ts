// Loads the entries of a chat that come near while the user scrolls, and keeps what is looked at in its place while
// entries are put in front of it or dropped. (WebKit has no scroll anchoring of its own.) A page is drawn some entries
// a frame, so that the end of a chat is on the screen before its beginning.
import { tick, untrack } from "svelte";
import type { EntryCell } from "../../state/entryCell.svelte";
import { MOST_CELLS, type Transcript } from "../../state/transcript.svelte";
import type { Follow } from "./follow.svelte";

/** How near the edge of what is drawn may come before more is loaded, in heights of the scrolling element. */
const NEAR = 1.5;
/** How many entries are drawn in the first frame, and in each that follows. */
const FIRST = 12;
const A_FRAME = 6;

/** To be made while a component is. `attempt` runs a reading and reports its failure. */
export class Paging {
  /** The cells that are drawn. */
  readonly cells: EntryCell[] = $derived.by(() => {
    const all = this.#transcript()?.cells ?? [];
    return all.slice(this.#start(all));
  });
  /** The position from which on cells are drawn; null before any is. */
  #from = $state<number | null>(null);
  #scroller: HTMLElement | undefined;
  /** Where the content was moved to last, which is no scroll of the user. */
  #shifted = NaN;
  /** What the last shift fell short of, in pixels: a place of scrolling is rounded, and many shifts would add it up. */
  #remainder = 0;
  readonly #transcript: () => Transcript | undefined;
  readonly #follow: Follow;
  readonly #attempt: (read: () => Promise<void>) => Promise<unknown>;

  constructor(
    transcript: () => Transcript | undefined,
    follow: Follow,
    attempt: (read: () => Promise<void>) => Promise<unknown>,
  ) {
    this.#transcript = transcript;
    this.#follow = follow;
    this.#attempt = attempt;
    $effect.pre(() => {
      if (this.cells.length > 0 && !untrack(() => follow.following)) this.#hold();
    });
    $effect(() => this.#drawMore());
    $effect(() => {
      // A full stretch goes on only when the user does, or entries without height would all be gone through.
      if (this.cells.length > 0 && this.cells.length < MOST_CELLS) void tick().then(() => this.#look());
      else untrack(() => follow.following && transcript()?.trim());
    });
  }

  /** Watches a scrolling element whose only child holds the entries; for `{@attach}`. */
  readonly attach = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    const scrolled = () => {
      if (scroller.scrollTop !== this.#shifted) this.#look();
    };
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => scroller.removeEventListener("scroll", scrolled);
  };

  /** Shows the part of the chat around an entry. */
  async around(entry: string): Promise<void> {
    this.#from = -Infinity;
    await this.#attempt(async () => this.#transcript()?.loadAround(entry));
    await tick();
  }

  async earlier(): Promise<void> {
    await this.#attempt(async () => this.#transcript()?.loadEarlier());
  }

  async later(): Promise<void> {
    await this.#attempt(async () => this.#transcript()?.loadLater());
  }

  /** Loads what comes near. */
  #look(): void {
    const transcript = this.#transcript();
    const scroller = this.#scroller;
    if (!scroller || !transcript?.loaded || this.#start(transcript.cells) > 0) return;
    // Reading a size lays the page out, and a scroll that comes of it would look like one of the user.
    if (!transcript.earlier && !transcript.later) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if (this.#follow.following) {
      if (transcript.earlier && scrollHeight <= clientHeight) void this.earlier();
    } else if (transcript.earlier && scrollTop < NEAR * clientHeight) void this.earlier();
    else if (transcript.later && scrollHeight - scrollTop - clientHeight < NEAR * clientHeight) void this.later();
  }

  #start(all: EntryCell[]): number {
    const from = this.#from;
    if (from === null) return Math.max(0, all.length - FIRST);
    return Math.max(
      0,
      all.findIndex(({ position }) => position >= from),
    );
  }

  #drawMore(): (() => void) | undefined {
    const all = this.#transcript()?.cells ?? [];
    const start = this.#start(all);
    if (start === 0) {
      if (all[0] && untrack(() => this.#from) === null) this.#from = all[0].position;
      return undefined;
    }
    const frame = requestAnimationFrame(() => (this.#from = all[Math.max(0, start - A_FRAME)]?.position ?? null));
    return () => cancelAnimationFrame(frame);
  }

  /** Puts the first entry in sight back to where it is now, once the change is drawn. */
  #hold(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const top = scroller.getBoundingClientRect().top;
    const places = [...(scroller.firstElementChild?.children ?? [])].map((element) => {
      const box = element.getBoundingClientRect();
      return { element, top: box.top, seen: box.bottom > top };
    });
    void tick().then(() => {
      const kept = places.find(({ element, seen }) => seen && element.isConnected && !element.matches("[data-edge]"));
      if (!kept) return;
      const wanted = kept.top - this.#remainder;
      this.#follow.shift(kept.element.getBoundingClientRect().top - wanted);
      const short = kept.element.getBoundingClientRect().top - wanted;
      this.#remainder = Math.abs(short) < 1 ? short : 0;
      this.#shifted = scroller.scrollTop;
    });
  }
}
