// Axe finds nothing wrong, in any view of the main window and on any card.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { arrive, violations, visit } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";

/** Tests every page in one look. Each look has a file of its own, so that they run side by side. */
export function axe(look) {
  // Loading a page waits as much as it computes, so several run side by side.
  describe(`${look.appearance}, ${look.language}`, { concurrency: 4 }, () => {
    for (const view of MAIN_VIEWS) finds(`in_${view.name}`, "index.html", view, look);
    for (const view of CARDS) finds(`on_the_card_${view.name}`, "consent.html", view, look);
  });
}

function finds(where, file, view, look) {
  it(`axe_finds_nothing_${where.replaceAll(" ", "_")}`, () =>
    visit(file, view, look, async (page) => {
      await arrive(page, file, view);
      assert.deepEqual(await violations(page), []);
    }));
}
