import { describe, expect, it } from "vitest";
import { LineSearch } from "../../src/features/markdown/lineSearch";

const LINE = /^ {0,3}\[[^\]\n]{1,20}\]:/m;
const TEXTS = ["one\ntwo\n [a]: b\nthree", "[a]: b", "one [a]: b\n", "one\n\n   [a b c]", "\n\n[a]\n:[b]:\n"];

/** What a text that grows by so many characters each time is found to be. */
const grown = (search: LineSearch, text: string, by: number) => {
  const found: boolean[] = [];
  for (let end = by; end < text.length + by; end += by) found.push(search.test(text.slice(0, end)));
  return found;
};

describe("the search for a line of a growing text", () => {
  it.each(TEXTS)("finds_what_a_search_of_the_whole_text_finds: %j", (text) => {
    for (const by of [1, 2, 3, 7, 100]) {
      const expected: boolean[] = [];
      for (let end = by; end < text.length + by; end += by) expected.push(LINE.test(text.slice(0, end)));
      expect(grown(new LineSearch(LINE), text, by)).toEqual(expected);
    }
  });

  it.each(TEXTS)("finds_the_same_in_pieces: %j", (text) => {
    for (const by of [1, 2, 3, 7, 100]) {
      const search = new LineSearch(LINE);
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += by) {
        pieces.push(text.slice(at, at + by));
        const sofar = text.slice(0, at + by);
        expect(search.test(sofar, pieces)).toBe(LINE.test(sofar));
      }
    }
  });

  it("begins_again_where_the_text_is_another_one", () => {
    const search = new LineSearch(LINE);
    expect(search.test("one\n[a]: b")).toBe(true);
    expect(search.test("one\ntwo\n")).toBe(false);
    expect(search.test("[a]: b\n")).toBe(true);
  });
});
