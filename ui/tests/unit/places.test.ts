import { expect, it } from "vitest";
import { placeOf } from "../../src/views/ledger/words";

it.each(["/home/ada", " ~/Notes ", "C:\\Users\\Ada", "c:/Users", "file:///home/ada"])("takes %s for a file", (text) => {
  expect(placeOf(text)).toEqual({ file: text.trim(), host: null });
});

it.each(["ours.example", "https://ours.example/a", "[::1]"])("takes %s for a domain", (text) => {
  expect(placeOf(text)).toEqual({ file: null, host: text });
});

it("asks for no place where none is typed", () => {
  expect(placeOf("  ")).toEqual({ file: null, host: null });
});
