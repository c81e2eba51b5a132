import { expect, it } from "vitest";
import type { Call, Condition, Test } from "../../src/host/bindings";
import { choosable, conditionOf, draftOf, type ConditionKind } from "../../src/features/rule/conditions";
import { conditionSentence } from "../../src/features/rule/words";
import { CallDraft } from "../../src/questions/call_tool/draft.svelte";

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

it.each<[Test, string]>([
  [{ between: { least: null, most: 1.2344 } }, "1.2344"],
  [{ between: { least: 0.0004, most: null } }, "0.0004"],
  [{ between: { least: 51.50735, most: 51.50744 } }, "51.50735 – 51.50744"],
  [{ between: { least: null, most: 1_250_000.5 } }, "1,250,000.5"],
  [{ between: { least: null, most: 1e21 } }, "1e+21"],
  [{ at_most_bytes: 1_049_999 }, "1,049,999\u00A0B"],
  [{ at_most_bytes: 1_234 }, "1,234\u00A0B"],
  [{ at_most_bytes: 1_200_000 }, "1.2\u00A0MB"],
])("the limit in %j is said with all its digits", (is, said) => {
  expect(conditionSentence({ at: "/a", is }).values[1]).toBe(said);
});

it("a condition goes with the arguments of its card", () => {
  const draft = new CallDraft({
    tool: { definition: { inputSchema: { properties: { path: { type: "string" }, count: { type: "number" } } } } },
    arguments: { path: "Notes", count: 7 },
    last_arguments: null,
  } as unknown as Call);
  const offered = choosable(draft.arguments.value);
  const pick = (at: string, kind: ConditionKind) => {
    const offer = offered.find((row) => row.at === at)?.offers.find((one) => one.kind === kind);
    return offer ? [offer] : [];
  };
  draft.limit([...pick("/path", "equals"), ...pick("/count", "at_most")]);
  const most: Condition = { at: "/count", is: { between: { least: null, most: 7 } } };
  expect(draft.when).toEqual([{ at: "/path", is: { equals: "Notes" } }, most]);
  draft.arguments.set(["path"], "Letters");
  expect(draft.when, "it is for the value on the card").toEqual([{ at: "/path", is: { equals: "Letters" } }, most]);
  draft.arguments.remove(["path"]);
  expect(draft.when, "of an argument that is gone nothing is left").toEqual([most]);
});
