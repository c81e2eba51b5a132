// Every view of the main window and every card, for people who see differently: axe finds nothing, who asked for less
// motion gets none, with colours forced by the system what can be answered has an edge and the keyboard's place is seen,
// and at half and twice the size no word is cut off and no control is out of reach.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cutOff, unreadable } from "./layout.mjs";
import { arrive, load, open, violations } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";
import { remember } from "./whole.mjs";

/** Rules of axe that depend on the appearance, and those that depend on the words. */
const COLOURS = ["color-contrast", "link-in-text-block"];
const WORDS = [
  "aria-command-name",
  "aria-dialog-name",
  "aria-input-field-name",
  "aria-meter-name",
  "aria-progressbar-name",
  "aria-toggle-field-name",
  "aria-tooltip-name",
  "aria-treeitem-name",
  "button-name",
  "document-title",
  "empty-heading",
  "html-has-lang",
  "html-lang-valid",
  "image-alt",
  "label",
  "label-title-only",
  "link-name",
  "role-img-alt",
  "select-name",
  "summary-name",
  "svg-img-alt",
];

/** What a window is in CSS pixels when its page is zoomed to 50 and to 200 %: the main one at its first size, and the other. */
const ZOOMED = {
  "index.html": [
    { width: 2560, height: 1680 },
    { width: 640, height: 400 },
  ],
  "consent.html": [
    { width: 1160, height: 1520 },
    { width: 280, height: 380 },
  ],
};
/** The longest time until nothing moves on a page, in milliseconds. */
const LONGEST_MOTION = 60_000;

/**
 * Tests every page in one language. Each language has a file of its own, so that they run side by side. Most of the time
 * goes into loading pages and into axe, so each page is loaded once, in English with the light appearance and in Chinese
 * with the dark one. All rules of axe run in English; of a page in Chinese only what may differ is looked at again.
 */
export function everyPage(language) {
  const look = { appearance: language === "en" ? "light" : "dark", language };
  // Loading a page waits as much as it computes, so several run side by side.
  describe(`every page, ${language}`, { concurrency: 4 }, () => {
    for (const view of MAIN_VIEWS) onePage(`in_${view.name}`, "index.html", view, look);
    for (const view of CARDS) onePage(`on_the_card_${view.name}`, "consent.html", view, look);
  });
}

function onePage(name, file, view, look) {
  const where = name.replaceAll(" ", "_");
  const english = look.language === "en";
  // The tests of one page share it, so they do not inherit that pages run side by side.
  describe(where, { concurrency: 1 }, () => {
    let opened;
    let page;
    before(async () => {
      // A start that failed knows only what the system prefers.
      opened = await open(file, { ...view, context: { colorScheme: look.appearance } }, look);
      page = opened.page;
      await load(opened, file, view);
      await arrive(page, file, view);
      if (english) await remember(page);
    });
    after(() => opened?.leave());

    if (english) it(`nothing_moves_${where}`, () => rests(page));

    if (english && file === "consent.html" && !view.go)
      it(`the_answers_stay_where_they_were_drawn_${where}`, async () =>
        assert.deepEqual(await page.evaluate(movedAnswers), []));

    it(`axe_finds_nothing_${where}`, async () => {
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), look.appearance);
      assert.deepEqual(await violations(page, english ? undefined : [...COLOURS, ...WORDS]), []);
    });

    if (english) {
      it(`forced_colours_leave_edges_and_the_focus_${where}`, async () => {
        await page.emulateMedia({ forcedColors: "active" });
        try {
          assert.deepEqual(await page.evaluate(withoutEdge), []);
          assert.deepEqual(await unseenStops(page), []);
        } finally {
          await page.emulateMedia({ forcedColors: "none" });
        }
      });
    }

    for (const size of ZOOMED[file]) {
      it(`no_word_is_cut_at_${size.width}_by_${size.height}_${where}`, async () => {
        await page.setViewportSize(size);
        await twoFrames(page);
        for (const wrong of [cutOff, unreadable]) assert.deepEqual(await page.evaluate(wrong), [], wrong.name);
      });
    }

    it(`nothing_goes_wrong_${where}`, () => assert.deepEqual(opened.wrong, []));
  });
}

const twoFrames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Waits until nothing moves on the page. */
async function rests(page) {
  const deadline = Date.now() + LONGEST_MOTION;
  for (;;) {
    const found = await page.evaluate(moving);
    if (found.length === 0) return;
    assert.ok(Date.now() < deadline, `moves:\n${found.join("\n")}`);
    await twoFrames(page);
  }
}

/** In the page: what moves for longer than a flash. */
export function moving() {
  return document
    .getAnimations()
    .filter((it) => it.playState === "running" && Number(it.effect?.getComputedTiming().duration) > 50)
    .map((it) => `${it.effect.target?.className}: ${it.animationName ?? it.transitionProperty}`);
}

/** In the page: how the answers of a card moved since they were drawn. */
function movedAnswers() {
  return new Promise((done) => {
    const moved = [];
    new PerformanceObserver((list) => {
      for (const { node, previousRect, currentRect } of list.getEntries().flatMap(({ sources }) => sources))
        if (node?.matches?.(".answers")) moved.push(`from ${previousRect.y} to ${currentRect.y}`);
    }).observe({ type: "layout-shift", buffered: true });
    // What happened before is reported in the next task.
    requestAnimationFrame(() => requestAnimationFrame(() => done(moved)));
  });
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
