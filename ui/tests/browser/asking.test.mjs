// From the chat to the questions that wait, and back to what was denied: the shortcut, and asking again.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) => visit("index.html", { scene: "chat" }, EN, act);
const raised = (page) => page.evaluate(() => globalThis.fake.raised);
const again = (page) => page.getByTestId("ask-again");

describe("what waits for the user", () => {
  it("is_brought_up_oldest_first_by_a_shortcut_that_is_shown_and_sends_nothing", () =>
    main(async (page) => {
      const pill = page.locator(".waits");
      await pill.waitFor();
      assert.match(await pill.innerText(), /Ctrl ↵/);
      await page.getByTestId("composer").fill("Not to be sent by this key.");
      await page.keyboard.press("Control+Enter");
      assert.deepEqual(await raised(page), ["q-delete"]);
      assert.equal(await page.getByTestId("composer").inputValue(), "Not to be sent by this key.");
    }));

  it("leaves_the_shortcut_to_the_message_where_nothing_waits", () =>
    visit("index.html", { scene: "first" }, EN, async (page) => {
      await page.getByTestId("composer").fill("Hello");
      await page.keyboard.press("Control+Enter");
      await page.getByTestId("entry-user").waitFor();
      assert.deepEqual(await raised(page), []);
    }));
});

describe("a call that was denied", () => {
  it("can_be_asked_again_in_words_that_the_chat_shows", () =>
    main(async (page) => {
      await page.locator("[data-chat]").nth(1).click();
      await page.locator("[data-testid=call-group] button").first().click();
      await page.locator("[data-tool=write_file][data-state=refused]").waitFor();
      assert.equal(await again(page).count(), 1, "only what the user refused");
      await again(page).click();
      const said = page.getByTestId("entry-user").last();
      await page.getByText("Ask me again about write_file from files.").waitFor();
      assert.equal(await said.innerText(), "Ask me again about write_file from files.");
      await page.locator("[data-testid=waiting-row][data-tool=write_file]").waitFor();
      assert.equal(await again(page).count(), 0, "it is asked already");
      assert.equal(await page.locator("[data-tool=write_file][data-state=refused]").count(), 1, "what was, stays");
    }));
});
