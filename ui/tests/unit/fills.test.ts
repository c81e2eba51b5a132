// Values that the author of a pasted configuration left to the user.
import { describe, expect, it } from "vitest";
import type { FillIn, ServerDraft } from "../../src/host/bindings";
import { filledIn, isComplete, isProposed, writtenPairs } from "../../src/views/servers/fills";

const fill = (name: string, required = false, value = ""): FillIn => ({
  name,
  kind: "text",
  required,
  optional: false,
  hint: null,
  example: null,
  value,
  choices: [],
});
const draft: ServerDraft = {
  name: "notes",
  era: "auto",
  place: {
    at: "here",
    command: "npx",
    args: ["--dir=${a/b}", "${A}", "$A", "${other}"],
    env: [
      { name: "KEY", value: "x-${A}", pasted: true },
      { name: "LEVEL", value: "info", pasted: true },
    ],
    folder: "${F}",
  },
};
const fills = [fill("a/b", true), fill("A", true), fill("F")];

describe("values to fill in", () => {
  it("stand_where_their_names_stood_and_nowhere_else", () => {
    const { place } = filledIn({ draft, fills, optional: [] }, { "a/b": "/n", A: "1", F: "/f" });
    expect(place).toMatchObject({ args: ["--dir=/n", "1", "$A", "${other}"], folder: "/f" });
  });

  it("are_never_read_for_other_names_or_patterns", () => {
    const { place } = filledIn({ draft, fills, optional: [] }, { "a/b": "${A}", A: "$&", F: "" });
    expect(place).toMatchObject({ args: ["--dir=${A}", "$&", "$A", "${other}"], folder: null });
  });

  it("leave_a_variable_empty_that_still_lacks_one", () => {
    const empty = filledIn({ draft, fills, optional: [] }, {}).place;
    expect(empty).toMatchObject({
      env: [
        { name: "KEY", value: "", pasted: false },
        { name: "LEVEL", pasted: true },
      ],
    });
  });

  // "x-" is the author's, and nobody has seen what it makes of the value before the card of the start shows it.
  it("are_shown_on_the_card_where_the_author_wrote_a_part_of_them", () => {
    const { place } = filledIn({ draft, fills, optional: [] }, { A: "1" });
    expect(place).toMatchObject({ env: [{ name: "KEY", value: "x-1", pasted: true }, {}] });
  });

  it("count_as_typed_only_where_the_user_typed_all_of_them", () => {
    const options = '{"executablePath":"/bin/sh","key":"YOUR_KEY"}';
    const asked = [
      { ...fill("OPTIONS", false, options), kind: "secret" as const },
      { ...fill("LEVEL", false, "info"), choices: ["info", "evil"] },
      fill("KEY"),
      fill("SITE"),
    ];
    const written = [
      "${OPTIONS}",
      "${LEVEL}",
      "${KEY}",
      "Bearer ${KEY}",
      "https://evil/${KEY}",
      "sh ${KEY}",
      "${SITE}${KEY}",
    ];
    const isPasted = (entered: Record<string, string>) => {
      const env = written.map((value, at) => ({ name: `V${at}`, value, pasted: true }));
      const place = { at: "here" as const, command: "npx", args: [], env, folder: null };
      const filled = filledIn({ draft: { ...draft, place }, fills: asked, optional: [] }, entered).place;
      return filled.at === "here" && filled.env.map(({ pasted }) => pasted);
    };
    const others = [true, false, false, true, true, false];
    const entered = { KEY: "k-1", SITE: "a" };
    expect(isPasted(entered)).toEqual([true, ...others]);
    expect(isPasted({ ...entered, OPTIONS: options })).toEqual([true, ...others]);
    expect(isPasted({ ...entered, OPTIONS: options.replace("YOUR_KEY", "k-1") })).toEqual([true, ...others]);
    expect(isPasted({ ...entered, OPTIONS: '{"key":"k-1"}', LEVEL: "evil" })).toEqual([false, ...others]);
  });

  it("can_be_read_while_they_are_what_the_author_proposes", () => {
    const secret = { ...fill("KEY", false, "proposed"), kind: "secret" as const };
    expect(isProposed(secret, {})).toBe(true);
    expect(isProposed(secret, { KEY: "typed" })).toBe(false);
    expect(isProposed(secret, { KEY: "" })).toBe(false);
    expect(isProposed({ ...secret, value: "" }, {})).toBe(false);
  });

  it("that_are_optional_are_left_out_with_all_that_belongs_to_them", () => {
    const asking = {
      draft: {
        ...draft,
        place: {
          at: "here" as const,
          command: "npx",
          args: ["-y", "--level", "${level}", "--verbose", "${root}"],
          env: [
            { name: "MODE", value: "m-${mode}", pasted: true },
            { name: "KEY", value: "${key}", pasted: true },
          ],
          folder: null,
        },
      },
      fills: [
        ...["level", "verbose", "mode"].map((name) => ({ ...fill(name), optional: true })),
        fill("root", true),
        fill("key"),
      ],
      optional: [
        { first: 1, count: 2, fills: ["level"] },
        { first: 3, count: 1, fills: ["verbose"] },
      ],
    };
    const none = filledIn(asking, { root: "/n" }).place;
    expect(none).toMatchObject({ args: ["-y", "/n"] });
    expect(none.at === "here" && none.env).toEqual([{ name: "KEY", value: "", pasted: false }]);
    const all = filledIn(asking, { root: "/n", level: "debug", verbose: "true", mode: "a", key: "k" }).place;
    expect(all).toMatchObject({ args: ["-y", "--level", "debug", "--verbose", "/n"] });
    expect(all.at === "here" && all.env.map(({ value }) => value)).toEqual(["m-a", "k"]);
  });

  it("hold_back_a_server_only_while_a_needed_one_is_empty", () => {
    expect(isComplete(fills, { A: "1" })).toBe(false);
    expect(isComplete(fills, { A: "1", "a/b": "/n" })).toBe(true);
    expect(isComplete([fill("A", true, "proposed")], {})).toBe(true);
    expect(isComplete([fill("A", true, "proposed")], { A: "" })).toBe(false);
  });

  it("are_listed_once_where_they_are_all_that_a_variable_holds", () => {
    const pairs = [
      { name: "A", value: "${A}", pasted: true },
      { name: "KEY", value: "${A}", pasted: true },
    ];
    expect(writtenPairs(pairs, fills)).toEqual([pairs[1]]);
  });
});
