// A temporary chat: begun beside "New chat" or by the palette, marked, and closed for good.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) => visit("index.html", { scene: "chat" }, EN, act);
const bar = (page) => page.getByTestId("temporary-chat");
const temporary = (page) => page.evaluate(() => globalThis.fake.chats.filter((chat) => chat.temporary).length);
const row = (page) => page.getByTestId("chat-row").filter({ has: page.getByLabel("Temporary chat") });
const begin = async (page) => {
  await page.getByTestId("new-temporary").click();
  await bar(page).waitFor();
};
const say = async (page, text) => {
  await page.getByTestId("composer").fill(text);
  await page.keyboard.press("Enter");
  await page.getByTestId("entry-user").getByText(text).waitFor();
};
const gone = (page) => bar(page).waitFor({ state: "detached" });

describe("a temporary chat", () => {
  it("is_marked_where_it_is_read_and_in_the_list", () =>
    main(async (page) => {
      await begin(page);
      assert.match(await bar(page).innerText(), /kept in memory, gone when Vestibule closes/);
      await row(page).waitFor();
      await say(page, "Plan a surprise");
      await bar(page).waitFor();
      // Another chat has no mark.
      await page.locator("[data-chat=invoices]").click();
      await gone(page);
      assert.equal(await row(page).count(), 1);
    }));

  it("that_is_empty_is_used_again_and_closes_without_a_question", () =>
    main(async (page) => {
      await begin(page);
      await page.locator("[data-chat=invoices]").click();
      await gone(page);
      await begin(page);
      assert.equal(await temporary(page), 1);
      await page.getByTestId("close-temporary").click();
      await gone(page);
      assert.equal(await temporary(page), 0);
    }));

  it("closes_after_a_question_where_something_would_be_lost", () =>
    main(async (page) => {
      await begin(page);
      await page.getByTestId("composer").fill("Not sent yet");
      await page.getByTestId("close-temporary").click();
      await page.getByText("are deleted for ever").waitFor();
      // "Keep" has the focus.
      await page.keyboard.press("Enter");
      await page.getByTestId("close-temporary").waitFor();
      assert.equal(await page.getByTestId("composer").inputValue(), "Not sent yet");
      await say(page, "Sent");
      await row(page).locator(".row").press("Delete");
      await page.getByTestId("close-temporary-yes").click();
      await gone(page);
      assert.equal(await temporary(page), 0);
      assert.equal(await page.evaluate(() => globalThis.fake.chats.some((chat) => chat.trashed_ms !== null)), false);
    }));

  it("closes_after_a_question_where_a_file_alone_was_sent_and_is_not_used_again", () =>
    main(async (page) => {
      await begin(page);
      await page.getByTestId("attach-files").click();
      await page.locator(".picked").waitFor();
      await page.getByTestId("composer").press("Enter");
      await page.getByTestId("entry-user").waitFor();
      await page.getByTestId("send").waitFor();
      await page.getByTestId("close-temporary").click();
      await page.getByText("are deleted for ever").waitFor();
      await page.keyboard.press("Enter");
      await page.getByTestId("new-temporary").click();
      await page.getByTestId("entry-user").waitFor({ state: "detached" });
      assert.equal(await temporary(page), 2);
    }));

  it("is_begun_and_closed_by_the_palette", () =>
    main(async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("new temporary");
      await page.keyboard.press("Enter");
      await bar(page).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("close chat");
      await page.keyboard.press("Enter");
      await gone(page);
      assert.equal(await temporary(page), 0);
    }));

  it("offers_no_place_in_the_archive_or_at_the_top", () =>
    main(async (page) => {
      await begin(page);
      await row(page).hover();
      await row(page).locator(".menu-button").click();
      const items = await page.getByRole("menuitem").allInnerTexts();
      assert.ok(
        items.some((item) => item.startsWith("Close chat")),
        items.join(),
      );
      assert.ok(!items.some((item) => /archive|trash|pin/i.test(item)), items.join());
    }));
});
