// Axe finds nothing wrong, in any view of the main window and on any card.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { arrive, violations, visit } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";

/** The rules of axe that depend on colours; the enhanced contrast is not among its usual ones. */
const COLOURS = ["color-contrast", "link-in-text-block"];

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
  it(`axe_finds_nothing_${where.replaceAll(" ", "_")}`, () =>
    visit(file, view, { appearance: "light", language }, async (page) => {
      await arrive(page, file, view);
      assert.deepEqual(await violations(page), [], "light");
      const light = await background(page);
      await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
      assert.notEqual(await background(page), light, "the page stayed light");
      assert.deepEqual(await violations(page, COLOURS), [], "dark");
    }));
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
