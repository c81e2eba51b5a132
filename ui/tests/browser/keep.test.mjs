// "Keep", where something would be removed or deleted: it has the focus at first, and gives it back to the button that
// asked.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const click = (id) => (page) => page.getByTestId(id).first().click();
const server = click("server-row");
const temporary = async (page) => {
  await click("new-temporary")(page);
  await page.getByTestId("temporary-chat").waitFor();
  await page.getByTestId("composer").fill("Not sent yet");
};
/** The chats in the trash. */
const trash = async (page) => {
  await page.evaluate(() => globalThis.fake.changeChat("invoices", { trashed_ms: Date.UTC(2026, 10, 19) }));
  await click("to-stored")(page);
};
const removedServer = async (page) => {
  await click("to-ledger")(page);
  await page.getByTestId("ledger-server").selectOption("s-gone");
};

/** Each place: how to get there, and the button that asks. */
const PLACES = [
  [
    "a_workspace",
    click("workspaces-row"),
    (page) => page.locator("[data-testid=workspace] > header").getByRole("button", { name: /^Remove / }),
  ],
  ["a_server", server, (page) => page.getByRole("button", { name: "Remove this server" })],
  [
    "a_connection",
    click("to-settings"),
    (page) => page.getByTestId("connection").getByRole("button", { name: /^Remove / }),
  ],
  ["a_chat_in_the_trash", trash, (page) => page.getByTestId("delete-chat-ask")],
  ["all_of_the_trash", trash, (page) => page.getByTestId("trash-empty-ask")],
  ["a_temporary_chat", temporary, (page) => page.getByTestId("close-temporary")],
  ["a_removed_server", removedServer, (page) => page.getByTestId("forget-ask-open")],
];

describe("a question before something is removed", () => {
  for (const [name, go, opener] of PLACES)
    it(`gives_the_focus_back_when_${name}_is_kept`, () =>
      visit("index.html", { scene: "chat" }, EN, async (page) => {
        await go(page);
        const button = opener(page).first();
        await button.focus();
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => document.activeElement?.textContent.trim() === "Keep");
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Keep", exact: true }).waitFor({ state: "detached" });
        await button.waitFor();
        await page.waitForFunction(() => document.activeElement !== document.body);
        assert.ok(await button.evaluate((it) => it === document.activeElement));
      }));
});
