// A long list of which only a part is drawn: says when an end of it comes near while the user scrolls, and keeps what is
// looked at in its place while items are added or dropped in front of it. (WebKit has no scroll anchoring of its own.)
import { tick } from "svelte";

/** How near an end may come, in heights of the scrolling element. */
const NEAR = 1.5;

export class Edges {
  #scroller: HTMLElement | undefined;
  readonly #items: string;
  readonly #near: (end: "start" | "end") => void;

  /** `items` selects the items. */
  constructor(items: string, near: (end: "start" | "end") => void) {
    this.#items = items;
    this.#near = near;
  }

  /** Watches a scrolling element; for `{@attach}`. */
  readonly attach = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    scroller.style.overflowAnchor = "none";
    const look = () => this.#look(NEAR * scroller.clientHeight);
    scroller.addEventListener("scroll", look, { passive: true });
    return () => scroller.removeEventListener("scroll", look);
  };

  /**
   * Says which ends are reached, to within a pixel, since positions are fractions where the screen is scaled. To be called
   * after a change: a user who is at an end cannot scroll further, so no scroll event comes.
   */
  readonly lookAgain = async (): Promise<void> => {
    await tick();
    this.#look(1);
  };

  #look(distance: number): void {
    if (!this.#scroller) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (scrollTop < distance) this.#near("start");
    if (scrollHeight - scrollTop - clientHeight < distance) this.#near("end");
  }

  /** Makes a change and puts the first item in sight back to where it was. */
  readonly hold = async (change: () => void): Promise<void> => {
    const scroller = this.#scroller;
    const edge = scroller?.getBoundingClientRect().top ?? 0;
    const places = [...(scroller?.querySelectorAll(this.#items) ?? [])]
      .map((item) => ({ item, ...boxOf(item) }))
      .filter(({ bottom }) => bottom > edge);
    change();
    await tick();
    const kept = places.find(({ item }) => item.isConnected);
    if (scroller && kept) scroller.scrollTop += boxOf(kept.item).top - kept.top;
  };

  /** Whether the first of the items is reached, to within a pixel. */
  get isAtStart(): boolean {
    return (this.#scroller?.scrollTop ?? 0) < 1;
  }

  toStart(): void {
    if (this.#scroller) this.#scroller.scrollTop = 0;
  }
}

function boxOf(item: Element): { top: number; bottom: number } {
  const { top, bottom } = item.getBoundingClientRect();
  return { top, bottom };
}
