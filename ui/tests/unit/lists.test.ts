import { cleanup, render } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import { ITEMS } from "../../src/features/markdown/itemParts";
import Markdown from "../../src/features/markdown/Markdown.svelte";

afterEach(cleanup);

const AFTER = "\n\nAfter it[^n].\n\n[^n]: The note.\n";
/** Items in a list that is drawn in parts. */
const MANY = 3 * ITEMS - 20;
/** Milliseconds. Some draw hundreds of components, which takes seconds on a busy machine. */
const PATIENTLY = 30_000;

/** The elements, attributes and words of an element, without what Svelte adds for itself. */
function shape(node: Node): unknown {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element)) return "";
  const attributes = [...node.attributes]
    .map(({ name, value }) => [name, name === "class" ? ownClasses(value) : value.replace(/^c?\d+(?=-address$)/, "id")])
    .filter(([name, value]) => name !== "role" && !(name === "class" && value === ""));
  const inside: unknown[] = [];
  for (const child of node.childNodes) {
    const next = shape(child);
    if (next === "") continue;
    if (typeof next === "string" && typeof inside.at(-1) === "string") inside.push(`${String(inside.pop())}${next}`);
    else inside.push(next);
  }
  return [node.localName, Object.fromEntries(attributes.toSorted()), inside];
}

const ownClasses = (value: string) =>
  value
    .split(" ")
    .filter((name) => name !== "" && !name.startsWith("svelte-"))
    .join(" ");

function drawn(text: string, done = true): Element {
  return render(Markdown, { text, done }).container;
}

function itemsOf(container: Element): Element[] {
  const lists = container.querySelectorAll(
    ":scope .blocks > ul, :scope .blocks > ol, :scope .blocks > [role=list] > *",
  );
  return [...lists].flatMap((list) => [...list.children]);
}

/** Items by their number: all of words, and words beside other kinds. */
const SHAPES: [string, (number: number) => string][] = [
  ["words", (number) => `- word ${number}\n`],
  ["numbers", (number) => `${number + 7}. word ${number}\n`],
  ["lists in some", (number) => `- word ${number}\n${number % 20 === 9 ? "  - inner\n    1. more\n" : ""}`],
  ["lists in all", (number) => `- word ${number}\n  - inner\n`],
  ["tasks", (number) => `- [${number % 2 ? "x" : " "}] word ${number}\n`],
  ["some tasks", (number) => `- ${number % 9 === 4 ? "[x] " : ""}word ${number}\n`],
  ["paragraphs", (number) => `- word ${number}\n\n  more of it\n\n`],
  ["right to left", (number) => `- مرحبا ${number}\n`],
  ["footnotes", (number) => `- word ${number}${number % 7 === 3 ? "[^n]" : ""}\n`],
  [
    "addresses",
    (number) => `- word ${number}${number % 7 === 3 ? " https://example.org/a www.example.org a@b.org" : ""}\n`,
  ],
  ["links that pretend", (number) => `- ${number % 30 === 29 ? "[example.org](https://other.example/)" : "word"}\n`],
  ["pictures", (number) => `- ${number % 30 === 12 ? "![a](https://example.org/a.png)" : "word"}\n`],
  ["marks", (number) => `- word ${number}${number % 5 === 0 ? " **b** _i_ `c` ~~d~~" : ""}\n`],
  ["formulas", (number) => `- word ${number}${number % 40 === 0 ? " $x^2$" : ""}\n`],
  ["escapes", (number) => `- word ${number} &amp; &lt;b&gt;${number % 8 === 1 ? " \\* \\_" : ""}\n`],
  ["HTML", (number) => `- ${number % 11 === 5 ? "<b onclick=x>b</b>" : "word"}\n`],
  ["hidden characters", (number) => `- word ${number}${number % 6 === 2 ? "\u202Eabc\u200B\u0007" : ""}\n`],
  ["hidden characters by reference", (number) => `- word ${number}${number % 6 === 2 ? "&#x202e;abc" : ""}\n`],
  ["nothing", (number) => `- ${number % 4 === 1 ? "" : "word"}\n`],
  ["two lines", (number) => `- word ${number}\n  and more\n`],
];

describe("a list of many items", { timeout: PATIENTLY }, () => {
  it.each(SHAPES)("draws_each_item_as_a_short_list_does: %s", (_, item) => {
    const all = Array.from({ length: MANY }, (_, number) => item(number));
    const long = drawn(all.join("") + AFTER);
    expect(long.querySelectorAll(".blocks > [role=list] > .part")).toHaveLength(3);
    const short = [0, ITEMS, 2 * ITEMS].flatMap((from) =>
      itemsOf(drawn(all.slice(from, from + ITEMS).join("") + AFTER)).map(shape),
    );
    expect(itemsOf(long).map(shape)).toEqual(short);
  });

  it.each([
    ["- ", "ul", 1],
    ["7. ", "ol", 7],
  ])("is_one_list_for_a_screen_reader_whose_numbers_go_on: %s", (mark, tag, first) => {
    const long = drawn(
      Array.from({ length: MANY }, (_, number) => `${mark}word ${number % 9 ? "" : "**b**"}\n`).join(""),
    );
    const parts = [...long.querySelectorAll("[role=list] > *")];
    expect(parts.map((part) => [part.localName, part.getAttribute("role"), part.getAttribute("start")])).toEqual(
      [0, 1, 2].map((at) => [tag, "presentation", `${first + at * ITEMS}`]),
    );
    expect(long.querySelectorAll("li[role=listitem]")).toHaveLength(MANY);
  });

  const BEGIN = Array.from({ length: 2 * ITEMS + 3 }, (_, number) => `- word ${number}\n`).join("");

  it.each([
    ["words", "- more words\n- and more\n"],
    ["marks", "- one\n- **two** words\n- three `c`\n- four\n"],
    ["marks that end late", "- *a\n- b* c\n- *d*\n"],
    ["links", "- [a](https://example.org/) b\n- https://example.org c\n"],
    ["tasks", "- [ ] open\n- [x] done\n- none\n"],
    ["lists", "- one\n  - inner\n  - other\n- two\n"],
    ["footnotes", "- one[^n]\n- two\n\n[^n]: The note.\n"],
    ["the end of the list", "- one\n\nWords after it.\n"],
    ["hidden characters", "- one\u202E two\n- three\n"],
    ["a heading", "- one\n---\n- two\n===\n"],
  ])("looks_at_each_letter_as_if_it_had_come_whole: %s", async (_, more) => {
    const streamed = render(Markdown, { text: BEGIN, done: false });
    for (let end = 1; end <= more.length; end += 1) {
      const text = BEGIN + more.slice(0, end);
      await streamed.rerender({ text, done: false });
      const whole = render(Markdown, { text, done: false });
      expect(shape(streamed.container)).toEqual(shape(whole.container));
      whole.unmount();
    }
    await streamed.rerender({ text: BEGIN + more, done: true });
    expect(shape(streamed.container)).toEqual(shape(drawn(BEGIN + more)));
  });

  it("keeps_the_elements_and_texts_of_finished_items_while_it_grows", async () => {
    const { container, rerender } = render(Markdown, { text: BEGIN, done: false });
    const nodes = () => itemsOf(container).flatMap((item) => [item, item.firstChild]);
    let text = BEGIN;
    for (const more of [
      "- one\n",
      "- tw",
      "o **b",
      "**\n",
      "- three\n",
      "- *four*\n",
      "- five\n".repeat(ITEMS),
      "\nEnd.\n",
    ]) {
      const before = nodes().slice(0, -2);
      text += more;
      await rerender({ text, done: false });
      const after = nodes();
      expect(before.every((node, at) => node === after[at])).toBe(true);
    }
    const before = nodes();
    await rerender({ text, done: true });
    expect(nodes().every((node, at) => node === before[at])).toBe(true);
  });

  it("draws_a_text_that_became_shorter_or_another", async () => {
    const { container, rerender } = render(Markdown, { text: `${BEGIN}- more\n- *most*\n`, done: false });
    for (const text of [BEGIN, BEGIN.replaceAll("word", "**b**"), BEGIN.replace("word 101", "*b*"), BEGIN]) {
      await rerender({ text, done: false });
      expect(shape(container)).toEqual(shape(drawn(text, false)));
    }
  });
});
