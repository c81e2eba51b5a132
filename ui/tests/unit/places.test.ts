// A file or a host as the ledger filters for it, and the tokens of its search.
import { describe, expect, it } from "vitest";
import { dayStart, readSearch, withToken } from "../../src/views/ledger/search";
import { placeToken } from "../../src/views/ledger/words";

it.each([
  ["/home/ada/a.md", "file"],
  ["~/a.md", "file"],
  ["C:\\a.md", "file"],
  ["file:///a", "file"],
  ["api.example.org", "host"],
])("%s_is_a_%s", (place, token) => expect(placeToken(place)).toBe(token));

describe("a search of the ledger", () => {
  it("has_tokens_and_words", () => {
    expect(readSearch('server:notes lost tool:delete_page file:"/home/ada/My notes" page')).toEqual({
      words: "lost page",
      tokens: { server: "notes", tool: "delete_page", file: "/home/ada/My notes" },
    });
  });

  it("takes_what_looks_like_a_token_of_no_kind_as_words", () => {
    expect(readSearch("https://a.example note:1")).toEqual({ words: "https://a.example note:1", tokens: {} });
  });

  it("gets_one_token_of_a_kind", () => {
    expect(withToken("lost file:/a", "file", "/b c")).toBe('lost file:"/b c"');
    expect(withToken("", "host", "a.example")).toBe("host:a.example");
  });

  it("knows_a_day_and_nothing_that_is_none", () => {
    expect(dayStart("2026-11-20")).toBe(new Date(2026, 10, 20).getTime());
    for (const none of ["yesterday", "2026", undefined]) expect(dayStart(none)).toBeNull();
  });
});
