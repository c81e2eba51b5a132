// A long result about which the user is asked: the row of its call says so, and the choice is made by keyboard.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, violations, visit } from "./look.mjs";

/** A chat that waits for the choice about a result, at work as in the real host. */
export const asking = (fits, act, look = EN) =>
  visit("index.html", { scene: "chat" }, look, async (page) => {
    await page.locator("[data-chat=invoices]").click();
    await page.evaluate((room) => {
      const { body } = globalThis.fake.entries.get("invoices").find((entry) => entry.body.state === "answered");
      const text = "2026-07-02 GET /invoices 200\n".repeat(3_000);
      const result = {
        ...body.result,
        content: [{ type: "text", text }],
        structured: null,
        misfits: [],
        cut_bytes: 0,
        choice: { choice: "asked", tokens: 27_000, fits: room },
      };
      globalThis.fake.changeChat("invoices", { busy: true });
      globalThis.fake.putEntry("invoices", { ...body, result }, "long");
    }, fits);
    await page.getByTestId("result-choice").waitFor();
    await act(page, page.locator("[data-entry=long]"));
  });

const chosen = (page) =>
  page.evaluate(() => globalThis.fake.entries.get("invoices").find(({ id }) => id === "long").body.result.choice);

describe("a long result that waits for the user's choice", () => {
  it("says_how_long_it_is_and_that_the_chat_waits", () =>
    asking(true, async (page, row) => {
      const words = await row.innerText();
      assert.match(words, /87\u00A0kB of text, about 27,000 tokens/);
      assert.match(words, /Waits for your choice/);
      assert.equal(await page.getByText("Working", { exact: false }).count(), 0, "the model is not at work");
      await page.getByRole("status").getByText("A long result waits for your choice.").waitFor({ state: "attached" });
      assert.deepEqual(await violations(page), []);
    }));

  for (const share of ["part", "whole", "nothing"])
    it(`gives_${share}_by_keyboard_and_the_model_goes_on`, () =>
      asking(true, async (page, row) => {
        await page.getByTestId(`share-${share}`).press("Enter");
        await page.getByTestId("result-choice").waitFor({ state: "detached" });
        assert.deepEqual(await chosen(page), { choice: "made", share });
        await row.getByRole("button").first().press("Enter");
        if (share !== "part")
          await row.getByText(share === "whole" ? "You gave the model all" : "You gave the model nothing").waitFor();
        await page.getByText("I am the rehearsal", { exact: false }).waitFor();
      }));

  it("does_not_offer_the_whole_where_the_model_has_no_room", () =>
    asking(false, async (page, row) => {
      await row.getByText("The model has no room for all of it", { exact: false }).waitFor();
      assert.equal(await page.getByTestId("share-whole").count(), 0);
    }));
});

describe("the setting for long results", () => {
  it("is_asked_everywhere_or_in_one_chat", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.locator("[data-chat=oslo]").click();
      await page.getByTestId("chat-settings").press("Enter");
      await page.getByTestId("chat-large-ask").press("Space");
      const settings = () => page.evaluate(() => globalThis.fake.chats.find(({ id }) => id === "oslo").settings);
      await page.waitForFunction(
        () => globalThis.fake.chats.find(({ id }) => id === "oslo").settings.large_results === "ask",
      );
      assert.equal((await settings()).large_results, "ask");
      await page.keyboard.press("Escape");
      await page.getByTestId("to-settings").press("Enter");
      await page.getByTestId("settings-limits").press("Enter");
      await page.getByTestId("large-ask").press("Space");
      await page.waitForFunction(() => globalThis.fake.settings.large_results === "ask");
    }));
});
