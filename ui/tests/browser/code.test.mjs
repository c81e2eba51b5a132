// Code in an answer: coloured by its language once it has settled, and always the words that the model wrote.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const CODE = 'def area(r):  # of a circle\n    return 3.14 * r, "m2"';

/** Shows an answer of the model in the chat, and waits for its code. */
const answer = (text, act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("composer").waitFor();
    await page.evaluate((said) => {
      const body = { kind: "assistant", text: said, reasoning: "", model: "m", scripted: false, state: "done" };
      const entry = { id: "code", chat: "oslo", position: 1_000, at_ms: Date.now(), body };
      globalThis.fake.tell({ event: "entry", entry, added: true });
    }, text);
    await page.locator('[data-entry="code"] pre').first().waitFor();
    await act(page);
  });

/** The coloured words of one kind. */
const coloured = (page, kind) =>
  page.evaluate((name) => {
    const texts = [];
    for (const { startContainer, startOffset, endContainer, endOffset } of CSS.highlights.get(name) ?? []) {
      const range = document.createRange();
      range.setStart(startContainer, startOffset);
      range.setEnd(endContainer, endOffset);
      texts.push(range.toString());
    }
    return texts;
  }, `code-${kind}`);

/** Waits until words of a kind are coloured. */
const waitForColour = (page, kind) =>
  page.waitForFunction((name) => (CSS.highlights.get(name)?.size ?? 0) > 0, `code-${kind}`);

describe("code in an answer", () => {
  it("has_the_colours_of_its_language_and_stays_one_text", () =>
    answer(`\`\`\`python\n${CODE}\n\`\`\``, async (page) => {
      await waitForColour(page, "string");
      assert.deepEqual(await coloured(page, "keyword"), ["def", "return"]);
      assert.deepEqual(await coloured(page, "comment"), ["# of a circle"]);
      const code = page.locator('[data-entry="code"] pre code');
      assert.equal(await code.textContent(), CODE);
      assert.equal(await code.locator(".part *").count(), 0, "no element is made of it");
    }));

  it("loses_its_colours_when_its_chat_is_left", () =>
    answer(`\`\`\`js\nlet a = 1;\n\`\`\``, async (page) => {
      await waitForColour(page, "keyword");
      await page.getByTestId("to-ledger").click();
      await page.waitForFunction(() => CSS.highlights.get("code-keyword").size === 0);
    }));

  it("is_coloured_where_it_is_in_sight_and_nowhere_else", () => {
    const lines = Array.from({ length: 600 }, (_, number) => `let line${number} = ${number};`);
    return answer(`\`\`\`js\n${lines.join("\n")}\n\`\`\``, async (page) => {
      const numbers = async () => (await coloured(page, "literal")).map(Number);
      const showLine = (part) => page.locator('[data-entry="code"] pre .part').nth(part).scrollIntoViewIfNeeded();
      await showLine(11);
      await page.waitForFunction(() => {
        const texts = [...(CSS.highlights.get("code-literal") ?? [])].map(({ startContainer }) => startContainer.data);
        return texts.some((text) => text.includes("line599"));
      });
      assert.ok(!(await numbers()).includes(0), "the first line is out of sight");
      await showLine(0);
      await page.waitForFunction(() => {
        const texts = [...CSS.highlights.get("code-literal")].map(({ startContainer }) => startContainer.data);
        return texts.some((text) => text.includes("line0 ")) && !texts.some((text) => text.includes("line599"));
      });
      assert.ok((await numbers()).includes(0), "the first line is in sight");
    });
  });

  it("shows_a_hidden_character_and_stays_in_one_colour", () =>
    answer(`\`\`\`js\nlet a\u202E = 1;\n\`\`\`\n\n\`\`\`rust\nfn main() {}\n\`\`\``, async (page) => {
      await waitForColour(page, "keyword");
      assert.deepEqual(await coloured(page, "keyword"), ["fn"]);
    }));
});
