import { flushSync } from "svelte";
import { describe, expect, it } from "vitest";
import { FormAnswers } from "../../src/questions/fill_form/draft.svelte";
import type { Check } from "../../src/questions/kind";
import { complaintWords, rulesOf } from "../../src/questions/fill_form/rules";
import type { FieldKind, FieldProblem, FormField, FieldError } from "../../src/host/bindings";

const TEXT: FieldKind = {
  kind: "text",
  min_length: null,
  max_length: null,
  pattern: null,
  format: null,
  default: null,
};
const NUMBER: FieldKind = { kind: "number", integer: true, minimum: null, maximum: null, default: null };
const options = ["a", "b", "c"].map((value) => ({ value, title: null }));

const field = (name: string, kind: FieldKind, required = false): FormField => ({
  name,
  title: null,
  description: null,
  required,
  secret: false,
  broken_default: null,
  kind,
});

const fits: Check = () => Promise.resolve([]);
const answers = (fields: FormField[], check = fits) => new FormAnswers({ message: "", fields }, check);
const settle = async () => {
  await Promise.resolve();
  await Promise.resolve();
  flushSync();
};

describe("the answers of a form", () => {
  /** EF-013: what nobody touched and nobody suggested is not sent, and neither is an empty text. */
  it("leave_out_what_is_empty", () => {
    const text = field("text", TEXT);
    const form = answers([
      text,
      field("number", NUMBER),
      field("flag", { kind: "boolean", default: null }),
      field("one", { kind: "choice", options, default: null }),
      field("many", { kind: "choices", options, min_items: null, max_items: null, default: [] }),
    ]);
    expect(form.content).toEqual({});
    form.enter(text, "x");
    form.enter(text, "");
    expect(form.content).toEqual({});
  });

  it("send_an_option_that_is_the_empty_text", () => {
    const empty = ["", "beta"].map((value) => ({ value, title: null }));
    const suggested = field("suggested", { kind: "choice", options: empty, default: "" });
    const chosen = field("chosen", { kind: "choice", options: empty, default: null }, true);
    const form = answers([suggested, chosen]);
    form.enter(chosen, "");
    expect(form.content).toEqual({ suggested: "", chosen: "" });
    form.enter(suggested, undefined);
    expect(form.content).toEqual({ chosen: "" });
  });

  it("say_none_where_the_user_took_away_what_the_server_suggested", () => {
    const many = (name: string, suggestion: string[], min_items: number | null = null) =>
      field(name, { kind: "choices", options, min_items, max_items: null, default: suggestion });
    const fields = [many("cleared", ["a", "b"]), many("needs_one", ["a"], 1), many("untouched", [])];
    const form = answers(fields);
    for (const one of fields) form.enter(one, []);
    expect(form.content).toEqual({ cleared: [] });
  });

  /** L-9: a field that looks like a secret is sent only after the user said that it holds none. */
  it("hold_nothing_of_a_secret_field_before_the_user_unlocked_it", () => {
    const pin = { ...field("pin", TEXT), secret: true };
    const form = answers([pin]);
    form.enter(pin, "1234");
    expect(form.isLocked(pin)).toBe(true);
    expect(form.content).toEqual({});
    form.notSecret.add("pin");
    expect(form.content).toEqual({ pin: "1234" });
  });

  /** EF-012, EF-013, EF-015: suggestions are filled in, marked, and sent as values of their kind. */
  it("begin_with_what_the_server_suggests", () => {
    const number = field("number", { ...NUMBER, default: 2 });
    const form = answers([
      field("text", { ...TEXT, default: "Oslo" }),
      number,
      field("flag", { kind: "boolean", default: false }),
      field("one", { kind: "choice", options, default: "b" }),
      field("many", { kind: "choices", options, min_items: null, max_items: null, default: ["c"] }),
    ]);
    expect(form.content).toEqual({ text: "Oslo", number: 2, flag: false, one: "b", many: ["c"] });
    expect(form.isSuggested(number)).toBe(true);
    form.enter(number, "3");
    expect(form.isSuggested(number)).toBe(false);
    expect(form.content.number).toBe(3);
  });

  /** EF-015: a number that would not be sent as typed is not sent. */
  it.each(["10,000", "-1,500", "+999,999", "1e", "abc", "0x10", "9007199254740993", "1.2.3", "Infinity"])(
    "take_no_%s_for_a_number",
    async (typed) => {
      const number = field("number", NUMBER);
      const form = answers([number]);
      form.enter(number, typed);
      await settle();
      expect(form.content).toEqual({});
      expect(form.complaint(number)).toEqual({ problem: "not_a_number" });
    },
  );

  it.each([
    ["7", 7],
    [" 2,5 ", 2.5],
    ["-1", -1],
    ["1e3", 1000],
    ["10.000", 10],
    ["0,125", 0.125],
    ["10,00", 10],
    ["1000,000", 1000],
  ])("read_%s_as_a_number", (typed, expected) => {
    const number = field("number", NUMBER);
    const form = answers([number]);
    form.enter(number, typed);
    expect(form.content.number).toBe(expected);
  });

  it("say_what_is_missing_only_when_asked", async () => {
    const name = field("name", TEXT, true);
    const missing: FieldError[] = [{ field: "name", problem: { problem: "missing" } }];
    const form = answers([name], () => Promise.resolve(missing));
    await settle();
    expect(form.misfits).toEqual(missing);
    expect(form.complaint(name)).toBeUndefined();
    form.complain();
    expect(form.complaint(name)).toEqual({ problem: "missing" });
  });

  /** An answer to older text, or none, never makes newer text look as if it fitted. */
  it("believe_only_the_newest_check", async () => {
    const waits: ((misfits: FieldError[]) => void)[] = [];
    const name = field("name", TEXT);
    const form = answers([name], () => new Promise((resolve) => waits.push(resolve)));
    form.enter(name, "bad");
    const bad: FieldError[] = [{ field: "name", problem: { problem: "foreign" } }];
    waits[1]?.(bad);
    await settle();
    waits[0]?.([]);
    await settle();
    expect(form.misfits).toEqual(bad);
    const broken = answers([name], () => Promise.reject(new Error("gone")));
    await settle();
    expect(broken.misfits).toBeNull();
  });

  it("carry_a_field_with_the_name_of_something_every_object_has", () => {
    const odd = field("__proto__", TEXT);
    const form = answers([odd]);
    form.enter(odd, "x");
    expect(Object.keys(form.content)).toEqual(["__proto__"]);
  });

  /** E7: nothing is sent that was not shown. */
  it("show_a_long_form_in_two_steps", () => {
    const form = answers(Array.from({ length: 60 }, (_, n) => field(`f${n}`, TEXT)));
    expect(form.shown.length).toBe(25);
    form.opened = true;
    expect(form.shown.length).toBe(60);
  });
});

describe("the words of a form", () => {
  const problems: FieldProblem[] = [
    { problem: "missing" },
    { problem: "foreign" },
    { problem: "too_short", least: 2 },
    { problem: "too_long", most: 3 },
    { problem: "pattern", pattern: "^a$" },
    { problem: "format", format: "email" },
    { problem: "format", format: "uri" },
    { problem: "format", format: "date" },
    { problem: "format", format: "date-time" },
    { problem: "not_a_number" },
    { problem: "not_whole" },
    { problem: "too_small", least: 1 },
    { problem: "too_large", most: 9 },
    { problem: "no_option" },
    { problem: "too_few", least: 1 },
    { problem: "too_many", most: 2 },
  ];
  it.each(problems)("name_what_is_wrong: %o", (problem) => {
    expect(complaintWords(problem)).toMatch(/\.$/);
  });

  it("name_the_rules_before_anything_is_wrong", () => {
    const [both, ...rest] = rulesOf(field("n", { ...NUMBER, minimum: 1, maximum: 9 }));
    expect(both).toMatch(/\b1\b.*\b9\b/);
    expect(rest).toEqual([]);
    expect(rulesOf(field("n", { ...NUMBER, minimum: 1, maximum: null }))).toHaveLength(2);
    expect(rulesOf(field("t", { ...TEXT, format: "iban" }))[0]).toContain("iban");
    expect(rulesOf(field("t", TEXT))).toEqual([]);
  });
});
