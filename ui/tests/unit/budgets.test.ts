// What of a budget is spent, by currency, and how amounts are written.
import { describe, expect, it } from "vitest";
import { amountToSend } from "../../src/features/budget/amounts";
import { notCounted, shareOf, spentIn, warningOf } from "../../src/features/budget/budgets";
import { costs, money } from "../../src/features/text/format";

const spent = (dollars: number) => [
  { currency: "EUR", amount: 9_000_000 },
  { currency: "USD", amount: dollars },
];
const budget = { limit: 5_000_000, currency: "USD", stop: true };

describe("a budget", () => {
  it("counts_its_own_currency_alone", () => {
    expect(spentIn(spent(1_000_000), "USD")).toBe(1_000_000);
    expect(shareOf(budget, spent(1_000_000))).toBe(0.2);
    expect(notCounted(spent(1_000_000), "USD")).toEqual([{ currency: "EUR", amount: 9_000_000 }]);
  });

  it("warns_from_four_fifths_on", () => {
    expect(warningOf(budget, spent(3_990_000))).toBe(null);
    expect(warningOf(budget, spent(4_000_000))).toBe("near");
    expect(warningOf(budget, spent(5_000_000))).toBe("over");
    expect(warningOf({ ...budget, limit: 0 }, [])).toBe("over");
  });
});

describe("amounts", () => {
  it("are_side_by_side_and_never_added", () => {
    expect(costs(spent(3_500), "USD")).toBe("€9.00 · $0.0035");
    expect(costs([], "EUR")).toBe("€0.00");
    expect(money(1_250_000)).toBe("1.25");
  });

  it.each([
    ["2,5", 2_500_000],
    [" 10.50 ", 10_500_000],
    ["0,125", 125_000],
    ["10,000", null],
    ["1,000,000", null],
    ["-1", null],
    ["ten", null],
    ["", null],
  ])("are_read_only_where_they_can_mean_one_amount: %j", (typed, expected) => {
    expect(amountToSend(typed)).toBe(expected);
  });
});
