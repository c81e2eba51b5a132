// Messages that are written while the model works: they wait, and can be changed, removed and sent now.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, holdWords, visit } from "./look.mjs";

const main = (scene, act) => visit("index.html", { scene }, EN, act);
const write = async (page, text) => {
  await page.getByTestId("composer").fill(text);
  await page.keyboard.press("Enter");
  // The field takes the focus back once its message was taken.
  await page.waitForFunction(() => {
    const field = document.querySelector("[data-testid=composer]");
    return field && !field.readOnly && field.value === "";
  });
};
const waiting = (page) => page.getByTestId("queue").locator(".words").allInnerTexts();
const shown = (page, count) =>
  page.waitForFunction((count) => document.querySelectorAll("[data-testid=queue] li").length === count, count);
const said = (page) => page.getByTestId("entry-user").allInnerTexts();
const focusBack = (page) => page.waitForFunction(() => document.activeElement.dataset.testid === "composer");
const press = async (page, name, at) => {
  await page.getByRole("button", { name }).nth(at).focus();
  await page.keyboard.press("Enter");
};

describe("a message written while the model works", () => {
  it("is_sent_when_the_answer_is_done", () =>
    main("first", async (page) => {
      await holdWords(page, true);
      await write(page, "Hello");
      await page.getByTestId("stop").waitFor();
      await write(page, "And else?");
      await shown(page, 1);
      await holdWords(page, false);
      await page.getByTestId("queue").waitFor({ state: "detached" });
      await page.getByTestId("send").waitFor();
      assert.deepEqual(await said(page), ["Hello", "And else?"]);
      assert.equal(await page.getByTestId("entry-assistant").count(), 2);
    }));

  it("can_be_changed_removed_and_put_first_by_keyboard", () =>
    main("chat", async (page) => {
      for (const [at, text] of ["One", "Two", "Three"].entries()) {
        await write(page, text);
        await shown(page, at + 1);
      }
      await press(page, "Edit the message", 1);
      await page.keyboard.press("End");
      await page.keyboard.type(" and a half");
      await page.keyboard.press("Enter");
      await page.getByText("Two and a half").waitFor();
      await press(page, "Remove from the queue", 0);
      await shown(page, 2);
      await focusBack(page);
      await press(page, "Send now", 1);
      await page.waitForFunction(() => document.querySelector("[data-testid=queue] .words")?.textContent === "Three");
      assert.deepEqual(await waiting(page), ["Three", "Two and a half"]);
      await focusBack(page);
    }));

  it("gives_the_changed_text_of_an_open_edit_to_the_draft_when_it_is_sent", () =>
    main("first", async (page) => {
      await holdWords(page, true);
      await write(page, "Hello");
      await page.getByTestId("stop").waitFor();
      await write(page, "And else?");
      await shown(page, 1);
      await page.getByTestId("composer").fill("A draft");
      await press(page, "Edit the message", 0);
      await page.keyboard.type(" In three words.");
      await holdWords(page, false);
      await page.waitForFunction(
        () =>
          document.querySelector("[data-testid=composer]").value === "A draft\n\nAnd else? In three words." &&
          document.activeElement.dataset.testid === "composer",
      );
      assert.deepEqual(await said(page), ["Hello", "And else?"]);
    }));

  it("keeps_the_text_of_each_open_edit_while_another_chat_is_shown", () =>
    main("chat", async (page) => {
      for (const [at, text] of ["One", "Two"].entries()) {
        await write(page, text);
        await shown(page, at + 1);
        await press(page, "Edit the message", 0);
        await page.keyboard.type(" and a half");
      }
      const fields = page.getByRole("textbox", { name: "Edit the message" });
      const texts = () => fields.evaluateAll((all) => all.map(({ value }) => value));
      assert.deepEqual(await texts(), ["One and a half", "Two and a half"]);
      await page.locator("[data-chat=invoices]").click();
      await page.getByTestId("queue").waitFor({ state: "detached" });
      await page.locator("[data-chat=oslo]").click();
      await page.getByTestId("queue").waitFor();
      assert.deepEqual(await texts(), ["One and a half", "Two and a half"]);
      await focusBack(page);
      await fields.first().press("Escape");
      assert.deepEqual(await waiting(page), ["One"]);
    }));

  it("gives_the_changed_text_of_an_open_edit_to_the_draft_when_it_is_sent_while_another_chat_is_shown", () =>
    main("first", async (page) => {
      await holdWords(page, true);
      await write(page, "Hello");
      await page.getByTestId("stop").waitFor();
      await write(page, "And else?");
      await shown(page, 1);
      await press(page, "Edit the message", 0);
      await page.keyboard.type(" In three words.");
      await page.getByRole("button", { name: /^New chat/ }).click();
      await page.getByTestId("queue").waitFor({ state: "detached" });
      await holdWords(page, false);
      await page.waitForFunction(() => globalThis.fake.chats.every(({ busy, queue }) => !busy && queue.length === 0));
      await page.locator("[data-chat]").first().click();
      await page.waitForFunction(
        () => document.querySelector("[data-testid=composer]").value === "And else? In three words.",
      );
      assert.deepEqual(await said(page), ["Hello", "And else?"]);
    }));

  it("is_not_in_the_draft_too_when_its_edit_was_saved_or_changed_nothing", () =>
    main("first", async (page) => {
      await holdWords(page, true);
      await write(page, "Hello");
      await page.getByTestId("stop").waitFor();
      await write(page, "One");
      await write(page, "Two");
      await shown(page, 2);
      await press(page, "Edit the message", 0);
      await page.keyboard.type(" and a half");
      await page.keyboard.press("Enter");
      await page.getByText("One and a half").waitFor();
      await press(page, "Edit the message", 1);
      await holdWords(page, false);
      await page.getByTestId("queue").waitFor({ state: "detached" });
      await page.getByTestId("send").waitFor();
      assert.deepEqual(await said(page), ["Hello", "One and a half", "Two"]);
      assert.equal(await page.getByTestId("composer").inputValue(), "");
    }));

  it("stays_after_a_stop_until_it_is_sent", () =>
    main("first", async (page) => {
      await holdWords(page, true);
      await write(page, "Hello");
      await page.locator("[data-testid=entry-assistant]").waitFor();
      await write(page, "And else?");
      await shown(page, 1);
      await page.keyboard.press("Escape");
      await page.locator("[data-testid=entry-assistant][data-state=stopped]").waitFor();
      await page.getByText("Not sent, because the answer was stopped or failed").waitFor();
      assert.deepEqual(await waiting(page), ["And else?"]);
      await holdWords(page, false);
      await press(page, "Send now", 0);
      await page.getByTestId("queue").waitFor({ state: "detached" });
      assert.deepEqual(await said(page), ["Hello", "And else?"]);
    }));
});
