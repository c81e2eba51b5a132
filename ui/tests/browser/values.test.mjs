// Values that decide what runs are on the card without a click and in full; values that came by paste are shown when the
// user asks for it; "always" is offered only where all that runs can be checked.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const card = (scene, act) =>
  visit("consent.html", { scene, height: 1200 }, EN, async (page) => {
    await page.getByTestId("card").waitFor();
    await act(page);
  });
const always = (page) => page.getByTestId("scope-always");

describe("values on a card", () => {
  it("shows_what_decides_what_runs_in_full_and_escaped", () =>
    card("start_server", async (page) => {
      const shown = page.getByTestId("value-shown");
      assert.equal(await shown.isVisible(), true);
      assert.equal(await shown.innerText(), "--import data:text/javascript,U+202Esteal()");
      assert.match(await page.getByTestId("values").innerText(), /NODE_OPTIONS\s+Can make programs run other code/);
    }));

  for (const [scene, secret] of [
    ["start_server", "sk-notes-0123456789"],
    ["connect_server", "Bearer 0123456789"],
  ]) {
    it(`masks_what_was_pasted_until_it_is_asked_for_on_${scene}`, () =>
      card(scene, async (page) => {
        assert.ok(!(await page.locator("body").innerText()).includes(secret));
        await page
          .getByTestId("values")
          .getByRole("button", { name: /^Show the value of/ })
          .click();
        assert.ok((await page.getByTestId("values").innerText()).includes(secret));
        await page
          .getByTestId("values")
          .getByRole("button", { name: /^Hide the value of/ })
          .click();
        assert.ok(!(await page.locator("body").innerText()).includes(secret));
      }));
  }

  it("shows_pasted_values_in_the_preview_as_the_card_will", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("composer").waitFor();
      await page.getByTestId("add-server").first().click();
      const env = { NODE_OPTIONS: "--import evil", TOKEN: "canary" };
      const config = { mcpServers: { notes: { command: "npx", args: ["-y", "notes@1.0.0"], env } } };
      await page.getByTestId("paste-json").fill(JSON.stringify(config));
      const preview = page.locator(".paste li").first();
      await preview.waitFor();
      assert.equal(await preview.getByTestId("value-shown").innerText(), "--import evil");
      assert.ok(!(await preview.innerText()).includes("canary"));
      await preview.getByRole("button", { name: "Show the value of TOKEN" }).click();
      assert.ok((await preview.innerText()).includes("canary"));
    }));
});

describe("a start that is not wholly checked", () => {
  for (const scene of ["start_server", "start_serious"]) {
    it(`does_not_offer_always_on_${scene}`, () =>
      card(scene, async (page) => {
        await page.getByTestId("terms").waitFor();
        assert.equal(await always(page).count(), 0);
      }));
  }

  it("says_what_cannot_be_checked", () =>
    card("start_server", async (page) => {
      const note = page.locator(".note", { has: page.getByTestId("gaps") });
      assert.match(await note.innerText(), /@acme\/notes-mcp has no exact version/);
    }));

  it("marks_a_variable_that_acts_on_every_program", () =>
    card("start_serious", async (page) => {
      assert.equal(await page.locator(".note.no").getByTestId("serious").isVisible(), true);
      assert.equal(await page.getByTestId("value-shown").innerText(), "/tmp/.cache/libhelp.so");
    }));

  it("offers_always_where_everything_is_checked_and_says_what_is_not", () =>
    card("start_again", async (page) => {
      assert.equal(await always(page).isDisabled(), false);
      const checked = await page.getByTestId("checked").innerText();
      assert.match(checked, /\/usr\/local\/bin\/node/);
      assert.match(checked, /dependencies, is not checked/);
      assert.equal(await page.locator(".note.warn").count(), 0, "a reason that is no change is no warning");
    }));

  it("is_calm_about_an_updated_runner", () =>
    card("start_updated", async (page) => {
      assert.equal(await page.locator(".note.warn").count(), 0);
      assert.match(await page.locator(".note.plain").innerText(), /was updated[^]*\/usr\/local\/bin\/node/);
    }));
});
