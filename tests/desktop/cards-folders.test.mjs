// Folders and real servers that ask for them, in the real application: a server knows exactly what was ticked on the
// card, by keyboard, and works with that.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "node:test";
import { atDesk, EVERYTHING, files } from "./everything.mjs";

/** RO-002, RO-003, RO-008, RO-011 */
test("a server gets the folders that were ticked by keyboard and no others", { timeout: 480_000 }, () =>
  atDesk("cards-folders", async (desk) => {
    const [shared, kept] = await desk.addFolders("holiday plans", "kept");
    const given = join(desk.desktop.folder, "given-as-argument");
    mkdirSync(given);
    await desk.person.pasteServers({ mcpServers: { everything: EVERYTHING, files: files(given) } });

    // Of more than 40 tools the model would have to find one first.
    await desk.person.offerAllTools();
    await startAndShare(desk, "everything", { shared, kept });
    const roots = await (await desk.call(/get-roots-list$/, {}))();
    assert.ok(roots.includes("Current MCP Roots (1 total)") && roots.includes(pathToFileURL(shared).href), roots);
    assert.ok(!roots.includes(kept), roots);

    await startAndShare(desk, "files", { shared, kept });
    const allowed = await (await desk.call(/list_allowed_directories$/, {}))();
    assert.ok(allowed.includes(shared) && !allowed.includes(kept) && !allowed.includes(given), allowed);
  }),
);

/** Starts the server, which asks for folders at once, and ticks one of the two. */
async function startAndShare(desk, server, { shared, kept }) {
  await desk.person.startServer(server);
  const said = await desk.share(shared);
  assert.ok(said.includes(shared) && said.includes(kept), said);
}
