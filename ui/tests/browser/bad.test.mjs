// What servers send when they mean no good, on the cards that show it: the page stays small whatever they send, and what
// a person types into a question that is taken back goes nowhere.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replies } from "./cards.mjs";
import { EN, visit } from "./look.mjs";

/** How many elements a card may have that shows a long text. */
const MOST_ELEMENTS = 3_000;

describe("a card", () => {
  for (const [what, piece] of [
    ["words", "word "],
    ["lines", "\n"],
    ["hidden_characters", "\u200B\u202E"],
  ]) {
    it(`stays_small_with_a_million_characters_of_${what}`, () =>
      visit("consent.html", { scene: "fill_form" }, EN, async (page) => {
        await page.getByTestId("card").waitFor();
        await page.evaluate(
          (text) => {
            const { fake } = globalThis;
            const [question] = fake.questions;
            fake.questions = [{ ...question, id: "q-long", about: { ...question.about, message: text } }];
            fake.tell();
          },
          piece.repeat(1_000_000 / piece.length),
        );
        await page.waitForFunction(() => globalThis.fake.presented.includes("q-long"));
        const elements = await page.evaluate(() => document.querySelectorAll("*").length);
        assert.ok(elements < MOST_ELEMENTS, `${elements} elements`);
        await page.getByTestId("answer-refuse").click();
        assert.equal((await replies(page))[0].answer.answer, "refuse");
      }));
  }

  it("that_is_taken_back_while_it_is_typed_into_gets_no_answer_and_gives_no_key_to_the_next", () =>
    visit("consent.html", { scene: "fill_form", guard: "held" }, EN, async (page) => {
      await page.locator("[data-field=contact] input").click();
      await page.keyboard.type("ada@exam");
      await page.evaluate(() => {
        const { fake } = globalThis;
        const [question] = fake.questions;
        fake.questions = [{ ...question, id: "q-next" }];
        fake.tell();
      });
      await page.getByTestId("withdrawn").waitFor();
      await page.keyboard.type("ple.org ");
      await page.keyboard.press("Enter");
      assert.deepEqual(await replies(page), []);
      await page.waitForFunction(() => globalThis.fake.presented.includes("q-next"));
      assert.equal(await page.locator("[data-field=contact] input").inputValue(), "");
      assert.deepEqual(await replies(page), []);
    }));
});
