import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Blocks } from "../../src/features/markdown/blocks";
import { LineParts } from "../../src/features/text/lineParts";
import { ownText } from "../../src/features/text/ownText";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of what is still in use. */
function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Reads a text that grows by one block with each reading, and gives what it takes afterwards for each character. */
function bytesPerCharacter(block: (number: number) => string, read: (text: string) => unknown[]): number {
  const before = used();
  let text = "";
  for (let number = 0; number < 1_500; number += 1) {
    text += block(number);
    read(text);
  }
  const bytes = used() - before;
  // What was read is still there.
  expect(read(text).length).toBeGreaterThan(0);
  return bytes / text.length;
}

describe("the memory of a text that grows", () => {
  // A hundred readings that each kept the text as it was then would take fifty bytes for each character.
  it.each([
    ["paragraphs", (number: number) => `The harbour is a short walk away, says paragraph ${number}.\n\n`],
    ["items", (number: number) => `- the harbour is a short walk away, says item ${number}\n`],
    [
      "rows",
      (number: number) => `${number === 0 ? "| a | b |\n|---|---|\n" : ""}| the old harbour | row ${number} |\n`,
    ],
  ])("of %s grows with the text and not with each reading", (_, block) => {
    const blocks = new Blocks();
    expect(bytesPerCharacter(block, (text) => blocks.read(text, false))).toBeLessThan(50);
  });

  it("of code grows with the text and not with each reading", () => {
    const parts = new LineParts();
    const lines = (number: number) => `let harbour${number} = 1;\n`.repeat(50);
    expect(bytesPerCharacter(lines, (text) => parts.read(text))).toBeLessThan(50);
  });
});

it("changes no character of a text that gets memory of its own", () => {
  for (const text of ["", "a", "天气 🌤", "\ud800 alone \udc00", 'quote " and \\ and \u2028', "\u0000\r\n"]) {
    expect(ownText(text)).toBe(text);
  }
});
