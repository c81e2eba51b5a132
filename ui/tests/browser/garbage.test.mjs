// The window has garbage collected at rest, and not while a chat is at work. These tests run on the minified page, because a
// minifier drops what it believes to have no effect.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, framesPass, visit } from "./look.mjs";

/** A buffer of so many bytes is made for nothing but the collection. */
const LARGE = 1024 * 1024;

/** Counts the bytes of the large buffers that the page makes from now on. */
const watchBuffers = (page) =>
  page.evaluate((large) => {
    const Buffer = globalThis.ArrayBuffer;
    globalThis.allocated = 0;
    globalThis.ArrayBuffer = class extends Buffer {
      constructor(length) {
        super(length);
        if (length >= large) globalThis.allocated += length;
      }
    };
  }, LARGE);

/** Goes to another view and lets so many milliseconds pass in which nothing is done. Returns how much was allocated. */
async function restAfterChange(page, rest) {
  await watchBuffers(page);
  await page.clock.install();
  await page.keyboard.press("Control+,");
  await page.getByTestId("add-connection").waitFor();
  await framesPass(page);
  await page.clock.fastForward(rest);
  await framesPass(page);
  return page.evaluate(() => globalThis.allocated);
}

describe("the window", () => {
  it("has_garbage_collected_five_seconds_after_another_view_was_shown", () =>
    visit("index.html", { scene: "first" }, EN, async (page) => {
      const allocated = await restAfterChange(page, 5_000);
      assert.ok(allocated >= 512 * LARGE, `${allocated} bytes`);
    }));

  it("has_no_garbage_collected_while_a_chat_is_at_work", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      assert.equal(await restAfterChange(page, 60_000), 0);
    }));
});
