// Where the keyboard goes on after what had the focus is gone.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { delayEvents, EN, holdWords, visit } from "./look.mjs";

const main = (act, view = {}) => visit("index.html", { scene: "chat", ...view }, EN, act);
const at = (page, selector) =>
  page.waitForFunction((selector) => document.activeElement?.matches(selector) === true, selector);
const COMPOSER = "[data-testid=composer]";

describe("the focus", () => {
  it("goes_to_the_message_field_after_a_message_was_sent_again_or_deleted", () =>
    main(async (page) => {
      await page.locator("[data-chat=zh]").click();
      await page.getByTestId("edit").first().press("Enter");
      await page.getByTestId("edit-message").getByRole("textbox").fill("Another plan");
      await delayEvents(page);
      await holdWords(page, true);
      await page.keyboard.press("Enter");
      await page.getByTestId("entry-user").filter({ hasText: "Another plan" }).waitFor();
      await page.getByTestId("stop").waitFor();
      await at(page, COMPOSER);
      await holdWords(page, false);
      await page.getByTestId("send").waitFor();
      await at(page, COMPOSER);
      await page.getByTestId("delete-message").last().press("Enter");
      await page
        .getByRole("group", { name: /^Delete/ })
        .getByRole("button", { name: "Delete" })
        .press("Enter");
      await page.getByTestId("entry-user").filter({ hasText: "Another plan" }).waitFor({ state: "detached" });
      await at(page, COMPOSER);
    }));

  it("goes_to_the_next_chat_after_one_was_moved_to_the_trash_and_takes_one_for_each_press", () =>
    main(async (page) => {
      const rows = () => page.locator("[data-chat]").evaluateAll((all) => all.map(({ dataset }) => dataset.chat));
      const [, second, third, fourth] = await rows();
      await page.locator(`[data-chat=${second}]`).focus();
      await page.keyboard.down("Delete");
      await at(page, `[data-chat=${third}]`);
      // The key is still held down.
      await page.keyboard.down("Delete");
      await page.keyboard.up("Delete");
      await page.keyboard.press("Delete");
      await at(page, `[data-chat=${fourth}]`);
      const left = await rows();
      assert.ok(left.includes(fourth) && !left.includes(second) && !left.includes(third), left.join());
    }));

  it("goes_to_the_next_chat_in_the_trash_and_then_to_its_heading", () =>
    main(async (page) => {
      await page.evaluate(() => {
        for (const id of ["invoices", "zh"]) globalThis.fake.changeChat(id, { trashed_ms: Date.now() });
        globalThis.fake.changeChat("release", { archived: true });
      });
      await page.getByTestId("to-stored").click();
      await page.getByTestId("delete-chat-ask").first().press("Enter");
      await page.getByTestId("delete-chat").press("Enter");
      await at(page, "[data-testid=restore-chat]");
      await page.keyboard.press("Enter");
      await at(page, "#trash-heading");
      await page.getByTestId("archive").getByRole("button", { name: "Move to trash" }).press("Enter");
      await at(page, "[data-testid=trash-undo]");
    }));

  it("goes_to_the_next_folder_and_then_to_the_button_that_adds_one", () =>
    main(async (page) => {
      await page.getByTestId("workspaces-row").click();
      const remove = page.getByTestId("workspace").last().getByTestId("folder").locator(".icon-button");
      await remove.first().press("Enter");
      await remove.nth(1).waitFor({ state: "detached" });
      await at(page, "[data-testid=folder] .icon-button");
      await page.keyboard.press("Enter");
      await remove.waitFor({ state: "detached" });
      await at(page, "[data-testid=folder-choose]");
    }));

  it("goes_to_the_model_beside_the_one_that_was_removed", () =>
    main(async (page) => {
      await page.getByTestId("to-settings").click();
      const office = page.getByTestId("connection").filter({ hasText: "Office" });
      const rows = office.getByTestId("model-row");
      await rows.first().waitFor();
      for (let left = await rows.count(); left > 1; left -= 1) {
        await rows
          .first()
          .getByRole("button", { name: /^Remove/ })
          .press("Enter");
        await at(page, "[data-testid=favourite]");
      }
      await rows
        .first()
        .getByRole("button", { name: /^Remove/ })
        .press("Enter");
      await at(page, "[data-testid=choose-models]");
    }));
});
