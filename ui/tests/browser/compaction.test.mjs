// The summary that a model reads in place of earlier messages: seen, changed, taken back and used again.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const SUMMARY = "The user plans a trip to Oslo.";

/** A chat with one summary, opened by keyboard. */
const compacted = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.locator("[data-chat=zh]").click();
    await page.evaluate((summary) => {
      const numbers = { up_to: "e-1", before_tokens: 6554, after_tokens: 2310, used: true, edited: false };
      globalThis.fake.putEntry("zh", { kind: "compaction", state: "summarized", summary, ...numbers }, "summary");
    }, SUMMARY);
    const line = page.getByTestId("entry-compaction").getByRole("button").first();
    await line.focus();
    await page.keyboard.press("Enter");
    await act(page, page.getByTestId("entry-compaction"));
  });

describe("a chat that was compacted", () => {
  it("shows_the_summary_and_takes_it_back_and_uses_it_again", () =>
    compacted(async (page, entry) => {
      assert.match(await entry.innerText(), /6,554 → 2,310 tokens/);
      await entry.getByText(SUMMARY).waitFor();
      await page.getByTestId("summary-use").press("Enter");
      await entry.getByText("Summary undone").waitFor();
      await page.getByTestId("summary-use").press("Enter");
      await entry.getByText("Earlier messages are summarized for the model").waitFor();
    }));

  it("keeps_a_changed_summary_that_was_not_taken_in_its_field", () =>
    compacted(async (page, entry) => {
      await page.getByTestId("summary-edit").press("Enter");
      const field = page.getByRole("textbox", { name: "Edit the summary" });
      assert.equal(await field.inputValue(), SUMMARY);
      await field.fill("fail");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      assert.equal(await field.inputValue(), "fail");
      await field.fill("The user plans a trip to Bergen.");
      await page.keyboard.press("Enter");
      await entry.getByText("The user plans a trip to Bergen.").waitFor();
      await entry.getByText("You changed it.").waitFor();
    }));

  it("keeps_an_open_edit_and_the_focus_while_the_chat_works", () =>
    compacted(async (page, entry) => {
      const busy = (busy) => page.evaluate((busy) => globalThis.fake.changeChat("zh", { busy }), busy);
      await page.getByTestId("summary-edit").press("Enter");
      const field = page.getByRole("textbox", { name: "Edit the summary" });
      const save = entry.getByRole("button", { name: "Save" });
      await field.fill("The user plans a trip to Bergen.");
      await page.getByTestId("composer").focus();
      await busy(true);
      await page.getByTestId("stop").waitFor();
      assert.equal(await field.inputValue(), "The user plans a trip to Bergen.");
      assert.equal(await save.isDisabled(), true);
      await busy(false);
      await page.getByTestId("send").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "composer");
      await save.click();
      await entry.getByText("You changed it.").waitFor();
      await entry.getByText("The user plans a trip to Bergen.").waitFor();
    }));

  it("keeps_an_open_edit_while_it_is_folded_away_or_another_chat_is_shown", () =>
    compacted(async (page, entry) => {
      await page.getByTestId("summary-edit").press("Enter");
      const field = page.getByRole("textbox", { name: "Edit the summary" });
      await field.fill("The user plans a trip to Bergen.");
      const line = entry.getByRole("button", { expanded: true });
      await line.click();
      await field.waitFor({ state: "detached" });
      await entry.getByRole("button", { expanded: false }).click();
      assert.equal(await field.inputValue(), "The user plans a trip to Bergen.");
      await page.locator("[data-chat=invoices]").click();
      await field.waitFor({ state: "detached" });
      await page.locator("[data-chat=zh]").click();
      await field.waitFor();
      assert.equal(await field.inputValue(), "The user plans a trip to Bergen.");
      await field.press("Enter");
      await entry.getByText("You changed it.").waitFor();
      await entry.getByText("The user plans a trip to Bergen.").waitFor();
    }));

  it("offers_no_change_of_a_summary_that_a_later_one_stands_for", () =>
    compacted(async (page, entry) => {
      await page.evaluate(() => {
        const { body } = globalThis.fake.entries.get("zh").find(({ id }) => id === "summary");
        globalThis.fake.putEntry("zh", body, "later");
      });
      await entry.getByText("A later summary stands for this one too.").waitFor();
      assert.equal(await page.getByTestId("summary-edit").count(), 0);
      assert.equal(await page.getByTestId("summary-use").count(), 0);
    }));
});
