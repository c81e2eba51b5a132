// The search over all chats and the trash, with the keyboard.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("composer").waitFor();
    await act(page);
  });

describe("the search over all chats", () => {
  it("marks_what_it_found_and_shows_it_in_its_chat", () =>
    main(async (page) => {
      await page.keyboard.press("Control+Shift+F");
      await page.keyboard.type("invoices of");
      const hit = page.getByTestId("find-hit").first();
      // Each key begins another search, and what an earlier one found stays until it ends.
      await hit.locator("mark").getByText("of", { exact: true }).waitFor();
      assert.deepEqual(await hit.locator("mark").allInnerTexts(), ["invoices", "of"]);
      await page.keyboard.press("Enter");
      await page.locator("[data-entry=invoices-0].found").waitFor();
      assert.equal(await page.getByTestId("find-sheet").count(), 0);
    }));

  it("goes_on_from_the_palette_with_the_same_words", () =>
    main(async (page) => {
      await page.evaluate(() => globalThis.fake.addLongChat("long", 600));
      await page.keyboard.press("Control+k");
      await page.keyboard.type("message");
      await page.getByRole("option", { name: "All results…" }).click();
      await page.getByTestId("find-more").waitFor();
      assert.equal(await page.getByTestId("find-sheet-search").inputValue(), "message");
    }));

  it("leaves_out_the_trash_until_a_chat_is_restored", () =>
    main(async (page) => {
      const find = async () => {
        await page.keyboard.press("Control+Shift+F");
        await page.keyboard.type("invoices of");
      };
      await page.locator("[data-chat=invoices]").focus();
      await page.keyboard.press("Delete");
      await page.getByTestId("chat-trashed").waitFor();
      await find();
      await page.getByText("No results").waitFor();
      await page.keyboard.press("Escape");
      await page.getByTestId("to-stored").click();
      await page.getByTestId("restore-chat").click();
      await page.locator("[data-chat=invoices]").waitFor();
      await find();
      await page.getByTestId("find-hit").first().waitFor();
    }));
});

describe("the trash", () => {
  it("deletes_for_ever_only_after_it_said_what_stays", () =>
    main(async (page) => {
      await page.locator("[data-chat=invoices]").focus();
      await page.keyboard.press("Delete");
      await page.getByTestId("to-stored").click();
      await page.getByTestId("delete-chat-ask").click();
      await page.getByText("The ledger keeps that calls were made").waitFor();
      await page.getByTestId("delete-chat").click();
      await page.getByTestId("stored-chat").waitFor({ state: "detached" });
    }));
});
