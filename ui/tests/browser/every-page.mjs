// Every view and every card for people who see differently: who asked for less motion gets none, with colours forced
// by the system what can be answered has an edge and the keyboard's place is seen, and at twice the size nothing has to
// be scrolled sideways and no button is cut off.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { running } from "./cards.mjs";
import { cutOff } from "./layout.mjs";
import { arrive, EN, visit } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";
import { nothingIsForgotten, remember, watch } from "./whole.mjs";

/** All of them, with the file they are in. */
const PAGES = [
  ...MAIN_VIEWS.map((view) => ({ ...view, file: "index.html" })),
  ...CARDS.map((view) => ({ ...view, file: "consent.html" })),
];
/** What is left of each window where everything in it is twice as large, in CSS pixels. */
const HALF = { "index.html": { width: 660, height: 400 }, "consent.html": { width: 280, height: 380 } };
/** How long the page may take to arrange itself anew, in milliseconds. */
const SETTLING = 60_000;

describe("a user who looks", { concurrency: 4 }, () => {
  for (const view of PAGES) {
    it(`can_use_${view.name.replaceAll(" ", "_")}`, () =>
      visit(
        view.file,
        { ...view, begin: (page) => Promise.all([watch(page), view.begin?.(page)]) },
        EN,
        async (page) => {
          await arrive(page, view.file, view);
          await remember(page);
          await settles(page, moving, "moves");

          await page.emulateMedia({ forcedColors: "active" });
          assert.deepEqual(await page.evaluate(withoutEdge), []);
          assert.deepEqual(await unseenStops(page), []);

          await page.emulateMedia({ forcedColors: "none" });
          await page.setViewportSize(HALF[view.file]);
          await settles(page, cutOff, "does not fit");
        },
      ));
  }

  it("sees_motion_if_nothing_else_was_asked_for", () =>
    visit(
      "consent.html",
      { scene: "call_tool", guard: "held", context: { reducedMotion: "no-preference" } },
      EN,
      async (page) => {
        await running(page);
        assert.notDeepEqual(await page.evaluate(moving), []);
      },
    ));
});

nothingIsForgotten();

/** Waits until `find` finds nothing any more on the page. */
async function settles(page, find, what) {
  const deadline = Date.now() + SETTLING;
  for (;;) {
    const found = await page.evaluate(find);
    if (found.length === 0) return;
    assert.ok(Date.now() < deadline, `${what}:\n${found.join("\n")}`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

/** In the page: what moves for longer than a flash. */
function moving() {
  return document
    .getAnimations()
    .filter((it) => it.playState === "running" && Number(it.effect?.getComputedTiming().duration) > 50)
    .map((it) => `${it.effect.target?.className}: ${it.animationName ?? it.transitionProperty}`);
}

/** In the page: answers and fields that forced colours would melt into what is around them. */
function withoutEdge() {
  const edged = (it) => {
    const style = getComputedStyle(it);
    return ["Top", "Bottom"].some(
      (side) => style[`border${side}Style`] !== "none" && parseFloat(style[`border${side}Width`]) > 0,
    );
  };
  return [...document.querySelectorAll("[data-testid^=answer-], textarea, select, input[type=text], input:not([type])")]
    .filter((it) => it.getBoundingClientRect().width > 0 && !edged(it) && !edged(it.parentElement))
    .map((it) => it.outerHTML.slice(0, 120));
}

/** What the next three presses of Tab reach without its being seen. Behind the last thing on a page is nothing. */
async function unseenStops(page) {
  const stops = [];
  for (let press = 0; press < 3; press += 1) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(unseenFocus));
  }
  return stops.filter((stop) => stop !== null);
}

/** In the page: what has the focus without showing it. */
function unseenFocus() {
  const it = document.activeElement;
  if (it === null || it === document.body) return null;
  const near = [it, it.parentElement, it.nextElementSibling].filter((one) => one !== null);
  const seen = near.some((one) => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  });
  return seen ? null : it.outerHTML.slice(0, 120);
}
