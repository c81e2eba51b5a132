import { render } from "@testing-library/svelte";
import type { Token } from "marked";
import { describe, expect, it, vi } from "vitest";
import { Blocks } from "../../src/features/markdown/blocks";
import Markdown from "../../src/features/markdown/Markdown.svelte";
import type { FormulaToken } from "../../src/features/markdown/math/extensions";
import { mathml } from "../../src/features/markdown/math/mathml";

/** The formulas of a text, as the lexer finds them in it. */
function formulas(text: string): string[] {
  const found: string[] = [];
  const look = (token: Token): void => {
    if (token.type === "formula") found.push((token as FormulaToken).text);
    if (token.type === "list") for (const item of token.items as Token[]) look(item);
    if (token.type === "table")
      for (const row of token.rows as { tokens: Token[] }[][]) row.flatMap(({ tokens }) => tokens).forEach(look);
    if ("tokens" in token) token.tokens?.forEach(look);
  };
  new Blocks().read(text, true).forEach(look);
  return found;
}

describe("What is mathematics", () => {
  it.each([
    ["$x^2$", ["x^2"]],
    ["so $a$, $b$ and ($c$).", ["a", "b", "c"]],
    ["$$\\frac{a}{b}$$", ["\\frac{a}{b}"]],
    ["$$\na = b\n- c\n$$\nafter it", ["\na = b\n- c\n"]],
    ["before it\n$$\nx\n$$", ["\nx\n"]],
    ["\\(x_1\\) and \\[y_2\\]", ["x_1", "y_2"]],
    [
      "\\[\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n\\]",
      ["\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n"],
    ],
    ["函数$f(x)$的值", ["f(x)"]],
    ["- item $n$\n- *em* $m_1$ and $m_2$", ["n", "m_1", "m_2"]],
    ["| a |\n|---|\n| $x$ |", ["x"]],
    ["$2 \\text{ if } x$", ["2 \\text{ if } x"]],
    ["$a\\$b$", ["a\\$b"]],
    ["$100$", ["100"]],
  ])("is_found: %s", (text, found) => expect(formulas(text)).toEqual(found));

  it.each([
    "$5 and $10",
    "$2bn to at least $4bn",
    "$HOME:$PATH",
    "价格是 $100 到 $200",
    "价格$100到$200",
    "from $5 to 6$",
    "US$5 and A$6",
    "$5-$10",
    "($5) or ($6)",
    "`$a` and `$b$`",
    "```\n$x$\n```",
    "\\$x$",
    "$ x $",
    "$$ $$",
    "$",
    "$$",
    "$a\n\nb$",
    "$$\na\n\nb\n$$",
    "\\[text\\](https://example.org)",
    "\\(\\)",
    "echo $a $b",
    "$foo bar baz$",
  ])("is_not_found: %s", (text) => expect(formulas(text)).toEqual([]));

  it("is_one_block_from_its_first_line_on", () => {
    const blocks = new Blocks();
    const text = "$$\na\n= b\n- c\n$$\n\nend";
    for (let end = 4; end < text.length - 6; end += 1) expect(blocks.read(text.slice(0, end), false)).toHaveLength(1);
    expect(blocks.read(text, false).map(({ type }) => type)).toEqual(["formula", "paragraph"]);
  });
});

/** Formulas that try to be more than one, or too much of one. */
const BOMBS = [
  "\\def\\a{\\b\\b}\\def\\b{\\a\\a}\\a",
  `${Array.from({ length: 100 }, (_, at) => `\\def\\a${"b".repeat(at)}{x}`).join("")}${"\\a".repeat(10_000)}`,
  `${"\\sqrt{".repeat(300)}x${"}".repeat(300)}`,
  "x".repeat(10_000),
  "\\class{evil}{x}",
  "\\href{https://example.org}{x}",
  "\\includegraphics{a.png}",
  "\\frac{",
  "\\nothing",
];

describe("A formula", () => {
  it.each([
    ["x^2", "msup"],
    ["\\frac{a}{b}", "mfrac"],
    ["\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "mtable"],
    ["\\begin{aligned}a&=b\\\\c&=d\\end{aligned}", "mtable"],
    ["\\sum_{i=1}^n i", "munderover"],
    ["x = 1 \\tag{2}", "mtext"],
  ])("is_drawn_as_MathML: %s", (tex, element) => {
    const math = mathml(tex, true);
    expect(math?.namespaceURI).toBe("http://www.w3.org/1998/Math/MathML");
    expect(math?.getElementsByTagName(element).length).toBeGreaterThan(0);
  });

  it.each(BOMBS)("stays_text_where_it_is_too_much: %s", (tex) => expect(mathml(tex, true)).toBeNull());

  it("takes_no_colour_style_or_size_that_reaches_beyond_it", () => {
    const hostile =
      "\\color{red}x\\hspace{-100em}y\\rule{100em}{100em}\\label{a}\\raisebox{100em}{z}\\mathllap{abc}\\boxed{x}";
    const math = mathml(hostile, true);
    expect(math).not.toBeNull();
    for (const element of [math, ...(math?.querySelectorAll("*") ?? [])]) {
      for (const { name, value } of element?.attributes ?? []) {
        expect(name).not.toMatch(/^(?:style|id|href|src|on.*|mathcolor|mathbackground|voffset)$/);
        expect(Math.abs(Number.parseFloat(value) || 0)).toBeLessThanOrEqual(10);
      }
    }
  });

  it("comes_into_the_text_and_stays_text_where_it_is_none", async () => {
    const { container } = render(Markdown, {
      text: "so $x^2$ and $\\nothing$ and $a\u202Eb$\n\n$$\ny\n$$\n",
      done: true,
    });
    await vi.waitFor(() => expect(container.querySelectorAll("math")).toHaveLength(2), { timeout: 50_000 });
    expect(container.querySelector("p")?.textContent).toContain("$\\nothing$");
    expect(container.querySelector("p")?.textContent).toContain("$aU+202Eb$");
    expect(container.querySelector("math[display=block]")).not.toBeNull();
  }, 60_000);
});
