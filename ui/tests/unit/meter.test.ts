import { expect, test } from "vitest";
import type { MeterView } from "../../src/host/bindings";
import { inThousands, meterRows, shareOf } from "../../src/views/chat/meter";

const METER: MeterView = {
  context: 32_768,
  instructions: 400,
  tools: [
    { server: null, server_name: "", count: 1, tokens: 100 },
    { server: "s-notes", server_name: "notes", count: 3, tokens: 900 },
  ],
  results: 0,
  talk: 600,
  pictures: 0,
  total: 2000,
  reported: null,
};

test("the rows are the parts that there are, their sum and what is left", () => {
  const rows = meterRows(METER).map(({ key, tokens }) => [key, tokens]);
  expect(rows).toEqual([
    ["instructions", 400],
    ["tools", 1000],
    ["server ", 100],
    ["server s-notes", 900],
    ["talk", 600],
    ["total", 2000],
    ["room", 30_768],
  ]);
});

test("where it is not known what the model reads, no share and no room are made up", () => {
  const unknown = { ...METER, context: null };
  expect(shareOf(unknown)).toBeNull();
  expect(meterRows(unknown).at(-1)?.key).toBe("total");
});

test("a request that is too large leaves no room and has a share above one", () => {
  const full = { ...METER, context: 1000 };
  expect(shareOf(full)).toBe(2);
  expect(meterRows(full).at(-1)?.tokens).toBe(0);
});

test("a count is short", () => {
  expect(["950", "12k", "32k", "200k"]).toEqual([950, 12_345, 32_768, 200_000].map(inThousands));
});
