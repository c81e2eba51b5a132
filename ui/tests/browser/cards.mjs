// The card in front and its answers, for all files of these tests.
import assert from "node:assert/strict";
import { EN, visit } from "./look.mjs";

export const card = (page) => page.getByTestId("card");
export const accept = (page) => page.getByTestId("answer-accept");
export const refuse = (page) => page.getByTestId("answer-refuse");
export const replies = (page) => page.evaluate(() => globalThis.fake.replies);
export const passed = (page) => page.locator("[data-testid=guard][data-phase=passed]").waitFor({ state: "attached" });

export const running = (page) => page.locator("[data-testid=guard][data-phase=running]").waitFor({ state: "attached" });
/** Lets a guard that is held pass. */
export const letGo = (page, question) => page.evaluate((id) => globalThis.fake.letGo(id), question);
/** Has the guards that come be held. */
export const hold = (page) => page.evaluate(() => globalThis.fake.hold());

/** Shows the cards of a scene in the consent window, in a light English one. */
export const consent = (scene, act, size = {}) => visit("consent.html", { scene, ...size }, EN, act);

/** Presses Tab until this is focused. */
export async function tabTo(page, selector) {
  for (let step = 0; step < 60; step++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach ${selector}`);
}
