import { describe, expect, it } from "vitest";
import { larger, smaller, zoomFor } from "../../src/state/zoom";

describe("the zoom of the pages", () => {
  it("goes_up_and_down_the_same_steps_and_ends_at_half_and_double_size", () => {
    const up = [50];
    for (let step = larger(50); step !== up.at(-1); step = larger(step)) up.push(step);
    const down = [200];
    for (let step = smaller(200); step !== down.at(-1); step = smaller(step)) down.push(step);
    expect(up).toEqual(down.reverse());
    expect(up).toContain(100);
    expect([up[0], up.at(-1)]).toEqual([50, 200]);
  });

  it("follows_the_keys_that_browsers_use", () => {
    expect(zoomFor("+", 100)).toBe(110);
    expect(zoomFor("=", 100)).toBe(110);
    expect(zoomFor("-", 100)).toBe(90);
    expect(zoomFor("0", 175)).toBe(100);
    expect(zoomFor("z", 100)).toBeUndefined();
  });
});
