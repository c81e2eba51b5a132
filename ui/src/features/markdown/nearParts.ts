// Which parts of texts are near what the scrolling element shows: runs of blocks, items of long lists, rows of long tables.
// The others are empty and as high as they were, since an answer can have thousands of rows, whose elements take memory.
import { flushSync, getContext, setContext } from "svelte";
import type { Part } from "./part.svelte";

/** How far from the edges of the scrolling element a part still has its content, in pixels. */
const MARGIN = 2_000;
/** A scroll of so many pixels is looked at in the same frame. */
const FAR = MARGIN / 2;
/** What moves less, or changes its size, is looked at so many milliseconds later. */
const SOON = 100;
const KEY = Symbol("the near parts");

/** The parts of all texts in a scrolling element. */
export class NearParts {
  readonly #parts = new Map<Element, Part>();
  /** Parts that went away with a selection or the focus in them, and keep their content until that is gone. */
  readonly #held = new Set<Element>();
  readonly #shift: (by: number) => void;
  /** Tells when parts with content go away. It is not told of empty ones, since it measures all of its parts in each frame. */
  #observer: IntersectionObserver | undefined;
  #scroller: Element | undefined;
  /** Where the scrolling element was when empty parts were looked at. */
  #looked = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  /** How many want all parts drawn. */
  #whole = 0;

  /** `shift` moves the content by so many pixels, which is no scroll of the user. */
  constructor(shift: (by: number) => void) {
    this.#shift = shift;
  }

  /** Watches the parts in a scrolling element, whose first child is the content; for `{@attach}`. */
  readonly attach = (scroller: Element): (() => void) => {
    this.#scroller = scroller;
    this.#observer = new IntersectionObserver((changes) => this.#moved(changes), {
      root: scroller,
      rootMargin: `${MARGIN}px 0px`,
    });
    for (const element of this.#parts.keys()) this.#observer.observe(element);
    const size = new ResizeObserver(() => this.#lookSoon());
    size.observe(scroller);
    if (scroller.firstElementChild) size.observe(scroller.firstElementChild);
    const events = new AbortController();
    const { signal } = events;
    document.addEventListener("selectionchange", () => this.#selected(), { signal });
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    return () => {
      events.abort();
      size.disconnect();
      clearTimeout(this.#soon);
      this.#observer?.disconnect();
      [this.#observer, this.#scroller, this.#soon] = [undefined, undefined, undefined];
    };
  };

  /** Watches the element of a part until the returned function is called. */
  watch(element: Element, part: Part): () => void {
    this.#parts.set(element, part);
    this.#observer?.observe(element);
    return () => {
      this.#observer?.unobserve(element);
      this.#parts.delete(element);
      this.#held.delete(element);
      // What is not watched any more is drawn.
      [part.drawn, part.height] = [true, undefined];
    };
  }

  /** Draws all parts, and keeps them drawn until the returned function is called. */
  drawAll(): () => void {
    this.#whole += 1;
    this.#draw([...this.#parts.keys()]);
    return () => {
      this.#whole -= 1;
      if (this.#whole > 0) return;
      // The observer tells again of each what it is.
      for (const element of this.#parts.keys()) {
        this.#observer?.unobserve(element);
        this.#observer?.observe(element);
      }
    };
  }

  #moved(changes: readonly IntersectionObserverEntry[]): void {
    // Of each part the last change counts.
    const last = new Map(changes.map((change) => [change.target, change]));
    for (const { target, isIntersecting, boundingClientRect } of last.values()) {
      const part = this.#parts.get(target);
      if (!part?.drawn || this.#whole > 0) continue;
      this.#held.delete(target);
      if (isIntersecting) continue;
      if (isUsed(target)) this.#held.add(target);
      else this.#empty(target, part, boundingClientRect.height);
    }
    this.#release();
  }

  #scrolled(): void {
    if (Math.abs((this.#scroller?.scrollTop ?? 0) - this.#looked) > FAR) this.#look();
    else this.#lookSoon();
  }

  #lookSoon(): void {
    this.#soon ??= setTimeout(() => this.#look(), SOON);
  }

  /** Draws the empty parts that are near. */
  #look(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (!this.#scroller) return;
    this.#looked = this.#scroller.scrollTop;
    const { top, bottom } = this.#scroller.getBoundingClientRect();
    this.#draw(
      this.#empties().filter((element) => {
        const edge = element.getBoundingClientRect();
        return edge.bottom >= top - MARGIN && edge.top <= bottom + MARGIN;
      }),
    );
  }

  #empties(): Element[] {
    return [...this.#parts].filter(([, part]) => !part.drawn).map(([element]) => element);
  }

  /** Draws empty parts. What is seen stays where it is, also where a part has another height than before. */
  #draw(elements: readonly Element[]): void {
    const empties = elements.filter((element) => this.#parts.get(element)?.drawn === false);
    if (empties.length === 0) return;
    const top = this.#scroller?.getBoundingClientRect().top ?? 0;
    const above = empties.filter((element) => element.getBoundingClientRect().bottom <= top);
    const before = heightOf(above);
    for (const element of empties) {
      const part = this.#parts.get(element);
      if (part) [part.drawn, part.height] = [true, undefined];
      this.#observer?.observe(element);
    }
    flushSync();
    this.#shift(heightOf(above) - before);
  }

  /** What is selected is drawn, so that all of it is copied. */
  #selected(): void {
    this.#draw(this.#empties().filter((element) => isSelected(element)));
    this.#release();
  }

  /** Empties the parts that were held by what is gone now. */
  #release(): void {
    for (const element of this.#held) {
      if (isUsed(element)) continue;
      this.#held.delete(element);
      const part = this.#parts.get(element);
      if (part) this.#empty(element, part, element.getBoundingClientRect().height);
    }
  }

  #empty(element: Element, part: Part, height: number): void {
    [part.drawn, part.height] = [false, `${height}px`];
    this.#observer?.unobserve(element);
  }
}

/** Whether a part has the focus or something of the selection. */
const isUsed = (element: Element): boolean => isSelected(element) || element.contains(document.activeElement);

function isSelected(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}

const heightOf = (elements: readonly Element[]): number =>
  elements.reduce((sum, element) => sum + element.getBoundingClientRect().height, 0);

export const setNearParts = (parts: NearParts): NearParts => setContext(KEY, parts);
/** Undefined where the text is in no scrolling element that watches its parts; all of them are drawn there. */
export const nearParts = (): NearParts | undefined => getContext<NearParts | undefined>(KEY);
