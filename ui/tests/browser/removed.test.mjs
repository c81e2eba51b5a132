// A removed server in the ledger: told apart, looked up, and deleted from it only after a question.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const ledger = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("to-ledger").click();
    await page.getByTestId("record").first().waitFor();
    await act(page);
  });
const records = (page) => page.getByTestId("record");
const pick = (page) => page.getByTestId("ledger-server").selectOption("s-gone");
const picked = (page) => page.getByTestId("ledger-server").inputValue();
const only = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll("[data-testid=record]").length === wanted, count);

describe("a removed server in the ledger", () => {
  it("is_told_apart_by_name_and_date_or_by_its_id", () =>
    ledger(async (page) => {
      const [named, unnamed] = await page.locator("[data-testid=ledger-server] optgroup option").allTextContents();
      assert.match(named, /^suspicious.* \(removed on Nov 18, 2026\)$/);
      assert.match(unnamed, /^A removed server \(…4f1c\), last record on Oct 11, 2026$/);
      const rows = await records(page).allTextContents();
      assert.ok(rows.some((row) => row.includes("suspicious") && row.includes("removed on Nov 18, 2026")));
      assert.ok(rows.some((row) => row.includes("A removed server (…4f1c)")));
    }));

  it("is_found_by_its_name", () =>
    ledger(async (page) => {
      await page.getByTestId("ledger-search").fill("suspicious");
      await only(page, 1);
    }));

  it("shows_what_it_could_have_seen", () =>
    ledger(async (page) => {
      await pick(page);
      await only(page, 1);
      await page.locator("[data-testid=ledger-seen] .disclosure button").click();
      await page.getByTestId("seen-name").first().waitFor();
    }));

  it("is_deleted_from_the_ledger_only_after_the_question", () =>
    ledger(async (page) => {
      await pick(page);
      await page.getByTestId("forget-ask-open").click();
      const question = await page.getByTestId("forget-ask").textContent();
      assert.match(question, /The records stay, .* This cannot be undone\./);
      await page.waitForFunction(() => document.activeElement?.textContent?.trim() === "Keep");
      await page.keyboard.press("Enter");
      await page.getByTestId("forget-ask-open").waitFor();
      assert.equal(await picked(page), "s-gone", "Keep changes nothing");
      await page.getByTestId("forget-ask-open").click();
      await page.getByTestId("forget-server").click();
      await page.waitForFunction(() => document.querySelectorAll("optgroup option").length === 1);
      assert.equal(await picked(page), "");
    }));

  it("is_the_only_one_that_can_be_deleted_from_the_ledger", () =>
    ledger(async (page) => {
      await page.getByTestId("ledger-server").selectOption("s-notes");
      await page.getByTestId("ledger-seen").waitFor();
      assert.equal(await page.getByTestId("forget-ask-open").count(), 0);
    }));

  it("is_exported_with_the_filters_of_the_screen_and_counted_in_good_english", () =>
    ledger(async (page) => {
      await pick(page);
      await page.getByTestId("ledger-export").click();
      const said = page.getByTestId("ledger-exported");
      await said.waitFor();
      assert.equal(await said.textContent(), "1 record was written to this file:");
    }));
});
