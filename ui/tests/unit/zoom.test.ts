import { describe, expect, it } from "vitest";
import { larger, smaller, ZoomKeys, zoomFor } from "../../src/state/zoom";

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

  it("counts_each_press_however_quickly_they_come", async () => {
    let settings = 100;
    const saved: (() => void)[] = [];
    const keys = new ZoomKeys((zoom) => new Promise<void>((done) => saved.push(() => done(void (settings = zoom)))));
    for (const key of ["+", "+", "+", "-"]) expect(keys.press(key, settings)).toBe(true);
    expect(keys.press("z", settings)).toBe(false);
    // The first press is saved at once, the last one after it.
    saved.shift()?.();
    await expect.poll(() => saved.length).toBe(1);
    expect(settings).toBe(110);
    expect(keys.press("+", settings)).toBe(true);
    for (let at = 0; settings !== 150; at += 1) {
      expect(at).toBeLessThan(3);
      await expect.poll(() => saved.length).toBe(1);
      saved.shift()?.();
      await Promise.resolve();
    }
    await expect.poll(() => keys.press("0", settings) && saved.length).toBe(1);
  });

  it("follows_the_keys_that_browsers_use", () => {
    expect(zoomFor("+", 100)).toBe(110);
    expect(zoomFor("=", 100)).toBe(110);
    expect(zoomFor("-", 100)).toBe(90);
    expect(zoomFor("0", 175)).toBe(100);
    expect(zoomFor("z", 100)).toBeUndefined();
  });
});
