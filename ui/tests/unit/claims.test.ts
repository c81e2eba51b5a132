import { expect, it } from "vitest";
import { claimed } from "../../src/features/tool/claims";
import type { Claims } from "../../src/host/bindings";

const NONE: Claims = { read_only: null, destructive: null, idempotent: null, open_world: null };
const words = (claims: Partial<Claims>) => claimed({ ...NONE, ...claims }).map(({ words }) => words);

it("says_nothing_where_nothing_is_claimed", () => {
  expect(words({})).toEqual([]);
});

it("puts_what_can_do_harm_first_and_marks_it", () => {
  const all = claimed({ read_only: false, destructive: true, idempotent: true, open_world: false });
  expect(all.map(({ harmful }) => harmful)).toEqual([true, true, false, false]);
  expect(all[0]?.words).toBe("Can destroy data");
});

it("leaves_out_of_a_reading_tool_what_only_concerns_writing_but_never_a_warning", () => {
  expect(words({ read_only: true, destructive: false, idempotent: true, open_world: false })).toEqual([
    "Read-only",
    "No outside access",
  ]);
  expect(words({ read_only: true, destructive: true })).toEqual(["Can destroy data", "Read-only"]);
});
