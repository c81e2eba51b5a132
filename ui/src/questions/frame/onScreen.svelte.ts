// Whether everything that a yes agrees to is on screen: how long it holds, what that means, under which conditions. A
// part that is scrolled away, cut off by the window or covered is not. `all` follows the layout and disables the
// answer; `measured` is asked again at the press itself, because an observer reports only after the next frame.
import { SvelteMap } from "svelte/reactivity";

/** How much of a part may be outside, as a share of its area: less than a line of text, more than a rounding error. */
const WHOLE = 0.98;
/** The same in CSS pixels, where boxes are compared. */
const SLACK = 1.5;

export class OnScreen {
  /** Of each part whether it is on screen; null until the observer has reported. */
  readonly #parts = new SvelteMap<Element, boolean | null>();
  readonly #observer = new IntersectionObserver((entries) => this.#note(entries), {
    threshold: [0, 0.5, 0.9, WHOLE, 1],
  });

  /** Whether all parts were on screen when the last frame was drawn. */
  all = $derived([...this.#parts.values()].every(Boolean));

  /** Whether a part is known not to be. A part that was just drawn is neither on screen nor off it. */
  off = $derived([...this.#parts.values()].includes(false));

  /** Attachment for an element that has to be on screen. */
  readonly part = (element: Element): (() => void) => {
    this.#parts.set(element, null);
    this.#observer.observe(element);
    return () => {
      this.#observer.unobserve(element);
      this.#parts.delete(element);
    };
  };

  /** Whether all parts are on screen now, by their boxes and by what is on top of them. */
  measured(): boolean {
    return [...this.#parts.keys()].every((part) => isWhole(part) && isOnTop(part));
  }

  /** Scrolls the first part that is not on screen into sight. */
  reveal(): void {
    const hidden = [...this.#parts.keys()].find((part) => !isWhole(part));
    hidden?.scrollIntoView({ block: "nearest" });
  }

  close(): void {
    this.#observer.disconnect();
  }

  #note(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, intersectionRatio } of entries) {
      if (this.#parts.has(target)) this.#parts.set(target, isIntersecting && intersectionRatio >= WHOLE);
    }
  }
}

/** Whether no scrolling ancestor and no edge of the window cuts the element. */
function isWhole(element: Element): boolean {
  const box = element.getBoundingClientRect();
  const room = { top: 0, bottom: window.innerHeight, left: 0, right: window.innerWidth };
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (getComputedStyle(parent).overflowY === "visible") continue;
    const edge = parent.getBoundingClientRect();
    room.top = Math.max(room.top, edge.top);
    room.bottom = Math.min(room.bottom, edge.bottom);
  }
  const inHeight = box.top >= room.top - SLACK && box.bottom <= room.bottom + SLACK;
  return inHeight && box.left >= room.left - SLACK && box.right <= room.right + SLACK;
}

/** Whether nothing covers the middle of the element. */
function isOnTop(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return found !== null && (element.contains(found) || found.contains(element));
}
