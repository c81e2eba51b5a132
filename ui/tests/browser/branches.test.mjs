// A message that is sent again with another text, an answer that is asked for once more, and the way between versions.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, holdWords, visit } from "./look.mjs";

/** A chat with one message and its answer. */
const talk = (act) =>
  visit("index.html", { scene: "first" }, EN, async (page) => {
    await say(page, "What can you do?");
    await act(page);
  });

/** Presses Enter, and waits until the answer to what was written has begun and ended. */
const sendByEnter = async (page) => {
  await holdWords(page, true);
  await page.keyboard.press("Enter");
  await page.locator("[data-testid=entry-assistant][data-state=streaming]").waitFor();
  await holdWords(page, false);
  await page.locator("[data-testid=entry-assistant][data-state=done]").last().waitFor();
  await page.getByTestId("send").waitFor();
};
const say = async (page, text) => {
  await page.getByTestId("composer").fill(text);
  await sendByEnter(page);
};
const words = (page) => page.getByTestId("versions").allInnerTexts();
const said = (page) => page.getByTestId("entry-user").allInnerTexts();
const focusOn = (page, name) => page.getByRole("button", { name }).last().focus();

/** Edits the first message by keyboard. */
const edit = async (page, text) => {
  await page.getByTestId("edit").first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Edit the message" }).fill(text);
  await sendByEnter(page);
};

describe("versions", () => {
  it("keeps_both_branches_of_an_edited_message_and_changes_between_them_by_keyboard", () =>
    talk(async (page) => {
      await say(page, "And else?");
      await edit(page, "What do you know?");
      assert.deepEqual(await said(page), ["What do you know?"]);
      assert.deepEqual(await words(page), ["2 of 2"]);
      await focusOn(page, "Previous version");
      await page.keyboard.press("Enter");
      await page.getByText("And else?").waitFor();
      assert.deepEqual(await said(page), ["What can you do?", "And else?"]);
      assert.deepEqual(await words(page), ["1 of 2"]);
      await page.waitForFunction(() => document.activeElement.getAttribute("aria-label") === "Next version");
      await page.keyboard.press("Enter");
      await page.getByText("What do you know?").waitFor();
      await page.waitForFunction(() => document.activeElement.getAttribute("aria-label") === "Previous version");
    }));

  it("answers_again_beside_the_first_answer", () =>
    talk(async (page) => {
      await focusOn(page, "Answer again");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await page.getByText("2 of 2").waitFor();
      await page.locator("[data-testid=entry-assistant][data-state=done]").last().waitFor();
      await page.getByTestId("send").waitFor();
      assert.equal(await page.getByTestId("entry-assistant").count(), 1);
      await page.getByRole("button", { name: "Previous version" }).click();
      await page.getByText("1 of 2").waitFor();
      assert.equal(await page.getByTestId("entry-assistant").count(), 1);
    }));

  it("Escape_leaves_a_message_as_it_was_and_a_failure_keeps_what_was_written", () =>
    talk(async (page) => {
      await page.getByTestId("edit").focus();
      await page.keyboard.press("Enter");
      const field = page.getByRole("textbox", { name: "Edit the message" });
      await field.fill("fail");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      assert.equal(await field.inputValue(), "fail");
      await page.keyboard.press("Escape");
      assert.deepEqual(await said(page), ["What can you do?"]);
      await page.waitForFunction(() => document.activeElement.dataset.testid === "edit");
    }));

  it("keeps_an_open_edit_and_the_focus_while_the_chat_works", () =>
    talk(async (page) => {
      const busy = (busy) =>
        page.evaluate((busy) => {
          const { fake } = globalThis;
          fake.changeChat(fake.chats[0].id, { busy });
        }, busy);
      await page.getByTestId("edit").focus();
      await page.keyboard.press("Enter");
      const field = page.getByRole("textbox", { name: "Edit the message" });
      const send = page.getByTestId("edit-message").getByRole("button", { name: "Send" });
      await field.fill("What else can you do?");
      await page.getByTestId("composer").focus();
      await busy(true);
      await page.getByTestId("stop").waitFor();
      assert.equal(await field.inputValue(), "What else can you do?");
      assert.equal(await send.isDisabled(), true);
      await field.press("Enter");
      await page.getByTestId("composer").focus();
      await busy(false);
      await page.getByTestId("send").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "composer");
      assert.deepEqual(await said(page), []);
      await send.click();
      await page.getByText("2 of 2").waitFor();
      assert.deepEqual(await said(page), ["What else can you do?"]);
    }));

  it("deletes_a_message_with_its_answer_only_after_asking", () =>
    talk(async (page) => {
      await say(page, "And else?");
      await page.getByTestId("delete-message").first().focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement.textContent.trim() === "Keep");
      await page.keyboard.press("Escape");
      assert.deepEqual(await said(page), ["What can you do?", "And else?"]);
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement.textContent.trim() === "Keep");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelectorAll("[data-testid=entry-user]").length === 1);
      assert.deepEqual(await said(page), ["And else?"]);
      assert.equal(await page.getByTestId("entry-assistant").count(), 1);
    }));

  it("deletes_a_message_of_files_alone_which_has_no_text_to_copy_or_edit", () =>
    talk(async (page) => {
      await page.getByTestId("attach-files").click();
      await page.locator(".composer [data-testid=attachment]").nth(1).waitFor();
      await page.getByTestId("composer").focus();
      await sendByEnter(page);
      const message = page.getByTestId("entry-user").last();
      await message.getByTestId("attachment").nth(1).waitFor();
      assert.equal(await message.locator("[data-part=message]").count(), 0);
      for (const name of ["Copy the message", "Edit the message"])
        assert.equal(await page.getByRole("button", { name }).count(), 1, "only of the message with a text");
      await page.getByTestId("delete-message").last().focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement.textContent.trim() === "Keep");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await message.getByTestId("attachment").first().waitFor({ state: "detached" });
      assert.deepEqual(await said(page), ["What can you do?"]);
    }));

  it("cannot_change_the_branch_while_the_chat_works", () =>
    talk(async (page) => {
      await edit(page, "Again");
      await holdWords(page, true);
      await page.getByTestId("composer").fill("More");
      await page.keyboard.press("Enter");
      await page.getByTestId("stop").waitFor();
      assert.ok(await page.getByRole("button", { name: "Previous version" }).isDisabled());
      assert.equal(await page.getByTestId("edit").count(), 0);
      assert.equal(await page.getByTestId("regenerate").count(), 0);
      await page.getByTestId("stop").click();
      await page.getByTestId("send").waitFor();
    }));
});
