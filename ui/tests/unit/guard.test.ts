import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Guard } from "../../src/questions/frame/guard.svelte";
import { Press } from "../../src/questions/frame/press";

/** An event as the browser would deliver it to a listener on `target`. */
function delivered<Kind extends Event>(event: Kind, target: EventTarget, trusted = true): Kind {
  Object.defineProperty(event, "currentTarget", { value: target });
  Object.defineProperty(event, "isTrusted", { value: trusted });
  return event;
}

const down = (target: EventTarget, trusted = true) => delivered(new Event("pointerdown"), target, trusted);
const key = (target: EventTarget, init: KeyboardEventInit) => delivered(new KeyboardEvent("keydown", init), target);
const click = (target: EventTarget, trusted = true) => delivered(new MouseEvent("click"), target, trusted);

describe("the guard", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("passes_only_after_the_time_the_host_gave", () => {
    const guard = new Guard();
    expect(guard.phase).toBe("waiting");
    expect(guard.since).toBe(Infinity);
    guard.start(500);
    vi.advanceTimersByTime(499);
    expect(guard.phase).toBe("running");
    vi.advanceTimersByTime(1);
    expect(guard.phase).toBe("passed");
    expect(guard.since).toBeLessThan(Infinity);
  });

  it("begins_anew_when_the_window_moves_even_after_it_had_passed", () => {
    const guard = new Guard();
    guard.start(500);
    vi.advanceTimersByTime(400);
    guard.start(500);
    vi.advanceTimersByTime(400);
    expect(guard.phase).toBe("running");
    vi.advanceTimersByTime(100);
    expect(guard.phase).toBe("passed");
    guard.start(500);
    expect(guard.phase).toBe("running");
    expect(guard.since).toBe(Infinity);
  });

  it("never_passes_for_a_card_that_was_taken_away", () => {
    const guard = new Guard();
    guard.start(500);
    guard.reset();
    vi.advanceTimersByTime(10_000);
    expect(guard.phase).toBe("waiting");
  });
});

describe("a press", () => {
  const button = new EventTarget();
  const other = new EventTarget();

  it("counts_when_a_person_pressed_and_released_the_same_button_after_the_guard", () => {
    const press = new Press();
    press.begin(down(button), 1000);
    expect(press.ends(click(button), 900)).toBe(true);
    press.begin(key(button, { key: "Enter" }), 1000);
    expect(press.ends(click(button), 900)).toBe(true);
    press.begin(key(button, { key: " " }), 1000);
    expect(press.ends(click(button), 900)).toBe(true);
  });

  it("does_not_count_when_it_began_before_the_guard_had_passed", () => {
    const press = new Press();
    press.begin(down(button), 899);
    expect(press.ends(click(button), 900)).toBe(false);
    press.begin(down(button), 1000);
    expect(press.ends(click(button), Infinity)).toBe(false);
  });

  it("does_not_count_without_a_beginning_or_twice", () => {
    const press = new Press();
    expect(press.ends(click(button), 0)).toBe(false);
    press.begin(down(button), 10);
    expect(press.ends(click(button), 0)).toBe(true);
    expect(press.ends(click(button), 0)).toBe(false);
  });

  it("does_not_count_when_a_script_made_either_half", () => {
    const press = new Press();
    press.begin(down(button, false), 10);
    expect(press.ends(click(button), 0)).toBe(false);
    press.begin(down(button), 10);
    expect(press.ends(click(button, false), 0)).toBe(false);
  });

  it("does_not_count_for_a_repeated_key_another_key_or_another_button", () => {
    const press = new Press();
    press.begin(key(button, { key: "Enter", repeat: true }), 10);
    expect(press.ends(click(button), 0)).toBe(false);
    press.begin(key(button, { key: "a" }), 10);
    expect(press.ends(click(button), 0)).toBe(false);
    press.begin(down(other), 10);
    expect(press.ends(click(button), 0)).toBe(false);
  });
});
