import { expect, it } from "vitest";
import { summaryOf } from "../../src/features/call/summary";

it("keeps_the_names_of_arguments", () => {
  expect(summaryOf({ city: "Oslo", days: 3, tags: ["a", "b"], more: {}, none: null })).toBe(
    "city: Oslo, days: 3, tags: [2], more: {…}",
  );
});

it("shortens_values_before_names", () => {
  const line = summaryOf({ path: "/home/ada/".repeat(40), pattern: "*.md" });
  expect(line).toMatch(/^path: \/home\/.*….*, pattern: \*\.md$/);
  expect(line.length).toBeLessThan(120);
});

it("is_short_and_escaped_whatever_is_given", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`n${at}\u202E`, "x\u200B".repeat(500)]));
  const line = summaryOf(many);
  expect(line).not.toMatch(/[\u202E\u200B]/);
  expect(line.length).toBeLessThan(3_000);
});

it("is_empty_without_arguments", () => {
  expect(summaryOf({})).toBe("");
});
