// Adding a server: what is entered in one way stays while another is looked at and while the text is corrected.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { delayEvents, EN, framesPass, visit } from "./look.mjs";

const adding = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("add-server").first().click();
    await act(page);
  });
const way = (page, name) => page.getByRole("tab", { name, exact: true });
const pasted = (page) => page.getByTestId("paste-json");
const config = (command) => JSON.stringify({ mcpServers: { papers: { command, env: { API_KEY: "${API_KEY}" } } } });
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent.trim());

describe("the ways to add a server", () => {
  it("keep_what_was_entered_while_another_is_looked_at", () =>
    adding(async (page) => {
      await pasted(page).fill(config("papers"));
      const key = page.getByTestId("fills").getByLabel("API_KEY");
      await key.fill("k-1");
      await way(page, "Enter manually").click();
      await page.getByLabel("Command", { exact: true }).fill("my-server");
      await page.getByRole("button", { name: "Add a variable" }).click();
      await page.getByLabel("Name of variable 1").fill("TOKEN");
      await page.getByLabel("Value of variable 1").fill("t-1");
      await way(page, "From a registry").click();
      await page.getByTestId("gallery-words").fill("notes");
      await page.getByTestId("gallery-search").click();
      await page.getByTestId("gallery-entry").first().waitFor();

      await way(page, "Paste").click();
      await key.waitFor();
      assert.equal(await pasted(page).inputValue(), config("papers"));
      assert.equal(await key.inputValue(), "k-1");
      await way(page, "Enter manually").click();
      assert.equal(await page.getByLabel("Command", { exact: true }).inputValue(), "my-server");
      assert.equal(await page.getByLabel("Value of variable 1").inputValue(), "t-1");
      await way(page, "From a registry").click();
      assert.equal(await page.getByTestId("gallery-words").inputValue(), "notes");
      assert.equal(await page.getByTestId("gallery-entry").count(), 1);
    }));
});

describe("servers that are added together", () => {
  it("are_all_offered_to_start_however_late_the_events_are", () =>
    adding(async (page) => {
      const servers = Object.fromEntries(["one", "two", "three"].map((name) => [name, { command: name }]));
      await pasted(page).fill(JSON.stringify({ mcpServers: servers }));
      await page.locator(".paste li").nth(2).waitFor();
      await delayEvents(page);
      await page.locator(".paste .end .primary").click();
      assert.equal(await page.getByTestId("start-added").innerText(), "Review and start 3…");
    }));
});

describe("the servers that were found", () => {
  it("keep_what_was_entered_of_those_on_this_computer", () =>
    adding(async (page) => {
      await way(page, "From this computer").click();
      await page.getByTestId("look-on-computer").click();
      const folder = page.getByTestId("fills").getByLabel("FOLDER");
      await folder.fill("/home/ada/papers");
      await way(page, "Paste").click();
      await pasted(page).waitFor();
      await way(page, "From this computer").click();
      assert.equal(await folder.inputValue(), "/home/ada/papers");
      assert.match(await focused(page), /From this computer/, "the focus stays at the tab");
    }));

  it("keep_the_entry_of_a_registry_that_is_looked_at_and_what_was_entered", () =>
    adding(async (page) => {
      await way(page, "From a registry").click();
      await page.getByTestId("gallery-search").click();
      await page.getByTestId("gallery-entry").filter({ hasText: "notes" }).first().click();
      const choice = page.getByTestId("gallery-choice");
      const field = choice.getByTestId("fills").getByRole("textbox").first();
      await field.fill("k-2");
      await way(page, "Paste").click();
      await way(page, "From a registry").click();
      assert.equal(await field.inputValue(), "k-2");
      assert.match(await focused(page), /From a registry/, "the focus stays at the tab");
      await choice.getByRole("button", { name: "Back to the list" }).click();
      await page.waitForFunction(() => document.activeElement.dataset.testid === "gallery-entry");
    }));
});

describe("a pasted configuration", () => {
  it("keeps_the_values_of_its_servers_while_it_is_corrected", () =>
    adding(async (page) => {
      const key = page.getByTestId("fills").getByLabel("API_KEY");
      await pasted(page).fill(config("paprs"));
      await key.fill("k-1");
      await pasted(page).fill(config("papers"));
      await page.getByText("papers", { exact: true }).first().waitFor();
      await key.waitFor();
      assert.equal(await key.inputValue(), "k-1");
      await pasted(page).fill("");
      await key.waitFor({ state: "detached" });
      await pasted(page).fill(config("papers"));
      await key.waitFor();
      assert.equal(await key.inputValue(), "", "an emptied field forgets the values");
    }));
});

describe("the keyboard", () => {
  it("stays_in_the_form_when_its_last_argument_is_removed", () =>
    adding(async (page) => {
      await way(page, "Enter manually").click();
      await page.getByRole("button", { name: "Add an argument" }).click();
      await page.getByRole("button", { name: "Remove argument 1" }).focus();
      await page.keyboard.press("Enter");
      await framesPass(page);
      assert.equal(await focused(page), "Add an argument");
    }));

  it("stays_on_the_server_that_its_menu_moved_down", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByRole("button", { name: "Servers", exact: true }).click();
      await page.getByTestId("server-item").first().getByRole("button", { name: "Move weather" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "Move down" }).press("Enter");
      await page.getByTestId("server-item").nth(1).filter({ hasText: "weather" }).waitFor();
      await framesPass(page);
      assert.equal(await focused(page), "Move weather");
    }));
});
