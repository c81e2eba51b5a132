import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hidesSomething, pieces, visible, visibleAs } from "../../src/features/text/escapes";
import { cut, slot } from "../../src/features/text/rich";

const hidden = (text: string, reading: "exact" | "prose" = "exact") =>
  pieces(text, reading)
    .filter((piece) => piece.hidden)
    .map((piece) => piece.text);

interface Row {
  name: string;
  character: string;
  hidden: boolean;
  screen: string;
}
/** Shared with the Rust tests of every other place that leaves out or spells out what does not show. */
const ROWS: Row[] = JSON.parse(readFileSync("../tests/characters.json", "utf8"));

describe("text of others", () => {
  it.each(ROWS.map((row) => [row.name, row] as const))("shows_what_the_other_places_show: %s", (_, row) => {
    expect(visible(`a${row.character}b`)).toBe(`a${row.screen}b`);
    expect(hidesSomething(row.character)).toBe(row.hidden);
  });

  it.each([
    ["right-to-left override", "a\u202Eb", "U+202E"],
    ["isolate", "a\u2066b", "U+2066"],
    ["zero-width space", "a\u200Bb", "U+200B"],
    ["zero-width joiner between letters", "a\u200Db", "U+200D"],
    ["soft hyphen", "a\u00ADb", "U+00AD"],
    ["byte order mark", "\uFEFFa", "U+FEFF"],
    ["escape", "\u001B[31m", "U+001B"],
    ["bell", "a\u0007", "U+0007"],
    ["carriage return", "a\rb", "U+000D"],
    ["next line", "a\u0085b", "U+0085"],
    ["line separator", "a\u2028b", "U+2028"],
    ["Hangul filler", "a\u3164b", "U+3164"],
    ["braille blank", "a\u2800b", "U+2800"],
    ["tag letter", "a\u{E0041}b", "U+E0041"],
    ["variation selector", "a\uFE0Fb", "U+FE0F"],
    ["far variation selector", "a\u{E0101}b", "U+E0101"],
    ["private use", "a\uE000b", "U+E000"],
    ["lone surrogate", "a\uD800b", "U+D800"],
    ["Mongolian vowel separator", "a\u180Eb", "U+180E"],
  ])("spells_out_what_does_not_show: %s", (_, text, name) => {
    expect(hidden(text)).toEqual([name]);
    expect(hidden(text, "prose")).toEqual([name]);
    expect(visible(text)).toContain(`⟨${name}⟩`);
    expect(hidesSomething(text)).toBe(true);
  });

  it("leaves_letters_of_all_scripts_lines_and_pictures_alone", () => {
    for (const text of ["naïve Straße", "简体中文", "שלום", "日本語\n\tx", "👩‍👩‍👧 ❤️ 1️⃣"])
      expect(hidden(text)).toEqual([]);
  });

  it("names_unusual_and_outer_spaces_where_text_is_exact", () => {
    expect(hidden("a\u00A0b")).toEqual(["U+00A0"]);
    expect(hidden(" a ")).toEqual(["U+0020", "U+0020"]);
    expect(visibleAs("  a   ", "exact")).toBe("⟨U+0020×2⟩a⟨U+0020×3⟩");
    expect(hidden("   ")).toEqual(["U+0020×3"]);
    expect(hidden("a\u00A0b ", "prose")).toEqual([]);
  });

  it("loses_no_character", () => {
    const text = " a\u202Eb\u200B c\n";
    expect(
      pieces(text)
        .map((piece) => (piece.hidden ? "" : piece.text))
        .join(""),
    ).toBe("ab c\n");
  });
});

describe("a sentence with values in it", () => {
  it("is_cut_where_the_values_belong", () => {
    expect(cut(`Let ${slot(1)} of ${slot(0)} run?`)).toEqual(["Let ", 1, " of ", 0, " run?"]);
  });
});
