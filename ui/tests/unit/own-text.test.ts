import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Blocks } from "../../src/features/markdown/blocks";
import type { GrowingCode } from "../../src/features/markdown/openBlock";
import { LineParts } from "../../src/features/text/lineParts";
import { ownText } from "../../src/features/text/ownText";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Where each of them kept the text of its moment, a character would take half as many bytes as there are readings. */
const READINGS = 500;

/** Bytes of what is still in use. */
function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Reads a text that grows by one block with each reading, and gives what it takes afterwards for each character. */
function bytesPerCharacter(block: (number: number) => string, read: (text: string) => unknown[]): number {
  const before = used();
  let text = "";
  for (let number = 0; number < READINGS; number += 1) {
    text += block(number);
    read(text);
  }
  const bytes = used() - before;
  // What was read is still there.
  expect(read(text).length).toBeGreaterThan(0);
  return bytes / text.length;
}

describe("the memory of a text that grows", () => {
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
    const [blocks, parts] = [new Blocks(), new LineParts()];
    const lines = (number: number) => (number === 0 ? "```\n" : `let harbour${number} = 1;\n`.repeat(50));
    const read = (text: string) => {
      const [code] = blocks.read(text, false) as [GrowingCode];
      return code.lines ? parts.readOn(code.lines, code.text) : parts.read(code.text);
    };
    expect(bytesPerCharacter(lines, read)).toBeLessThan(50);
  });
});

it("changes no character of a text that gets memory of its own", () => {
  for (const text of ["", "a", "天气 🌤", "\ud800 alone \udc00", 'quote " and \\ and \u2028', "\u0000\r\n"]) {
    expect(ownText(text)).toBe(text);
  }
});
