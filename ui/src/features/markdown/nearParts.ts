// Which parts of long lists and tables are near what the scrolling element shows. The others are empty and as high as they
// were: an answer can have thousands of rows, whose elements take memory and slow every layout down.
import { flushSync, getContext, setContext } from "svelte";
import type { Part } from "./part.svelte";

/** How far from the edges of the scrolling element a part still has its content, in pixels. */
const MARGIN = 2_000;
const KEY = Symbol("the near parts");

/** The parts of all texts in a scrolling element. */
export class NearParts {
  readonly #parts = new Map<Element, Part>();
  /** Parts that went away with a selection or the focus in them, and keep their content until that is gone. */
  readonly #held = new Set<Element>();
  readonly #shift: (by: number) => void;
  #observer: IntersectionObserver | undefined;
  #root: Element | undefined;
  /** How many want all parts drawn. */
  #whole = 0;

  /** `shift` moves the content by so many pixels, which is no scroll of the user. */
  constructor(shift: (by: number) => void) {
    this.#shift = shift;
  }

  /** Watches the parts in a scrolling element; for `{@attach}`. */
  readonly attach = (scroller: Element): (() => void) => {
    this.#root = scroller;
    this.#observer = new IntersectionObserver((changes) => this.#moved(changes), {
      root: scroller,
      rootMargin: `${MARGIN}px 0px`,
    });
    for (const element of this.#parts.keys()) this.#observer.observe(element);
    const selected = () => this.#selected();
    document.addEventListener("selectionchange", selected);
    return () => {
      document.removeEventListener("selectionchange", selected);
      this.#observer?.disconnect();
      this.#observer = undefined;
    };
  };

  watch(element: Element, part: Part): () => void {
    this.#parts.set(element, part);
    this.#observer?.observe(element);
    return () => {
      this.#observer?.unobserve(element);
      this.#parts.delete(element);
      this.#held.delete(element);
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
    const come: Element[] = [];
    // Of each part the last change counts.
    const last = new Map(changes.map((change) => [change.target, change]));
    for (const { target, isIntersecting, boundingClientRect } of last.values()) {
      const part = this.#parts.get(target);
      if (!part || this.#whole > 0) continue;
      this.#held.delete(target);
      if (isIntersecting) come.push(target);
      else if (isUsed(target)) this.#held.add(target);
      else empty(part, boundingClientRect.height);
    }
    this.#draw(come);
    this.#release();
  }

  /** Draws empty parts. What is seen stays where it is, also where a part has another height than before. */
  #draw(elements: readonly Element[]): void {
    const empties = elements.filter((element) => this.#parts.get(element)?.drawn === false);
    if (empties.length === 0) return;
    const top = this.#root?.getBoundingClientRect().top ?? 0;
    const above = empties.filter((element) => element.getBoundingClientRect().bottom <= top);
    const before = heightOf(above);
    for (const element of empties) {
      const part = this.#parts.get(element);
      if (part) [part.drawn, part.height] = [true, undefined];
    }
    flushSync();
    this.#shift(heightOf(above) - before);
  }

  /** What is selected is drawn, so that all of it is copied. */
  #selected(): void {
    const empties = [...this.#parts].filter(([, part]) => !part.drawn).map(([element]) => element);
    const selected = empties.filter((element) => isSelected(element));
    this.#draw(selected);
    for (const element of selected) this.#held.add(element);
    this.#release();
  }

  /** Empties the parts that were held by what is gone now. */
  #release(): void {
    for (const element of this.#held) {
      if (isUsed(element)) continue;
      this.#held.delete(element);
      const part = this.#parts.get(element);
      if (part) empty(part, element.getBoundingClientRect().height);
    }
  }
}

/** Whether a part has the focus or something of the selection. */
const isUsed = (element: Element): boolean => isSelected(element) || element.contains(document.activeElement);

function isSelected(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}

function empty(part: Part, height: number): void {
  [part.drawn, part.height] = [false, `${height}px`];
}

const heightOf = (elements: readonly Element[]): number =>
  elements.reduce((sum, element) => sum + element.getBoundingClientRect().height, 0);

export const setNearParts = (parts: NearParts): NearParts => setContext(KEY, parts);
/** Undefined where the text is in no scrolling element that watches its parts; all of them are drawn there. */
export const nearParts = (): NearParts | undefined => getContext<NearParts | undefined>(KEY);
