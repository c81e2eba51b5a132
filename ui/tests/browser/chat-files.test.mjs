// Chats in files: what an import would add is shown first, and what is imported is marked.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { delayEvents, EN, visit } from "./look.mjs";

describe("files of chats", () => {
  it("are_imported_only_after_their_content_was_shown_and_confirmed", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      const before = await page.getByTestId("chat-row").count();
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-data").click();
      await page.getByTestId("chats-import-choose").click();
      const shown = page.getByTestId("chat-import");
      await shown.waitFor();
      const words = await shown.innerText();
      assert.match(words, /conversations\.json[\s\S]*ChatGPT[\s\S]*Chats: 128\. Messages: 2,416\. Calls: 57\./);
      assert.match(words, /Parts follow each other in a circle \(2\)/);
      assert.equal(await page.getByTestId("chat-row").count(), before);

      await shown.getByRole("button", { name: "Cancel" }).click();
      await shown.waitFor({ state: "detached" });
      assert.equal(await page.getByTestId("chat-row").count(), before);

      await page.getByTestId("chats-import-choose").click();
      await page.getByTestId("chats-import").click();
      await page.getByTestId("imported-chat").waitFor();
      assert.match(await page.getByTestId("imported-chat").innerText(), /ChatGPT/);
      assert.equal(await page.getByTestId("chat-row").count(), before + 1);
      await page.getByTestId("call-row").getByTestId("imported").waitFor();
    }));

  it("are_shown_when_they_were_imported_however_late_the_event_is", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-data").click();
      await page.getByTestId("chats-import-choose").click();
      await page.getByTestId("chat-import").waitFor();
      await delayEvents(page);
      await page.getByTestId("chats-import").click();
      await page.getByTestId("imported-chat").waitFor();
    }));

  it("are_also_copied_whole_as_markdown", () =>
    visit(
      "index.html",
      { scene: "chat", context: { permissions: ["clipboard-read", "clipboard-write"] } },
      EN,
      async (page) => {
        const row = page.getByTestId("chat-row").first();
        const title = await row.locator(".title").innerText();
        await row.hover();
        await row.locator(".menu-button").click();
        await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();
        // A function that returns a promise would end the wait at once: the promise itself counts as true.
        await page.evaluate(() => {
          const read = async () => {
            globalThis.copied = await navigator.clipboard.readText();
            if (globalThis.copied === "") requestAnimationFrame(read);
          };
          void read();
        });
        const copied = await (await page.waitForFunction(() => globalThis.copied)).jsonValue();
        assert.ok(copied.startsWith(`# ${title}\n`), copied);
      },
    ));
});
