// What servers send when they mean no good, on the cards that show it: the page stays small whatever they send, and what
// a person types into a question that is taken back goes nowhere.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, card, passed, refuse, replies } from "./cards.mjs";
import { EN, visit } from "./look.mjs";

/** How many elements a card may have that shows a long text. */
const MOST_ELEMENTS = 3_000;

/** Asks this next, as the question in front and the only one. */
const ask = (page, about) =>
  page.evaluate((about) => {
    const { fake } = globalThis;
    const [question] = fake.questions;
    fake.questions = [{ ...question, id: "q-next", about: { ...question.about, ...about } }];
    fake.tell();
  }, about);

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

  for (const [look, choices] of [
    ["side_by_side", ["owner", "owner", "everyone"]],
    ["below_each_other", ["the_owner_of_the_page", "the_owner_of_the_page", "everyone_who_has_the_link"]],
    ["in_a_list", [..."abcdefghij", "a", "j"]],
  ])
    it(`is_shown_where_its_server_lists_a_choice_twice_${look}`, () =>
      visit("consent.html", { scene: "call_tool" }, EN, async (page) => {
        await card(page).waitFor();
        const [first] = choices;
        const properties = { notify: { type: "string", enum: choices } };
        const definition = { name: "share", inputSchema: { type: "object", properties } };
        const tool = { name: "share", title: null, description: null, claims: {}, definition };
        await ask(page, { tool, arguments: { notify: first } });
        await page.waitForFunction(() => globalThis.fake.presented.includes("q-next"));
        const labels = await card(page).locator("[role=radiogroup][aria-label=notify] label, option").allInnerTexts();
        assert.deepEqual(labels, [...new Set(choices)]);
        await refuse(page).click();
        const [reply] = await replies(page);
        assert.deepEqual([reply.question, reply.answer.answer], ["q-next", "refuse"]);
      }));

  it("that_cannot_be_drawn_says_so_and_can_only_be_refused", () =>
    visit("consent.html", { scene: "call_tool" }, EN, async (page) => {
      await card(page).waitFor();
      await ask(page, { headers: null });
      await page.getByText("The request about notes cannot be shown").waitFor();
      assert.equal(await card(page).count(), 0, "the card before it is gone");
      assert.deepEqual(await page.locator("button").allInnerTexts(), ["Deny"]);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => globalThis.fake.hidden === 1);
      assert.deepEqual(await replies(page), []);
      await refuse(page).click();
      const [reply] = await replies(page);
      assert.deepEqual([reply.question, reply.answer], ["q-next", { answer: "refuse", reason: null }]);
      await page.getByText("No requests need you.").waitFor();
    }));

  it("that_cannot_be_drawn_keeps_no_other_from_being_answered", () =>
    visit("consent.html", { scene: "call_tool" }, EN, async (page) => {
      await card(page).waitFor();
      await ask(page, { headers: null });
      await page.getByTestId("undrawn").waitFor();
      await page.evaluate(() => {
        const { fake } = globalThis;
        const [undrawn] = fake.questions;
        const about = { ...undrawn.about, headers: [] };
        fake.questions = [undrawn, { ...undrawn, id: "q-other", about }];
        fake.tell();
      });
      await page.getByRole("navigation").getByRole("button").nth(1).click();
      await passed(page);
      await accept(page).click();
      await page.getByTestId("undrawn").waitFor();
      const [reply] = await replies(page);
      assert.deepEqual([reply.question, reply.answer.answer], ["q-other", "accept"]);
    }));
});

describe("the main window", () => {
  const failure = (page) => page.getByTestId("not-drawn");

  it("says_which_entry_it_cannot_draw_and_draws_it_once_it_can", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("composer").waitFor();
      await page.evaluate(() => {
        globalThis.fake.putEntry("oslo", { kind: "user", text: "Unreadable", attachments: null }, "e-bad");
        globalThis.fake.putEntry("oslo", { kind: "user", text: "And the boots?", attachments: [] });
      });
      await page.getByText("And the boots?").waitFor();
      assert.equal(await failure(page).count(), 1);
      assert.match(await failure(page).innerText(), /^Vestibule failed to show this part\.\s+TypeError/);
      await page.evaluate(() =>
        globalThis.fake.putEntry("oslo", { kind: "user", text: "Readable", attachments: [] }, "e-bad"),
      );
      await page.getByText("Readable", { exact: true }).waitFor();
      assert.equal(await failure(page).count(), 0);
    }));

  it("says_that_it_cannot_draw_a_view_and_goes_on_with_the_others", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.evaluate(() => {
        const { fake } = globalThis;
        fake.rules = fake.rules.map((rule) => ({ ...rule, when: null }));
      });
      await page.getByTestId("to-rules").click();
      await failure(page).waitFor();
      await page.getByTestId("to-ledger").click();
      await page.locator("[data-seq]").first().waitFor();
      assert.equal(await failure(page).count(), 0);
      await page.getByTestId("to-rules").click();
      await failure(page).waitFor();
      await page.evaluate(() => {
        const { fake } = globalThis;
        fake.rules = fake.rules.map((rule) => ({ ...rule, when: [] }));
        fake.tell({ event: "rules" });
      });
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByTestId("rule").first().waitFor();
    }));
});
