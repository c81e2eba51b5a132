// Starting Vestibule while it runs, and coming back to its window.
import assert from "node:assert/strict";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { css } from "./locate.mjs";
import { waitFor } from "./wait.mjs";

const MAIN = "^Vestibule$";

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
