// Changes of the main window that let more happen: the card says exactly what, the main window waits for the answer
// and then says how it ended. And the sign-in page of another site, which needs a yes of its own.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, consent, passed, replies } from "./cards.mjs";
import { EN, visit } from "./look.mjs";

const main = (scene, act) => visit("index.html", { scene }, EN, act);
const change = (page, state) => page.locator(`[data-testid=change][data-state=${state}]`);

describe("a card about a change of the main window", () => {
  it("shows_the_address_that_chats_would_go_to_to_the_letter", () =>
    consent("save_model", async (page) => {
      await passed(page);
      assert.equal(await page.getByTestId("domain").innerText(), "example.com");
      assert.equal(await page.getByTestId("url").innerText(), "https://api.models.example.com/v1");
      await accept(page).click();
      const [reply] = await replies(page);
      assert.deepEqual(reply.answer, { answer: "accept", scope: "once", arguments: null, when: [] });
    }));

  it("says_that_an_address_is_blocked_and_not_what_a_yes_would_do", () =>
    consent("model_blocked", async (page) => {
      await passed(page);
      assert.equal(await page.locator("#blocked").innerText(), "This address is blocked.");
      assert.equal(await page.getByTestId("terms").count(), 0);
      assert.equal(await accept(page).isDisabled(), true);
    }));

  it("says_where_a_chat_goes_now_and_would_go", () =>
    consent("chat_model", async (page) => {
      await passed(page);
      assert.match(await page.getByTestId("before").innerText(), /http:\/\/localhost:11434\/v1/);
      assert.equal(await page.getByTestId("url").innerText(), "https://api.models.example.com/v1");
    }));

  it("shows_only_the_limits_that_change_from_what_to_what", () =>
    consent("raise_budget", async (page) => {
      await passed(page);
      assert.deepEqual(await page.getByTestId("limit").locator("dd").allInnerTexts(), [
        "from 50,000 to 1,000,000",
        "from $2.00 to no limit",
      ]);
    }));

  it("shows_what_is_allowed_and_no_longer_refused_where_a_chat_moves_to", () =>
    consent("move_chat", async (page) => {
      await passed(page);
      const words = await page.getByTestId("card").innerText();
      for (const part of [/Packing for Oslo/, /Website/, /\/home\/ada\/site/, /U\+202E/]) assert.match(words, part);
      assert.equal(await page.getByRole("heading", { name: "Allowed there without asking" }).count(), 1);
      assert.equal(await page.getByRole("heading", { name: "Denied now, but not there" }).count(), 1);
    }));
});

describe("a change that is asked", () => {
  const move = (page) => page.getByTestId("workspace-picker").selectOption({ index: 1 });
  const place = (page) => page.getByTestId("workspace-picker").inputValue();

  it("waits_in_the_main_window_and_changes_nothing_meanwhile", () =>
    main("asking", async (page) => {
      await page.getByTestId("workspace-picker").waitFor();
      const before = await place(page);
      await move(page);
      await change(page, "waiting").waitFor();
      assert.equal(await place(page), before);
    }));

  it("says_that_it_was_made", () =>
    main("chat", async (page) => {
      await page.getByTestId("workspace-picker").waitFor();
      const before = await place(page);
      await move(page);
      await change(page, "done").waitFor();
      assert.notEqual(await place(page), before);
    }));

  it("moves_nothing_when_its_note_fades", () =>
    main("chat", async (page) => {
      const top = async () => (await page.locator("main").boundingBox()).y;
      await page.getByTestId("workspace-picker").waitFor();
      const without = await top();
      await page.clock.install();
      await move(page);
      await change(page, "done").waitFor();
      const before = await top();
      assert.ok(before > without, `${before} > ${without}`);
      await page.clock.fastForward(10_000);
      await change(page, "done").waitFor({ state: "hidden" });
      assert.equal(await top(), before);
      await page.mouse.move(600, 300);
      await page.mouse.wheel(0, 100);
      await change(page, "done").waitFor({ state: "detached" });
      assert.equal(await top(), without);

      await move(page);
      await change(page, "done").waitFor();
      await page.clock.fastForward(10_000);
      await change(page, "done").waitFor({ state: "hidden" });
      assert.equal(await top(), before);
      await page.keyboard.press("Control+,");
      await change(page, "done").waitFor({ state: "detached" });
      await page.getByTestId("chat-row").first().click();
      await page.getByTestId("workspace-picker").waitFor();
      assert.equal(await top(), without);
    }));

  it("says_that_it_was_not_allowed", () =>
    main("asking", async (page) => {
      await page.getByTestId("workspace-picker").waitFor();
      const before = await place(page);
      await move(page);
      await change(page, "waiting").waitFor();
      await page.evaluate(() =>
        globalThis.fake.tell({ event: "answered", question: "q-move", end: { end: "refused" } }),
      );
      await change(page, "refused").waitFor();
      assert.equal(await change(page, "waiting").count(), 0);
      assert.equal(await place(page), before);
    }));

  it("keeps_the_form_of_a_connection_open_until_the_answer", () =>
    main("asking", async (page) => {
      await page.keyboard.press("Control+,");
      await page.getByTestId("add-connection").click();
      await page.getByLabel("URL").fill("https://api.models.example.com/v1");
      await page.getByTestId("first-model").fill("large");
      await page.getByRole("button", { name: "Save" }).click();
      await change(page, "waiting").waitFor();
      assert.equal(await page.getByLabel("URL").inputValue(), "https://api.models.example.com/v1");
      await page.evaluate(() => globalThis.fake.tell({ event: "answered", question: "q-model", end: { end: "done" } }));
      await change(page, "done").waitFor();
      assert.equal(await page.getByLabel("URL").count(), 0);
    }));
});

describe("prices that budgets count by", () => {
  const answer = (page, question, end) =>
    page.evaluate(
      ([id, how]) => globalThis.fake.tell({ event: "answered", question: id, end: { end: how } }),
      [question, end],
    );
  const office = (page) => page.getByTestId("connection").filter({ hasText: "Office" });

  it("are_on_the_card_from_what_to_what_and_only_those_that_change", () =>
    consent("lower_prices", async (page) => {
      await passed(page);
      assert.deepEqual(await page.getByTestId("limit").allInnerTexts(), [
        "Input price (per million tokens)\nfrom $2.50 to $0.00",
      ]);
    }));

  it("are_on_the_card_of_each_model_where_the_currency_changes", () =>
    consent("change_currency", async (page) => {
      await passed(page);
      const sheets = page.getByRole("region", { name: /^Changed prices of/ });
      assert.deepEqual(await sheets.getByRole("heading").allInnerTexts(), [
        "Changed prices of large-2026-10",
        "Changed prices of small-2026-10",
      ]);
      assert.deepEqual(await sheets.last().getByTestId("limit").locator("dd").allInnerTexts(), [
        "from $0.25 to €0.25",
        "from $1.00 to €1.00",
      ]);
    }));

  it("are_on_the_card_of_a_connection_that_moves", () =>
    consent("move_unpriced", async (page) => {
      await passed(page);
      assert.deepEqual(await page.getByTestId("limit").allInnerTexts(), [
        "Input price (per million tokens)\nfrom $2.50 to $0.25",
      ]);
      assert.match(await page.getByTestId("unpriced").innerText(), /large-2026-11-preview/);
    }));

  for (const end of ["refused", "done"])
    it(`keep_the_form_of_their_model_open_until_the_answer: ${end}`, () =>
      main("asking", async (page) => {
        await page.keyboard.press("Control+,");
        await office(page).getByRole("button", { name: "Change Large" }).click();
        const form = page.getByTestId("model-form");
        const price = form.getByLabel(/^Input price/);
        await price.fill("0");
        await form.getByRole("button", { name: "Save" }).click();
        await form.getByRole("status").waitFor();
        await answer(page, "q-prices", end);
        await change(page, end).waitFor();
        if (end === "done") await form.waitFor({ state: "detached" });
        else assert.equal(await price.inputValue(), "0", "nothing of it is lost");
      }));

  it("keep_the_list_of_models_open_until_the_answer", () =>
    main("asking", async (page) => {
      await page.keyboard.press("Control+,");
      await office(page).getByTestId("choose-models").click();
      const choice = page.getByTestId("model-choice");
      await choice.getByTestId("model-by-name").fill("preview");
      await choice.getByRole("button", { name: "Add 1 model" }).click();
      await choice.getByRole("status").filter({ hasText: "Waiting for your answer" }).waitFor();
      await answer(page, "q-unpriced", "done");
      await choice.waitFor({ state: "detached" });
    }));

  it("stay_in_their_currency_until_the_answer", () =>
    main("budget", async (page) => {
      await page.keyboard.press("Control+,");
      const currency = page.getByTestId("own-currency");
      // The fake host allows a question after 300 ms. Here it waits for `sayYes`.
      await page.evaluate(() => {
        const { setTimeout } = globalThis;
        globalThis.setTimeout = (act, ms, ...rest) =>
          ms === 300 ? void (globalThis.sayYes = act) : setTimeout(act, ms, ...rest);
      });
      await currency.fill("CHF");
      await currency.blur();
      await page.waitForFunction(() => globalThis.sayYes);
      assert.equal(await currency.inputValue(), "EUR");
      await page.evaluate(() => globalThis.sayYes());
      await change(page, "done").waitFor();
      assert.equal(await currency.inputValue(), "CHF");
    }));
});

describe("a sign-in", () => {
  it("names_the_page_and_where_the_key_goes", () =>
    consent("sign_in", async (page) => {
      await passed(page);
      assert.equal(
        await page.getByTestId("sign-in-where").innerText(),
        "You will sign in at login.example.net. The key from there goes to login.example.net.",
      );
    }));

  it("on_a_page_of_another_site_needs_a_second_yes", () =>
    consent("sign_in_elsewhere", async (page) => {
      await passed(page);
      assert.equal(await page.getByTestId("page-site").innerText(), "real-provider.com");
      assert.equal(await accept(page).isDisabled(), true);
      await page.getByTestId("other-page-yes").check();
      await accept(page).click();
      const [reply] = await replies(page);
      assert.equal(reply.answer.answer, "accept");
    }));

  it("through_a_blocked_address_says_why_it_is_not_possible_and_not_what_a_yes_would_do", () =>
    consent("sign_in_odd", async (page) => {
      await passed(page);
      assert.equal(await page.locator("#blocked").innerText(), "An address of this sign-in is blocked.");
      assert.equal(await page.getByTestId("terms").count(), 0);
      assert.equal(await accept(page).isDisabled(), true);
    }));

  it("names_the_file_that_is_sent_and_to_whom", () =>
    consent("sign_in_file", async (page) => {
      await passed(page);
      const words = await page.getByTestId("sign-in-file").innerText();
      assert.match(words, /\/var\/run\/secrets\/tokens\/calendar/);
      assert.match(words, /U\+202E/);
      assert.match(words, /1\.2\u00A0kB/);
      assert.match(words, /login\.example\.net/);
    }));
});
