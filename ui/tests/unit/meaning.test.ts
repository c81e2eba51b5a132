import { beforeAll, describe, expect, it } from "vitest";
import { meaningOf } from "../../src/questions/frame/meaning";
import { kindOf } from "../../src/questions/registry";
import { lastingName } from "../../src/questions/frame/lasting";
import { shortened } from "../../src/features/text/shortened";
import type { Scope } from "../../src/host/bindings";
import { question, SCENES } from "../../src/host/fake/scenes";
import { CALL } from "../../src/host/fake/questions/tools";
import { overwriteGetLocale, type Locale } from "../../src/paraglide/runtime";

const LASTING: Scope[] = ["chat", "workspace", "always"];
const ANY: Record<string, RegExp> = { en: /any arguments/, "zh-CN": /任意参数/ };

describe.each<Locale>(["en", "zh-CN"])("the sentence of a card in %s", (locale) => {
  beforeAll(() => overwriteGetLocale(() => locale));

  it.each(LASTING)("says_any_arguments_only_where_no_condition_was_chosen: %s", (scope) => {
    const card = question("q", CALL);
    expect(meaningOf(card, kindOf(card.about), scope, false)?.sentence).toMatch(ANY[locale] as RegExp);
    expect(meaningOf(card, kindOf(card.about), scope, true)?.sentence).not.toMatch(ANY[locale] as RegExp);
  });

  it("differs_for_each_scope_of_each_card", () => {
    for (const scene of Object.values(SCENES)) {
      for (const card of scene()) {
        const said = card.scopes.map((scope) => meaningOf(card, kindOf(card.about), scope)?.sentence);
        if (card.scopes.length > 1) expect(new Set(said).size, card.about.kind).toBe(card.scopes.length);
      }
    }
  });

  it("has_an_answer_that_names_how_long_it_holds", () => {
    for (const kind of ["call_tool", "start_server", "connect_server", "allow_tool"] as const) {
      const card = SCENES[kind]?.()[0];
      if (!card) throw new Error(kind);
      expect(lastingName(kindOf(card.about), "once")).toBeNull();
      const names = LASTING.map((scope) => lastingName(kindOf(card.about), scope));
      expect(new Set(names).size).toBe(3);
      expect(names).not.toContain(null);
      // The days on the button are those of the sentence.
      for (const scope of ["workspace", "always"] as const) {
        const days = /\d+/.exec(lastingName(kindOf(card.about), scope) ?? "")?.[0];
        expect(meaningOf(card, kindOf(card.about), scope)?.sentence, kind).toContain(days);
      }
    }
  });
});

describe("a long name in a sentence", () => {
  it("keeps_both_ends_and_never_cuts_a_character", () => {
    expect(shortened("short")).toBe("short");
    const long = `start${"😀".repeat(100)}end`;
    expect([...shortened(long)]).toHaveLength(60);
    expect(shortened(long)).toMatch(/^start.*….*end$/u);
    expect(() => encodeURIComponent(shortened(long)), "a lone surrogate throws").not.toThrow();
  });
});
