// Many questions at once: a flood behind one card, and questions that ask the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, card, consent, passed, refuse, replies } from "./cards.mjs";

describe("a flood", () => {
  it("has_no_yes_where_not_everything_behind_it_is_the_same", () =>
    consent("flood", async (page) => {
      await passed(page);
      assert.equal(await accept(page).count(), 0);
      assert.match(await card(page).innerText(), /deploy sent 540 requests in a minute/);
      await refuse(page).click();
      assert.deepEqual((await replies(page))[0].answer, { answer: "refuse", reason: null });
    }));

  it("is_answered_with_one_form_where_everything_is_the_same", () =>
    consent("flood_alike", async (page) => {
      await passed(page);
      await card(page).getByLabel("Contact").fill("ada@example.org");
      await page.waitForFunction(() => !document.querySelector("[data-testid=answer-accept]").disabled);
      await accept(page).click();
      const [reply] = await replies(page);
      assert.equal(reply.question, "q-flood");
      assert.equal(reply.answer.content.contact, "ada@example.org");
    }));

  for (const [item, minutes] of [
    [0, 10],
    [1, null],
  ]) {
    it(`can_be_muted_by_keyboard_alone_for_${minutes ?? "good"}`, () =>
      consent("flood", async (page) => {
        await passed(page);
        await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "answer-refuse");
        await page.keyboard.press("Tab");
        await page.keyboard.press("ArrowDown");
        for (let step = 0; step < item; step++) await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        assert.deepEqual((await replies(page))[0].answer, { answer: "mute", minutes });
      }));
  }

  it("can_be_looked_at_one_by_one", () =>
    consent("flood", async (page) => {
      await page.getByTestId("answer-one-by-one").click();
      assert.deepEqual((await replies(page))[0].answer, { answer: "one_by_one" });
    }));

  it("keeps_what_was_typed_while_it_grows_and_drops_it_where_it_becomes_something_else", () =>
    consent("flood_alike", async (page) => {
      const contact = card(page).getByLabel("Contact");
      await contact.fill("ada@example.org");
      const change = (about) =>
        page.evaluate((about) => {
          const { fake } = globalThis;
          fake.questions = fake.questions.map((it) => ({ ...it, digest: "other", about: { ...it.about, ...about } }));
          fake.tell();
        }, about);
      await change({ waiting: 41, asked: 41 });
      await card(page).getByText("41").first().waitFor();
      assert.equal(await contact.inputValue(), "ada@example.org");
      await change({ alike: null });
      await contact.waitFor({ state: "detached" });
      assert.equal(await accept(page).count(), 0);
    }));
});

describe("a question of a kind that was denied in a row", () => {
  it("can_be_muted_as_its_card_says", () =>
    consent("denied", async (page) => {
      assert.match(await card(page).innerText(), /You can mute deploy/);
      await page.locator(".mute-button").click();
      await page.getByRole("menuitem").first().click();
      assert.deepEqual((await replies(page))[0].answer, { answer: "mute", minutes: 10 });
    }));
});

describe("questions that ask the same", () => {
  it("have_one_answer_only_where_the_person_says_so", () =>
    consent("often", async (page) => {
      await passed(page);
      await page.getByTestId("answer-same").check();
      await refuse(page).click();
      const [reply] = await replies(page);
      assert.deepEqual([reply.question, reply.also], ["q-often", ["q-again"]]);
    }));

  it("can_be_unmuted_from_the_list_of_cards", () =>
    consent("often", async (page) => {
      await page.waitForFunction(() => document.querySelectorAll("[data-testid=muted]").length === 2);
      await page.getByTestId("unmute").first().click();
      await page.waitForFunction(() => document.querySelectorAll("[data-testid=muted]").length === 1);
    }));
});
