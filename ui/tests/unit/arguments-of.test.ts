// The arguments a condition can be set on, read from the schema of a tool.
import { expect, it } from "vitest";
import { argumentsOf, kindsFor } from "../../src/features/rule/argumentsOf";

const SCHEMA = {
  properties: {
    to: { type: "string", title: "Recipient" },
    "a/b": { type: "integer" },
    files: { type: "array", items: { type: "string" } },
    odd: true,
  },
};

it("names_each_argument_with_its_title_and_where_it_stands", () => {
  expect(argumentsOf(SCHEMA)).toEqual([
    { at: "/to", label: "to – Recipient", type: "text" },
    { at: "/a~1b", label: "a/b", type: "number" },
    { at: "/files/*", label: "files › *", type: "text" },
    { at: "/odd", label: "odd", type: "other" },
  ]);
});

it.each([null, [], "x", { properties: [] }])("finds nothing in %j", (schema) =>
  expect(argumentsOf(schema)).toEqual([]),
);

it("offers_the_conditions_of_its_type_and_keeps_the_one_there_is", () => {
  const [text, number] = argumentsOf(SCHEMA);
  expect(kindsFor(number, "at_most")).toEqual(["at_most", "at_least", "between", "exactly"]);
  expect(kindsFor(text, "under")).not.toContain("between");
  expect(kindsFor(number, "under")).toContain("under");
  expect(kindsFor(undefined, "equals").length).toBeGreaterThan(10);
});
