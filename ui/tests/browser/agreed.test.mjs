// What a yes agrees to is on screen: on every card, in every size of the window and at twice the size, for every scope
// that can be chosen, with and without conditions, and with long words of a server and long names.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { passed, replies } from "./cards.mjs";
import { arrive, EN, load, open, visit } from "./look.mjs";
import { CARDS } from "./pages.mjs";

const ACCEPT = "[data-testid=answer-accept]";
const ZH = { appearance: "light", language: "zh-CN" };
/** Sizes in CSS pixels: whole windows, the consent window as it opens and on a low screen, and all at twice the size. */
const SIZES = [
  { width: 900, height: 600 },
  { width: 1280, height: 840 },
  { width: 580, height: 575 },
  { width: 450, height: 300, zoom: 2 },
  { width: 290, height: 380, zoom: 2 },
];
/** The ones with the least room, for the second language. */
const TIGHT = SIZES.filter(({ width, height }) => width * height < 140_000 || height === 600);
/** Too small for what has to be seen. */
const TINY = { width: 210, height: 210, zoom: 2 };
const LONG_NAME = "a_tool_with_a_name_that_goes_on_".repeat(8);
const cards = CARDS.filter(({ scene, permits = true }) => scene !== "empty" && permits);

/** With these open a small window cannot show everything; the yes then has to be disabled. */
const CROWDED = ["asked often", "saying why"];
const roomFor = (view, size) => size.zoom === undefined || !CROWDED.includes(view.name);

const framesLater = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );

/** In the page: which parts of what is agreed to are cut off or covered, and whether the yes is enabled. */
function agreed(accept) {
  const parts = [...document.querySelectorAll("[data-agreed]")];
  const hidden = parts.filter((part) => {
    const box = part.getBoundingClientRect();
    const middle = (box.left + box.right) / 2;
    const seen = [box.top + 2, (box.top + box.bottom) / 2, box.bottom - 2].every((y) => {
      const found = document.elementFromPoint(middle, y);
      return found !== null && (part === found || part.contains(found));
    });
    return !seen || box.left < -1 || box.right > innerWidth + 1;
  });
  const button = document.querySelector(accept);
  const reason = document.getElementById("blocked");
  const inside = (it) => it !== null && it.getBoundingClientRect().bottom <= innerHeight + 1;
  return {
    parts: parts.map((part) => part.dataset.agreed),
    hidden: hidden.map((part) => part.dataset.agreed),
    enabled: button !== null && !button.disabled,
    answers: inside(button) && inside(document.querySelector("[data-testid=answer-refuse]")),
    offScreen: document.querySelector("[data-testid=off-screen]") !== null,
    reason: inside(reason) && reason.getBoundingClientRect().height > 0,
    words: button?.innerText ?? "",
    wide: document.documentElement.scrollWidth - innerWidth,
  };
}

/** Looks at the card as it is, at this size; `roomy` says that nothing may be off screen. */
async function look(page, size, what, roomy = true) {
  await page.setViewportSize({ width: size.width, height: size.height });
  await framesLater(page);
  const now = await page.evaluate(agreed, ACCEPT);
  const where = `${what} at ${size.width}×${size.height}: ${JSON.stringify(now)}`;
  assert.ok(!now.enabled || now.hidden.length === 0, `a yes to what is not on screen, ${where}`);
  if (now.hidden.length > 0) assert.ok(now.reason, `not enabled and no word why, ${where}`);
  if (!roomy) return now;
  assert.deepEqual(now.hidden, [], where);
  assert.equal(now.offScreen, false, where);
  assert.ok(now.answers, `an answer is cut off, ${where}`);
  assert.ok(now.wide <= 0, where);
  return now;
}

/** Runs `act` for each scope that the card offers, or once where there is nothing to choose. */
async function eachScope(page, act) {
  const offered = await page
    .locator("[data-testid^=scope-]:enabled")
    .evaluateAll((all) => all.map(({ dataset }) => dataset.testid));
  for (const scope of offered) {
    await page.evaluate((wanted) => document.querySelector(`[data-testid=${wanted}]`).click(), scope);
    await act(scope);
  }
  if (offered.length === 0) await act("no choice");
}

/** Picks the condition number `kind` for the arguments from the first on. */
async function pick(page, kind, count = 1) {
  const rows = page.locator("[data-testid=card-condition] select");
  for (let row = 0; row < Math.min(count, await rows.count()); row += 1) {
    const options = await rows.nth(row).locator("option").count();
    await rows.nth(row).selectOption({ index: Math.min(kind, options - 1) });
  }
}

/** Makes the server's words, the tool's name and the chat's title as long as they come. */
async function lengthen(page) {
  await page.evaluate((name) => {
    const { fake } = globalThis;
    const words = `${"Everything about this tool. ".repeat(20)}\n`.repeat(40);
    const [question] = fake.questions;
    const about = { ...question.about };
    if (about.tool?.name) about.tool = { ...about.tool, name, description: words };
    if ("description" in about) Object.assign(about, { name, description: words });
    if ("message" in about) about.message = words;
    const cause = question.cause && { ...question.cause, chat_title: name };
    const server = { ...question.server, name: name.slice(0, 120), provenance: words.slice(0, 4000) };
    fake.questions = [{ ...question, id: "q-lengthened", about, cause, server }];
    fake.tell();
  }, LONG_NAME);
  await page.waitForFunction(() => globalThis.fake.presented.includes("q-lengthened"));
  await passed(page);
}

/** Tests a card in one language, in one visit of its page. */
function onCard(view, language) {
  const name = view.name.replaceAll(" ", "_");
  const sizes = language === ZH ? TIGHT : SIZES;
  // The tests of one card share its page, so they do not inherit that cards run side by side.
  describe(`on_${name}_in_${language.language}`, { concurrency: 1 }, () => {
    let opened;
    let page;
    before(async () => {
      opened = await open("consent.html", view, language);
      page = opened.page;
      await load(opened, "consent.html", view);
      await arrive(page, "consent.html", view);
      await passed(page);
    });
    after(() => opened?.leave());

    it(`for_each_scope_on_${name}_in_${language.language}`, async () => {
      for (const size of sizes) await eachScope(page, (scope) => look(page, size, scope, roomFor(view, size)));
    });

    it(`with_conditions_on_${name}_in_${language.language}`, async () => {
      // Where arguments can be limited, the sentence and the conditions are on screen together.
      if ((await page.locator("[data-testid=card-condition]").count()) > 0) {
        await pick(page, 2, 5);
        for (const size of sizes) {
          const now = await look(page, size, "with conditions", roomFor(view, size));
          assert.ok(now.parts.includes("conditions"), JSON.stringify(now));
        }
      }
      await eachScope(page, (scope) => look(page, TINY, scope, false));
    });

    // Words of a server are as long in every language of ours.
    if (language === EN) {
      it(`with_long_words_of_a_server_on_${name}_in_${language.language}`, async () => {
        await page.setViewportSize({ width: 560, height: 760 });
        await lengthen(page);
        for (const size of [...TIGHT, TINY]) {
          const roomy = size !== TINY && size.zoom === undefined;
          await eachScope(page, (scope) => look(page, size, scope, roomy));
        }
      });
    }

    it(`nothing_goes_wrong_on_${name}_in_${language.language}`, () => assert.deepEqual(opened.wrong, []));
  });
}

// Most of a visit waits for the guard of its card, so several run side by side.
describe("what a yes agrees to is on screen whenever the yes is enabled", { concurrency: 4 }, () => {
  for (const language of [EN, ZH]) for (const view of cards) onCard(view, language);

  it("names_on_the_button_how_long_a_yes_holds", () =>
    visit("consent.html", { scene: "form" }, EN, async (page) => {
      await passed(page);
      const words = [];
      await eachScope(page, async () => words.push((await page.evaluate(agreed, ACCEPT)).words));
      assert.deepEqual(words, [
        "Allow once",
        "Allow in this chat",
        "Allow in this workspace for 7 days",
        "Allow for 30 days",
      ]);
    }));

  it("does_not_say_any_arguments_once_a_condition_is_chosen_and_says_its_value", () =>
    visit("consent.html", { scene: "form", width: 580, height: 575 }, EN, async (page) => {
      await passed(page);
      await page.getByTestId("scope-always").click();
      const terms = page.getByTestId("terms");
      assert.match(await terms.innerText(), /with any arguments/);
      await page.getByTestId("limit").click();
      await page.waitForFunction(() => document.activeElement?.closest("[data-testid=card-condition]") !== null);
      await pick(page, 3);
      const said = await terms.innerText();
      assert.doesNotMatch(said, /any arguments/);
      assert.match(said, /Only if\s+path\s+is in\s+\/home\/ada/);
      await page.locator(ACCEPT).click();
      const [{ answer }] = await replies(page);
      assert.deepEqual(answer.when, [{ at: "/path", is: { under: "/home/ada" } }]);
    }));

  it("takes_no_press_while_it_is_off_screen_and_leads_there", () =>
    visit("consent.html", { scene: "call_tool" }, EN, async (page) => {
      await passed(page);
      await page.setViewportSize({ width: TINY.width, height: TINY.height });
      await page.getByTestId("off-screen").waitFor();
      assert.equal(await page.locator(ACCEPT).isDisabled(), true);
      await page.keyboard.press("Alt+a");
      await page.locator(ACCEPT).click({ force: true });
      assert.deepEqual(await replies(page), []);
      await page.setViewportSize({ width: 580, height: 575 });
      await page.getByTestId("off-screen").waitFor({ state: "detached" });
      assert.equal(await page.locator(ACCEPT).isDisabled(), false);
    }));

  it("takes_no_press_while_something_lies_over_it", () =>
    visit("consent.html", { scene: "call_tool" }, EN, async (page) => {
      await passed(page);
      const accept = page.locator(ACCEPT);
      await page.evaluate(() => {
        const cover = document.createElement("div");
        cover.id = "cover";
        const { top, height } = document.querySelector("[data-agreed=meaning]").getBoundingClientRect();
        Object.assign(cover.style, { position: "fixed", left: "0", right: "0" });
        Object.assign(cover.style, { top: `${top}px`, height: `${height}px`, background: "white" });
        document.body.append(cover);
      });
      await accept.click();
      assert.deepEqual(await replies(page), []);
      await page.evaluate(() => document.getElementById("cover").remove());
      await accept.click();
      assert.equal((await replies(page)).length, 1);
    }));
});
