// The Workspaces screen in the real application: a folder picked in the dialog of the system itself, and a workspace that
// gets another name.
import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { css, role } from "./locate.mjs";
import { Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

const DIALOG = words("choose_folder_title");

test(
  "a folder is picked in the system's own dialog, and a workspace gets another name",
  { timeout: 300_000 },
  async () => {
    const desktop = await startDesktop("workspaces");
    try {
      await desktop.story(async () => {
        const app = await desktop.open();
        await new Person(app).atMain();
        await app.click(css("[data-testid=workspaces-row]"));
        await pick(desktop, app);
        await pickNone(desktop, app);
        await rename(desktop, app);
      });
    } finally {
      await desktop.stop();
    }
  },
);

async function pick(desktop, app) {
  mkdirSync(join(desktop.folder, "holiday plans"));
  const folder = realpathSync(join(desktop.folder, "holiday plans"));
  await choose(desktop, app);
  await desktop.writeInto(DIALOG, folder, "Return");
  await app.find(css(`[aria-label="${words("remove_folder", { folder })}"]`));
  await closed(desktop);
}

async function pickNone(desktop, app) {
  await choose(desktop, app);
  await desktop.writeInto(DIALOG, "", "Escape");
  await closed(desktop);
  await app.find(css("[data-testid=folder-choose]:not(:disabled)"));
  assert.equal((await app.all(css("[data-testid=folder]"))).length, 1, "nothing was added");
}

/** Opens the dialog; while it is open there is no second one. */
async function choose(desktop, app) {
  await app.click(css("[data-testid=folder-choose]"));
  await waitFor("the dialog", () => desktop.shownWindows(DIALOG).length === 1);
  await app.find(css("[data-testid=folder-choose]:disabled"));
  desktop.screenPicture("dialog.png");
}

const closed = (desktop) => waitFor("the dialog to close", () => desktop.shownWindows(DIALOG).length === 0);

async function rename(desktop, app) {
  await app.fill(css("[data-testid=workspace-name]"), "Website");
  await app.click(role("button", words("add_workspace")));
  await app.click(role("button", words("rename_workspace", { name: "Website" })));
  await app.fill(css("[data-testid=workspace-rename]"), "Shop");
  await app.screenshot(join(desktop.reports, "renaming.png"));
  await app.click(role("button", words("rename")));
  await app.find(role("button", words("rename_workspace", { name: "Shop" })));
  await app.gone(role("button", words("rename_workspace", { name: "Website" })));
  await desktop.quit();
  const again = await desktop.open();
  await new Person(again).atMain();
  await again.click(css("[data-testid=workspaces-row]"));
  await again.find(role("button", words("rename_workspace", { name: "Shop" })));
}
