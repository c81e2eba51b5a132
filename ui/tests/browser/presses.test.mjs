// Ten thousand presses while the guard of a card holds, by mouse and by keyboard, spread over all cards: none of them
// is an answer that permits, and none is kept for later.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replies } from "./cards.mjs";
import { EN, visit } from "./look.mjs";
import { CARDS } from "./pages.mjs";

const ALL = 10_000;
const FOR_EVER = 3_600_000;
const ACCEPT = "[data-testid=answer-accept]";
const cards = CARDS.filter(({ scene, permits = true }) => scene !== "empty" && permits);
const others = CARDS.filter(({ permits = true }) => !permits);
const each = Math.ceil(ALL / cards.length / 2);

/** Starts the guard of the card in front anew, for so long. */
const guard = (page, lasts) =>
  page.evaluate((ms) => {
    const { fake } = globalThis;
    fake.questions[0].guard_ms = ms;
    fake.guard(fake.questions[0].id);
  }, lasts);

const phase = (page, wanted) =>
  page.locator(`[data-testid=guard][data-phase=${wanted}]`).waitFor({ state: "attached" });

/** Clicks the permitting answer, and presses Enter and the space bar with Alt A in between; the browser takes them as a person's. */
async function press(page, times) {
  const box = await page.locator(ACCEPT).boundingBox();
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2, button: "left", clickCount: 1 };
  const input = await page.context().newCDPSession(page);
  const sent = [];
  const key = (type, key, code, windowsVirtualKeyCode, modifiers = 0) =>
    sent.push(input.send("Input.dispatchKeyEvent", { type, key, code, windowsVirtualKeyCode, modifiers }));
  for (let time = 0; time < times; time += 1) {
    for (const type of ["mousePressed", "mouseReleased"])
      sent.push(input.send("Input.dispatchMouseEvent", { ...at, type }));
    key("rawKeyDown", "a", "KeyA", 65, 1);
    key("keyUp", "a", "KeyA", 65, 1);
    const [name, code, number] = time % 2 === 0 ? ["Enter", "Enter", 13] : [" ", "Space", 32];
    key("keyDown", name, code, number);
    key("keyUp", name, code, number);
  }
  await Promise.all(sent);
}

describe("while the guard holds", () => {
  assert.ok(each * 2 * cards.length >= ALL);
  for (const view of cards) {
    it(`no_press_of_${each * 2}_on_${view.name.replaceAll(" ", "_")}_permits_anything`, () =>
      visit("consent.html", view, EN, async (page) => {
        await page.getByTestId("card").waitFor();
        await page.evaluate(() => {
          globalThis.heard = { click: 0, keydown: 0 };
          for (const type of ["pointerdown", "keydown"])
            addEventListener(
              type,
              (it) => it.isTrusted && (globalThis.heard[it.type === "keydown" ? "keydown" : "click"] += 1),
              {
                capture: true,
              },
            );
        });
        await guard(page, FOR_EVER);
        await phase(page, "running");
        // Nothing has the focus on arrival, so that a key can not mean a button.
        await page.evaluate(() => document.activeElement?.blur());
        await press(page, each);
        const heard = await page.evaluate(() => globalThis.heard);
        assert.ok(heard.click >= each && heard.keydown >= each, JSON.stringify(heard));
        await guard(page, 1);
        await phase(page, "passed");
        assert.deepEqual(await replies(page), []);
      }));
  }
  for (const view of others) {
    it(`there_is_nothing_to_permit_on_${view.name.replaceAll(" ", "_")}`, () =>
      visit("consent.html", view, EN, async (page) => {
        await page.locator(view.ready ?? "[data-testid=card]").waitFor();
        assert.equal(await page.locator(ACCEPT).count(), 0);
      }));
  }
});
