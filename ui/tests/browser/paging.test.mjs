// A long chat is loaded and drawn in parts: its end first, the rest as it comes near, and never more than is near.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const ENTRIES = 10_000;
/** The most elements of a page with a long chat in it. */
const MOST_ELEMENTS = 12_000;
/** The most nodes of a document that shows the end of a long chat: elements, texts, and the comments of Svelte. */
const MOST_NODES = 6_000;
const box = (page) => page.getByRole("region", { name: "Conversation" });
const entry = (page, number) => page.locator(`[data-entry=long-${number}]`);
const shownEntries = (page) =>
  page.locator("[data-entry]").evaluateAll((all) => all.map(({ dataset }) => Number(dataset.entry.split("-")[1])));

/** Opens a chat with many entries; its last is a message of the user. */
const long = (act, view = {}) =>
  visit("index.html", { scene: "chat", ...view }, EN, async (page) => {
    await page.evaluate((count) => globalThis.fake.addLongChat("long", count), ENTRIES);
    await page.locator("[data-chat=long]").click();
    await entry(page, ENTRIES - 1).waitFor();
    await act(page);
  });

async function hover(page) {
  const { x, y, width, height } = await box(page).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
}

/** Waits until nothing was loaded or moved for ten frames. */
const rest = (page) =>
  box(page).evaluate(async (it) => {
    let seen = "";
    for (let still = 0; still < 10;) {
      const now = `${it.scrollTop} ${it.scrollHeight}`;
      still = now === seen ? still + 1 : 0;
      seen = now;
      await new Promise((done) => requestAnimationFrame(done));
    }
  });

const numberOfFirst = () => Number(document.querySelector("[data-entry]").dataset.entry.split("-")[1]);

function countNodes() {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  let count = 0;
  while (walker.nextNode()) count += 1;
  return count;
}

/** The first entry in sight, and where it is. */
const inSight = (page) =>
  page.evaluate(() => {
    const edge = document.querySelector(".flow").getBoundingClientRect().top;
    const seen = [...document.querySelectorAll("[data-entry]")].find((one) => one.getBoundingClientRect().top > edge);
    return { id: seen.dataset.entry, top: seen.getBoundingClientRect().top };
  });

/** Waits until entries before this one are drawn. */
const loadedBefore = (page, first) =>
  page.waitForFunction(
    (first) => Number(document.querySelector("[data-entry]").dataset.entry.split("-")[1]) < first,
    first,
  );

describe("a chat of ten thousand entries", () => {
  it("shows_its_end_and_only_what_is_near_it", () =>
    long(async (page) => {
      await rest(page);
      const shown = await shownEntries(page);
      assert.equal(Math.max(...shown), ENTRIES - 1);
      assert.ok(Math.min(...shown) >= ENTRIES - 120, `from ${Math.min(...shown)}`);
      assert.equal(await page.getByTestId("to-end").count(), 0);
      const nodes = await page.evaluate(countNodes);
      assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
    }));

  it("loads_earlier_entries_on_scrolling_up_and_moves_nothing_that_is_read", () =>
    long(async (page) => {
      await rest(page);
      await hover(page);
      for (let turn = 0; turn < 3; turn += 1) {
        const first = await page.evaluate(numberOfFirst);
        await page.mouse.wheel(0, -1_000_000);
        await loadedBefore(page, first);
        await rest(page);
        const [before, loaded] = [await inSight(page), await page.evaluate(numberOfFirst)];
        await page.getByTestId("earlier").evaluate((button) => button.click());
        await loadedBefore(page, loaded);
        await rest(page);
        const { y } = await page.locator(`[data-entry=${before.id}]`).boundingBox();
        assert.ok(Math.abs(y - before.top) <= 1, `${y - before.top} px in turn ${turn}`);
      }
      const shown = await shownEntries(page);
      assert.ok(Math.min(...shown) < ENTRIES - 180, "earlier ones are there");
      assert.ok(shown.length <= 180, `${shown.length} are drawn`);
      assert.ok((await page.locator("*").count()) < MOST_ELEMENTS);
    }));

  it("leads_back_to_the_end_and_follows_it_again", () =>
    long(async (page) => {
      await hover(page);
      for (let turn = 0; turn < 20; turn += 1) {
        await page.mouse.wheel(0, -3000);
        await rest(page);
      }
      assert.equal(await entry(page, ENTRIES - 1).count(), 0, "the end was dropped");
      const body = { kind: "user", text: "Something new", attachments: [] };
      await page.evaluate((body) => globalThis.fake.putEntry("long", body, "long-new"), body);
      await page.getByTestId("to-end").click();
      await page.getByTestId("to-end").waitFor({ state: "detached" });
      await page.locator("[data-entry=long-new]").waitFor();
      await rest(page);
      const left = await box(page).evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
      assert.ok(left <= 4, `${left} px`);
    }));

  it("reaches_the_end_again_by_scrolling_down", () =>
    long(async (page) => {
      await hover(page);
      for (let turn = 0; turn < 20; turn += 1) {
        await page.mouse.wheel(0, -3000);
        await rest(page);
      }
      for (let turn = 0; turn < 80 && (await page.getByTestId("to-end").count()) > 0; turn += 1) {
        await page.mouse.wheel(0, 3000);
        await rest(page);
      }
      assert.equal(await page.getByTestId("to-end").count(), 0);
      assert.ok(await entry(page, ENTRIES - 1).isVisible());
      assert.ok((await shownEntries(page)).length <= 180);
    }));

  it("shows_an_entry_far_up_that_was_searched_for", () =>
    long(async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("Message 4203");
      await page
        .getByRole("option", { name: /Message 4203/ })
        .first()
        .click();
      await page.locator("[data-entry=long-4203].found").waitFor();
      const found = await entry(page, 4203).boundingBox();
      await rest(page);
      const { y } = await entry(page, 4203).boundingBox();
      assert.ok(Math.abs(y - found.y) <= 1, `moved by ${y - found.y} px while the rest was drawn`);
      assert.ok(await entry(page, 4203).isVisible());
      const shown = await shownEntries(page);
      assert.ok(shown.includes(4200) && shown.includes(4206));
      assert.ok((await page.locator("*").count()) < MOST_ELEMENTS);
      await page.getByTestId("to-end").click();
      await entry(page, ENTRIES - 1).waitFor();
    }));

  it("can_be_read_by_keyboard_alone", () =>
    long(async (page) => {
      await rest(page);
      await box(page).focus();
      await page.keyboard.press("Home");
      await rest(page);
      await page.keyboard.press("Home");
      await rest(page);
      assert.ok(Math.min(...(await shownEntries(page))) < ENTRIES - 100);
      await page.getByTestId("earlier").focus();
      const before = Math.min(...(await shownEntries(page)));
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (before) => Number(document.querySelector("[data-entry]").dataset.entry.split("-")[1]) < before,
        before,
      );
    }));
});

describe("a list of thousands", () => {
  it("is_drawn_as_its_end_comes_near_and_found_in_whole", () =>
    visit("index.html", { scene: "crowded" }, EN, async (page) => {
      await page.locator("[data-testid=server-row]").nth(1).click();
      const items = page.locator("[data-group] > li");
      await items.first().waitFor();
      const first = await items.count();
      assert.ok(first >= 80 && first < 300, `${first} at first`);
      await items.last().scrollIntoViewIfNeeded();
      await page.waitForFunction((first) => document.querySelectorAll("[data-group] > li").length > first, first);
      await page.getByTestId("tool-filter").fill("words 498");
      await page.waitForFunction(() => document.querySelectorAll("[data-group] > li").length < 20);
      assert.match(await items.first().innerText(), /words 498/);
    }));

  it("of_the_tools_of_a_chat_is_drawn_as_its_end_comes_near_and_found_in_whole", () =>
    visit("index.html", { scene: "crowded" }, EN, async (page) => {
      await page.locator(".tool-switch").click();
      await page.getByRole("menuitem", { name: "Choose single tools…" }).click();
      const panel = page.getByTestId("tool-choice");
      const items = panel.locator("label");
      await items.first().waitFor();
      const first = await items.count();
      assert.ok(first >= 80 && first < 300, `${first} at first`);
      await items.last().scrollIntoViewIfNeeded();
      await page.waitForFunction(
        (first) => document.querySelectorAll("[data-testid=tool-choice] label").length > first,
        first,
      );
      const filter = panel.getByRole("searchbox");
      await page.waitForFunction(() => document.activeElement?.matches("[data-testid=tool-choice] [type=search]"));
      const { y } = await filter.boundingBox();
      await page.keyboard.type("words 498");
      await page.waitForFunction(() => document.querySelectorAll("[data-testid=tool-choice] label").length < 20);
      assert.match(await items.first().innerText(), /words 498/);
      await filter.fill("no tool has this name");
      await panel.getByText("No results").waitFor();
      assert.equal((await filter.boundingBox()).y, y, "the filter stays where it is");
    }));
});
