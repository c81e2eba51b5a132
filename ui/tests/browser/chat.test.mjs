// The main window: writing, sending, stopping and finding chats, with the keyboard.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { delayEvents, EN, holdWords, visit } from "./look.mjs";

const main = (scene, act, size = {}) => visit("index.html", { scene, ...size }, EN, act);

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
      await holdWords(page, true);
      await page.locator(".chips button").first().click();
      await page.locator("[data-testid=entry-assistant]").waitFor();
      await page.getByTestId("stop").click();
      await page.locator("[data-testid=entry-assistant][data-state=stopped]").waitFor();
    }));

  it("stops_an_answer_with_Escape_and_leaves_what_was_written", () =>
    main("first", async (page) => {
      await holdWords(page, true);
      await page.locator(".chips button").first().click();
      await page.locator("[data-testid=entry-assistant]").waitFor();
      await page.getByTestId("composer").fill("and then");
      await page.keyboard.press("Escape");
      await page.locator("[data-testid=entry-assistant][data-state=stopped]").waitFor();
      assert.equal(await page.getByTestId("composer").inputValue(), "and then");
    }));

  it("leaves_what_was_written_when_a_suggestion_is_sent", () =>
    main("first", async (page) => {
      await page.getByTestId("composer").fill("Half a thought");
      await page.locator(".empty .chips button").first().click();
      await page.getByTestId("entry-user").waitFor();
      await page.getByRole("button", { name: /^New chat/ }).click();
      await page.waitForFunction(() => document.querySelector("[data-testid=composer]")?.value === "Half a thought");
    }));

  it("begins_one_chat_when_a_suggestion_is_pressed_twice", () =>
    main("first", async (page) => {
      await page.evaluate(() => {
        const suggestion = document.querySelector(".empty .chips button");
        suggestion.click();
        suggestion.click();
      });
      await page.getByTestId("entry-user").waitFor();
      await page.locator("[data-testid=entry-assistant][data-state=done]").waitFor();
      assert.equal(await page.evaluate(() => globalThis.fake.chats.length), 1);
    }));

  it("keeps_an_open_edit_of_a_message_while_another_chat_is_shown", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat=zh]").click();
      await page.getByTestId("edit").first().press("Enter");
      const field = page.getByTestId("edit-message").getByRole("textbox");
      await field.fill("Another plan");
      await page.locator("[data-chat=invoices]").click();
      await field.waitFor({ state: "detached" });
      await page.locator("[data-chat=zh]").click();
      await field.waitFor();
      assert.equal(await field.inputValue(), "Another plan");
    }));

  it("renames_a_chat_in_place_and_gets_it_back_from_the_trash_by_keyboard", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat=release]").focus();
      await page.keyboard.press("F2");
      await page.keyboard.type("Renamed");
      await page.keyboard.press("Enter");
      await page.locator("[data-chat=release]", { hasText: "Renamed" }).waitFor();
      await page.keyboard.press("Delete");
      await page.locator("[data-chat=release]").waitFor({ state: "detached" });
      await page.getByTestId("trash-undo").click();
      await page.locator("[data-chat=release]", { hasText: "Renamed" }).waitFor();
    }));

  it("saves_a_name_and_leaves_the_focus_where_the_user_clicks_while_it_is_changed", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat=release]").focus();
      await page.keyboard.press("F2");
      await page.keyboard.type("Renamed");
      await page.getByTestId("composer").click();
      await page.locator("[data-chat=release]", { hasText: "Renamed" }).waitFor();
      await page.keyboard.type("Hello");
      await page.keyboard.press("Delete");
      assert.equal(await page.getByTestId("composer").inputValue(), "Hello");
      assert.equal(await page.locator("[data-chat=release]").count(), 1);
    }));

  it("sends_the_first_message_to_the_new_chat_alone_where_the_user_goes_to_another", () =>
    main("chat", async (page) => {
      const newChat = page.getByRole("button", { name: /^New chat/ });
      await newChat.click();
      await page.getByTestId("composer").fill("For the new chat");
      await page.evaluate(() => {
        document.querySelector("[data-testid=send]").click();
        document.querySelector("[data-chat=invoices]").click();
      });
      const said = () =>
        page.evaluate(
          () =>
            [...globalThis.fake.entries.values()].flat().filter(({ body }) => body.text === "For the new chat").length,
        );
      await page.locator("[data-chat]", { hasText: "For the new chat" }).waitFor();
      // The user stays where they went, and the message is no longer a draft.
      assert.match(await page.locator(".bar h1").innerText(), /Invoices/);
      await newChat.click();
      await page.waitForFunction(() => document.querySelector("[data-testid=composer]")?.value === "");
      assert.equal(await said(), 1);
    }));

  it("shows_a_chat_that_is_back_from_the_trash_however_late_the_event_is", () =>
    main("chat", async (page) => {
      const chat = page.locator("[data-chat=release]");
      await chat.click();
      await page.locator(".bar h1", { hasText: "Release notes" }).waitFor();
      await chat.focus();
      await page.keyboard.press("Delete");
      await chat.waitFor({ state: "detached" });
      await page.locator(".bar h1", { hasText: "Packing for Oslo" }).waitFor();
      await delayEvents(page);
      await page.getByTestId("trash-undo").click();
      await page.locator(".bar h1", { hasText: "Release notes" }).waitFor();
    }));

  it("renames_the_chat_that_is_shown_also_from_its_message_field", () =>
    main("chat", async (page) => {
      await page.getByTestId("composer").focus();
      await page.keyboard.press("F2");
      await page.locator("[data-testid=chat-row] input").waitFor();
      await page.keyboard.type("Renamed");
      await page.keyboard.press("Enter");
      await page.locator(".bar h1", { hasText: "Renamed" }).waitFor();
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
