// Changing a server in place: the form starts with what is there and without any value, says what ends before it is
// saved, and a copy starts without values.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) => visit("index.html", { scene: "chat" }, EN, act);
const open = async (page, number) => {
  await page.locator("[data-testid=server-row]").nth(number).click();
  await page.getByTestId("edit-server").click();
  await page.getByLabel("Name", { exact: true }).waitFor();
};
const NOTES = 1;
const GITHUB = 3;
const effects = (page) => page.getByTestId("edit-effects");
const program = (page) => page.getByLabel("Argument 2", { exact: true });

describe("changing a server", () => {
  it("starts_with_what_is_there_and_shows_no_value", () =>
    main(async (page) => {
      await open(page, NOTES);
      assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "notes");
      assert.equal(await program(page).inputValue(), "@acme/notes-mcp@1.4.2");
      const value = page.getByLabel("Value of variable 1");
      assert.equal(await value.inputValue(), "");
      assert.equal(await value.getAttribute("placeholder"), "Saved. Type to replace.");
      assert.equal(await effects(page).count(), 0, "nothing is said while nothing changes");
    }));

  it("says_which_permissions_end_and_which_stay_before_another_program_is_saved", () =>
    main(async (page) => {
      await open(page, NOTES);
      await program(page).fill("@acme/notes-mcp@2.0.0");
      await effects(page).waitFor();
      const said = await effects(page).innerText();
      assert.match(said, /Saving stops it\. You review it again/);
      assert.match(said, /These permissions end:[^]*search_notes[^]*These rules stay:[^]*Never/);
      assert.equal(await page.evaluate(() => globalThis.fake.rules.some(({ decision }) => decision === "allow")), true);
      await page.getByRole("button", { name: "Save and restart" }).click();
      await page.getByTestId("server-state").waitFor();
      const left = await page.evaluate(() =>
        globalThis.fake.rules
          .filter(({ server, action }) => server === "s-notes" && action.action === "call_tool")
          .map(({ decision }) => decision),
      );
      assert.ok(left.length > 0 && left.every((decision) => decision === "deny"), left.join());
    }));

  it("says_what_ends_also_where_enter_comes_right_after_the_last_key", () =>
    main(async (page) => {
      await open(page, NOTES);
      await program(page).evaluate((field) => {
        field.value = "@acme/notes-mcp@2.0.0";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.form.requestSubmit();
      });
      await effects(page).getByText("These permissions end:").waitFor();
      await page.getByRole("button", { name: "Save and restart" }).click();
      await page.getByTestId("server-state").waitFor();
      const row = page.locator("[data-testid=server-row]").nth(NOTES);
      await row.and(page.locator("[data-state=asking]")).waitFor();
    }));

  it("offers_the_proxy_and_certificates_of_this_computer_and_adds_them_at_a_click_alone", () =>
    main(async (page) => {
      await open(page, NOTES);
      const offer = page.getByTestId("network-variables");
      assert.match(await offer.innerText(), /HTTPS_PROXY\s+http:\/\/•••@proxy\.example\.com:8080/);
      const names = () => page.getByLabel(/^Name of variable/).evaluateAll((all) => all.map((field) => field.value));
      assert.equal((await names()).length, 2);
      await offer.getByRole("button", { name: "Add to this server" }).click();
      await offer.waitFor({ state: "detached" });
      assert.deepEqual((await names()).slice(2), ["HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"]);
      const value = page.getByLabel("Value of variable 3");
      assert.equal(await value.getAttribute("placeholder"), "Value of this computer");
      assert.equal(await value.inputValue(), "", "no window gets the value");
      await value.fill("http://other.example");
      await page.getByLabel("Value of variable 4").fill("");
      assert.match(await effects(page).innerText(), /review it again/);
    }));

  it("says_that_another_name_ends_nothing", () =>
    main(async (page) => {
      await open(page, NOTES);
      await page.getByLabel("Name", { exact: true }).fill("diary");
      await effects(page).waitFor();
      const said = await effects(page).innerText();
      assert.match(said, /These rules stay:/);
      assert.doesNotMatch(said, /end:|stops/);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("heading", { name: "diary" }).waitFor();
    }));

  it("marks_no_value_as_saved_that_is_missing", () =>
    main(async (page) => {
      await open(page, GITHUB);
      assert.equal(await page.getByLabel("Value of variable 1").getAttribute("placeholder"), null);
      assert.equal(await page.getByLabel("Value of variable 2").getAttribute("placeholder"), "Saved. Type to replace.");
    }));

  it("asks_for_the_headers_again_where_another_site_would_get_them", () =>
    main(async (page) => {
      await page.locator("[data-testid=server-row][data-state=reopening]").click();
      await page.getByTestId("edit-server").click();
      const value = page.getByLabel("Value of header 1");
      assert.equal(await value.getAttribute("placeholder"), "Saved. Type to replace.");
      await page.locator("input[inputmode=url]").fill("https://mcp.elsewhere.example/mcp");
      await effects(page).getByText("Authorization, X-Team").waitFor();
      assert.equal(await value.getAttribute("placeholder"), null);
    }));

  it("changes_nothing_when_it_is_cancelled", () =>
    main(async (page) => {
      await open(page, NOTES);
      await program(page).fill("@acme/other@1.0.0");
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByTestId("server-state").waitFor();
      assert.equal(await page.evaluate(() => JSON.stringify(globalThis.fake.servers).includes("@acme/other")), false);
    }));
});

describe("a copy of a server", () => {
  it("has_a_name_of_its_own_and_none_of_the_values", () =>
    main(async (page) => {
      await page.locator("[data-testid=server-row]").nth(NOTES).click();
      await page.getByTestId("duplicate-server").click();
      assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "notes 2");
      assert.equal(await program(page).inputValue(), "@acme/notes-mcp@1.4.2");
      const value = page.getByLabel("Value of variable 1");
      assert.equal(await value.inputValue(), "");
      assert.equal(await value.getAttribute("placeholder"), null);
      await page.getByRole("button", { name: "Add server" }).last().click();
      await page.getByRole("heading", { name: "notes 2" }).waitFor();
    }));
});
