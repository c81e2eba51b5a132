// What a server may spend of the user's models is limited in one currency, and costs in others are named.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

describe("the budget of a server", () => {
  const about = (act) =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.locator("[data-testid=server-row]").nth(2).click();
      await page.locator("[role=tab]").nth(1).click();
      const budget = page.getByTestId("server-budget");
      await budget.getByTestId("cost-day").waitFor();
      await act(budget, page);
    });

  it("counts_one_currency_and_names_the_costs_that_it_leaves_out", () =>
    about(async (budget) => {
      assert.match(await budget.innerText(), /\$0\.04 spent/);
      const left = budget.getByTestId("server-not-counted");
      assert.equal(await left.innerText(), "Only costs in USD are counted. Not counted: €0.31.");
      await budget.getByRole("radio", { name: "EUR" }).press("Space");
      await budget.getByText("Only costs in EUR are counted. Not counted: $0.04.").waitFor();
      assert.match(await budget.innerText(), /€0\.31 spent/);
    }));

  it("names_the_costs_in_every_currency_where_none_is_limited", () =>
    about(async (budget) => {
      const limit = budget.getByTestId("cost-day");
      await limit.fill("");
      await limit.blur();
      await budget.getByText("€0.31 · $0.04 spent").waitFor();
      assert.equal(await budget.getByTestId("server-not-counted").count(), 0);
      assert.equal(await budget.getByRole("radio").count(), 0);
    }));

  it("keeps_what_holds_and_what_was_written_where_that_is_no_amount", () =>
    about(async (budget) => {
      const limit = budget.getByTestId("cost-day");
      const complaint = budget.getByText("Enter a number without separators between thousands.");
      for (const text of ["much", "1,000"]) {
        await limit.fill(text);
        await limit.blur();
        await complaint.waitFor();
        assert.equal(await limit.inputValue(), text);
      }
      await limit.fill("3");
      await limit.blur();
      await complaint.waitFor({ state: "detached" });
      await budget.getByText("$0.04 spent").waitFor();
    }));

  it("takes_tokens_with_separators_and_says_why_others_are_not_taken", () =>
    about(async (budget, page) => {
      const limit = budget.getByTestId("budget-day");
      for (const [text, complaint] of [
        ["1.5", "Enter a whole number."],
        ["", "Enter a whole number."],
        ["100,000,001", "Must be 100,000,000 or less."],
      ]) {
        await limit.fill(text);
        await limit.blur();
        await budget.getByText(complaint).waitFor();
        assert.equal(await limit.inputValue(), text);
        await limit.fill("20000");
        await limit.blur();
        await budget.getByText(complaint).waitFor({ state: "detached" });
      }
      await limit.fill("30,000");
      await limit.blur();
      await page.waitForFunction(() => document.querySelector("[data-testid=budget-day]").value === "30000");
    }));
});

describe("the card of a request to a model", () => {
  const note = "The cost limits are in USD. They do not count this model, whose prices are in EUR.";

  it("says_which_limits_do_not_count_the_model", () =>
    visit("consent.html", { scene: "sample" }, EN, async (page) => {
      const card = page.getByTestId("card");
      await card.getByText(note).waitFor();
      assert.match(await card.innerText(), /\$1\.96 left to spend today/);
      await card.getByTestId("sample-model").selectOption({ value: "llama" });
      await card.getByText(note).waitFor({ state: "detached" });
    }));
});
