// Keeps the end of a conversation in view while it grows. Only the user's own scrolling ends that: content that arrives
// between a scroll and its event must not look like the user moved away, so a scroll counts only right after a wheel, a
// key, a touch or a drag. A send, and scrolling back to the end, resume it.

/** A scroll this long after an action of the user is still its effect, in milliseconds. */
const EFFECT_MS = 600;
/** Layout may leave the end this far away, in pixels. */
const SLACK = 4;

export class Follow {
  following = $state(true);
  #scroller: HTMLElement | undefined;
  #top = 0;
  #actedAt = -Infinity;
  #openedAt = -Infinity;
  #dragging = false;
  readonly #hasEnd: () => boolean;

  /** `hasEnd` says whether the content has an end to follow; a chat without entries, or without its newest, has none. */
  constructor(hasEnd: () => boolean = () => true) {
    this.#hasEnd = hasEnd;
  }

  /** Watches a scrolling element whose only child is the content; for `{@attach}`. */
  readonly attach = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    const size = new ResizeObserver(() => this.#grown());
    size.observe(scroller);
    if (scroller.firstElementChild) size.observe(scroller.firstElementChild);
    const events = new AbortController();
    const passive = { passive: true, signal: events.signal };
    scroller.addEventListener("wheel", (event) => this.#wheel(event), passive);
    scroller.addEventListener("scroll", () => this.#scrolled(), passive);
    for (const type of ["keydown", "touchmove"] as const) scroller.addEventListener(type, () => this.#act(), passive);
    scroller.addEventListener("pointerdown", () => (this.#dragging = true), passive);
    scroller.addEventListener("click", () => (this.#openedAt = performance.now()), passive);
    for (const type of ["pointerup", "pointercancel"] as const) addEventListener(type, () => this.#drop(), passive);
    return () => {
      events.abort();
      size.disconnect();
      this.#scroller = undefined;
    };
  };

  /** Stays where it is, because something else is shown. */
  leave(): void {
    this.following = false;
  }

  /** Shows the end and stays there. A scroll that the user began before, and that still moves, does not end that. */
  toEnd(): void {
    this.following = true;
    this.#actedAt = -Infinity;
    this.#openedAt = -Infinity;
    this.#show();
  }

  /** Follows again where the end is in sight. */
  resume(): void {
    if (this.#scroller && this.#hasEnd() && this.#distance(this.#scroller) <= SLACK) this.following = true;
  }

  /** Moves the content by so many pixels, which is no scroll of the user. */
  shift(by: number): void {
    if (!this.#scroller || by === 0) return;
    this.#scroller.scrollTop += by;
    this.#top = this.#scroller.scrollTop;
  }

  #show(): void {
    if (!this.#scroller) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#top = this.#scroller.scrollTop;
  }

  #distance({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
    return scrollHeight - scrollTop - clientHeight;
  }

  #act(): void {
    this.#actedAt = performance.now();
  }

  #drop(): void {
    if (this.#dragging) this.#act();
    this.#dragging = false;
  }

  /** Ends following before the scroll, since content that arrives first would undo the scroll. */
  #wheel(event: WheelEvent): void {
    this.#act();
    const scroller = this.#scroller;
    if (scroller && event.deltaY < 0 && scroller.scrollTop > 0 && !scrollsInside(event.target, scroller)) {
      this.following = false;
    }
  }

  #scrolled(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const before = this.#top;
    this.#top = scroller.scrollTop;
    if (!this.#dragging && performance.now() - this.#actedAt > EFFECT_MS) return;
    if (this.#top < before) this.following = false;
    else if (this.#distance(scroller) <= SLACK && this.#hasEnd()) this.following = true;
  }

  /** What the user opens by a click stays in view instead of the end. */
  #grown(): void {
    const scroller = this.#scroller;
    if (!scroller || !this.following || !this.#hasEnd()) return;
    const opened = performance.now() - this.#openedAt < EFFECT_MS;
    if (opened && this.#distance(scroller) > SLACK) this.following = false;
    else this.#show();
  }
}

/** Whether a box inside of the scroller takes a wheel upwards. */
function scrollsInside(target: EventTarget | null, scroller: HTMLElement): boolean {
  for (let box = target as HTMLElement | null; box && box !== scroller; box = box.parentElement) {
    if (box.scrollTop > 0 && /auto|scroll/.test(getComputedStyle(box).overflowY)) return true;
  }
  return false;
}
