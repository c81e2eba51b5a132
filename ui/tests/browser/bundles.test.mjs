// MCP bundles: shown whole before anything is unpacked, filled in, and added only then. What is refused says why.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const adding = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("add-server").click();
    await act(page, page.getByTestId("bundle-preview"));
  });
const opened = (act) =>
  adding(async (page, preview) => {
    await page.getByTestId("bundle-choose").click();
    await preview.waitFor();
    await act(page, preview);
  });
const added = (page) => page.evaluate(() => globalThis.fake.addedBundles);
const drag = (page, now) => page.evaluate((now) => globalThis.fake.tell({ event: "files_dragged", now }), now);

describe("bundles", () => {
  it("are_shown_with_what_they_run_before_they_are_added", () =>
    opened(async (page, preview) => {
      const words = await preview.innerText();
      assert.match(words, /Field notes[\s\S]*Not signed/);
      assert.match(words, /made for other systems: macOS, Windows/);
      assert.match(words, /node[\s\S]*server\/index\.js[\s\S]*\$\{user_config\.folders\}/);
      assert.match(words, /NODE_OPTIONS[\s\S]*--max-old-space-size=512/, "it decides what runs, so it is shown");
      assert.match(words, /Ada Lovelace[\s\S]*list_notes, read_note, write_note/);
      assert.match(words, /in 412 files/);
      assert.match(words, /5f0c2b6a9d3e4f1807a6b5c4d3e2f1a0/);
      assert.ok(!words.includes("\u202e"), "what reverses the text is shown as an escape");
      assert.deepEqual(await added(page), []);
    }));

  it("are_added_with_the_values_that_were_entered", () =>
    opened(async (page, preview) => {
      assert.equal(await preview.getByLabel("Key").getAttribute("type"), "password");
      await preview.getByRole("textbox", { name: "Folders" }).fill("/home/ada/a\n/home/ada/b");
      await preview.getByLabel("Limit").fill("500");
      await page.getByTestId("bundle-add").click();
      await preview.getByText("Enter a number of at most 100.").waitFor();
      assert.deepEqual(await added(page), []);
      await preview.getByLabel("Limit").fill("50");
      await preview.getByRole("checkbox").check();
      await page.getByTestId("bundle-add").click();
      await preview.waitFor({ state: "detached" });
      const [draft] = await added(page);
      assert.equal(draft.name, "Field notes");
      assert.deepEqual(draft.values, { folders: ["/home/ada/a", "/home/ada/b"], limit: ["50"], watch: ["true"] });
    }));

  it("can_be_dropped_where_servers_are_added", () =>
    adding(async (page, preview) => {
      await drag(page, "over");
      await page.getByText("Drop the bundle to see what it is").waitFor();
      await drag(page, "dropped");
      await preview.getByText("dropped.mcpb").waitFor();
      await preview.getByRole("button", { name: "Back without adding" }).click();
      await page.getByTestId("bundle-choose").waitFor();
      assert.deepEqual(await added(page), []);
    }));

  it("are_downloaded_from_a_registry_at_a_click_that_names_the_host", () =>
    adding(async (page, preview) => {
      await page.locator("[role=tab]").nth(3).click();
      await page.getByTestId("gallery-words").fill("calendar");
      await page.getByTestId("gallery-search").click();
      await page.getByTestId("gallery-entry").first().click();
      const offer = page.getByTestId("gallery-bundle");
      assert.match(await offer.innerText(), /Downloads from example\.com[\s\S]*abababab/);
      await page.getByTestId("bundle-download").click();
      await preview.getByText("https://example.com/calendar-mcp.mcpb").waitFor();
    }));

  it("are_all_shown_where_a_registry_names_an_address_twice", () =>
    adding(async (page) => {
      await page.locator("[role=tab]").nth(3).click();
      await page.getByTestId("gallery-words").fill("papers");
      await page.getByTestId("gallery-search").click();
      await page.getByTestId("gallery-entry").first().click();
      const offers = page.getByTestId("gallery-bundle");
      await offers.nth(1).waitFor();
      assert.match(await offers.nth(0).innerText(), /cdcdcd/);
      assert.match(await offers.nth(1).innerText(), /efefef/);
    }));

  it("that_are_refused_say_why", () =>
    adding(async (page) => {
      const faults = [
        [{ fault: "path", path: "../evil" }, /The path \.\.\/evil in it leads out of the archive/],
        [{ fault: "inflates", ratio: 200 }, /more than 200 times as large/],
        [{ fault: "too_large", limit_mb: 256 }, /more than 256 MB/],
        [{ fault: "manifest", member: "server.type" }, /server\.type/],
      ];
      for (const [fault, words] of faults) {
        await page.evaluate(
          (fault) => (globalThis.fake.bundleProblem = { problem: "bundle_refused", bundle: "evil.mcpb", fault }),
          fault,
        );
        await page.getByTestId("bundle-choose").click();
        await page.getByRole("alert").filter({ hasText: words }).waitFor();
      }
      assert.match(await page.getByRole("alert").innerText(), /Nothing of it was unpacked/);
    }));
});
