// The row of requests in the consent window: calls of one tool are told apart, in the order in which they came.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { card, consent } from "./cards.mjs";

const tabs = (page) => page.locator(".inbox button");
const inside = (outer, inner) => inner.x >= outer.x - 1 && inner.x + inner.width <= outer.x + outer.width + 1;

describe("the row of requests", () => {
  it("says_of_each_call_its_arguments_and_its_chat_in_the_order_of_the_model", () =>
    consent("parallel", async (page) => {
      await card(page).waitFor();
      assert.deepEqual(
        (await tabs(page).allInnerTexts()).map((text) => text.split("\n").slice(-2)),
        [
          ["delete_page", "page: Packing 2023, permanently: true · Packing for Oslo"],
          ["delete_page", "page: Packing 2024, permanently: true · Packing for Oslo"],
          ["delete_page", "page: Invoices, permanently: true · Invoices of October"],
        ],
      );
      assert.equal(
        await tabs(page).nth(2).getAttribute("title"),
        "delete_page · notes · page: Invoices, permanently: true · Invoices of October",
      );
    }));

  it("keeps_the_count_and_the_tab_of_the_card_in_sight_with_64_of_them", () =>
    consent("crowded", async (page) => {
      await card(page).waitFor();
      await page.evaluate(() => globalThis.fake.show("q-60"));
      await page.locator(".inbox button").nth(60).and(page.locator("[aria-current=true]")).waitFor();
      const row = await page.locator(".inbox").boundingBox();
      assert.equal(await page.locator(".inbox .count").getAttribute("title"), "64 requests need you");
      for (const part of [page.locator(".inbox .count"), page.locator(".inbox [aria-current=true]")])
        assert.ok(inside(row, await part.boundingBox()));
    }));
});
