import { expect, it } from "vitest";
import type { Condition, Test } from "../../src/host/bindings";
import { choosable, conditionOf, draftOf, type ConditionKind } from "../../src/features/rule/conditions";

const TESTS: Test[] = [
  { equals: "Budget 2027" },
  { equals: 7 },
  { one_of: ["nobody", "the owner"] },
  { one_of: ["a, b", "c"] },
  { one_of: ["甲、乙", "丙"] },
  { one_of: ["甲，乙", "丙"] },
  { one_of: ["first line\nsecond line", "b"] },
  { one_of: [" a", "b"] },
  { one_of: [1, 2] },
  { glob: "src/**" },
  { glob: "**@ours.example" },
  { glob: "a?c*" },
  { under: "/home/ada/Notes" },
  { mail: ["kari@ours.example", "@ours.example"] },
  { host: ["ours.example", "api.theirs.example"] },
  { between: { least: null, most: 10 } },
  { between: { least: -1.5, most: null } },
  { between: { least: -2, most: 10 } },
  { at_most_bytes: 4096 },
];

it.each(TESTS.map((is) => ({ at: "/to", is }) satisfies Condition))(
  "%j comes back from its form as it was",
  (condition) => {
    expect(conditionOf(draftOf(condition))).toEqual(condition);
  },
);

it.each<[ConditionKind, string]>([
  ["one_of", ""],
  ["one_of", "a,,b"],
  ["between", "10..1"],
  ["between", "1..2..3"],
  ["between", "1"],
  ["between", "..2"],
  ["under", "Notes"],
  ["mail", "ours.example"],
  ["mail", "kari@ours.example, theirs.example"],
  ["at_most", "many"],
  ["at_most_bytes", "-1"],
  ["exactly", "[1"],
])("a %s of “%s” is not whole", (kind, text) => {
  expect(conditionOf({ at: "/to", kind, text })).toBeNull();
});

it("an argument that is not named is not whole", () => {
  expect(conditionOf({ at: "/", kind: "equals", text: "a" })).not.toBeNull();
  expect(conditionOf({ at: "to", kind: "equals", text: "a" })).toBeNull();
});

it.each<[unknown, ConditionKind[]]>([
  ["/home/ada/Notes/a.md", ["equals", "one_of", "under", "at_most_bytes"]],
  ["https://ours.example/a", ["equals", "one_of", "host", "at_most_bytes"]],
  ["kari@ours.example", ["equals", "one_of", "mail", "at_most_bytes"]],
  ["kari@ours.example, x@evil.test", ["equals", "at_most_bytes"]],
  ["../up", ["equals", "one_of", "at_most_bytes"]],
  ["~ada", ["equals", "one_of", "at_most_bytes"]],
  ["C:\\Users", ["equals", "one_of", "at_most_bytes"]],
  ["two\nlines", ["equals", "at_most_bytes"]],
  ["Packing list", ["equals", "one_of", "starts", "ends", "at_most_bytes"]],
  [7, ["exactly", "at_most", "at_least", "between"]],
  [true, ["exactly"]],
])("the value %j offers what it suggests, and each offer holds for it", (value, kinds) => {
  const [row] = choosable({ a: value });
  const offers = row?.offers ?? [];
  expect([...new Set(offers.map(({ kind }) => kind))].toSorted()).toEqual(kinds.toSorted());
  for (const offer of offers) expect(conditionOf(offer)).not.toBeNull();
});

it("a path that a link leads elsewhere offers no folder", () => {
  const kinds = (links: string[]) =>
    choosable({ path: "/home/ada/Notes/link" }, new Set(links)).flatMap(({ offers }) => offers.map(({ kind }) => kind));
  expect(kinds([])).toContain("under");
  expect(kinds(["/home/ada/Notes/link"])).not.toContain("under");
  expect(kinds(["/home/ada/Notes/link"])).toContain("equals");
});

it.each<[ConditionKind, string, Test]>([
  ["one_of", "奥斯陆，卑尔根、特罗姆瑟, Bodø", { one_of: ["奥斯陆", "卑尔根", "特罗姆瑟", "Bodø"] }],
  ["mail", "kari@ours.example，@theirs.example", { mail: ["kari@ours.example", "@theirs.example"] }],
  ["host", "ours.example、theirs.example", { host: ["ours.example", "theirs.example"] }],
])("%s reads the commas of a Chinese keyboard in %s", (kind, text, is) => {
  expect(conditionOf({ at: "/to", kind, text })).toEqual({ at: "/to", is });
});
