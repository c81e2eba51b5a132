// What is read for the pages of a server is read once, and again only where it can have changed.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, framesPass, visit } from "./look.mjs";

/** Opens a section of a server. */
const opened = (number, tab, act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.locator("[data-testid=server-row]").nth(number).click();
    await page.getByRole("tab", { name: tab }).click();
    await act(page);
  });
const reads = (page) => page.evaluate(() => globalThis.fake.reads);

describe("the log of a server", () => {
  it("is_read_once_and_again_for_each_event_of_it", () =>
    opened(1, "Log", async (page) => {
      await page.locator(".log .line").first().waitFor();
      await framesPass(page);
      assert.equal((await reads(page)).log, 1);
      for (const count of [2, 3]) {
        await page.evaluate(() => globalThis.fake.tell({ event: "log", server: "s-notes" }));
        await page.waitForFunction((count) => globalThis.fake.reads.log >= count, count);
        await framesPass(page);
        assert.equal((await reads(page)).log, count);
      }
    }));
});

describe("the settings of a sign-in", () => {
  const disclose = (page) => page.locator("[data-testid=sign-in-settings] .disclosure button").first().click();
  const form = (page) => page.locator("[data-testid=sign-in-settings] form");
  const secret = (page) => form(page).locator("input[type=password]");

  it("keep_what_is_typed_while_the_state_of_the_server_changes", () =>
    opened(7, "About", async (page) => {
      await disclose(page);
      await page.getByLabel("Client ID").fill("vestibule-desktop");
      await secret(page).fill("s3cret");
      await page.evaluate(() => {
        const { fake } = globalThis;
        fake.putServer({ ...fake.servers[7], name: "renamed" });
      });
      await page.getByRole("heading", { name: "renamed" }).waitFor();
      assert.equal((await reads(page)).signIn, 1);
      assert.equal(await page.getByLabel("Client ID").inputValue(), "vestibule-desktop");
      assert.equal(await secret(page).inputValue(), "s3cret");
    }));

  it("save_nothing_while_the_redirect_port_is_none", () =>
    opened(7, "About", async (page) => {
      await disclose(page);
      await page.getByLabel("Client ID").fill("vestibule");
      await page.getByLabel("Issuer").fill("https://login.example");
      const save = form(page).locator("button[type=submit]");
      for (const text of ["http://127.0.0.1:8080/callback", "70000", "0"]) {
        await page.getByLabel("Redirect port").fill(text);
        await form(page).getByText("A whole number from 1 to 65535.").waitFor();
        assert.equal(await save.isDisabled(), true);
      }
      await page.getByLabel("Redirect port").fill("8080");
      assert.equal(await save.isDisabled(), false);
    }));

  it("show_no_form_where_they_cannot_be_read_and_are_read_again_on_demand", () =>
    opened(7, "About", async (page) => {
      await page.evaluate(() => (globalThis.fake.signInProblem = { problem: "unexpected", detail: "disk full" }));
      await disclose(page);
      await page.getByRole("alert").getByText("disk full").waitFor();
      assert.equal(await form(page).count(), 0);
      await page.evaluate(() => (globalThis.fake.signInProblem = null));
      await disclose(page);
      await form(page).waitFor();
      assert.equal((await reads(page)).signIn, 2);
    }));
});
