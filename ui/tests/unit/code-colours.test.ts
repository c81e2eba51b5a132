// @vitest-environment node
import type { StreamParser } from "@codemirror/streamparser";
import { describe, expect, it } from "vitest";
import { NAMED, parserOf } from "../../src/features/markdown/code/languages";
import { tokensOf, type CodeToken } from "../../src/features/markdown/code/tokens";

const LANGUAGES = NAMED.flatMap(([, names]) => names.split(" "));
const ALPHABET = [
  "a",
  "if ",
  "def ",
  "0x1",
  '"',
  "'",
  "`",
  "\\",
  "/*",
  "*/",
  "//",
  "#",
  "<",
  ">",
  "</a>",
  "{",
  "}",
  "(",
  ")",
];
const MORE = [
  "[",
  "]",
  "$",
  "${",
  "=",
  ":",
  "- ",
  "---",
  "@",
  "|",
  "\n",
  "\n\n",
  "\t",
  "<<EOF",
  "=begin",
  "r#",
  '"""',
  "中",
  "\u{1F600}",
];

function tokens(language: string, code: string): CodeToken[] {
  const parser = parserOf(language);
  if (!parser) throw new Error(`no parser for ${language}`);
  return [...tokensOf(parser, code)].flat();
}

const words = (language: string, code: string, kind: string) =>
  tokens(language, code)
    .filter((it) => it.kind === kind)
    .map(({ from, to }) => code.slice(from, to));

/** The same numbers in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe("colours of code", () => {
  it("tell_apart_keywords_names_texts_numbers_and_comments", () => {
    const code = 'def area(r):  # of a circle\n    return 3.14 * r, "m²"\n';
    expect(words("python", code, "keyword")).toEqual(["def", "return"]);
    expect(words("py", code, "name")).toEqual(["area"]);
    expect(words("Python", code, "literal")).toEqual(["3.14"]);
    expect(words("python", code, "comment")).toEqual(["# of a circle"]);
    expect(words("python", code, "string").join("")).toBe('"m²"');
  });

  it("go_on_over_lines_and_empty_lines", () => {
    expect(words("c", "/* one\n\ntwo */ int x;", "comment")).toEqual(["/* one", "two */"]);
  });

  it("mark_what_a_patch_adds_and_removes", () => {
    const patch = "@@ -1 +1 @@\n-old\n+new\n same";
    expect(words("diff", patch, "removed")).toEqual(["-old"]);
    expect(words("diff", patch, "added")).toEqual(["+new"]);
  });

  it("leave_out_a_very_long_line_and_go_on_after_it", () => {
    const code = `let a = 1;\n${"x=1;".repeat(600)}\nlet b = 2;`;
    expect(words("js", code, "keyword")).toEqual(["let", "let"]);
  });

  it("stay_away_from_a_language_that_is_not_known", () => {
    expect(parserOf("klingon")).toBeUndefined();
    expect(parserOf("__proto__")).toBeUndefined();
  });

  it("end_where_a_parser_does_not_move", () => {
    const still: StreamParser<unknown> = { token: () => "keyword" };
    expect([...tokensOf(still, "abc")]).toEqual([[]]);
  });

  it.each(LANGUAGES)("are_stretches_in_order_within_any_text_as_%s", (language) => {
    const random = numbers(7);
    const next = () => random.next().value;
    const all = [...ALPHABET, ...MORE];
    for (let run = 0; run < 40; run += 1) {
      const code = Array.from({ length: 60 }, () => all[Math.floor(next() * all.length)]).join("");
      let end = 0;
      for (const { from, to } of tokens(language, code)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        end = to;
      }
      expect(end).toBeLessThanOrEqual(code.length);
    }
  });
});
