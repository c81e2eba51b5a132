// Whether a click was meant. A click counts only when it is the end of a press that the user made on the same button,
// and when the press began after the guard had passed: a key that was already down, a repeated key, a script or a click
// forwarded from a label never permits anything.

/** One press on one button at a time. */
export class Press {
  #on: EventTarget | null = null;
  #at = 0;

  /** Notes where and when a press began. `now` is in milliseconds of `performance.now()`. */
  begin(event: Event, now: number): void {
    this.#on = null;
    if (!event.isTrusted) return;
    if (event instanceof KeyboardEvent && (event.repeat || !(event.key === "Enter" || event.key === " "))) return;
    this.#on = event.currentTarget;
    this.#at = now;
  }

  /** Whether this click ends a press that began at or after `since`. A press is good for one click. */
  ends(click: Event, since: number): boolean {
    const meant = click.isTrusted && this.#on !== null && this.#on === click.currentTarget && this.#at >= since;
    this.#on = null;
    return meant;
  }
}
