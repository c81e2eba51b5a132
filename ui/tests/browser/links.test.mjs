// Links that a model writes: a click asks about the whole address, and what is no web page is no link.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) => visit("index.html", { scene: "chat" }, EN, act);
const card = (scene, act) => visit("consent.html", { scene }, EN, act);
const clicked = (page) => page.evaluate(() => globalThis.fake.clickedLinks);

/** Puts an answer with this text at the end of the chat; resolves to its entry. */
async function answered(page, text, state = "done") {
  await page.getByTestId("entry-assistant").first().waitFor();
  const entry = await page.evaluate(
    ([text, state]) => {
      const body = { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state };
      return globalThis.fake.putEntry("oslo", body).id;
    },
    [text, state],
  );
  await page.locator(`[data-entry="${entry}"] .prose`).waitFor();
  return entry;
}
const link = (page, entry, name) => page.locator(`[data-entry="${entry}"]`).getByRole("button", { name, exact: true });

describe("a link of a model", () => {
  it("asks_with_its_chat_its_entry_and_its_whole_address_by_click_and_by_enter", () =>
    main(async (page) => {
      const entry = await answered(
        page,
        "Read [the *guide*](https://docs.example.com/a?b=1#c) or https://example.org/x.",
      );
      await link(page, entry, "https://example.org/x").click();
      await link(page, entry, "the *guide*").focus();
      const shown = page.locator(`[data-entry="${entry}"] .inert:focus-within .address`);
      await shown.getByText("You are asked before it opens. The link's URL:").waitFor();
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => globalThis.fake.clickedLinks.length === 2);
      assert.deepEqual(await clicked(page), [
        { chat: "oslo", entry, address: "https://example.org/x" },
        { chat: "oslo", entry, address: "https://docs.example.com/a?b=1#c" },
      ]);
      // What is opened is no change that is said to be saved.
      await page.waitForFunction(() => globalThis.fake.waiting.every(({ question }) => question === "q-delete"));
      assert.equal(await page.getByTestId("change").count(), 0);
    }));

  it("shows_its_address_inside_the_window_also_after_the_window_became_narrow", () =>
    main(async (page) => {
      await page.setViewportSize({ width: 640, height: 600 });
      const entry = await answered(page, `${"word ".repeat(9)} [guide](https://docs.example.com/a-long-way?b=1#c)`);
      const place = () =>
        page.evaluate((id) => {
          const { left, right } = document.querySelector(`[data-entry="${id}"] .address`).getBoundingClientRect();
          return { left: left >= 0, right: right <= innerWidth };
        }, entry);
      await link(page, entry, "guide").focus();
      assert.deepEqual(await place(), { left: true, right: true });
      for (const width of [1320, 640, 500]) {
        await page.setViewportSize({ width, height: 600 });
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        assert.deepEqual(await place(), { left: true, right: true }, `${width}`);
      }
    }));

  it("opens_nothing_where_it_is_no_web_page_an_image_or_not_written_so", () =>
    main(async (page) => {
      const text =
        "[script](javascript:alert(1)) [file](file:///etc/passwd) [mail](mailto:a@example.com) www.example.com " +
        "![chart](https://collect.example.net/p.png)";
      const entry = await answered(page, text);
      const buttons = page.locator(`[data-entry="${entry}"] .inert > button`);
      await buttons.nth(4).waitFor();
      for (const button of await buttons.all()) {
        await button.click();
        assert.equal(await button.getAttribute("aria-expanded"), "true");
        await page.keyboard.press("Escape");
      }
      assert.deepEqual(await clicked(page), []);
    }));

  it("opens_nothing_while_the_answer_is_written", () =>
    main(async (page) => {
      const entry = await answered(page, "See [this](https://example.org/a) and", "streaming");
      await link(page, entry, "this").click();
      assert.deepEqual(await clicked(page), []);
    }));

  it("says_so_where_the_browser_did_not_start", () =>
    main(async (page) => {
      await page.evaluate(() => {
        const { fake } = globalThis;
        fake.ask = (question) => {
          const problem = { problem: "page_not_opened", detail: 'no program "xdg-open" was found' };
          setTimeout(() => fake.tell({ event: "answered", question, end: { end: "failed", problem } }), 50);
          return { change: "asked", question };
        };
      });
      const entry = await answered(page, "See [this](https://example.org/a).");
      await link(page, entry, "this").click();
      await page.getByText("Your browser did not start.").waitFor();
    }));
});

describe("the card of a link", () => {
  it("says_that_a_model_wrote_it_and_shows_the_whole_address", () =>
    card("open_link", async (page) => {
      const words = await page.getByTestId("card").innerText();
      for (const part of [
        "Open this link from llama3.1 · Ollama in your browser?",
        "From an answer in “Packing for Oslo”",
        "https://www.yr.no/en/forecast/daily-table/1-72837/Norway/Oslo",
        "llama3.1 · Ollama wrote this address.",
      ])
        assert.ok(words.includes(part), `${part} in ${words}`);
      assert.equal(await page.locator("[data-testid^=answer-]", { hasText: "Open in browser" }).count(), 1);
    }));

  it("cannot_be_permitted_where_the_address_deceives", () =>
    card("blocked_link", async (page) => {
      await page.getByText("This page cannot be opened.").waitFor();
      assert.ok(await page.locator("[data-testid^=answer-]", { hasText: "Open in browser" }).isDisabled());
    }));
});
