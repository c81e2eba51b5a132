// Every card: what counts as a yes of the user, what the keyboard does, and what is on screen.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, card, consent, hold, letGo, passed, refuse, replies, running } from "./cards.mjs";
import { framesPass, visit } from "./look.mjs";

describe("a card", () => {
  it("focuses_nothing_on_arrival_and_the_refusal_once_the_guard_has_passed", () =>
    consent(
      "call_tool",
      async (page) => {
        await running(page);
        assert.equal(await page.evaluate(() => document.activeElement?.tagName), "BODY");
        assert.equal(await accept(page).isDisabled(), true);
        await letGo(page, "q-delete");
        await passed(page);
        await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "answer-refuse");
      },
      { guard: "held" },
    ));

  it("is_presented_once_it_is_painted_and_again_when_another_comes_to_the_front", () =>
    consent("several", async (page) => {
      await passed(page);
      await page.locator(".inbox button").nth(1).click();
      await passed(page);
      assert.deepEqual(await page.evaluate(() => globalThis.fake.presented), ["q-delete", "q-form"]);
    }));

  it("goes_on_being_filled_in_while_another_question_comes_and_goes", () =>
    consent("fill_form", async (page) => {
      await passed(page);
      const contact = card(page).getByLabel("Contact");
      const tabs = page.locator(".inbox");
      await contact.click();
      await page.keyboard.type("ada");
      const round = await page.getByTestId("guard").getAttribute("data-round");
      await page.evaluate(() => {
        const { fake } = globalThis;
        const [first] = fake.questions;
        fake.questions.push({ ...first, id: "q-other", same: "same-q-other" });
        fake.tell();
      });
      await tabs.waitFor();
      await framesPass(page);
      await page.keyboard.type("@example");
      await page.evaluate(() => globalThis.fake.withdraw("q-other"));
      await tabs.waitFor({ state: "detached" });
      await framesPass(page);
      await page.keyboard.type(".org");
      assert.equal(await contact.inputValue(), "ada@example.org");
      assert.deepEqual(await page.evaluate(() => globalThis.fake.presented), ["q-fill"]);
      assert.equal(await page.getByTestId("guard").getAttribute("data-round"), round);
      assert.equal(await page.getByTestId("guard").getAttribute("data-phase"), "passed");
      await page.keyboard.press("Enter");
      assert.deepEqual(await replies(page), []);
    }));

  it("can_be_allowed_by_mouse_after_the_guard", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      await page.getByTestId("scope-chat").click();
      await accept(page).click();
      const [reply] = await replies(page);
      assert.deepEqual(reply, {
        question: "q-delete",
        nonce: "nonce-q-delete",
        digest: "digest-q-delete",
        answer: { answer: "accept", scope: "chat", arguments: null, when: [] },
        also: [],
      });
    }));

  it("can_be_read_edited_and_allowed_by_keyboard_alone", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "answer-refuse");
      for (let step = 0; step < 40; step++) {
        if (await page.evaluate(() => document.activeElement?.tagName === "TEXTAREA")) break;
        await page.keyboard.press("Shift+Tab");
      }
      await page.keyboard.press("Control+A");
      await page.keyboard.type("Packing 2023");
      for (let step = 0; step < 40; step++) {
        if (await page.evaluate(() => document.activeElement?.getAttribute("data-testid") === "answer-accept")) break;
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      const [reply] = await replies(page);
      assert.deepEqual(reply.answer, {
        answer: "accept",
        scope: "once",
        arguments: { page: "Packing 2023", permanently: true },
        when: [],
      });
    }));

  // Shows LS-002, LS-005: what a yes to a start means, in a sentence of ours and in the language of the person.
  it("says_that_a_program_will_run_here_and_with_whose_rights", async () => {
    for (const [language, words] of [
      ["en", [/run on this computer/, /with your rights/]],
      ["zh-CN", [/这台电脑上/, /以你的权限运行/]],
    ]) {
      await visit("consent.html", { scene: "start_server" }, { appearance: "light", language }, async (page) => {
        const said = page.getByTestId("rights");
        await said.waitFor();
        assert.equal(await said.isVisible(), true);
        for (const word of words) assert.match(await said.innerText(), word);
      });
    }
  });

  it("goes_to_the_permission_with_Alt_A_and_denies_with_Alt_D_only_after_the_guard", () =>
    consent(
      "start_server",
      async (page) => {
        await running(page);
        await page.keyboard.press("Alt+a");
        await page.keyboard.press("Alt+d");
        assert.deepEqual(await replies(page), []);
        await letGo(page, "q-start");
        await passed(page);
        await page.keyboard.press("Alt+a");
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-testid")), "answer-accept");
        assert.deepEqual(await replies(page), []);
        await page.keyboard.press("Alt+d");
        assert.deepEqual((await replies(page))[0].answer, { answer: "refuse", reason: null });
      },
      { guard: "held" },
    ));

  it("binds_nothing_to_Enter_and_hides_with_Escape_without_an_answer", () =>
    consent(
      "call_tool",
      async (page) => {
        await running(page);
        for (let press = 0; press < 5; press++) await page.keyboard.press("Enter");
        await page.locator("textarea").first().click();
        await page.keyboard.press("Enter");
        await letGo(page, "q-delete");
        await passed(page);
        assert.deepEqual(await replies(page), []);
        await page.keyboard.press("Escape");
        await page.waitForFunction(() => globalThis.fake.hidden === 1);
        assert.deepEqual(await replies(page), []);
      },
      { guard: "held" },
    ));

  it("is_presented_again_and_guarded_again_after_it_was_hidden", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      const round = await page.getByTestId("guard").getAttribute("data-round");
      await hold(page);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => globalThis.fake.presented.length === 2);
      await page.locator(`[data-testid=guard][data-phase=running]:not([data-round="${round}"])`).waitFor({
        state: "attached",
      });
      assert.equal(await accept(page).isDisabled(), true);
      await letGo(page, "q-delete");
      await passed(page);
      assert.equal(await accept(page).isDisabled(), false);
    }));

  it("presents_itself_again_where_the_host_says_that_an_answer_came_too_soon", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      await page.evaluate(() => (globalThis.fake.refusal = { problem: "answer_too_soon" }));
      await accept(page).click();
      await page.waitForFunction(() => globalThis.fake.presented.length === 2);
      await passed(page);
      await accept(page).click();
      await card(page).waitFor({ state: "detached" });
    }));

  it("has_a_button_to_skip_wherever_skipping_and_denying_differ", async () => {
    for (const scene of ["call_tool", "fill_form", "open_page", "visit_page"]) {
      await consent(scene, async (page) => {
        await passed(page);
        await page.getByTestId("answer-cancel").click();
        assert.deepEqual((await replies(page))[0].answer, { answer: "cancel" });
      });
    }
    await consent(
      "call_tool",
      async (page) => {
        await passed(page);
        await page.getByRole("button", { name: "More answers" }).click();
        await page.getByRole("menuitem", { name: "Skip" }).click();
        assert.deepEqual((await replies(page))[0].answer, { answer: "cancel" });
      },
      { width: 450, height: 300 },
    );
  });

  it("has_a_title_that_names_what_is_asked_and_who_asks", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      assert.equal(await page.title(), "delete_page · notes – Vestibule needs your OK");
    }));

  it("takes_no_key_that_was_down_before_the_guard_passed", () =>
    consent(
      "call_tool",
      async (page) => {
        await running(page);
        await page.keyboard.down("Enter");
        await letGo(page, "q-delete");
        await passed(page);
        for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down("Enter");
        await accept(page).focus();
        for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down("Enter");
        assert.deepEqual(await replies(page), []);
        await page.keyboard.up("Enter");
      },
      { guard: "held" },
    ));

  it("is_not_allowed_by_a_script", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      await page.evaluate(() => {
        const button = document.querySelector("[data-testid=answer-accept]");
        button.click();
        for (const type of ["pointerdown", "mousedown", "click"])
          button.dispatchEvent(new MouseEvent(type, { bubbles: true }));
        button.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        button.id = "target";
        const label = document.createElement("label");
        label.htmlFor = "target";
        document.body.append(label);
        label.click();
      });
      assert.deepEqual(await replies(page), []);
    }));

  it("is_inert_again_while_the_host_restarts_the_guard", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      await hold(page);
      await page.evaluate(() => globalThis.fake.guard("q-delete"));
      await running(page);
      assert.equal(await accept(page).isDisabled(), true);
      await letGo(page, "q-delete");
      await passed(page);
      assert.equal(await accept(page).isDisabled(), false);
    }));

  // Shows TL-009.
  it("can_not_be_allowed_before_the_rest_of_a_long_value_was_shown", () =>
    consent("long", async (page) => {
      await passed(page);
      assert.equal(await accept(page).isDisabled(), true);
      await page.locator(".closed button").click();
      assert.equal(await accept(page).isDisabled(), false);
      assert.match(await page.locator("textarea").nth(1).inputValue(), /rm -rf/);
    }));

  it("shows_hidden_characters_and_where_an_address_points", () =>
    consent("form", async (page) => {
      await card(page).waitFor();
      const text = await card(page).innerText();
      assert.match(text, /pay\s*U\+200B\s*pal/);
      assert.match(text, /U\+202E/);
      assert.match(text, /login\.example\.net/);
    }));

  it("names_hidden_characters_of_the_arguments_as_JSON_too", () =>
    consent("form", async (page) => {
      await card(page).getByRole("radio", { name: "JSON" }).click();
      const area = card(page).getByLabel("Arguments as JSON");
      const notes = page.locator(`[id="${await area.getAttribute("aria-describedby")}"]`);
      assert.match(await notes.innerText(), /Exact value:[^]*pay\s*U\+200B\s*pal\s*U\+202E\s*gnp\.exe/);
      await area.fill('{ "path": "/home", "pattern": "*" }');
      await page.waitForFunction((it) => it.textContent.trim() === "", await notes.elementHandle());
    }));

  it("shows_the_exact_text_of_the_arguments_as_JSON_with_all_lines_under_one_another", () =>
    consent("form", async (page) => {
      await card(page).getByRole("radio", { name: "JSON" }).click();
      const exact = card(page).locator(".notes .exact");
      const indented = await exact.evaluate(
        (text) => text.getClientRects()[0].left - text.closest("p").getBoundingClientRect().left,
      );
      assert.equal(indented, 0);
    }));

  it("never_sends_an_edit_that_does_not_fit", () =>
    consent("form", async (page) => {
      await passed(page);
      const limit = page.getByLabel("limit", { exact: true });
      await limit.fill("many");
      assert.equal(await accept(page).isDisabled(), true);
      await limit.fill("400");
      assert.equal(await accept(page).isDisabled(), true);
      await limit.fill("40");
      assert.equal(await accept(page).isDisabled(), false);
    }));

  it("sends_the_reason_of_a_refusal_to_the_model", () =>
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      await page.getByTestId("answer-refuse-why").click();
      await page.keyboard.type("Keep it");
      await page.keyboard.press("Enter");
      await page.keyboard.type("please");
      assert.deepEqual(await replies(page), []);
      await page.getByTestId("answer-refuse-reason").click();
      assert.deepEqual((await replies(page))[0].answer, { answer: "refuse", reason: "Keep it\nplease" });
    }));

  it("stays_and_says_why_when_the_host_refuses_the_answer", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      await page.evaluate(() => (globalThis.fake.refusal = { problem: "answer_too_soon" }));
      await accept(page).click();
      await page.getByRole("alert").waitFor();
      assert.equal(await card(page).isVisible(), true);
    }));

  it("says_so_when_its_question_is_withdrawn_and_gives_way_to_the_next", () =>
    consent("several", async (page) => {
      await passed(page);
      await hold(page);
      await page.evaluate(() => globalThis.fake.withdraw("q-delete"));
      await page.locator("main:has([data-testid=withdrawn]):not(:has([data-testid=answer-accept]))").waitFor();
      await card(page).waitFor();
      assert.equal(await accept(page).isDisabled(), true);
    }));

  it("offers_only_the_scopes_of_the_question", () =>
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      const enabled = await page
        .locator("[data-testid^=scope-]:enabled")
        .evaluateAll((all) => all.map((one) => one.dataset.testid));
      assert.deepEqual(enabled, ["scope-once", "scope-chat"]);
    }));

  it("shows_the_harmful_claims_of_a_tool_alone_and_as_those_of_the_server", () =>
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      const claims = page.locator(".claims");
      assert.deepEqual(await claims.locator("li").allInnerTexts(), ["Can destroy data", "Changes things"]);
      assert.match(await claims.innerText(), /server/i);
    }));

  it("shows_no_scope_that_cannot_be_chosen_and_strikes_none_through", () =>
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      assert.equal(await page.locator("[data-testid^=scope-]:disabled").count(), 0);
      const lines = await page
        .locator("[data-testid=card] *, footer *, form *")
        .evaluateAll(
          (all) => all.filter((it) => getComputedStyle(it).textDecorationLine.includes("line-through")).length,
        );
      assert.equal(lines, 0);
    }));

  it("keeps_its_answers_in_sight_in_a_small_window", () =>
    consent(
      "form",
      async (page) => {
        await card(page).waitFor();
        const box = await refuse(page).boundingBox();
        assert.ok(box && box.y + box.height <= 420);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      },
      { width: 380, height: 420 },
    ));
});
