// What the user has begun where they go on to something else before it is done.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { delayEvents, EN, framesPass, visit } from "./look.mjs";

const main = (act) => visit("index.html", { scene: "chat" }, EN, act);
const settingsOf = (page, id) =>
  page.evaluate((id) => globalThis.fake.chats.find((chat) => chat.id === id).settings, id);
const title = (page) => page.locator(".bar h1").innerText();

describe("a setting that is typed", () => {
  it("is_saved_where_a_key_leads_away", () =>
    main(async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-limits").click();
      await page.getByLabel("Tool timeout (seconds)").fill("77");
      await page.keyboard.press("Control+n");
      await page.waitForFunction(() => globalThis.fake.settings.call_timeout_s === 77);
    }));

  it("is_saved_for_its_own_chat_where_a_key_leads_to_another", () =>
    main(async (page) => {
      await page.locator("[data-chat=invoices]").click();
      await page.getByTestId("chat-settings").click();
      await page.getByLabel(/^Temperature/).fill("0.7");
      await page.evaluate(() => {
        const removed = document.querySelector("[role=dialog] input:focus");
        // WebKit fires no `change` for a field that is removed.
        removed.addEventListener("change", (event) => event.stopImmediatePropagation(), { capture: true });
        document.querySelector("[data-chat=zh]").click();
      });
      await page.waitForFunction(
        () => globalThis.fake.chats.find(({ id }) => id === "invoices").settings.temperature === 70,
      );
      assert.equal((await settingsOf(page, "zh")).temperature, undefined);
    }));
});

describe("the settings of a chat", () => {
  it("all_hold_where_they_are_changed_in_quick_succession", () =>
    main(async (page) => {
      await page.getByTestId("chat-settings").click();
      await delayEvents(page);
      await page.getByTestId("effort-high").click();
      await page.getByTestId("chat-large-ask").click();
      await page.waitForFunction(() => globalThis.fake.chats[0].settings.large_results === "ask");
      assert.deepEqual(await settingsOf(page, "oslo"), { effort: "high", large_results: "ask" });
    }));
});

describe("what was imported or added meanwhile", () => {
  it("does_not_take_the_user_away_from_a_chat_after_an_import", () =>
    main(async (page) => {
      const before = await page.getByTestId("chat-row").count();
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-data").click();
      await page.getByTestId("chats-import-choose").click();
      await page.getByTestId("chats-import").waitFor();
      await page.evaluate(() => {
        document.querySelector("[data-testid=chats-import]").click();
        document.querySelector("[data-chat=invoices]").click();
      });
      await page.waitForFunction(
        (count) => document.querySelectorAll("[data-testid=chat-row]").length === count,
        before + 1,
      );
      await framesPass(page);
      assert.match(await title(page), /Invoices/);
    }));

  it("does_not_take_the_user_away_from_a_chat_after_a_bundle_was_added", () =>
    main(async (page) => {
      await page.getByTestId("add-server").click();
      await page.getByTestId("bundle-choose").click();
      await page.getByTestId("bundle-preview").getByRole("textbox", { name: "Folders" }).fill("/home/ada/a");
      await page.evaluate(() => {
        document.querySelector("[data-testid=bundle-add]").click();
        document.querySelector("[data-chat=invoices]").click();
      });
      await page.waitForFunction(() => globalThis.fake.addedBundles.length === 1);
      await framesPass(page);
      assert.match(await title(page), /Invoices/);
    }));
});

describe("a window whose events cannot be read", () => {
  it("says_so_and_reads_them_again_when_the_user_asks_for_it", () =>
    main(async (page) => {
      await page.evaluate(() => {
        const { fake } = globalThis;
        const next = fake.events.next.bind(fake.events);
        fake.events.next = () => Promise.reject({ problem: "unexpected", detail: "no events" });
        globalThis.repair = () => (fake.events.next = next);
        fake.changeChat("oslo", { title: "Before" });
      });
      const again = page.locator(".notices").getByRole("button", { name: "Try again" });
      await again.waitFor();
      await page.evaluate(() => globalThis.repair());
      await again.click();
      await again.waitFor({ state: "detached" });
      await page.evaluate(() => globalThis.fake.changeChat("oslo", { title: "Read again" }));
      await page.locator("[data-chat=oslo]", { hasText: "Read again" }).waitFor();
    }));
});
