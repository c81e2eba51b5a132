// The built UI in a real browser, with the fake host behind it: accessible in every view, theme and language, at peace
// with the app's content security policy, and strict about what counts as a person's yes.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { arrive, EN, LOOKS, violations, visit } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";
import "./agreed.mjs";
import "./asking.mjs";
import "./bad.mjs";
import "./clicks.mjs";
import "./following.mjs";
import "./ledger.mjs";
import "./palette.mjs";
import "./presses.mjs";
import "./reading.mjs";
import "./removed.mjs";
import "./running.mjs";
import "./screens.mjs";
import "./settings.mjs";
import "./widening.mjs";
import "./values.mjs";

const card = (page) => page.getByTestId("card");
const accept = (page) => page.getByTestId("answer-accept");
const refuse = (page) => page.getByTestId("answer-refuse");
const replies = (page) => page.evaluate(() => globalThis.fake.replies);
const passed = (page) => page.locator("[data-testid=guard][data-phase=passed]").waitFor({ state: "attached" });
const consent = (scene, act, size = {}) => visit("consent.html", { scene, ...size }, EN, act);
const main = (scene, act, size = {}) => visit("index.html", { scene, ...size }, EN, act);

for (const look of LOOKS) {
  // Loading a page waits as much as it computes, so several run side by side.
  describe(`${look.appearance}, ${look.language}`, { concurrency: 4 }, () => {
    for (const view of MAIN_VIEWS) {
      it(`axe_finds_nothing_in_${view.name.replaceAll(" ", "_")}`, () =>
        visit("index.html", view, look, async (page) => {
          await arrive(page, "index.html", view);
          assert.deepEqual(await violations(page), []);
        }));
    }
    for (const view of CARDS) {
      it(`axe_finds_nothing_on_the_card_${view.name.replaceAll(" ", "_")}`, () =>
        visit("consent.html", view, look, async (page) => {
          await arrive(page, "consent.html", view);
          assert.deepEqual(await violations(page), []);
        }));
    }
  });
}

describe("a card", () => {
  it("focuses_nothing_on_arrival_and_the_refusal_once_the_guard_has_passed", () =>
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), "BODY");
      assert.equal(await accept(page).isDisabled(), true);
      await passed(page);
      await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "answer-refuse");
    }));

  it("is_presented_once_it_is_painted_and_again_when_another_comes_to_the_front", () =>
    consent("several", async (page) => {
      await passed(page);
      await page.locator(".inbox button").nth(1).click();
      await passed(page);
      assert.deepEqual(await page.evaluate(() => globalThis.fake.presented), ["q-delete", "q-form"]);
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
    consent("start_server", async (page) => {
      await card(page).waitFor();
      await page.keyboard.press("Alt+a");
      await page.keyboard.press("Alt+d");
      assert.deepEqual(await replies(page), []);
      await passed(page);
      await page.keyboard.press("Alt+a");
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-testid")), "answer-accept");
      assert.deepEqual(await replies(page), []);
      await page.keyboard.press("Alt+d");
      assert.deepEqual((await replies(page))[0].answer, { answer: "refuse", reason: null });
    }));

  it("binds_nothing_to_Enter_and_hides_with_Escape_without_an_answer", () =>
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      for (let press = 0; press < 5; press++) await page.keyboard.press("Enter");
      await page.locator("textarea").first().click();
      await page.keyboard.press("Enter");
      await passed(page);
      assert.deepEqual(await replies(page), []);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => globalThis.fake.hidden === 1);
      assert.deepEqual(await replies(page), []);
    }));

  it("is_presented_again_and_guarded_again_after_it_was_hidden", () =>
    consent("call_tool", async (page) => {
      await passed(page);
      const round = await page.getByTestId("guard").getAttribute("data-round");
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => globalThis.fake.presented.length === 2);
      await page.locator(`[data-testid=guard][data-phase=running]:not([data-round="${round}"])`).waitFor({
        state: "attached",
      });
      assert.equal(await accept(page).isDisabled(), true);
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
    consent("call_tool", async (page) => {
      await card(page).waitFor();
      await page.keyboard.down("Enter");
      await passed(page);
      for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down("Enter");
      await accept(page).focus();
      for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down("Enter");
      assert.deepEqual(await replies(page), []);
      await page.keyboard.up("Enter");
    }));

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
      await page.evaluate(() => globalThis.fake.guard("q-delete"));
      await page.locator("[data-testid=guard][data-phase=running]").waitFor({ state: "attached" });
      assert.equal(await accept(page).isDisabled(), true);
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
      await page.evaluate(() => globalThis.fake.withdraw("q-delete"));
      await page.getByTestId("withdrawn").waitFor();
      assert.equal(await accept(page).count(), 0);
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

/** Presses Tab until this is focused. */
async function tabTo(page, selector) {
  for (let step = 0; step < 60; step++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach ${selector}`);
}

describe("a form of a server", () => {
  // Shows EF-006: an answer is changed as often as the person wants before it goes.
  it("can_be_filled_in_and_sent_by_keyboard_alone", () =>
    consent("fill_form", async (page) => {
      await passed(page);
      assert.equal(await accept(page).isDisabled(), true);
      await tabTo(page, "[data-field=region] input");
      await page.keyboard.press("ArrowDown");
      await tabTo(page, "[data-field=replicas] input");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("12");
      await page.locator("[data-field=replicas] [aria-invalid=true]").waitFor();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("3");
      await tabTo(page, "[data-field=contact] input");
      await page.keyboard.type("ada@example.org");
      await tabTo(page, "[data-testid=answer-accept]");
      await page.keyboard.press("Enter");
      assert.deepEqual((await replies(page))[0].answer, {
        answer: "submit",
        content: { region: "us1", replicas: 3, contact: "ada@example.org" },
        not_secret: [],
      });
    }));

  it("tells_declining_from_skipping_and_hides_with_Escape", async () => {
    await consent("fill_form", async (page) => {
      await passed(page);
      await page.keyboard.press("Alt+d");
      assert.deepEqual((await replies(page))[0].answer, { answer: "refuse", reason: null });
    });
    await consent("fill_form", async (page) => {
      await passed(page);
      await tabTo(page, "[data-testid=answer-cancel]");
      await page.keyboard.press("Enter");
      assert.deepEqual((await replies(page))[0].answer, { answer: "cancel" });
    });
    await consent("fill_form", async (page) => {
      await passed(page);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => globalThis.fake.hidden === 1);
      assert.deepEqual(await replies(page), []);
    });
  });

  // Shows EF-018, EF-019.
  it("shows_the_words_of_the_server_as_words", () =>
    consent("fill_form_all", async (page) => {
      await passed(page);
      assert.equal(await page.locator(".card a, .card b b, .card img").count(), 0);
      assert.match(await page.locator(".quoted").first().innerText(), /U\+202E.*<b>Bold<\/b> \[here\]/s);
      const secret = page.locator("[data-field=api_key]");
      assert.equal(await secret.locator("input, textarea").count(), 0, "a field for a secret is locked");
      await secret.getByTestId("not-secret").click();
      assert.equal(await secret.locator("input, textarea").inputValue(), "");
    }));

  it("leads_to_what_is_not_ready_yet", () =>
    consent("fill_form_all", async (page) => {
      await passed(page);
      await page.locator(".blocked button").click();
      await page.waitForFunction(() => document.activeElement?.closest("[data-field=name]") !== null);
    }));

  it("keeps_its_answers_in_sight_at_twice_the_size", () =>
    consent(
      "fill_form_all",
      async (page) => {
        await passed(page);
        for (const answer of [refuse(page), page.getByTestId("answer-cancel"), accept(page)]) {
          const box = await answer.boundingBox();
          assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 280 && box.y + box.height <= 380);
        }
        const wide = await page.evaluate(() => document.querySelector(".scroll").scrollWidth);
        assert.ok(wide <= 280, `${wide}`);
      },
      { width: 280, height: 380 },
    ));
});

describe("a page a server wants opened", () => {
  // Shows EU-010: it is opened by an answer of ours, and nothing in the server's words leads anywhere.
  it("is_shown_whole_and_opened_by_keyboard", () =>
    consent("open_page", async (page) => {
      await passed(page);
      assert.equal(await page.getByTestId("domain").innerText(), "payroll-suite.com");
      assert.equal(
        await page.getByTestId("url").innerText(),
        "https://login.secure.payroll-suite.com/connect?elicitationId=550e8400-e29b-41d4-a716-446655440000",
      );
      assert.equal(await page.locator("a").count(), 0);
      const words = page.locator(".card :is(.quoted, .relation, [data-testid=address])");
      assert.equal(await words.count(), 3);
      assert.equal(await words.locator("a, button, [role=link], [role=button], [onclick]").count(), 0);
      await page.keyboard.press("Alt+a");
      await page.keyboard.press("Enter");
      assert.deepEqual((await replies(page))[0].answer, { answer: "open" });
    }));

  it("can_not_be_opened_where_its_address_is_blocked", () =>
    consent("blocked_page", async (page) => {
      await passed(page);
      assert.equal(await accept(page).isDisabled(), true);
      assert.equal(await page.locator(".card .note.no").count(), 4);
    }));

  it("can_be_opened_again_given_up_or_done_with", async () => {
    const presses = [
      ["[data-testid=answer-again]", { answer: "open" }],
      ["[data-testid=answer-accept]", { answer: "done" }],
    ];
    for (const [button, expected] of presses) {
      await consent("visit_page", async (page) => {
        await passed(page);
        await tabTo(page, button);
        await page.keyboard.press("Enter");
        assert.deepEqual((await replies(page))[0].answer, expected);
      });
    }
    await consent("visit_failed", async (page) => {
      await passed(page);
      await page.getByTestId("answer-cancel").click();
      assert.deepEqual((await replies(page))[0].answer, { answer: "cancel" });
    });
  });
});

describe("a model's help a server wants", () => {
  /** Everything that can be read on the card, in the text and in the controls. */
  const readable = (page) =>
    page.evaluate(() => {
      const inside = document.querySelector(".card");
      const controls = [...inside.querySelectorAll("textarea, input, option:checked")];
      return [inside.innerText, ...controls.map((control) => control.value + control.textContent)].join("\n");
    });

  // Shows SA-003: who asks, the messages, the instructions, the tools, what models it wishes, and the limit.
  it("is_shown_whole_before_a_model_reads_it", () =>
    consent("sample", async (page) => {
      await passed(page);
      await page.locator(".disclosure button").first().click();
      assert.match(await page.getByTestId("hints").innerText(), /claude-sonnet/);
      const words = await readable(page);
      for (const word of [
        "notes",
        "You help with travel plans. Answer in one paragraph.",
        "What should be on a packing list for three rainy days in Oslo?",
        "get_forecast",
        "Fri 9/4 °C, rain 2 mm",
        "Weather for the next days. Always call this first.",
        "Large, in the office",
        "800",
      ])
        assert.ok(words.includes(word), `${word} is not on the card:\n${words}`);
      assert.equal(await page.locator(".card img").count(), 0, "a picture is decoded when it is asked for");
      await page.getByRole("button", { name: "Show the picture" }).click();
      assert.equal(await page.locator(".card img").count(), 1);
    }));

  // Shows SA-004, SA-005: both sides can be changed, and what is sent is what stands on the card then.
  it("can_be_changed_on_both_sides", async () => {
    for (const scene of ["sample", "sample_reply"])
      await consent(scene, async (page) => {
        await passed(page);
        const first = page.locator(".card textarea").first();
        const before = await first.inputValue();
        await first.fill("Other words.");
        await accept(page).click();
        const [{ answer }] = await replies(page);
        assert.equal(answer.answer, "accept");
        const sent = JSON.stringify(answer.arguments);
        assert.ok(sent.includes("Other words."), sent);
        assert.ok(!sent.includes(before), sent);
      });
  });
});

describe("the main window", () => {
  it("sends_with_Enter_starts_a_line_with_Shift_Enter_and_streams_the_answer", () =>
    main("first", async (page) => {
      const composer = page.getByTestId("composer");
      await composer.click();
      await page.keyboard.type("one");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("two");
      await page.keyboard.press("Enter");
      await page.locator("[data-testid=entry-assistant][data-state=done]").waitFor();
      assert.equal(await page.getByTestId("entry-user").innerText(), "one\ntwo");
      assert.match(await page.getByTestId("entry-assistant").innerText(), /scripted, not an AI/);
      assert.equal(await composer.inputValue(), "");
    }));

  it("sends_nothing_while_an_input_method_composes", () =>
    main("first", async (page) => {
      const composer = page.getByTestId("composer");
      await composer.fill("ni hao");
      await composer.evaluate((field) =>
        field.dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
        ),
      );
      assert.equal(await page.getByTestId("entry-user").count(), 0);
      assert.equal(await composer.inputValue(), "ni hao");
    }));

  it("never_loses_a_message_that_could_not_be_sent", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat]").nth(1).click();
      await page.getByTestId("composer").fill("fail");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      assert.equal(await page.getByTestId("composer").inputValue(), "fail");
    }));

  it("keeps_a_draft_for_each_chat_also_over_a_reload", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat]").nth(1).click();
      await page.getByTestId("composer").fill("for the invoices");
      await page.locator("[data-chat]").nth(2).click();
      assert.equal(await page.getByTestId("composer").inputValue(), "");
      await page.reload();
      await page.locator("[data-chat]").nth(1).click();
      await page.waitForFunction(() => document.querySelector("[data-testid=composer]")?.value === "for the invoices");
    }));

  it("can_stop_an_answer", () =>
    main("first", async (page) => {
      await page.locator(".chips button").first().click();
      await page.locator("[data-testid=entry-assistant]").waitFor();
      await page.getByTestId("stop").click();
      await page.locator("[data-testid=entry-assistant][data-state=stopped]").waitFor();
    }));

  it("renames_and_deletes_a_chat_in_place_by_keyboard", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat=release]").focus();
      await page.keyboard.press("F2");
      await page.keyboard.type("Renamed");
      await page.keyboard.press("Enter");
      await page.locator("[data-chat=release]", { hasText: "Renamed" }).waitFor();
      await page.keyboard.press("Delete");
      assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), "Keep");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.locator("[data-chat=release]").waitFor({ state: "detached" });
    }));

  it("finds_a_chat_from_the_keyboard", () =>
    main("chat", async (page) => {
      await page.getByTestId("composer").waitFor();
      await page.keyboard.press("Control+k");
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "palette-search");
      await page.keyboard.type("invoic");
      await page.locator("[data-group=chats][aria-selected=true]", { hasText: "Invoices" }).waitFor();
      await page.keyboard.press("Enter");
      await page.locator("h1", { hasText: "Invoices" }).waitFor();
    }));

  it("names_the_proxy_that_a_server_is_reached_through", () =>
    main("chat", async (page) => {
      await page.locator("[data-testid=server-row]").nth(5).click();
      await page.getByRole("tab", { name: "About" }).click();
      await page.getByText("http://proxy.harbour.example:3128").waitFor();
      await page.locator("[data-testid=server-row]").nth(6).click();
      await page.getByRole("tab", { name: "About" }).click();
      assert.equal(await page.getByText("Proxy", { exact: true }).count(), 0);
    }));

  it("asks_before_a_tool_is_allowed_and_shows_that_it_asks", () =>
    main("chat", async (page) => {
      await page.locator("[data-testid=server-row]").nth(1).click();
      const tool = page.locator("[data-tool=read_page]");
      await tool.getByRole("radio", { name: "Allow" }).click();
      await tool.getByText("Waiting for your approval…").waitFor();
      assert.equal(await tool.getByRole("radio", { name: "Ask" }).isChecked(), true);
    }));

  it("keeps_every_word_in_reach_at_twice_the_size", () =>
    main(
      "chat",
      async (page) => {
        await page.getByTestId("composer").waitFor();
        await page.getByTestId("waiting-row").waitFor({ state: "visible" });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      },
      { width: 640, height: 430 },
    ));
});

describe("the app's own build", () => {
  const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(js|css|html)$/.test(file),
  );
  const read = (file) => readFileSync(`dist/${file}`, "utf8");

  it("holds_nothing_of_the_fake_host", () => {
    assert.ok(files.length > 3);
    for (const file of files) assert.doesNotMatch(read(file), /collect\.example\.net|nonce-q|acme\/notes-mcp/, file);
  });

  it("has_no_inline_scripts_or_styles_and_no_fonts_as_data", () => {
    for (const file of files.filter((name) => name.endsWith(".html"))) {
      assert.doesNotMatch(read(file), /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/, file);
    }
    for (const file of files.filter((name) => name.endsWith(".css")))
      assert.doesNotMatch(read(file), /url\(["']?(data:|https?:)/, file);
  });
});

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
      assert.equal(await page.getByTestId("muted").count(), 2);
      await page.getByTestId("unmute").first().click();
      await page.waitForFunction(() => document.querySelectorAll("[data-testid=muted]").length === 1);
    }));
});
