// Servers are started and stopped where they are listed, and a stopped one keeps its tools to be looked at.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act, view = {}) => visit("index.html", { scene: "chat", ...view }, EN, act);
const row = (page, name) => page.locator("[data-testid=server-row]", { hasText: name });
const states = (page) =>
  page.locator("[data-testid=server-row]").evaluateAll((all) => all.map(({ dataset }) => dataset.state));
const settled = (page, name, state) => page.locator(`[data-state=${state}]`, { hasText: name }).waitFor();

/** Pastes servers of these names and adds them. */
async function paste(page, names) {
  const servers = Object.fromEntries(names.map((name) => [name, { command: name }]));
  await page.getByTestId("paste-json").fill(JSON.stringify({ mcpServers: servers }));
  await page
    .locator(".paste li")
    .nth(names.length - 1)
    .waitFor();
  await page.locator(".paste .end .primary").click();
}

describe("a stopped server", () => {
  it("keeps_its_tools_which_can_only_be_tightened", () =>
    main(async (page) => {
      await row(page, "notes").click();
      await page.locator("[data-tool=read_page]").waitFor();
      assert.equal(await page.getByTestId("tools-as-of").count(), 0);
      await page.getByTestId("start-stop").last().click();
      await page.getByTestId("tools-as-of").waitFor();
      assert.match(await page.getByTestId("tools-as-of").innerText(), /^As of Nov 20, \d\d:\d\d\. Start/);
      const tool = (name) => page.locator(`[data-tool=${name}]`);
      assert.equal(await tool("read_page").getByRole("radio", { name: "Allow" }).isDisabled(), true);
      assert.equal(await tool("search_pages").getByRole("radio", { name: "Allow" }).isDisabled(), false);
      await tool("read_page").getByRole("radio", { name: "Never" }).click();
      await page.waitForFunction(
        () => document.querySelector("[data-tool=read_page] input:checked")?.value === "never",
      );
    }));

  it("is_started_and_stopped_in_the_list_and_in_the_side_bar", () =>
    main(async (page) => {
      await page.locator("#servers-heading button").click();
      const item = page.getByTestId("server-item").filter({ hasText: "deploy" });
      await item.getByTestId("start-stop").click();
      await settled(page, "deploy", "asking");
      await item.getByRole("button", { name: "Review" }).waitFor();
      await item.getByTestId("start-stop").click();
      await settled(page, "deploy", "stopped");
      const start = page.getByRole("navigation").getByRole("button", { name: "Start deploy" });
      assert.equal(await start.evaluate((it) => getComputedStyle(it.parentElement).opacity), "0");
      await row(page, "deploy").hover();
      await start.click();
      await settled(page, "deploy", "asking");
    }));
});

describe("after servers were added", () => {
  it("the_page_of_a_single_one_opens_with_the_focus_on_start", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "paste-json");
      await paste(page, ["papers"]);
      await page.getByTestId("server-state").waitFor();
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "start-stop");
    }));

  it("one_press_starts_all_of_them_and_leaves_those_that_need_values", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      await paste(page, ["one", "two", "three"]);
      await page.getByTestId("servers-added").waitFor();
      await page.getByTestId("start-added").getByText("Review and start 3…").waitFor();
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "start-added");
      await page.keyboard.press("Enter");
      for (const name of ["one", "two", "three"]) await settled(page, name, "asking");
      assert.equal(await page.getByTestId("servers-added").count(), 0);
    }));
});

describe("stop everything", () => {
  it("offers_to_start_the_servers_that_ran", () =>
    main(async (page) => {
      await page.getByTestId("composer").waitFor();
      const ran = (await states(page)).filter((state) => state !== "stopped" && state !== "failed").length;
      await page.getByTestId("stop-everything").click();
      const again = page.getByTestId("start-again");
      await again.waitFor();
      await page.waitForFunction(() =>
        [...document.querySelectorAll("[data-testid=server-row]")].every(({ dataset }) => dataset.state === "stopped"),
      );
      assert.equal((await again.innerText()).trim(), `Start the ${ran} that were running`);
      await again.click();
      await page.getByTestId("everything-stopped").waitFor({ state: "detached" });
      await page.waitForFunction(
        (wanted) => document.querySelectorAll("[data-testid=server-row][data-state=asking]").length === wanted,
        ran,
      );
    }));

  it("says_only_that_it_stopped_where_nothing_ran", () =>
    visit("index.html", { scene: "first" }, EN, async (page) => {
      await page.getByTestId("stop-everything").click();
      await page.getByTestId("everything-stopped").waitFor();
      assert.equal(await page.getByTestId("start-again").count(), 0);
    }));
});
