// Folders and real servers that ask for them, in the real application: a server knows exactly what was ticked on the
// card, by keyboard, and works with that.
import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "node:test";
import { atDesk, EVERYTHING, files } from "./everything.mjs";
import { css } from "./locate.mjs";
import { words } from "./words.mjs";
import { Key } from "./webdriver.mjs";

const folderNamed = (desktop, name) => {
  const folder = join(desktop.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "note.txt"), "the tram leaves at nine");
  return realpathSync(folder);
};

/** RO-002, RO-003, RO-008, RO-011 */
test("a server is told of the folders that were ticked by keyboard, and of no other", { timeout: 240_000 }, () =>
  atDesk("cards-folders", async (desk) => {
    const shared = folderNamed(desk.desktop, "holiday plans");
    const kept = folderNamed(desk.desktop, "kept");
    const given = folderNamed(desk.desktop, "given-as-argument");
    await addFolders(desk, shared, kept);
    await desk.person.pasteServers({ mcpServers: { everything: EVERYTHING, files: files(given) } });

    await share(desk, "everything", { shared, kept });
    const roots = await (await desk.call(/get-roots-list$/, {}))();
    assert.ok(roots.includes("Current MCP Roots (1 total)") && roots.includes(pathToFileURL(shared).href), roots);
    assert.ok(!roots.includes(kept), roots);

    await share(desk, "files", { shared, kept });
    const allowed = await (await desk.call(/list_allowed_directories$/, {}))();
    assert.ok(allowed.includes(shared) && !allowed.includes(kept) && !allowed.includes(given), allowed);
  }),
);

async function addFolders({ app, keys, person }, ...folders) {
  await person.atMain();
  await keys.reach("[data-testid=workspaces-row]");
  await app.press(Key.enter);
  for (const folder of folders) {
    await keys.replace("[data-testid=folder-path]", folder);
    await app.press(Key.enter);
    await app.find(css(`[aria-label="${words("remove_folder", { folder })}"]`));
  }
}

/** Starts the server, which asks for folders at once, and ticks one of the two. */
async function share({ app, keys, person }, server, { shared, kept }) {
  await person.startServer(server);
  const card = await keys.atCard("share_folders");
  const said = await app.textOf(card);
  assert.ok(said.includes(shared) && said.includes(kept), said);
  const boxes = () => app.execute(() => [...document.querySelectorAll("[data-testid=share-folder]")].map(({ checked }) => checked));
  const paths = await app.execute(() => [...document.querySelectorAll("[data-kind=share_folders] .path")].map(({ textContent }) => textContent.trim()));
  for (const [index, checked] of (await boxes()).entries()) {
    if (checked === (paths[index] === shared)) continue;
    await keys.reach(`[data-kind=share_folders] li:nth-child(${index + 1}) input`);
    await app.press(" ");
  }
  assert.deepEqual(await boxes(), paths.map((path) => path === shared));
  await keys.accept("share_folders");
}
