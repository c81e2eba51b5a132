import { expect, it } from "vitest";
import { tableOf } from "../../src/features/call/table";

it("shows_a_list_of_flat_records_with_every_field_and_value", () => {
  expect(
    tableOf([
      { a: 1, b: "x" },
      { a: null, c: true },
    ]),
  ).toEqual({
    facts: [],
    columns: ["a", "b", "c"],
    rows: [
      ["1", "x", "–"],
      ["–", "–", "true"],
    ],
  });
});

it("shows_what_an_object_has_beside_its_list", () => {
  expect(tableOf({ city: "Oslo", days: [{ high: 9 }] })).toEqual({
    facts: [{ name: "city", value: "Oslo" }],
    columns: ["high"],
    rows: [["9"]],
  });
});

it.each([
  ["text", "Oslo"],
  ["nothing", null],
  ["an empty list", []],
  ["a list of values", [1, 2]],
  ["records in records", [{ a: { b: 1 } }]],
  ["lists in records", [{ a: [1] }]],
  ["two lists", { a: [{ x: 1 }], b: [{ y: 1 }] }],
  ["an object beside the list", { a: [{ x: 1 }], b: {} }],
  ["many columns", [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`c${at}`, at]))]],
])("leaves_%s_to_JSON", (_, value) => {
  expect(tableOf(value)).toBeNull();
});
