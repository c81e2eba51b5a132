// Loads the entries of a chat that come near while the user scrolls, and keeps what is looked at in its place while
// entries are put in front of it or dropped. (WebKit has no scroll anchoring of its own.) A page is drawn some entries
// a frame, so that what is looked at is on the screen before the rest: the end of a chat, or an entry that was found.
import { tick, untrack } from "svelte";
import type { EntryId } from "../../host/bindings";
import type { EntryCell } from "../../state/entryCell.svelte";
import { MOST_CELLS, type Transcript } from "../../state/transcript.svelte";
import type { Follow } from "./follow.svelte";

/** How near the edge of what is drawn may come before more is drawn or loaded, in heights of the scrolling element. */
const NEAR = 1.5;
/** How many entries are drawn in the first frame, and in each that follows. */
const FIRST = 12;
const A_FRAME = 6;
/** How many entries are drawn first around an entry that was found, with it, and how many of them are before it. */
const AROUND = 8;
const BEFORE = 3;

/** To be made while a component is. `attempt` runs a reading and reports its failure. */
export class Paging {
  /** The cells that are drawn. */
  readonly cells: EntryCell[] = $derived.by(() => {
    const all = this.#transcript()?.cells ?? [];
    const [start, end] = this.#range(all);
    return all.slice(start, end);
  });
  /** How many of the loaded cells are not drawn. */
  readonly #hidden = $derived.by(() => {
    const all = this.#transcript()?.cells ?? [];
    const [start, end] = this.#range(all);
    return { before: start, after: all.length - end };
  });
  /** The positions of the first and the last cell that may be drawn; null before any is. */
  #drawn = $state.raw<{ from: number; to: number } | null>(null);
  /** The entry to show next. As soon as it is loaded, only what is near it is drawn. */
  #target = $state<EntryId | null>(null);
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
    $effect(() => {
      if (this.cells.length === 0) return undefined;
      const frame = requestAnimationFrame(() => this.#look("drawn"));
      return () => cancelAnimationFrame(frame);
    });
    $effect(() => {
      if ((transcript()?.cells.length ?? 0) > MOST_CELLS) untrack(() => follow.following && transcript()?.trim());
    });
  }

  /** Whether the chat has entries before those drawn. */
  get hasEarlier(): boolean {
    return (this.#transcript()?.earlier ?? false) || this.#hidden.before > 0;
  }

  /** Whether the chat has entries after those drawn. */
  get hasLater(): boolean {
    return (this.#transcript()?.later ?? false) || this.#hidden.after > 0;
  }

  /** Watches a scrolling element whose only child holds the entries; for `{@attach}`. */
  readonly attach = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    const scrolled = () => {
      if (scroller.scrollTop !== this.#shifted) this.#look("scrolled");
    };
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => scroller.removeEventListener("scroll", scrolled);
  };

  /** Draws nothing new until `around` is done with the entry. An entry that is drawn already stays as it is. */
  aim(entry: EntryId): void {
    if (!untrack(() => this.cells).some(({ id }) => id === entry)) this.#target = entry;
  }

  /** Shows the part of the chat around an entry, if the branch that is shown has it; whether it does. */
  async find(entry: EntryId): Promise<boolean> {
    this.aim(entry);
    try {
      await this.#transcript()?.loadAround(entry);
    } catch {
      return false;
    }
    await this.#arrive(entry);
    return true;
  }

  /** Shows the part of the chat around an entry, or reports why that failed. */
  async around(entry: EntryId): Promise<void> {
    this.aim(entry);
    await this.#attempt(async () => this.#transcript()?.loadAround(entry));
    await this.#arrive(entry);
  }

  /** Keeps what is drawn and lets more be drawn around it. */
  async #arrive(entry: EntryId): Promise<void> {
    const [first] = this.cells;
    const last = this.cells.at(-1);
    if (this.#target === entry) {
      if (first && last) this.#drawn = { from: first.position, to: last.position };
      this.#target = null;
    }
    await tick();
  }

  /** Shows the newest entries. */
  toEnd(): void {
    this.#target = null;
    if (this.hasLater) this.#drawn = null;
    this.#transcript()?.toEnd();
  }

  /** Draws what is loaded before the entries that are drawn, or else loads more. */
  async earlier(): Promise<void> {
    if (this.#hidden.before > 0) this.#draw({ before: Infinity });
    else await this.#attempt(async () => this.#transcript()?.loadEarlier());
  }

  /** Draws what is loaded after the entries that are drawn, or else loads more. */
  async later(): Promise<void> {
    if (this.#hidden.after > 0) this.#draw({ after: Infinity });
    else await this.#attempt(async () => this.#transcript()?.loadLater());
  }

  /** Draws or loads what comes near, after a change of what is drawn or a scroll of the user. */
  #look(after: "drawn" | "scrolled"): void {
    const transcript = this.#transcript();
    const scroller = this.#scroller;
    if (!scroller || !transcript?.loaded || this.#target !== null) return;
    // At the end of the chat, new entries are drawn at once.
    const isAtEnd = !this.hasLater && this.#drawn?.to !== Infinity;
    if (this.#drawn === null || isAtEnd) this.#draw({});
    // Reading a size lays the page out, and a scroll that comes of it would look like one of the user.
    if (!this.hasEarlier && !this.hasLater) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const near = NEAR * clientHeight;
    const nearEnd = scrollHeight - scrollTop - clientHeight < near;
    const { following } = this.#follow;
    // A user who follows the end needs little before it. A user who reads further up gets all that is loaded.
    if (this.#hidden.after > 0) this.#draw({ after: A_FRAME });
    else if (this.#hidden.before > 0) {
      if (!following || scrollTop < near) this.#draw({ before: A_FRAME });
    }
    // A full stretch goes on only when the user does, or entries without height would all be gone through.
    else if (after === "drawn" && transcript.cells.length >= MOST_CELLS) return;
    else if (following) {
      if (transcript.earlier && scrollHeight <= clientHeight) void this.earlier();
    } else if (transcript.earlier && scrollTop < near) void this.earlier();
    else if (transcript.later && nearEnd) void this.later();
  }

  /** Which of the loaded cells are drawn: the index of the first, and of the one after the last. */
  #range(all: EntryCell[]): [start: number, end: number] {
    const target = this.#target === null ? -1 : all.findIndex(({ id }) => id === this.#target);
    if (target >= 0) return [Math.max(0, target - BEFORE), Math.min(all.length, target - BEFORE + AROUND)];
    const drawn = this.#drawn;
    if (drawn === null) return this.#target === null ? [Math.max(0, all.length - FIRST), all.length] : [0, 0];
    const start = all.findIndex(({ position }) => position >= drawn.from);
    const end = all.findIndex(({ position }) => position > drawn.to);
    return [Math.max(0, start), end < 0 ? all.length : end];
  }

  /** Draws so many more of the loaded cells. */
  #draw({ before = 0, after = 0 }): void {
    const all = this.#transcript()?.cells ?? [];
    const [start, end] = this.#range(all);
    const from = all[Math.max(0, start - before)]?.position ?? -Infinity;
    const last = all[Math.min(all.length, end + after) - 1]?.position ?? -Infinity;
    const isEnd = end + after >= all.length && !this.#transcript()?.later;
    this.#drawn = { from, to: isEnd ? Infinity : last };
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
