import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Garbage } from "../../src/state/garbage";

describe("garbage", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is_collected_twice_each_time_after_nothing_was_done_for_five_seconds", () => {
    const collect = vi.fn();
    const garbage = new Garbage(collect);
    garbage.schedule();
    vi.advanceTimersByTime(4000);
    garbage.postpone();
    vi.advanceTimersByTime(4999);
    expect(collect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(collect).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(4000);
    garbage.postpone();
    vi.advanceTimersByTime(4999);
    expect(collect).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(collect).toHaveBeenCalledTimes(2);
    garbage.postpone();
    vi.advanceTimersByTime(60_000);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it("stays_while_an_answer_is_written", () => {
    const collect = vi.fn();
    const garbage = new Garbage(collect);
    garbage.schedule();
    garbage.stop();
    garbage.postpone();
    vi.advanceTimersByTime(60_000);
    expect(collect).not.toHaveBeenCalled();
  });
});
