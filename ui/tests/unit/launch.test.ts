import { describe, expect, it } from "vitest";
import { closedArguments, closedValues } from "../../src/questions/start_server/launch";
import { pastedValues } from "../../src/features/values/effects";
import { START } from "../../src/host/fake/questions/launch";

const withValue = (display: "shown" | "masked", text: string) => ({
  ...START,
  variables: [{ name: "NODE_OPTIONS", effect: "loads_code" as const, value: { display, text } }],
});

describe("a start", () => {
  it("can_be_allowed_at_once_only_where_all_that_decides_is_on_screen", () => {
    expect(closedArguments(START)).toBe(false);
    expect(closedValues(START)).toBe(false);
    expect(closedValues(withValue("shown", "x".repeat(4000)))).toBe(true);
    expect(closedValues(withValue("masked", "x".repeat(4000)))).toBe(false);
  });

  it("shows_a_pasted_value_in_the_preview_as_its_card_will", () => {
    const pairs = [
      { name: "NODE_OPTIONS", value: "--import x", pasted: true },
      { name: "TOKEN", value: "t", pasted: true },
      { name: "ASKED", value: "", pasted: false },
    ];
    const shown = pastedValues(pairs, { NODE_OPTIONS: "loads_code" }).map(({ value }) => value.display);
    expect(shown).toEqual(["shown", "masked", "hidden"]);
  });
});
