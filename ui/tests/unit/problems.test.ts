import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { m } from "../../src/paraglide/messages";
import { wordsFor } from "../../src/features/problem/problems";
import type { Trouble } from "../../src/host";
import { uncheckedReason } from "../../src/features/problem/unchecked";
import type { SignInFailure, Unchecked } from "../../src/host/bindings";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

/** Every variant of `Problem` and of the unions it consists of, read from the generated types, with all fields filled. */
function everyProblem(): Trouble[] {
  const source = readFileSync("src/host/bindings.ts", "utf8");
  const unionOf = (name: string) => new RegExp(`export type ${name} = ([\\s\\S]*?);\\n\\n`).exec(source)?.[1] ?? "";
  const whole = unionOf("Problem");
  const union = [whole, ...[...whole.matchAll(/\b\w+Problem\b/g)].map(([name]) => unionOf(name))].join("\n");
  return [...union.matchAll(/\{ "problem": "(\w+)"([^}]*)\}/g)].map(([, problem, fields = ""]) => {
    const sample = (type: string) => {
      if (type.includes("UrlWarning")) return ["lookalike", "punycode"];
      if (type.includes("Unchecked")) return { why: "stopped" };
      if (type.includes("BundleFault")) return { fault: "not_an_archive" };
      if (type.includes("BundleValueFault")) return { fault: "missing" };
      const words = new RegExp(`export type ${type.trim()} = "(\\w+)"`).exec(source)?.[1];
      return words ?? (type.startsWith("Array") ? ["sample", "other"] : type.includes("number") ? 7 : "sample");
    };
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

  it.each(["BundleFault", "BundleValueFault"])("has_words_for_each_%s", (name) => {
    const source = readFileSync("src/host/bindings.ts", "utf8");
    const union = new RegExp(`export type ${name} = ([^;]*);`).exec(source)?.[1] ?? "";
    const faults = [...union.matchAll(/\{ "fault": "(\w+)"([^}]*)\}/g)].map(([, fault, fields = ""]) => {
      const named = [...fields.matchAll(/(\w+): (\w+)/g)];
      return {
        fault,
        ...Object.fromEntries(named.map(([, field, type]) => [field, type === "number" ? 7 : "sample"])),
      };
    });
    expect(faults.length).toBeGreaterThan(7);
    const problem = name === "BundleFault" ? "bundle_refused" : "bundle_value";
    for (const fault of faults) {
      const { todo } = wordsFor({ problem, bundle: "a.mcpb", title: "Folder", fault } as Trouble);
      expect(todo, fault.fault).toMatch(/\.$/);
      expect(todo, fault.fault).not.toMatch(/undefined|null|\[object|\{/);
    }
  });

  it("has_advice_for_each_way_a_sign_in_can_fail", () => {
    const source = readFileSync("src/host/bindings.ts", "utf8");
    const union = /export type SignInFailure = ([^;]*);/.exec(source)?.[1] ?? "";
    const whys = [...union.matchAll(/"(\w+)"/g)].map(([, why]) => why as SignInFailure);
    expect(whys.length).toBeGreaterThan(10);
    for (const why of whys) {
      const { todo } = wordsFor({ problem: "sign_in_failed", origin: "https://a.example", why, detail: "" });
      expect(todo, why).toMatch(/\.$/);
    }
  });

  it("has_a_sentence_for_each_reason_why_something_was_not_checked", () => {
    const source = readFileSync("src/host/bindings.ts", "utf8");
    const union = /export type Unchecked = ([^;]*);/.exec(source)?.[1] ?? "";
    const variants = [...union.matchAll(/\{ "why": "(\w+)"([^}]*)\}/g)];
    expect(variants.length).toBeGreaterThan(10);
    for (const [, why, fields = ""] of variants) {
      const sample = [...fields.matchAll(/(\w+): (\w+)/g)].map(([, name, type]) => [
        name,
        type === "number" ? 7 : "a.b",
      ]);
      for (const locale of ["en", "zh-CN"] as const) {
        overwriteGetLocale(() => locale);
        const sentence = uncheckedReason({ why, ...Object.fromEntries(sample) } as Unchecked);
        expect(sentence).not.toMatch(/undefined|null|\[object|\{|unchecked_/);
        for (const [, value] of sample) expect(sentence).toContain(String(value));
      }
    }
  });

  it("send_nobody_to_the_last_output_of_a_server_that_wrote_none", () => {
    const ended = (stderr: string[]) => wordsFor({ problem: "server_ended", exit: "exit code 0", stderr }).todo;
    expect(ended([])).toBe(m.problem_server_ended_silent_do());
    expect(ended(["KeyError: 'TOKEN'"])).toBe(m.problem_server_ended_do());
  });

  it("quotes_what_the_server_of_a_model_says", () => {
    const detail = "limited upstream";
    const quote = { by: "model", text: detail };
    const missing = { problem: "model_missing", endpoint: "a.example", model: "m" } as const;
    const busy = { problem: "model_busy", retry_after_s: null } as const;
    for (const problem of [missing, busy]) {
      expect(wordsFor({ ...problem, detail }).quote).toEqual(quote);
      // As it was stored before the words were kept.
      expect(wordsFor(problem).quote).toBeUndefined();
    }
  });

  it("tells_an_answer_without_end_from_silence", () => {
    const endless = wordsFor({ problem: "model_ran_too_long", minutes: 60 });
    expect(endless.happened).toContain("took longer than 60 minutes");
    expect(endless.happened).not.toContain("sent nothing");
    expect(wordsFor({ problem: "model_ran_too_long", minutes: 1 }).happened).toContain("1 minute ");
  });

  it("shows_hidden_characters_of_the_names_in_it", () => {
    expect(wordsFor({ problem: "no_such_tool", name: "a\u202Eb" }).happened).toContain("⟨U+202E⟩");
  });
});
