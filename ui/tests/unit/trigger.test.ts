// Which words of a message ask for something of a server.
import { expect, it } from "vitest";
import { triggerAt } from "../../src/views/chat/trigger";

const at = (text: string) => triggerAt(text, text.length);

it.each([
  ["/", "/", "", 0],
  ["/plan", "/", "plan", 0],
  ["  /plan", "/", "plan", 2],
  ["／计划", "/", "计划", 0],
  ["@", "@", "", 0],
  ["see @pack", "@", "pack", 4],
  ["see\n@note://trips/oslo", "@", "note://trips/oslo", 4],
  ["(@pack", "@", "pack", 1],
  ["请看@包", "@", "包", 2],
  ["请看，＠包", "@", "包", 3],
])("%j asks for what it names", (text, sign, word, from) => {
  expect(at(text)).toEqual({ sign, word, from });
});

it.each([
  "",
  "plain words",
  "/home/ada",
  "/plan ",
  "see /plan",
  "and/or",
  "ada@example.org",
  "ada.b+c@",
  "ada_@",
  "@a@b",
  "@pack list",
  `@${"x".repeat(81)}`,
  `${"x".repeat(200)}@${"y".repeat(80)}`,
])("%j asks for nothing", (text) => {
  expect(at(text)).toBeNull();
});

it("looks_only_at_what_stands_before_the_caret", () => {
  expect(triggerAt("see @pack and more", 9)).toEqual({ sign: "@", word: "pack", from: 4 });
  expect(triggerAt("see @pack and more", 3)).toBeNull();
});
