// The arguments a condition can be set on, read from the schema of a tool.
import { expect, it } from "vitest";
import { argumentsOf, kindsFor, missingArgument, takesUnlisted } from "../../src/features/rule/argumentsOf";

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

it("says_which_argument_a_tool_does_not_have_only_where_its_schema_lists_all_of_them", () => {
  expect(missingArgument(SCHEMA, "/whom")).toBe("whom");
  expect(missingArgument({ properties: {} }, "/c~1d/e")).toBe("c/d");
  for (const at of ["/to", "/a~1b", "/files/*", "/to/deeper", "/"]) expect(missingArgument(SCHEMA, at), at).toBeNull();
  expect(missingArgument({ properties: {} }, "/constructor")).toBe("constructor");
  for (const more of [{ anyOf: [] }, { patternProperties: {} }, { additionalProperties: true }, { $ref: "#/x" }])
    expect(missingArgument({ ...SCHEMA, ...more }, "/whom")).toBeNull();
  for (const unknown of [undefined, null, {}, { properties: [] }]) expect(missingArgument(unknown, "/whom")).toBeNull();
});

it.each([
  [{ type: "object", properties: { to: {} } }, false],
  [{ type: "object", properties: {}, additionalProperties: false }, false],
  [{ type: "object", additionalProperties: true }, true],
  [{ type: "object", additionalProperties: { type: "string" } }, true],
  [{ type: "object", allOf: [{ properties: { conversation: {} } }] }, true],
  [{ $ref: "#/$defs/all", $defs: { all: { properties: { conversation: {} } } } }, true],
])("what %j takes beyond the listed arguments is said", (schema, unlisted) => {
  expect(takesUnlisted(schema)).toBe(unlisted);
});
