// Find in chat: the whole chat is searched, entries that are not loaded are brought, and folded parts open.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const ENTRIES = 10_000;
const field = (page) => page.getByTestId("find-field");
const says = (page, words) => page.getByTestId("find-where").getByText(words, { exact: true }).waitFor();
const entry = (page, id) => page.locator(`[data-entry="${id}"]`);

const chat = (act, view = {}) =>
  visit("index.html", { scene: "chat", ...view }, EN, async (page) => {
    await page.getByTestId("composer").waitFor();
    await act(page);
  });

/** Adds entries at the end of the chat that is shown. */
const put = (page, entries) =>
  page.evaluate((all) => {
    for (const [id, body] of all) globalThis.fake.putEntry("oslo", body, id);
  }, entries);
const said = (text) => ({ kind: "user", text, attachments: [] });

async function search(page, words) {
  await page.keyboard.press("Control+f");
  await field(page).fill(words);
}

/** The words that are marked as the current place, and where they are in the window. */
const current = (page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get("chat-find-current") ?? [];
    const { top, bottom } = range?.getBoundingClientRect() ?? {};
    return { text: range?.toString(), seen: top > 60 && bottom < innerHeight };
  });

describe("find in chat", () => {
  it("brings_an_entry_that_is_not_loaded_and_gives_the_focus_back", () =>
    chat(async (page) => {
      await page.evaluate((count) => globalThis.fake.addLongChat("long", count), ENTRIES);
      await page.locator("[data-chat=long]").click();
      await entry(page, `long-${ENTRIES - 1}`).waitFor();
      await page.getByTestId("composer").focus();
      await search(page, "message 4203");
      await says(page, "1 of 1");
      await page.waitForFunction(() => CSS.highlights.get("chat-find-current")?.size === 1);
      assert.deepEqual(await current(page), { text: "Message 4203", seen: true });
      assert.ok((await page.locator("[data-entry]").count()) <= 180);
      await page.keyboard.press("Escape");
      await field(page).waitFor({ state: "detached" });
      assert.ok(await page.getByTestId("composer").evaluate((it) => it === document.activeElement));
      assert.equal(await page.evaluate(() => CSS.highlights.size), 0);
      await page.getByTestId("to-end").click();
      await entry(page, `long-${ENTRIES - 1}`).waitFor();
    }));

  it("goes_from_place_to_place_by_keyboard_and_round", () =>
    chat(async (page) => {
      await put(page, [
        ["one", said("Fjord, FJORD")],
        ["two", said("峡湾 fjord")],
      ]);
      await entry(page, "two").waitFor();
      await search(page, "fjord");
      await says(page, "1 of 3");
      for (const [key, words] of [
        ["Enter", "2 of 3"],
        ["ArrowDown", "3 of 3"],
        ["Enter", "1 of 3"],
        ["Shift+Enter", "3 of 3"],
        ["ArrowUp", "2 of 3"],
      ]) {
        await page.keyboard.press(key);
        await says(page, words);
      }
      assert.equal((await current(page)).text, "FJORD");
      assert.equal(await page.evaluate(() => CSS.highlights.get("chat-find").size), 3);
      await field(page).fill("峡湾");
      await says(page, "1 of 1");
      await page.waitForFunction(() => [...CSS.highlights.get("chat-find-current")][0]?.toString() === "峡湾");
      await field(page).fill("nothing like it");
      await says(page, "No results");
      assert.ok(await page.getByTestId("find-next").isDisabled());
    }));

  it("opens_a_call_whose_result_has_the_text", () =>
    chat(async (page) => {
      await put(page, [
        [
          "call",
          {
            kind: "call",
            call: "1",
            called_as: "notes__read",
            server: "s-notes",
            server_name: "notes",
            tool: "read",
            arguments: {},
            edited: false,
            because: [],
            state: "answered",
            elapsed_ms: 3,
            result: {
              content: [{ type: "text", text: "The harbour of Zanzibar" }],
              structured: null,
              failed: false,
              misfits: [],
              cut_bytes: 0,
              model_cut_bytes: 0,
            },
          },
        ],
      ]);
      await entry(page, "call").waitFor();
      assert.equal(await page.getByText("The harbour of Zanzibar").count(), 0);
      await search(page, "zanzibar");
      await says(page, "1 of 1 · in a result");
      await page.getByText("The harbour of Zanzibar").waitFor();
      await page.waitForFunction(() => [...CSS.highlights.get("chat-find-current")][0]?.toString() === "Zanzibar");
    }));

  it("finds_what_is_said_while_it_is_open", () =>
    chat(async (page) => {
      await search(page, "lighthouse");
      await says(page, "No results");
      await put(page, [["new", said("A lighthouse")]]);
      await says(page, "1 of 1");
    }));
});
