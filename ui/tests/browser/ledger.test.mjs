// The ledger as a list: one field with tokens, days, a request with its result, and a record as labelled facts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const ledger = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("to-ledger").click();
    await page.getByTestId("record").first().waitFor();
    await act(page);
  });
const count = (page, wanted) =>
  page.waitForFunction((rows) => document.querySelectorAll("[data-testid=record]").length === rows, wanted);

describe("the ledger", () => {
  it("shows_a_request_with_its_result_in_one_row_under_its_day", () =>
    ledger(async (page) => {
      await count(page, 6);
      assert.equal(await page.getByRole("heading", { name: "Friday, November 20" }).count(), 1);
      const row = page.locator("[data-testid=record]", { hasText: "completed" });
      assert.equal(await row.count(), 1);
      assert.match(await row.innerText(), /allowed · completed/);
      assert.match(await row.locator("time").innerText(), /^\d\d:\d\d:\d\d$/);
    }));

  it("shows_a_record_as_labelled_facts_with_the_way_to_its_chat", () =>
    ledger(async (page) => {
      const row = page.locator("[data-testid=record]", { hasText: "completed" });
      await row.locator("button").first().click();
      const facts = row.getByTestId("record-facts");
      assert.equal(await facts.count(), 2);
      const terms = await facts.locator("dt").allInnerTexts();
      for (const term of ["Decision", "Chat", "Arguments digest", "Seal", "Result", "Result digest"])
        assert.ok(terms.includes(term), `${term} in ${terms}`);
      assert.doesNotMatch(await facts.first().innerText(), /[{}]/);
      await row.getByTestId("record-chat").click();
      await page.getByTestId("composer").waitFor();
    }));

  it("says_how_far_it_is_signed_in_good_english", () =>
    ledger(async (page) => {
      await page.getByTestId("ledger-verify").click();
      await page.getByText("Signed through record 6 (2 signatures).").waitFor();
    }));

  it("takes_tokens_in_its_search", () =>
    ledger(async (page) => {
      const field = page.getByTestId("ledger-search");
      await field.fill("server:susp");
      await count(page, 1);
      await field.fill("server:nobody-like-this");
      await page.getByText("No server is called nobody-like-this").waitFor();
      await field.fill("kind:checkpoints");
      await count(page, 1);
      await field.fill("");
      await count(page, 6);
      await page.getByTestId("ledger-server").selectOption("s-notes");
      await page.locator("[data-testid=ledger-seen] .disclosure button").click();
      await page.getByTestId("seen-name").first().click();
      assert.equal(await field.inputValue(), "file:/home/ada/Notes/Oslo.md");
    }));
});
