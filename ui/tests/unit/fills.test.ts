// Values that the author of a pasted configuration left to the user.
import { describe, expect, it } from "vitest";
import type { FillIn, ServerDraft } from "../../src/host/bindings";
import { filledIn, isComplete, writtenPairs } from "../../src/views/servers/fills";

const fill = (name: string, required = false, value = ""): FillIn => ({
  name,
  kind: "text",
  required,
  hint: null,
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
    const { place } = filledIn(draft, fills, { "a/b": "/n", A: "1", F: "/f" });
    expect(place).toMatchObject({ args: ["--dir=/n", "1", "$A", "${other}"], folder: "/f" });
  });

  it("are_never_read_for_other_names_or_patterns", () => {
    const { place } = filledIn(draft, fills, { "a/b": "${A}", A: "$&", F: "" });
    expect(place).toMatchObject({ args: ["--dir=${A}", "$&", "$A", "${other}"], folder: null });
  });

  it("leave_a_variable_empty_that_still_lacks_one_and_are_never_shown_again", () => {
    const empty = filledIn(draft, fills, {}).place;
    expect(empty).toMatchObject({
      env: [
        { name: "KEY", value: "", pasted: false },
        { name: "LEVEL", pasted: true },
      ],
    });
    const typed = filledIn(draft, fills, { A: "1" }).place;
    expect(typed).toMatchObject({ env: [{ name: "KEY", value: "x-1", pasted: false }, {}] });
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
