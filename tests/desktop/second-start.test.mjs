// Starting Vestibule while it runs, and coming back to its window.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { css } from "./locate.mjs";
import { Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";

const MAIN = "^Vestibule$";

/** A server that goes on after its input has ended, so that closing takes some seconds. */
const STAYS = `
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const serverInfo = { name: "stays", version: "1" };
  if (method === "initialize") answer(id, { protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
  else if (id !== undefined) answer(id, {});
});
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
`;

async function onADesktop(name, steps) {
  const desktop = await startDesktop(name);
  try {
    await desktop.story(() => steps(desktop));
  } finally {
    await desktop.stop();
  }
}

const ended = (child) => waitFor("the second start to end", () => child.exitCode !== null && { code: child.exitCode });

test("a second start raises the window of the first and ends", { timeout: 300_000 }, () =>
  onADesktop("second-start", async (desktop) => {
    const app = await desktop.open();
    await app.find(css("[data-testid=composer]"));
    await desktop.leave();
    const running = desktop.applicationIds();

    const second = desktop.launch();
    assert.equal((await ended(second)).code, 0);
    await waitFor("the first window to be in front", () => desktop.inFront() === "Vestibule");
    assert.deepEqual(desktop.applicationIds(), running);
    assert.equal(desktop.shownWindows(MAIN).length, 1);
  }),
);

test("a start while the application closes opens it again", { timeout: 300_000 }, () =>
  onADesktop("start-while-closing", async (desktop) => {
    const person = new Person(await desktop.open());
    const program = join(desktop.folder, "stays.cjs");
    writeFileSync(program, STAYS);
    await person.atMain();
    await person.pasteServers({ mcpServers: { stays: { command: "node", args: [program] } } });
    await person.startServer("stays");
    const [first] = desktop.applicationIds();
    await desktop.closeWindow(MAIN);
    await waitFor("the window to be gone", () => desktop.shownWindows(MAIN).length === 0);
    assert.deepEqual(desktop.applicationIds(), [first], "it closes still");

    const second = desktop.launch();
    assert.equal((await ended(second)).code, 0);
    await waitFor("the window to be there again", () => desktop.shownWindows(MAIN).length === 1);
    await waitFor("one other application", () => {
      const running = desktop.applicationIds();
      return running.length === 1 && running[0] !== first;
    });
    await desktop.quit();
  }),
);

test("of two starts at the same moment one opens", { timeout: 300_000 }, () =>
  onADesktop("two-starts", async (desktop) => {
    const starts = [desktop.launch(), desktop.launch()];
    await waitFor("a window", () => desktop.shownWindows(MAIN).length > 0);
    const second = await waitFor("one of them to end", () => starts.find(({ exitCode }) => exitCode !== null));
    assert.equal(second.exitCode, 0);
    await waitFor("one application", () => desktop.applicationIds().length === 1);
    // The window manager may still put the window into its frame.
    await waitFor("its one window", () => desktop.shownWindows(MAIN).length === 1);
    await desktop.quit();
  }),
);

test("the main window comes back where it was, in its size", { timeout: 300_000 }, () =>
  onADesktop("window-place", async (desktop) => {
    const wanted = { x: 160, y: 90, width: 1010, height: 690 };
    let app = await desktop.open();
    await app.find(css("[data-testid=composer]"));
    const [window] = desktop.shownWindows(MAIN);
    const first = desktop.placeOf(window);
    desktop.placeAt(window, wanted);
    const moved = await waitFor("the window to be moved", () => {
      const now = desktop.placeOf(window);
      return now.width === wanted.width && now.height === wanted.height && now.x !== first.x && now;
    });
    await desktop.quit();

    app = await desktop.open();
    await app.find(css("[data-testid=composer]"));
    await waitFor("the window to be where it was", () => {
      const now = desktop.placeOf(desktop.shownWindows(MAIN)[0]);
      assert.deepEqual(now, moved);
      return true;
    });
  }),
);
