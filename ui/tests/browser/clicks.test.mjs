// How many presses the usual ways take. Waiting for a card counts none; its answer counts one, in a window of its own.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, consent, passed, replies } from "./cards.mjs";
import { EN, visit } from "./look.mjs";

/** Presses of a window, counted as the user makes them. */
class Presses {
  count = 0;
  #page;

  constructor(page) {
    this.#page = page;
  }

  async press(locator) {
    await (typeof locator === "string" ? this.#page.getByTestId(locator) : locator).click();
    this.count += 1;
  }
}

const main = (scene, act) =>
  visit("index.html", { scene }, EN, async (page) => {
    await page.getByTestId("composer").waitFor();
    await act(page, new Presses(page));
  });

/** Answers one card with yes: one press. */
async function answer(scene) {
  let presses = 0;
  await consent(scene, async (page) => {
    await passed(page);
    await accept(page).click();
    presses = 1;
    assert.equal((await replies(page)).length, 1, "one press answers");
  });
  return presses;
}

describe("presses", () => {
  it("the_first_tool_call_takes_two", () =>
    main("first", async (page, hand) => {
      await hand.press(page.getByRole("button", { name: "Weather in Oslo" }));
      await page.getByTestId("entry-user").waitFor();
      assert.equal(hand.count + (await answer("call_tool")), 2);
    }));

  it("four_pasted_servers_take_three_and_one_for_each_card", () =>
    main("chat", async (page, hand) => {
      await hand.press(page.getByTestId("add-server").first());
      const servers = Object.fromEntries(["one", "two", "three", "four"].map((name) => [name, { command: name }]));
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "paste-json");
      await page.keyboard.insertText(JSON.stringify({ mcpServers: servers }));
      await page.locator(".paste li").nth(3).waitFor();
      await hand.press(page.locator(".paste .end .primary"));
      await hand.press("start-added");
      await page.waitForFunction(
        () => document.querySelectorAll("[data-testid=server-row][data-state=asking]").length === 4,
      );
      const cards = 4 * (await answer("start_server"));
      assert.equal(hand.count + cards, 3 + 4);
    }));

  it("sharing_a_folder_takes_three_without_those_of_the_dialog_of_the_system", () =>
    main("chat", async (page, hand) => {
      await hand.press("to-palette");
      await page.keyboard.type("share weather");
      await hand.press(page.getByTestId("palette-entry").filter({ hasText: "Share a folder with weather" }));
      await page.getByText("2 requests need you").waitFor();
      assert.equal(hand.count + (await answer("folders")), 3);
    }));

  it("after_stop_everything_one_starts_what_ran_and_one_answers_each_card", () =>
    main("chat", async (page, hand) => {
      await page.getByTestId("stop-everything").click();
      await hand.press("start-again");
      await page.waitForFunction(
        () => document.querySelectorAll("[data-testid=server-row][data-state=asking]").length > 3,
      );
      assert.equal(hand.count, 1);
    }));

  it("using_a_model_on_this_computer_takes_two_from_the_welcome", () =>
    main("first", async (page, hand) => {
      await hand.press(page.getByRole("button", { name: /Use a real model/ }));
      await hand.press(page.getByRole("button", { name: "Use llama3.1:8b" }));
      await page.locator(".model", { hasText: "llama3.1:8b" }).waitFor();
      assert.equal(hand.count, 2);
    }));

  it("allowing_all_reading_tools_takes_two_and_the_card", () =>
    main("chat", async (page, hand) => {
      await page.evaluate(() => globalThis.fake.forget("s-notes", "search_pages"));
      await hand.press(page.locator("[data-testid=server-row]", { hasText: "notes" }));
      await hand.press("allow-all");
      assert.deepEqual(await page.evaluate(() => globalThis.fake.allowed), [["search_pages", "read_page"]]);
      assert.equal(hand.count, 2);
    }));
});
