import type { Token, Tokens } from "marked";
import { describe, expect, it } from "vitest";
import { Blocks } from "../../src/features/markdown/blocks";
import { LineParts } from "../../src/features/text/lineParts";
import { ItemParts } from "../../src/features/markdown/itemParts";
import { BoundedLexer } from "../../src/features/markdown/lexer";
import { codeOf, itemsOf, rowsOf, type GrowingCode } from "../../src/features/markdown/openBlock";

/** The most characters one reading may hand to the lexer while words stream in. */
const MOST_A_READING = 30_000;

/** Reads a text that grows by so many characters each time; gives all that each reading lexed. */
function stream(text: string, by: number) {
  const blocks = new Blocks();
  const lexed: number[] = [];
  let tokens: Token[] = [];
  for (let end = by; end < text.length + by; end += by) {
    tokens = blocks.read(text.slice(0, end), false);
    lexed.push(blocks.lexed);
  }
  return { blocks, lexed, tokens };
}

/** What is drawn of tokens, so that two ways of reading can be compared. */
function drawn(tokens: readonly Token[]): unknown[] {
  return tokens
    .filter(({ type }) => type !== "space" && type !== "def")
    .map((token) => {
      if (token.type === "list")
        return ["list", token.start, itemsOf(token as Tokens.List).map(({ raw }) => raw.trim())];
      if (token.type === "table")
        return [
          "table",
          token.header.map(({ text }: Tokens.TableCell) => text),
          rowsOf(token as Tokens.Table).map((row) => row.map(({ text }) => text)),
        ];
      if (token.type === "code") return ["code", token.lang, codeOf(token as GrowingCode)];
      return [token.type, token.raw.trim()];
    });
}

const rows = (count: number, row: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => row(number)).join("");

const SHAPES: [string, string][] = [
  ["a list", rows(400, (number) => `- item *${number}*\n`)],
  ["a list with lists in it", rows(200, (number) => `- item ${number}\n  - inner\n  - other\n`)],
  ["a numbered list", rows(300, (number) => `${number + 3}. step ${number}\n`)],
  ["a loose list", rows(100, (number) => `- item ${number}\n\n  more of it\n\n`)],
  ["a table", `| one | two |\n|---|--:|\n${rows(400, (number) => `| ${number} | **b** |\n`)}`],
  ["code", `\`\`\`ts\n${rows(600, (number) => `let x${number} = 1;\n\n`)}\`\`\`\n\nAfter it.\n`],
  ["code that goes on", `~~~\n${rows(600, (number) => `line ${number}\n`)}`],
  ["code with fences in it", `\`\`\`\`md\n${rows(300, () => "```\nx\n```\n")}\`\`\`\`\nend`],
  ["paragraphs", rows(200, (number) => `Words **${number}** and more.\n\n`)],
  [
    "all of them",
    rows(20, (number) =>
      [
        `# ${number}\n\n${rows(20, (item) => `- ${item}\n`)}\n`,
        `\`\`\`\n${"code\n".repeat(50)}\`\`\`\n\n`,
        `| a |\n|---|\n${"| b |\n".repeat(20)}\nWords.\n\n`,
      ].join(""),
    ),
  ],
];

/** The same numbers in each run. */
const random = (seed: number) => () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const MARKS = [
  "_a*",
  "[",
  "](",
  "`",
  "```\n",
  "> ",
  "- ",
  "1. ",
  "|",
  "|-|\n",
  "\n",
  "<",
  "&",
  "\\",
  "a ",
  "  ",
  "~~",
  "$",
  "$$",
  "\\(",
  "\\]",
  "* b\n",
  "# ",
  "---\n",
];

describe("Markdown that streams in", () => {
  it.each(SHAPES)("ends_as_the_same_text_read_whole: %s", (_, text) => {
    const whole = drawn(new BoundedLexer().lex(text));
    for (const by of [7, 61, 1_009]) expect(drawn(stream(text, by).tokens)).toEqual(whole);
    expect(drawn(new Blocks().read(text, true))).toEqual(whole);
  });

  it.each(SHAPES)("is_read_again_only_at_its_end: %s", (_, text) => {
    const long = text.repeat(Math.ceil(60_000 / text.length));
    const { lexed } = stream(long, 40);
    expect(Math.max(...lexed)).toBeLessThan(MOST_A_READING);
    expect(lexed.reduce((sum, count) => sum + count, 0) / lexed.length).toBeLessThan(6_000);
  });

  it("keeps_the_identity_of_what_is_settled", () => {
    const list = rows(100, (number) => `- item ${number}\n`);
    const blocks = new Blocks();
    const [before] = blocks.read(list, false) as [Tokens.List];
    const settled = itemsOf(before).slice(0, 99);
    const [after] = blocks.read(`${list}- one more\n`, false) as [Tokens.List];
    expect(itemsOf(after)).toHaveLength(101);
    expect(itemsOf(after).every((item, index) => index >= 99 || item === settled[index])).toBe(true);
    const [done] = blocks.read(`${list}- one more\n`, true) as [Tokens.List];
    expect(done.items[0]).toBe(settled[0]);
  });

  it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
    "reads_as_the_whole_text_once_it_is_done: random text %i",
    (seed) => {
      const next = random(seed);
      const pieces = Array.from({ length: 200 }, () => MARKS[Math.floor(next() * MARKS.length)]);
      const text = pieces.join("").replaceAll("[r]:", "r");
      const { blocks } = stream(text, 13);
      expect(blocks.read(text, true)).toEqual(new Blocks().read(text, true));
    },
  );

  const MIXED = Array.from({ length: 12 }, (_, seed) => {
    const next = random(seed + 101);
    return Array.from({ length: 300 }, () => [...MARKS, "\r", "\r\n"][Math.floor(next() * (MARKS.length + 2))]).join(
      "",
    );
  });

  it.each([...SHAPES.map(([, text]) => text), ...MIXED])("is_the_same_from_its_pieces_as_from_the_text: %#", (text) => {
    const [fromPieces, fromText] = [new Blocks(), new Blocks()];
    const pieces: string[] = [];
    for (let at = 0, by = 1; at < text.length; at += by, by = (by * 7) % 61) {
      pieces.push(text.slice(at, at + by));
      const sofar = text.slice(0, at + by);
      expect(fromPieces.read(sofar, false, pieces)).toEqual(fromText.read(sofar, false));
    }
    expect(fromPieces.read(text, true)).toEqual(fromText.read(text, true));
  });

  it("looks_only_into_the_pieces_that_came", () => {
    const blocks = new Blocks();
    const pieces = ["The first piece"];
    blocks.read("The first piece", false, pieces);
    pieces.push(" and", " two more.");
    expect(blocks.read("not looked into", false, pieces)).toMatchObject([{ raw: "The first piece and two more." }]);
    // Other pieces are those of another text.
    expect(blocks.read("Another text", false, ["Another text"])).toMatchObject([{ raw: "Another text" }]);
  });

  it("resolves_an_address_that_comes_after_its_link", () => {
    const text = `[a][r]\n\n${"Words.\n\n".repeat(4_000)}[r]: https://example.org\n`;
    const [first] = new Blocks().read(text, true) as [Tokens.Paragraph];
    expect(first.tokens[0]?.type).toBe("link");
  });

  const BOMBS = [
    ...["_a*", "[", "`a", "> ", "- ", "<a ", "![a](", "| a ", "a\n", "    ", "\\", "* a\n* b\n\n"].map((mark) =>
      mark.repeat(Math.ceil(100_000 / mark.length)),
    ),
    ...[1, 2, 3, 4, 5, 6].map((seed) => {
      const next = random(seed);
      return Array.from({ length: 40_000 }, () => MARKS[Math.floor(next() * MARKS.length)]).join("");
    }),
  ];

  it.each(BOMBS.map((text) => [JSON.stringify(text.slice(0, 24)), text]))(
    "costs_a_bounded_reading_whatever_it_says: %s",
    (_, text) => {
      const { lexed } = stream(text, 500);
      expect(Math.max(...lexed)).toBeLessThan(MOST_A_READING);
    },
    60_000,
  );

  it("stays_text_beyond_the_bound_of_a_message", () => {
    const text = "**word**\n\n".repeat(100_000);
    const blocks = new Blocks();
    const tokens = blocks.read(text, true);
    expect(blocks.lexed).toBeLessThan(1_500_000);
    expect(tokens.at(-1)).toMatchObject({ type: "paragraph", tokens: [{ type: "text" }] });
    expect(tokens[0]).toMatchObject({ tokens: [{ type: "strong" }] });
    expect(tokens.at(-1)?.raw.endsWith("**word**\n\n")).toBe(true);
  });
});

describe("the parts of a list", () => {
  it("are_the_same_where_the_last_items_can_still_change", () => {
    const items = Array.from({ length: 130 }, (_, number) => ({ number }));
    for (const stay of [0, 49, 50, 51, 99, 100, 120, 130]) {
      const parts = new ItemParts<{ number: number }>();
      expect(parts.read(items.slice(0, stay), items.slice(stay))).toEqual(
        new ItemParts<{ number: number }>().read(items),
      );
    }
  });

  it("are_its_items_and_keep_their_identity_while_it_grows", () => {
    const items = Array.from({ length: 230 }, (_, number) => ({ number }));
    const parts = new ItemParts<{ number: number }>();
    const before = parts.read(items.slice(0, 120));
    const after = parts.read(items);
    expect(after.flat()).toEqual(items);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
    const other = parts.read(items.slice(1));
    expect(other.flat()).toEqual(items.slice(1));
  });
});

describe("the parts of code", () => {
  it.each([1, 7, 61, 4_001])("are_the_code_at_each_step_while_it_streams_in: by %i", (by) => {
    const text = rows(by === 1 ? 150 : 600, (number) => `line ${number}\n${number % 9 === 0 ? "\n" : ""}`);
    const blocks = new Blocks();
    const parts = new LineParts();
    for (let end = by; end < text.length + by; end += by) {
      const sofar = text.slice(0, end);
      const [code] = blocks.read(`\`\`\`\n${sofar}`, false) as [GrowingCode];
      const shown = code.lines ? parts.readOn(code.lines, code.text) : parts.read(code.text);
      expect(shown.join("").replace(/\n$/, "")).toBe(sofar.replace(/\n$/, ""));
      expect(codeOf(code)).toBe(shown.join(""));
    }
  });

  it("stay_what_was_drawn_when_the_code_is_done", () => {
    const text = `\`\`\`ts\n${rows(300, (number) => `let x${number} = 1;\n`)}\`\`\`\n`;
    const { blocks, tokens } = stream(text, 61);
    expect((tokens[0] as GrowingCode).lines).toBeDefined();
    expect(blocks.read(text, true)[0]).toBe(tokens[0]);
  });

  it("are_its_text_and_stay_while_it_grows", () => {
    const lines = rows(333, (number) => `line ${number}\n`);
    const parts = new LineParts();
    const before = parts.read(lines.slice(0, 2_000));
    const after = parts.read(lines);
    expect(after.join("")).toBe(lines);
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(Math.max(...after.map((part) => part.split("\n").length))).toBeLessThanOrEqual(51);
    expect(parts.read("other").join("")).toBe("other");
  });
});
