// Backups: written at a click; restored only after what they hold was shown and confirmed, and not before the next start.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const data = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("to-settings").click();
    await page.getByTestId("settings-data").click();
    await act(page, page.getByTestId("backup-preview"));
  });

describe("backups", () => {
  it("are_written_to_a_file_whose_place_is_said", () =>
    data(async (page) => {
      const words = await page.getByTestId("backups").innerText();
      assert.match(words, /Keys, other values in the keychain[\s\S]*are not in it\. It is not encrypted\./);
      await page.getByTestId("backup-write").click();
      await page.getByText("/home/ada/Documents/vestibule-backup-2026-11-25.db").waitFor();
    }));

  it("are_shown_beside_what_they_replace_before_they_are_confirmed", () =>
    data(async (page, preview) => {
      await page.getByTestId("backup-choose").click();
      await preview.waitFor();
      const words = await preview.innerText();
      assert.match(words, /Chats\s+41\s+58[\s\S]*Messages\s+1,208\s+2,416[\s\S]*Rules\s+9\s+12/);
      assert.match(words, /replaced\/2026-11-25T09-12-30/);
      assert.match(words, /its permissions allow nothing until you have reviewed them/);
      assert.equal(await preview.getByText("will be restored the next time Vestibule starts").count(), 0);
      await page.getByTestId("backup-confirm").click();
      await preview.getByText("will be restored the next time Vestibule starts").waitFor();
      assert.equal(await page.getByTestId("backup-confirm").count(), 0);
    }));

  it("that_wait_are_shown_again_and_can_be_dropped", () =>
    data(async (page, preview) => {
      await page.getByTestId("backup-choose").click();
      await page.getByTestId("backup-confirm").click();
      await page.getByTestId("settings-about").click();
      await preview.waitFor({ state: "detached" });
      await page.getByTestId("settings-data").click();
      await preview.getByText("will be restored the next time Vestibule starts").waitFor();
      await page.getByTestId("backup-drop").click();
      await preview.waitFor({ state: "detached" });
      await page.getByTestId("backup-choose").waitFor();
    }));
});
