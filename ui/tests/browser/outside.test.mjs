// What another program changed in the data of Vestibule: it is said above every screen, and each row is decided about.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

describe("what another program changed", () => {
  it("is_said_above_the_chat_and_leads_to_the_rules", () =>
    visit("index.html", { scene: "outside" }, EN, async (page) => {
      const note = page.getByTestId("rows-found");
      await note.waitFor();
      assert.equal(await page.getByTestId("rows-list").count(), 1, "the whole list was changed too");
      await note.getByRole("button").click();
      await page.getByTestId("row-finding").first().waitFor();
      assert.equal(await note.count(), 0, "it is not said beside the rows themselves");
    }));

  it("is_listed_until_the_user_decides", () =>
    visit("index.html", { scene: "outside" }, EN, async (page) => {
      await page.getByTestId("to-rules").click();
      const rows = page.getByTestId("row-finding");
      await rows.first().waitFor();
      const before = await rows.count();
      await rows.first().getByRole("button").last().click();
      await page.waitForFunction(
        (wanted) => document.querySelectorAll("[data-testid=row-finding]").length === wanted,
        before - 1,
      );
    }));
});
