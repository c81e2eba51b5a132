// Footnotes and long tables of an answer in a real browser: where they lead, and what of them is laid out again.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const answer = (text, act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.evaluate((words) => {
      const body = { kind: "assistant", text: words, reasoning: "", model: "m", scripted: false, state: "streaming" };
      const entry = { id: "told", chat: "oslo", position: 1_000, at_ms: Date.now(), body };
      globalThis.fake.tell({ event: "entry", entry, added: true });
    }, text);
    await act(page, page.locator('[data-entry="told"]'));
  });

describe("a footnote", () => {
  const text = (paragraphs) =>
    `The harbour[^1] is old.\n\n${"A paragraph of some words.\n\n".repeat(paragraphs)}And the tram[^1].\n\n[^1]: Since 1300.`;

  it("comes_into_view_with_its_mark_and_leads_back_to_it", () =>
    answer(text(60), async (page, entry) => {
      const mark = entry.getByRole("button", { name: "Footnote 1" }).first();
      await mark.scrollIntoViewIfNeeded();
      await mark.click();
      const note = entry.getByTestId("footnotes").getByRole("listitem");
      await page.waitForFunction((one) => one === document.activeElement, await note.elementHandle());
      assert.ok(await note.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight));
      await note.getByRole("button", { name: /^Back to the text/ }).press("Enter");
      await page.waitForFunction((one) => one === document.activeElement, await mark.elementHandle());
      assert.ok(await mark.evaluate((one) => one.getBoundingClientRect().top >= 0));
    }));

  it("leads_back_also_where_its_mark_is_so_far_away_that_it_is_not_drawn", () =>
    answer(text(400), async (page, entry) => {
      const back = entry.getByTestId("footnotes").getByRole("button", { name: /^Back to the text/ });
      await back.first().scrollIntoViewIfNeeded();
      await page.waitForFunction(() => !document.querySelector('[data-entry="told"]').innerText.includes("harbour"));
      await back.first().press("Enter");
      const focused = page.locator("[data-note]:focus");
      await focused.waitFor();
      assert.match(await focused.evaluate((mark) => mark.closest("p").innerText), /The harbour/);
      assert.ok(await focused.evaluate((mark) => mark.getBoundingClientRect().top >= 0));
    }));
});

describe("a long table", () => {
  const rows = (from, to) => Array.from({ length: to - from }, (_, at) => `| ${from + at} | b |\n`).join("");

  it("keeps_its_columns_its_words_and_its_meaning", () =>
    answer(`| Number | Letter |\n|--:|---|\n${rows(0, 90)}`, async (page, entry) => {
      const tell = (text) =>
        page.evaluate(
          (words) => globalThis.fake.tell({ event: "words", chat: "oslo", entry: "told", text: words, reasoning: "" }),
          text,
        );
      await entry.getByRole("cell", { name: "89", exact: true }).waitFor();
      assert.equal(await entry.locator("table.long").count(), 0);
      await tell(rows(90, 400));
      await entry.getByRole("cell", { name: "399", exact: true }).waitFor();
      await tell("| **400** | *b* |\n");
      await entry.locator("td strong", { hasText: "400" }).waitFor();
      // Rows that are far away are drawn where they are selected.
      await entry.evaluate((told) => getSelection().selectAllChildren(told));
      await entry.getByRole("cell", { name: "0", exact: true }).waitFor();
      assert.equal(await entry.getByRole("row").count(), 402);
      assert.deepEqual(await entry.getByRole("columnheader").allInnerTexts(), ["Number", "Letter"]);
      const edges = await entry
        .locator("table.long tr")
        .evaluateAll((all) => [...new Set(all.map((row) => row.lastElementChild.getBoundingClientRect().left))]);
      assert.equal(edges.length, 1, "the columns of all parts stand below each other");
    }));
});
