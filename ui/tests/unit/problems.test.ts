import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { wordsFor } from "../../src/features/problem/problems";
import type { Trouble } from "../../src/host";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

/** Every variant of `Problem`, read from the generated types, with something in each of its fields. */
function everyProblem(): Trouble[] {
  const source = readFileSync("src/host/bindings.ts", "utf8");
  const union = /export type Problem = ([\s\S]*?);\n\n/.exec(source)?.[1] ?? "";
  return [...union.matchAll(/\{ "problem": "(\w+)"([^}]*)\}/g)].map(([, problem, fields = ""]) => {
    const sample = (type: string) =>
      type.startsWith("Array") ? ["sample", "other"] : type.includes("number") ? 7 : "sample";
    const entries = [...fields.matchAll(/(\w+): ([^,}]+)/g)].map(([, name, type = ""]) => [name, sample(type)]);
    return { problem, ...Object.fromEntries(entries) } as Trouble;
  });
}

const problems: Trouble[] = [...everyProblem(), { problem: "unexpected", detail: "sample" }];

describe("a problem", () => {
  afterEach(() => overwriteGetLocale(() => "en"));

  it("is_one_of_those_that_cross_from_rust", () => expect(problems.length).toBeGreaterThan(40));

  it.each(problems)("says_what_happened_and_what_to_do: $problem", (problem) => {
    for (const locale of ["en", "zh-CN"] as const) {
      overwriteGetLocale(() => locale);
      const { happened, todo } = wordsFor(problem);
      for (const sentence of [happened, todo]) {
        expect(sentence).toMatch(locale === "en" ? /[.:]$/ : /[。：]$/);
        expect(sentence).not.toMatch(/undefined|null|\[object|\{|problem_/);
      }
    }
  });

  it("shows_hidden_characters_of_the_names_in_it", () => {
    expect(wordsFor({ problem: "no_such_tool", name: "a\u202Eb" }).happened).toContain("⟨U+202E⟩");
  });
});
