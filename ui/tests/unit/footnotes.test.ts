import { fireEvent, render } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { Blocks } from "../../src/features/markdown/blocks";
import { directionOf } from "../../src/features/markdown/direction";
import Markdown from "../../src/features/markdown/Markdown.svelte";
import { Footnotes } from "../../src/features/markdown/notes/footnotes";

const TEXT = `The harbour[^h] is old[^1], and so is the tram[^h].

[^1]: Since 1300,
  as *most* say.[^more]
[^h]: The first paragraph.

    The second one.

[^more]: And some do not.

After them.`;

const shown = (text: string, done = true) => render(Markdown, { text, done }).container;
const notes = (root: Element) =>
  [...root.querySelectorAll("[data-testid=footnotes] li")].map((note) => note.textContent.trim().replace(/\s+/g, " "));
const marks = (root: Element) => [...root.querySelectorAll("sup")].map((mark) => mark.textContent);

describe("footnotes", () => {
  it("are_numbered_as_the_text_refers_to_them_and_listed_after_it", () => {
    const root = shown(TEXT);
    expect(marks(root).slice(0, 3)).toEqual(["1", "2", "1"]);
    expect(notes(root)).toEqual([
      "The first paragraph.The second one.",
      "Since 1300, as most say.3",
      "And some do not.",
    ]);
    const paragraphs = [...root.querySelectorAll(".blocks > p")].map((one) => one.textContent);
    expect(paragraphs.at(-1)).toBe("After them.");
    expect(root.querySelector(".prose")?.lastElementChild?.tagName).toBe("SECTION");
  });

  it("lead_to_the_list_and_back_to_the_mark_that_was_used", async () => {
    Element.prototype.scrollIntoView = () => undefined;
    const root = shown(TEXT);
    document.body.append(root);
    const used = root.querySelectorAll<HTMLElement>("sup button")[2] as HTMLElement;
    await fireEvent.click(used);
    const note = root.querySelector<HTMLElement>("[data-testid=footnotes] li");
    expect(document.activeElement).toBe(note);
    await fireEvent.click(note?.querySelector("button") as HTMLElement);
    expect(document.activeElement).toBe(used);
  });

  it("are_the_same_piece_by_piece_as_at_once", () => {
    const growing = new Blocks();
    for (let end = 1; end <= TEXT.length; end++) growing.read(TEXT.slice(0, end), false);
    const raw = (tokens: { type: string; raw: string }[]) => tokens.map(({ type, raw }) => [type, raw.trim()]);
    expect(raw(growing.read(TEXT, false))).toEqual(raw(new Blocks().read(TEXT, true)));
  });

  it.each([
    ["a mark without a footnote", "one[^a]", "one[^a]"],
    ["a footnote without a mark", "one\n\n[^a]: two", "one[^a]: two"],
    ["a second one of a label", "one[^a]\n\n[^a]: two\n\n[^A]: three", "one1[^A]: three two"],
    ["a mark in code", "`[^a]`\n\n[^a]: two", "[^a][^a]: two"],
    ["one in a quotation", "> one[^a]\n> [^a]: two", "one[^a]\n[^a]: two"],
  ])("lose_nothing: %s", (_, text, words) => {
    expect(
      shown(text)
        .textContent.replaceAll(/ +(?=\n|$)|^ +/gm, "")
        .trim(),
    ).toBe(words);
  });

  it("are_bounded_in_number_and_the_others_stay_text", () => {
    const count = 700;
    const each = (piece: (number: number) => string) => Array.from({ length: count }, (_, at) => piece(at)).join("");
    const text = `${each((at) => `[^${at}] ${at % 50 === 0 ? "\n\n" : ""}`)}\n\n${each((at) => `[^${at}]: note ${at}\n`)}`;
    const found = new Footnotes();
    const blocks = new Blocks().read(text, true);
    expect(found.read(text, blocks)).toHaveLength(500);
    expect([found.numbers.has("499"), found.numbers.has("500")]).toEqual([true, false]);
    expect(blocks.filter((block) => block.type === "footnote" && !found.listed.has(block))).toHaveLength(200);
  });

  it("refer_to_one_another_without_end", () => {
    const root = shown("a[^1]\n\n[^1]: b[^2]\n[^2]: c[^1]");
    expect(notes(root)).toEqual(["b2", "c1"]);
  });
});

describe("the direction of a text", () => {
  it("is_that_of_its_first_letter", () => {
    for (const [text, direction] of [
      ["", "ltr"],
      ["1. **שלום** and so on", "rtl"],
      ["- hello שלום", "ltr"],
      ["> مرحبا", "rtl"],
      ["你好", "ltr"],
    ]) {
      expect(directionOf(text as string), text).toBe(direction);
    }
  });
});
