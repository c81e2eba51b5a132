// Profiles of tools: saved from a chat, chosen for another and for a new one, replaced and removed, by keyboard.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, violations, visit } from "./look.mjs";

const chat = (page, id) => page.evaluate((wanted) => globalThis.fake.chats.find((one) => one.id === wanted), id);
const profiles = (page) => page.evaluate(() => globalThis.fake.profiles);

/** Opens the profiles of the chat that is shown. */
async function open(page) {
  await page.locator("button.tool-switch").press("Enter");
  await page.getByRole("menuitem", { name: "Profiles…" }).press("Enter");
  await page.getByTestId("profiles").waitFor();
}

async function save(page, name) {
  await page.getByRole("textbox", { name: "Save this chat as a profile" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("radio", { name: new RegExp(`^${name}`) }).waitFor();
}

/** A chat without the notes server, and a profile of what it has. */
const reading = (act, look = EN) =>
  visit("index.html", { scene: "chat" }, look, async (page) => {
    await page.locator("[data-chat=oslo]").click();
    await page.evaluate(() => globalThis.fake.changeChat("oslo", { servers_off: ["s-notes"] }));
    await open(page);
    await save(page, "Reading");
    await act(page);
  });

describe("profiles of tools", () => {
  it("are_saved_from_a_chat_and_chosen_in_another_which_then_has_the_same_set", () =>
    reading(async (page) => {
      assert.deepEqual(await violations(page), []);
      const [saved] = await profiles(page);
      assert.equal(saved.name, "Reading");
      assert.ok(!saved.servers.includes("s-notes") && saved.servers.length > 1, saved.servers.join(", "));
      await page.keyboard.press("Escape");
      await page.locator("[data-chat=invoices]").click();
      await open(page);
      assert.ok(await page.getByRole("radio", { name: /^All servers/ }).isChecked());
      await page.getByRole("radio", { name: /^Reading/ }).press("Space");
      await page.locator("[data-testid=profiles] label:has-text('Reading') input:checked").waitFor();
      assert.deepEqual((await chat(page, "invoices")).servers_only, saved.servers);
      await page.keyboard.press("Escape");

      // A server that is switched on in the chat makes another set of it.
      await page.locator("button.tool-switch").press("Enter");
      // The choice is drawn in the form at once, and in the menu when the host has told of it.
      const notes = page.getByRole("menuitemcheckbox", { name: /^notes/, checked: false });
      await notes.waitFor();
      await notes.press("Enter");
      await page.locator("[role=menuitemcheckbox][aria-checked=true]", { hasText: "notes" }).waitFor();
      assert.ok((await chat(page, "invoices")).servers_only.includes("s-notes"));
    }));

  it("are_replaced_by_their_name_and_removed_and_the_field_says_so", () =>
    reading(async (page) => {
      await page.evaluate(() => globalThis.fake.changeChat("oslo", { servers_off: ["s-files"] }));
      await page.getByRole("textbox", { name: "Save this chat as a profile" }).fill("reading");
      await page.getByText("This replaces the profile of that name.").waitFor();
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => globalThis.fake.profiles[0].servers.includes("s-notes"));
      assert.equal((await profiles(page)).length, 1);
      await page.getByRole("button", { name: "Remove the profile reading" }).press("Enter");
      await page.getByRole("radio", { name: /^reading/ }).waitFor({ state: "detached" });
      assert.deepEqual(await profiles(page), []);
    }));

  it("begin_a_new_chat_before_its_first_message_is_sent", () =>
    reading(async (page) => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+n");
      await page.getByTestId("new-chat-profile").press("Enter");
      await page.getByRole("radio", { name: /^Reading/ }).press("Space");
      await page.keyboard.press("Escape");
      await page.getByTestId("new-chat-profile").getByText("Reading").waitFor();
      await page.getByTestId("composer").fill("Hello");
      await page.getByTestId("composer").press("Enter");
      await page.getByTestId("entry-assistant").first().waitFor();
      const made = await page.evaluate(() => globalThis.fake.chats.find(({ title }) => title === "Hello"));
      assert.deepEqual(made.servers_only, (await profiles(page))[0].servers);
    }));

  it("that_is_gone_leaves_no_chat_with_all_tools_behind", () =>
    reading(async (page) => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+n");
      await page.getByTestId("new-chat-profile").press("Enter");
      await page.getByRole("radio", { name: /^Reading/ }).press("Space");
      await page.keyboard.press("Escape");
      const before = await page.evaluate(() => globalThis.fake.chats.length);
      // As if the host had lost it without telling.
      await page.evaluate(() => void (globalThis.fake.profiles = []));
      await page.getByTestId("composer").fill("Hello");
      await page.getByTestId("composer").press("Enter");
      await page.locator(".trouble").waitFor();
      assert.equal(await page.getByTestId("composer").inputValue(), "Hello", "nothing that was written is lost");
      assert.equal(await page.evaluate(() => globalThis.fake.chats.length), before);
    }));
});
