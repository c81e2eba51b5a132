import { render } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import Markdown from "../../src/features/markdown/Markdown.svelte";

/** How many items or rows are there before one is added. */
const COUNT = 320;

/** Texts that grow: the beginning, what comes again and again, and how many nodes one of these may have. */
const GROWING: [string, string, (number: number) => string, number][] = [
  ["a list", "", (number) => `- word ${number}\n`, 4],
  ["a list with marks", "", (number) => `- **word** ${number}\n`, 30],
  ["a table", "| one | two |\n|---|--:|\n", (number) => `| ${number} | b |\n`, 8],
  ["a table with marks", "| one | two |\n|---|--:|\n", (number) => `| ${number} | *b* |\n`, 40],
];

const nodes = (root: Node): number => 1 + [...root.childNodes].reduce((sum, child) => sum + nodes(child), 0);

describe("What streams in", () => {
  it.each(GROWING)(
    "touches_only_its_end: %s",
    async (_, begin, piece, most) => {
      const text = begin + Array.from({ length: COUNT }, (_, number) => piece(number)).join("");
      const { container, rerender } = render(Markdown, { text, done: false });
      let touched = 0;
      const count = (changes: MutationRecord[]) => {
        for (const { addedNodes, removedNodes } of changes) {
          touched += 1 + [...addedNodes, ...removedNodes].reduce((sum, node) => sum + nodes(node), 0);
        }
      };
      const observer = new MutationObserver(count);
      observer.observe(container, { subtree: true, childList: true, characterData: true });
      const before = nodes(container);
      await rerender({ text: text + piece(COUNT), done: false });
      expect(nodes(container) - before).toBeGreaterThan(0);
      expect(nodes(container) - before).toBeLessThanOrEqual(most);
      count(observer.takeRecords());
      expect(touched).toBeGreaterThan(0);
      expect(touched).toBeLessThanOrEqual(4 * most);
      observer.disconnect();
    },
    60_000,
  );

  it("shows_the_same_words_in_short_and_with_marks", () => {
    const text =
      "- &amp; one\n- \u202Etwo\n- **three**\n\n| a | b |\n|---|--:|\n| 1 &lt; 2 | \u200Bx |\n| p | q |\n| | |\n";
    const { container } = render(Markdown, { text, done: true });
    expect([...container.querySelectorAll("li")].map((item) => item.textContent.trim())).toEqual([
      "& one",
      "U+202Etwo",
      "three",
    ]);
    expect([...container.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
      "1 < 2",
      "U+200Bx",
      "p",
      "q",
      "",
      "",
    ]);
    expect(container.querySelectorAll("td.right")).toHaveLength(3);
  });
});
