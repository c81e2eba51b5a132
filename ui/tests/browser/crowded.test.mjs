// As much of everything as there can be: 40 servers, 500 tools, 64 questions, names of 200 characters, descriptions of
// 2,000 in one line, Chinese beside right-to-left. Nothing overlaps, all words can be read, and no button moves.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, refuse } from "./cards.mjs";
import { cutOff, overlaps, unreadable } from "./layout.mjs";
import { arrive, EN, visit } from "./look.mjs";
import { MAIN_VIEWS } from "./pages.mjs";

/** In CSS pixels: two sizes of the window, and the larger one at 200 %. */
const SIZES = [
  { width: 1280, height: 840 },
  { width: 900, height: 600 },
  { width: 640, height: 420 },
];
const NAMES = [
  "a chat at work",
  "results and failures",
  "the model menu",
  "renaming a chat",
  "archive and trash",
  "all servers",
  "tools of a server",
  "about a server",
  "the log of a server",
  "a server that failed",
  "a server that wants a sign in",
  "what a server offers besides tools",
  "picking from a server",
  "workspaces",
  "rules",
  "a rule being changed and tried",
  "the ledger",
  "settings",
  "the palette",
  "the tools of a chat",
  "after stop everything",
  "adding a server",
];
const views = MAIN_VIEWS.filter(({ name }) => NAMES.includes(name));

/** Fails on what is wrong with the page at each size. */
async function wellLaidOut(page, sizes) {
  const found = {};
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
    );
    for (const look of [cutOff, overlaps, unreadable]) {
      const wrong = await page.evaluate(look);
      if (wrong.length > 0) found[`${look.name} at ${size.width}×${size.height}`] = wrong;
    }
  }
  assert.deepEqual(found, {});
}

/** Where these controls are. */
const places = async (page, ids) =>
  Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await page.getByTestId(id).first().boundingBox()])));

describe("as much as there can be", { concurrency: 4 }, () => {
  assert.equal(views.length, NAMES.length);
  for (const view of views) {
    it(`fits_into_${view.name.replaceAll(" ", "_")}`, () =>
      visit("index.html", { ...view, scene: "crowded", ...SIZES[0] }, EN, async (page) => {
        await arrive(page, "index.html", view);
        await wellLaidOut(page, SIZES);
      }));
  }

  it("fits_into_an_opened_tool", () =>
    visit("index.html", { scene: "crowded", ...SIZES[0] }, EN, async (page) => {
      await page.getByTestId("server-row").nth(1).click();
      await page.getByTestId("tool-open").first().click();
      await wellLaidOut(page, SIZES);
    }));

  it("fits_into_64_cards", () =>
    visit("consent.html", { scene: "crowded" }, EN, async (page) => {
      await page.getByTestId("card").waitFor();
      assert.equal(await page.locator(".inbox button").count(), 64);
      await wellLaidOut(page, [...SIZES, { width: 580, height: 575 }, { width: 450, height: 300 }]);
    }));

  it("moves_no_button_of_the_main_window", async () => {
    const ids = ["stop-everything", "to-settings", "to-ledger", "to-rules", "to-palette", "composer", "add"];
    const seen = [];
    for (const scene of ["chat", "crowded"])
      await visit("index.html", { scene, ...SIZES[0] }, EN, async (page) => {
        await page.getByTestId("waiting-row").first().waitFor();
        seen.push(await places(page, ids));
      });
    assert.deepEqual(seen[1], seen[0]);
  });

  it("moves_no_answer_of_a_card", async () => {
    const seen = [];
    for (const scene of ["several", "crowded"])
      await visit("consent.html", { scene, width: 580, height: 700 }, EN, async (page) => {
        await page.getByTestId("card").waitFor();
        seen.push([await refuse(page).boundingBox(), await accept(page).boundingBox()]);
      });
    assert.deepEqual(seen[1], seen[0]);
  });
});
