// Axe finds nothing wrong, in any view of the main window and on any card; and at half and twice the size no word is cut
// off and no control is out of reach.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cutOff, unreadable } from "./layout.mjs";
import { arrive, violations, visit } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";

/** The rules of axe that depend on colours; the enhanced contrast is not among its usual ones. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** What a window is in CSS pixels when its page is zoomed to 50 and to 200 %: the main one at its first size, and the other. */
const ZOOMED = {
  "index.html": [
    { width: 2560, height: 1680 },
    { width: 640, height: 420 },
  ],
  "consent.html": [
    { width: 1160, height: 1520 },
    { width: 290, height: 380 },
  ],
};

/** Tests every page in one language. Each language has a file of its own, so that they run side by side. */
export function axe(language) {
  // Loading a page waits as much as it computes, so several run side by side.
  describe(`axe, ${language}`, { concurrency: 4 }, () => {
    for (const view of MAIN_VIEWS) finds(`in_${view.name}`, "index.html", view, language);
    for (const view of CARDS) finds(`on_the_card_${view.name}`, "consent.html", view, language);
  });
}

// Most of the time goes into loading a page. The appearance changes nothing but colours, so the dark one is looked at
// in the page that is there, by the rules about colours.
function finds(where, file, view, language) {
  it(`axe_finds_nothing_and_zoom_cuts_no_word_${where.replaceAll(" ", "_")}`, () =>
    visit(file, view, { appearance: "light", language }, async (page) => {
      await arrive(page, file, view);
      assert.deepEqual(await violations(page), [], "light");
      const light = await background(page);
      await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
      assert.notEqual(await background(page), light, "the page stayed light");
      assert.deepEqual(await violations(page, COLOURS), [], "dark");
      for (const size of ZOOMED[file]) {
        await page.setViewportSize(size);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        for (const look of [cutOff, unreadable])
          assert.deepEqual(await page.evaluate(look), [], `${look.name} at ${size.width}×${size.height}`);
      }
    }));
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
