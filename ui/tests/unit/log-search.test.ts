// Words in the lines of a server's log.
import { describe, expect, it } from "vitest";
import { findWords, partsOf } from "../../src/views/servers/logSearch";

/** A line with brackets around what is found in it. */
function marked(line: string, words: string): string {
  const search = findWords(words);
  if (!search) return line;
  return partsOf(line, search)
    .map(({ text, hit }) => (hit ? `[${text}]` : text))
    .join("");
}

describe("searching a log", () => {
  it("marks_every_hit_in_either_case_and_takes_the_words_as_they_are", () => {
    expect(marked("GET /a failed: Failed", "failed")).toBe("GET /a [failed]: [Failed]");
    expect(marked("a.b axb (a.b)*", "a.b")).toBe("[a.b] axb ([a.b])*");
    expect(marked("x (a)* \\ [y]/$", "(a)* \\ [y]/$")).toBe("x [(a)* \\ [y]/$]");
    expect(marked("错误：连接失败", "连接")).toBe("错误：[连接]失败");
    expect(marked("nothing here", "else")).toBe("nothing here");
    expect(marked("a line", "  ")).toBe("a line");
  });

  it("marks_a_bounded_number_of_hits_and_loses_no_text", () => {
    const line = "a".repeat(4000);
    const search = findWords("a");
    const parts = search ? partsOf(line, search) : [];
    expect(parts.filter(({ hit }) => hit).length).toBe(50);
    expect(parts.map(({ text }) => text).join("")).toBe(line);
  });
});
