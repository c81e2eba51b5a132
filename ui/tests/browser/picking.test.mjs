// The sheet in which a prompt or a resource of a server is picked for a chat: looked at first, and attached or dropped.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("composer").waitFor();
    await act(page);
  });

describe("something of a server that is looked at and not attached", () => {
  const chats = (page) => page.evaluate(() => globalThis.fake.chats.map(({ id }) => id));
  const dropped = (page) => page.evaluate(() => globalThis.fake.droppedAttachments.length);
  /** Opens the sheet of a new chat on a resource. */
  const look = async (page) => {
    await page.getByRole("button", { name: /^New chat/ }).click();
    await page.getByTestId("add").click();
    await page.locator(".offer").nth(1).click();
  };
  const cancel = async (page) => {
    await page.getByTestId("pick-sheet").getByRole("button", { name: "Cancel" }).click();
    await page.getByTestId("pick-sheet").waitFor({ state: "detached" });
  };

  it("leaves_no_chat", () =>
    main(async (page) => {
      const before = await chats(page);
      await look(page);
      await page.getByTestId("attach").waitFor();
      assert.equal((await chats(page)).length, before.length + 1);
      await cancel(page);
      await page.waitForFunction((left) => globalThis.fake.chats.length === left, before.length);
      assert.deepEqual(await chats(page), before);
      assert.equal(await dropped(page), 1);
      assert.equal(await page.locator(".bar h1").innerText(), "New chat");
    }));

  it("leaves_no_chat_and_nothing_attached_where_its_server_answers_later", () =>
    main(async (page) => {
      const before = await chats(page);
      await page.evaluate(() => globalThis.fake.holdFiles());
      await look(page);
      await page.waitForFunction(() => globalThis.fake.fetched.length === 1);
      await cancel(page);
      await page.waitForFunction((left) => globalThis.fake.chats.length === left, before.length);
      assert.equal(await dropped(page), 0);
      await page.evaluate(() => globalThis.fake.letFilesGo());
      await page.waitForFunction(() => globalThis.fake.droppedAttachments.length === 1);
      assert.deepEqual(await chats(page), before);
    }));

  it("does_not_end_the_chat_that_begins_when_something_else_is_attached", () =>
    main(async (page) => {
      const before = await chats(page);
      await look(page);
      await page.getByTestId("attach").click();
      await page.getByTestId("attachment").waitFor();
      await page.getByTestId("pick-sheet").waitFor({ state: "detached" });
      await page.getByTestId("add").click();
      await page.locator(".offer").nth(2).click();
      await page.getByTestId("attach").waitFor();
      await cancel(page);
      assert.equal(await page.getByTestId("attachment").count(), 1);
      assert.equal((await chats(page)).length, before.length + 1);
    }));
});

describe("the sheet of what servers offer", () => {
  const sheet = (page) => page.getByTestId("pick-sheet");
  const offer = (page, name) => page.locator(".offer", { hasText: name });
  const all = (page) => sheet(page).getByRole("button", { name: "Back to all" });
  const fetched = (page, count) => page.waitForFunction((count) => globalThis.fake.fetched.length === count, count);
  /** Goes back to all offers while the first one is still read. */
  const leaveTheFirst = async (page) => {
    await page.getByTestId("add").click();
    await page.evaluate(() => globalThis.fake.holdFiles());
    await offer(page, "Trip to Oslo").click();
    await fetched(page, 1);
    await all(page).click();
  };

  it("shows_nothing_of_an_offer_that_was_left_while_it_was_read", () =>
    main(async (page) => {
      await leaveTheFirst(page);
      await offer(page, "Plan a trip").click();
      await sheet(page).getByLabel("City").fill("Bergen");
      await page.evaluate(() => globalThis.fake.letFilesGo());
      await page.waitForFunction(() => globalThis.fake.droppedAttachments.length === 1);
      await sheet(page).getByRole("heading", { name: "Plan a trip" }).waitFor();
      assert.equal(await sheet(page).getByTestId("attachment-parts").count(), 0);
      // The prompt can be looked at, which the reading before it does not hold up.
      await sheet(page).getByRole("button", { name: "Preview" }).click();
      await sheet(page).getByText("Plan a trip to Bergen, day by day.").waitFor();
      await page.getByTestId("attach").click();
      assert.match(await page.getByTestId("attachment").innerText(), /plan/i);
    }));

  it("reads_another_offer_while_the_one_that_was_left_is_still_read", () =>
    main(async (page) => {
      await leaveTheFirst(page);
      await offer(page, "Packing list").click();
      await fetched(page, 2);
      await page.evaluate(() => globalThis.fake.letFilesGo());
      await page.getByTestId("attach").waitFor();
      await page.waitForFunction(() => globalThis.fake.droppedAttachments.length === 1);
      await page.getByTestId("attach").click();
      assert.match(await page.getByTestId("attachment").innerText(), /packing/);
    }));

  it("takes_a_prompt_whose_server_names_an_argument_twice", () =>
    main(async (page) => {
      await page.evaluate(() => {
        const { offers } = globalThis.fake;
        const { "s-notes": notes } = offers;
        const twice = ({ arguments: asked, ...prompt }) => ({ ...prompt, arguments: [...asked, ...asked] });
        offers["s-notes"] = { ...notes, prompts: notes.prompts.map(twice) };
      });
      await page.getByTestId("add").click();
      await offer(page, "Plan a trip").click();
      await sheet(page).getByLabel("City").first().fill("Bergen");
      assert.equal(await sheet(page).getByLabel("City").last().inputValue(), "Bergen");
      await sheet(page).getByRole("button", { name: "Preview" }).click();
      await sheet(page).getByText("Plan a trip to Bergen, day by day.").waitFor();
    }));
});
