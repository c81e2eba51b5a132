// What the settings say before anything leaves this computer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { EN, framesPass, visit } from "./look.mjs";

const PROXY = /http:\/\/proxy\.harbour\.example:3128/;

describe("the settings", () => {
  it("say_what_is_between_this_computer_and_a_model_while_its_address_is_typed", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const row = page.getByTestId("connection").filter({ hasText: "https://models.example.org/v1" });
      assert.match(await row.getByTestId("proxy").innerText(), PROXY);
      const local = page.getByTestId("connection").filter({ hasText: "http://localhost:11434" });
      assert.equal(await local.getByTestId("proxy").count(), 0);
      await page.getByTestId("add-connection").click();
      for (const [provider, address] of [
        ["ollama", "http://localhost:11434"],
        ["openai", "https://api.openai.com/v1"],
        ["other", ""],
      ]) {
        await page.getByTestId(`provider-${provider}`).click();
        await page.waitForFunction(
          (wanted) => document.querySelector("[data-testid=connection-form] input").value === wanted,
          address,
        );
      }
      const form = page.getByTestId("connection-form");
      const said = form.getByTestId("proxy");
      const address = form.locator("input").first();
      await address.fill("https://models.example/v1");
      await said.waitFor();
      assert.match(await said.innerText(), PROXY);
      await address.fill("http://localhost:1/v1");
      await said.waitFor({ state: "detached" });
    }));

  it("find_models_on_this_computer_by_themselves_and_say_how_fast_one_answers", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByRole("button", { name: "Use qwen3:14b" }).waitFor();
      await page.getByTestId("choose-models").first().click();
      await page.getByText(/answered in \d+/).waitFor();
    }));

  it("add_a_model_file_without_starting_anything_and_start_it_when_asked", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("add-connection").click();
      await page.getByTestId("provider-model-file").click();
      const form = page.getByTestId("local-model-form");
      await page.getByTestId("model-file").fill("/home/ada/notes.txt");
      await form.getByRole("button", { name: "Add this model" }).click();
      assert.match(await form.getByRole("alert").innerText(), /notes\.txt cannot be used as a model/);
      await page.getByTestId("model-file-choose").click();
      await form.getByRole("button", { name: "Add this model" }).click();
      const added = page.getByTestId("connection").filter({ hasText: "small-one-4b-q4.gguf" });
      const state = added.getByTestId("local-state");
      assert.equal(await state.innerText(), "Stopped");
      await added.getByTestId("local-start-stop").click();
      await state.getByText("Starting").waitFor();
      assert.equal(await added.getByTestId("local-start-stop").innerText(), "Stop");
      await added.getByTestId("change-connection").click();
      await page.getByTestId("model-file").fill("/home/ada/models/larger.gguf");
      await form.getByRole("button", { name: "Save" }).click();
      const changed = page.getByTestId("connection").filter({ hasText: "larger.gguf" });
      await changed.getByTestId("local-state").getByText("Stopped").waitFor();
    }));

  it("say_why_a_local_model_ended_across_its_whole_sheet", () =>
    visit("index.html", { scene: "local_model" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const ended = page.getByTestId("connection").filter({ has: page.getByTestId("local-state") });
      const [sheet, why] = [await ended.boundingBox(), await ended.getByRole("alert").boundingBox()];
      assert.ok(why.width > sheet.width - 40, `${why.width} of ${sheet.width}`);
    }));

  it("show_who_says_what_of_a_model_and_find_it", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const office = page.getByTestId("connection").filter({ hasText: "Office" });
      assert.equal(
        (await office.getByTestId("facts").innerText()).replaceAll(/\s+/g, " "),
        "You €3.00 / €15.00 Server Tools 262,144 tokens Catalogue Images Thinking",
      );
      assert.match((await office.innerText()).replaceAll(/\s+/g, " "), /Extra headers: X-Team, X-Project/);
      await page.getByTestId("find-model").fill("gemma");
      assert.equal(await page.getByTestId("model-row").count(), 1);
      await page.getByTestId("find-model").fill("office qwen");
      assert.equal(await page.getByTestId("model-row").count(), 1);
      await page.getByTestId("find-model").fill("nothing like it");
      assert.equal(await page.getByTestId("connection").count(), 0);
    }));

  it("add_several_models_of_a_connection_at_once", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const office = page.getByTestId("connection").filter({ hasText: "Office" });
      await office.getByTestId("choose-models").click();
      const choice = office.getByTestId("model-choice");
      await choice.getByTestId("find-listed").waitFor();
      // What is hidden in a name is shown, and one that is there already is not offered again.
      assert.match(await choice.innerText(), /gpt\s*U\+202E\s*5-oss|gpt.*202E.*5-oss/s);
      assert.ok(await choice.getByLabel(/qwen3-235b/).isDisabled());
      await choice.getByTestId("find-listed").fill("house-model-1");
      await choice.getByLabel("house-model-1", { exact: true }).check();
      await choice.getByTestId("find-listed").fill("deepseek");
      await choice.getByLabel(/deepseek/).check();
      await choice.getByRole("button", { name: "Add 2 models" }).click();
      await choice.waitFor({ state: "detached" });
      await office.getByTestId("model-row").nth(2).waitFor();
      assert.equal(await office.getByTestId("model-row").count(), 3);
    }));

  it("say_which_step_to_a_model_fails", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const office = page.getByTestId("connection").filter({ hasText: "Office" });
      await office.getByRole("button", { name: /^Try Large/ }).click();
      const steps = office.getByTestId("trial").locator("li");
      await steps.first().waitFor();
      const states = await steps.evaluateAll((all) => all.map((it) => `${it.dataset.step} ${it.dataset.state}`));
      assert.deepEqual(states, [
        "name passed",
        "connection passed",
        "encryption passed",
        "key failed",
        "model unreached",
        "reply unreached",
      ]);
      assert.match(await office.getByTestId("trial").innerText(), /rejected the API key/);
    }));

  it("put_favourites_first_in_the_menu_of_a_chat", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const tiny = page.getByTestId("model-row").filter({ hasText: "gemma3:270m" });
      await tiny.getByTestId("favourite").click();
      await page.locator("[data-testid=favourite][aria-pressed=true]").nth(1).waitFor();
      await page.getByTestId("chat-row").first().click();
      await page.locator(".model-pill").click();
      const names = await page.getByRole("menuitemradio").allInnerTexts();
      assert.deepEqual(
        names.slice(0, 2).map((name) => /★ (.*)/.exec(name)?.[1]),
        ["gemma3:270m", "Large, in the office"],
      );
    }));

  it("name_the_file_with_the_licences_that_the_package_installs", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-about").click();
      const named = (await page.getByTestId("third-party").innerText()).trim();
      const { bundle } = JSON.parse(readFileSync(new URL("../../../tauri.conf.json", import.meta.url), "utf8"));
      assert.ok(named in bundle.linux.deb.files, named);
    }));
});

describe("a section of the settings", () => {
  it("begins_at_its_top_wherever_the_one_before_was_left", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.setViewportSize({ width: 1280, height: 500 });
      await page.getByTestId("to-settings").click();
      await page.getByRole("heading", { name: "Models", exact: true }).waitFor();
      await page.mouse.move(900, 300);
      await page.mouse.wheel(0, 2_000);
      await page.waitForFunction(() => (document.querySelector(".pane")?.scrollTop ?? 0) > 100);
      await page.getByTestId("settings-limits").click();
      await page.getByTestId("discovery-all").waitFor();
      assert.equal(await page.locator(".pane").evaluate((pane) => pane.scrollTop), 0);
    }));
});

describe("titles by models", () => {
  it("are_off_until_the_user_wants_them_and_the_choice_says_what_the_model_gets", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-limits").click();
      const wanted = page.getByTestId("title-chats");
      assert.equal(await wanted.isChecked(), false);
      await page.getByText("no result of a tool").waitFor();
      assert.equal(await wanted.getAttribute("role"), "switch");
      await wanted.click();
      await page.locator("[data-testid=title-chats]:checked").waitFor();
    }));
});

/** WebKit fires no `change` for a field that is removed while it has the focus. Chromium fires one within the removal. */
const removeAsWebKit = (page) =>
  page.evaluate(() => {
    const { remove } = Element.prototype;
    let isRemoving = false;
    Element.prototype.remove = function () {
      isRemoving = true;
      remove.call(this);
      isRemoving = false;
    };
    addEventListener("change", (event) => isRemoving && event.stopImmediatePropagation(), true);
  });

describe("the settings of a chat", () => {
  for (const [way, leave] of [
    ["a_press_elsewhere", (page) => page.mouse.click(1250, 300)],
    ["another_size_of_the_window", (page) => page.setViewportSize({ width: 1200, height: 700 })],
  ])
    it(`are_saved_as_typed_when_${way}_closes_them`, () =>
      visit("index.html", { scene: "chat" }, EN, async (page) => {
        await removeAsWebKit(page);
        await page.getByTestId("chat-settings").click();
        const settings = page.getByRole("dialog", { name: "Settings of this chat" });
        const temperature = settings.getByLabel("Temperature");
        await temperature.fill("0.7");
        await leave(page);
        await settings.waitFor({ state: "detached" });
        await page.waitForFunction(() =>
          globalThis.fake.chats.some(({ id, settings }) => id === "oslo" && settings?.temperature === 70),
        );
      }));
});

describe("a number with a separator", () => {
  it("is_a_count_of_tokens", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("chat-settings").click();
      const longest = page.getByLabel("Longest answer (tokens)");
      const saved = (wanted) =>
        page.waitForFunction(
          (wanted) => globalThis.fake.chats.find(({ id }) => id === "oslo").settings?.longest === wanted,
          wanted,
        );
      await longest.fill("4000");
      await longest.press("Tab");
      await saved(4_000);
      await longest.fill("10,000");
      await longest.press("Tab");
      await saved(10_000);
    }));

  it("stays_in_its_field_with_the_reason_where_it_could_be_two_numbers", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("chat-settings").click();
      for (const [field, text, complaint] of [
        [page.getByLabel("Temperature"), "1,000", "Enter a number without separators between thousands."],
        [page.getByLabel("Temperature"), "3", "Must be 2 or less."],
        [page.getByLabel("Longest answer (tokens)"), "1.5", "Enter a whole number."],
      ]) {
        await field.fill(text);
        await field.press("Tab");
        await page.getByText(complaint).waitFor();
        assert.equal(await field.inputValue(), text);
        await field.fill("");
        await field.press("Tab");
        await page.getByText(complaint).waitFor({ state: "detached" });
      }
    }));

  it("stays_in_its_field_with_the_reason_in_the_limits_of_all_chats", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-limits").click();
      const field = page.getByLabel("Tool timeout (seconds)");
      for (const [text, complaint] of [
        ["7200", "Must be 3,600 or less."],
        ["2.5", "Enter a whole number."],
        ["", "Enter a whole number."],
        ["4", "Must be 5 or more."],
      ]) {
        await field.fill(text);
        await field.press("Tab");
        await page.getByText(complaint).waitFor();
        assert.equal(await field.inputValue(), text);
      }
      await field.fill("3,600");
      await field.press("Tab");
      await page.waitForFunction(() => globalThis.fake.settings.call_timeout_s === 3600);
      assert.equal(await page.getByText("Must be 5 or more.").count(), 0);
    }));

  it("is_no_currency", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const currency = page.getByTestId("own-currency");
      const complaint = page.getByText("Enter the three letters of a currency, such as EUR.");
      await currency.fill("12");
      await currency.press("Tab");
      await complaint.waitFor();
      assert.equal(await currency.inputValue(), "12");
      await currency.fill("chf");
      await currency.press("Tab");
      await complaint.waitFor({ state: "detached" });
    }));

  it("keeps_the_panel_open_until_its_reason_was_seen", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      const limit = page.getByTestId("chat-limit");
      const reason = page.getByText("Enter a number without separators between thousands.");
      await page.getByTestId("chat-settings").click();
      await limit.fill("1,000");
      await page.mouse.click(5, 5);
      await reason.waitFor();
      assert.equal(await limit.inputValue(), "1,000");
      await page.mouse.click(5, 5);
      await limit.waitFor({ state: "detached" });
      await page.getByTestId("chat-settings").click();
      await limit.waitFor();
      assert.equal(await reason.count(), 0);
    }));

  it("is_no_price_of_a_model", () =>
    visit("index.html", { scene: "asking" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByRole("button", { name: "Change Large" }).first().click();
      const form = page.getByTestId("model-form");
      const save = form.getByRole("button", { name: "Save model" });
      await form.getByLabel(/^Input price/).fill("10,000");
      await form.getByText("Enter a number without separators between thousands.").waitFor();
      assert.equal(await save.isDisabled(), true);
      await form.getByLabel(/^Input price/).fill("2,5");
      await form.getByText("Enter a number without separators between thousands.").waitFor({ state: "detached" });
      assert.equal(await save.isDisabled(), false);
    }));
});

describe("the budget of a chat", () => {
  it("leads_to_the_settings_of_the_chat_which_close_with_escape_and_with_the_focus", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.evaluate(() => {
        const problem = { problem: "budget_used_up", scope: "chat", spent: 2_000_000, limit: 1_000_000 };
        const entry = { id: "spent", chat: "oslo", position: 1_000, at_ms: Date.now() };
        const body = { kind: "failure", problem, retryable: true };
        globalThis.fake.tell({ event: "entry", entry: { ...entry, body }, added: true });
      });
      const settings = page.getByRole("dialog", { name: "Settings of this chat" });
      await page.getByTestId("entry-failure").getByRole("button", { name: "Settings of this chat" }).click();
      await settings.waitFor();
      await page.keyboard.press("Escape");
      await settings.waitFor({ state: "detached" });
      assert.ok(await page.getByTestId("chat-settings").evaluate((button) => button === document.activeElement));
      await page.keyboard.press("Enter");
      await settings.waitFor();
      await page.getByTestId("composer").focus();
      await settings.waitFor({ state: "detached" });
    }));
});

describe("the settings of models while a change is asked", () => {
  const saved = (act) =>
    visit("index.html", { scene: "asking" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const row = page.getByTestId("connection").filter({ hasText: "Office" });
      const open = () => row.getByTestId("change-connection").click();
      await open();
      const form = row.getByTestId("connection-form");
      await form.getByRole("button", { name: "Save connection" }).click();
      await form.getByText("Waiting for your answer").waitFor();
      const allow = () =>
        page.evaluate(() => globalThis.fake.tell({ event: "answered", question: "q-model", end: { end: "done" } }));
      await act(page, { form, open, allow });
    });

  it("stay_as_they_are_asked", () =>
    saved(async (page, { form, allow }) => {
      assert.equal(await form.getByLabel(/^API key/).isDisabled(), true);
      await allow();
      await form.waitFor({ state: "detached" });
    }));

  it("are_not_closed_where_they_were_opened_since", () =>
    saved(async (page, { form, open, allow }) => {
      await form.getByRole("button", { name: "Cancel" }).click();
      await open();
      await form.getByLabel(/^API key/).fill("typed-since");
      await allow();
      await framesPass(page);
      assert.equal(await form.getByLabel(/^API key/).inputValue(), "typed-since");
    }));
});

describe("the budget of the month", () => {
  const limit = (page) => page.getByTestId("month-limit");
  const settings = async (page) => page.getByTestId("to-settings").click();

  it("warns_in_the_chat_from_four_fifths_on_and_leads_to_the_setting", () =>
    visit("index.html", { scene: "budget" }, EN, async (page) => {
      const line = page.getByTestId("budget-line");
      await line.waitFor();
      assert.match(await line.innerText(), /82% of this month's budget is spent: \$16\.40 of \$20\.00/);
      await page.evaluate(() =>
        globalThis.fake.tell({ event: "costs", costs: { day: [], month: [{ currency: "USD", amount: 15_990_000 }] } }),
      );
      await line.waitFor({ state: "detached" });
      await page.evaluate(() => globalThis.fake.useUp("oslo"));
      assert.match(await line.innerText(), /used up: \$20\.40 of \$20\.00/);
      const failure = page.getByTestId("entry-failure").last();
      assert.match(await failure.innerText(), /Nothing was sent/);
      await failure.getByRole("button", { name: "Go on once" }).waitFor();
      await failure.getByRole("button", { name: "Model settings" }).click();
      assert.equal(await limit(page).inputValue(), "20");
    }));

  it("is_less_at_once_and_more_after_an_answer", () =>
    visit("index.html", { scene: "budget" }, EN, async (page) => {
      await settings(page);
      assert.match(await page.getByTestId("month-spent").innerText(), /\$16\.40 of \$20\.00 spent this month \(82%\)/);
      await limit(page).fill("18");
      await limit(page).blur();
      await page.getByText("of $18.00 spent").waitFor();
      assert.equal(await page.locator("[data-testid=change]").count(), 0);
      await limit(page).fill("");
      await limit(page).blur();
      await page.locator("[data-testid=change]").first().waitFor();
      await page.getByText("€2.30 · $16.40 spent this month").waitFor();
    }));

  it("keeps_what_is_typed_while_a_change_of_before_is_asked", () =>
    visit("index.html", { scene: "budget" }, EN, async (page) => {
      await settings(page);
      await limit(page).fill("30");
      await limit(page).blur();
      await limit(page).fill("45");
      await page.getByTestId("month-spent").getByText("of $30.00").waitFor();
      assert.equal(await limit(page).inputValue(), "45");
    }));

  it("keeps_what_holds_and_what_was_written_where_that_is_no_amount", () =>
    visit("index.html", { scene: "budget" }, EN, async (page) => {
      await settings(page);
      await limit(page).fill("much");
      await limit(page).blur();
      await page.getByText("Enter a number without separators between thousands.").waitFor();
      assert.equal(await limit(page).inputValue(), "much");
      assert.match(await page.getByTestId("month-spent").innerText(), /of \$20\.00/);
    }));
});
