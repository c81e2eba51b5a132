import { expect, it } from "vitest";
import { withoutIndentation } from "../../src/features/text/indentation";

it("shows a description without the indentation of its source", () => {
  const source = "Searches notes.\n\n        Args:\n            words: What to look for.\n        ";
  expect(withoutIndentation(source)).toBe("Searches notes.\n\nArgs:\n    words: What to look for.");
  expect(withoutIndentation("\n    Searches notes.\n      In all folders.\n")).toBe(
    "Searches notes.\n  In all folders.",
  );
});

it("changes no word and nothing but spaces at the edges", () => {
  for (const text of ["", "One line.", "Two\nlines.", "A list:\n- one\n  - two", "\u00a0\u202ehidden"]) {
    expect(withoutIndentation(text)).toBe(text);
  }
});
