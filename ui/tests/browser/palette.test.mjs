// The palette, the composer and what they lead to, with the keyboard alone. Its list of offers has a file of its own.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act, view = {}) =>
  visit("index.html", { scene: "chat", ...view }, EN, async (page) => {
    await page.getByTestId("composer").waitFor();
    await act(page);
  });
const open = async (page, search) => {
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "palette-search");
  await page.keyboard.type(search);
};
const first = (page) => page.locator("[data-testid=palette-entry][aria-selected=true]");
const said = (page, text) => page.locator("[aria-selected=true]", { hasText: text }).waitFor();

describe("the palette", () => {
  it("finds_what_was_said_in_a_chat_and_shows_the_message", () =>
    main(async (page) => {
      await open(page, "invoices of");
      const entry = page.locator("[data-group=messages]", { hasText: "Add up the invoices" });
      await entry.waitFor();
      await entry.click();
      await page.locator("[data-entry=invoices-0].found").waitFor();
      assert.equal(await page.getByTestId("palette").count(), 0);
    }));

  it("leads_to_servers_tools_rules_and_settings", () =>
    main(async (page) => {
      await open(page, "delete_page");
      await page.locator("[data-group=tools]", { hasText: "delete_page" }).first().click();
      await page.locator("[data-tool=delete_page]").waitFor();
      assert.equal(await page.getByTestId("tool-row").count(), 1, "the tool is the one that is shown");
      await open(page, "github");
      await said(page, "github");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "github" }).waitFor();
      await open(page, "never delete");
      await page.locator("[data-group=rules]").first().click();
      await page.getByTestId("rule").first().waitFor();
      assert.equal(await page.getByTestId("rule").count(), 1);
      await open(page, "limits");
      await said(page, "Limits");
      await page.keyboard.press("Enter");
      await page.locator("[data-testid=settings-limits][aria-current=page]").waitFor();
    }));

  it("shows_a_tool_of_the_server_that_is_shown_also_from_another_tab", () =>
    main(async (page) => {
      await page.locator("[data-testid=server-row]").nth(1).click();
      await page.getByRole("tab", { name: "Log", exact: true }).click();
      await open(page, "delete_page");
      await page.locator("[data-group=tools]", { hasText: "delete_page" }).first().click();
      await page.locator("[data-tool=delete_page]").waitFor();
      assert.equal(await page.getByTestId("tool-row").count(), 1);
    }));

  it("stops_everything_and_starts_a_server", () =>
    main(async (page) => {
      await open(page, "stop every");
      await said(page, "Stop everything");
      await page.keyboard.press("Enter");
      await page.getByTestId("everything-stopped").waitFor();
      await open(page, "start weather");
      await said(page, "Start weather");
      await page.keyboard.press("Enter");
      await page.locator("[data-testid=server-row][data-state=asking]", { hasText: "weather" }).waitFor();
    }));

  it("walks_with_the_arrow_keys_and_closes_with_Escape", () =>
    main(async (page) => {
      await open(page, "");
      const before = await first(page).innerText();
      await page.keyboard.press("ArrowDown");
      assert.notEqual(await first(page).innerText(), before);
      await page.keyboard.press("ArrowUp");
      assert.equal(await first(page).innerText(), before);
      await page.keyboard.press("Escape");
      await page.getByTestId("palette").waitFor({ state: "detached" });
      await open(page, "nothing is called like this");
      await page.getByText("No results").waitFor();
    }));
});

describe("the composer", () => {
  it("begins_a_sheet_in_its_search_field", () =>
    main(async (page) => {
      await page.getByTestId("add").click();
      await page.waitForFunction(() => document.activeElement?.type === "search");
    }));

  it("keeps_a_draft_in_the_host_and_shows_it_again", () =>
    visit(
      "index.html",
      {
        scene: "chat",
        begin: (page) =>
          page.addInitScript(() =>
            sessionStorage.setItem("fake.drafts", JSON.stringify([{ chat: "oslo", text: "Half a thought" }])),
          ),
      },
      EN,
      async (page) => {
        const field = page.getByTestId("composer");
        await page.waitForFunction(() => document.querySelector("[data-testid=composer]").value === "Half a thought");
        await field.pressSequentially(", or more");
        await page.waitForFunction(() => globalThis.fake.kept.at(-1)?.text === "Half a thought, or more");
        await field.fill("");
        await page.waitForFunction(() => globalThis.fake.kept.at(-1)?.text === "");
      },
    ));

  it("switches_the_tools_of_a_server_off_for_this_chat", () =>
    main(async (page) => {
      const button = page.locator(".tool-switch");
      assert.match(await button.innerText(), /26 tools/);
      await button.click();
      await page.getByRole("menuitemcheckbox", { name: /files/ }).click();
      await page.waitForFunction(() => document.querySelector(".tool-switch").innerText.includes("12 tools"));
      assert.equal(await page.getByRole("menuitemcheckbox", { name: /files/ }).getAttribute("aria-checked"), "false");
    }));

  it("switches_single_tools_of_a_chat_off_and_names_those_that_are_never_offered", () =>
    main(async (page) => {
      const button = page.locator(".tool-switch");
      const count = async () => Number.parseInt(await button.innerText());
      const before = await count();
      await button.click();
      await page.getByRole("menuitem", { name: "Choose single tools…" }).click();
      const panel = page.getByTestId("tool-choice");
      const tool = panel.locator("input[type=checkbox]:not(:disabled):checked").first();
      await tool.click();
      await page.waitForFunction(
        (left) => Number.parseInt(document.querySelector(".tool-switch").innerText) === left,
        before - 1,
      );
      assert.notEqual(await panel.locator("label.never").count(), 0);
      await page.keyboard.press("Escape");
      assert.equal(await panel.count(), 0);
      assert.ok(await button.evaluate((element) => element === document.activeElement));
    }));
});

describe("what a server offers", () => {
  it("is_used_in_a_new_chat_from_the_page_of_the_server", () =>
    main(async (page) => {
      await page.locator("[data-testid=server-row]").nth(1).click();
      await page.locator("[role=tab]").nth(2).click();
      await page.getByRole("button", { name: "Use in new chat: Trip to Oslo" }).click();
      await page.getByTestId("attachment-parts").waitFor();
      await page.getByTestId("attach").click();
      await page.getByTestId("attachment").waitFor();
    }));
});

describe("a notification that was clicked", () => {
  it("leads_to_its_chat_and_not_to_one_that_is_gone", () =>
    main(async (page) => {
      const ask = (chat) => page.evaluate((id) => globalThis.fake.tell({ event: "chat_asked", chat: id }), chat);
      const shown = await page.locator("[data-chat]").first().getAttribute("data-chat");
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-limits").waitFor();
      await ask("no-such-chat");
      assert.equal(await page.getByTestId("settings-limits").count(), 1);
      await ask(shown);
      await page.getByTestId("composer").waitFor();
      assert.equal(await page.locator("[data-chat][aria-current=page]").getAttribute("data-chat"), shown);
    }));
});

describe("closing the window", () => {
  it("asks_while_something_runs_and_keeps_it_open_by_default", () =>
    main(async (page) => {
      const ask = () => page.evaluate(() => globalThis.fake.tell({ event: "close_asked", chats: 1, requests: 2 }));
      await ask();
      const sheet = page.getByTestId("close-ask");
      await sheet.waitFor();
      assert.match(await sheet.innerText(), /1 chat is at work[\s\S]*2 requests need you/);
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "close-keep");
      await page.keyboard.press("Enter");
      await sheet.waitFor({ state: "detached" });
      await ask();
      await page.getByTestId("close-yes").click();
      assert.deepEqual(await page.evaluate(() => globalThis.fake.closed), [false, true]);
    }));
});
