// Presses on the real consent window while its guard holds, from the X server as a mouse and a keyboard would send them,
// and ten thousand more by a script in the page: nothing starts, and one press after the guard starts it once.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { atDesk, EVERYTHING } from "./everything.mjs";
import { css, role } from "./locate.mjs";
import { start, stop } from "./processes.mjs";
import { waitFor } from "./wait.mjs";
import { tapped, WireCopy } from "./wire.mjs";
import { words } from "./words.mjs";

const ROUNDS = 10;
/** Presses of each of the four kinds in a round. The window moves between them, so the guard of three seconds never ends. */
const EACH = 15;

test("no press on the window while the guard holds starts a server", { timeout: 480_000 }, () =>
  atDesk("guard", async (desk) => {
    const folder = join(desk.desktop.folder, "wire");
    await desk.person.pasteServers({ mcpServers: { everything: tapped(EVERYTHING, folder) } });
    await desk.person.openServer("everything");
    await desk.app.click(role("button", words("start")));
    await desk.keys.atCard("start_server");
    await desk.app.execute(listen);
    await moveWindow(desk);
    for (let round = 0; round < ROUNDS; round += 1) await pressAtOnce(desk);
    const { keys, places } = await desk.app.execute(() => globalThis.heard);
    assert.ok(keys >= ROUNDS * EACH * 3, `${keys} keys came`);
    assert.ok(places.includes("answer-accept"), `the mouse was on ${places}`);
    await pressByScript(desk);
    assert.deepEqual(new WireCopy(folder).fromHost, [], "nothing was started");
    await desk.keys.accept("start_server");
    await desk.person.atMain();
    await waitFor("the server", async () => (await desk.person.serverState("everything")) === "ready", {
      within: 45_000,
    });
    const opened = new WireCopy(folder).fromHost.filter(({ method }) => method === "initialize");
    assert.equal(opened.length, 1, "one press starts it once");
  }),
);

/** L-6 */
test("a window that is laid over the card and taken away starts the guard again", { timeout: 300_000 }, () =>
  atDesk("covered", async (desk) => {
    const { app, desktop, keys, person } = desk;
    // A picture as large as the screen.
    const picture = start("display", ["-title", "cover", "-size", "1440x900", "xc:gray"], {
      env: desktop.env,
      log: join(desktop.reports, "cover.log"),
    });
    try {
      const cover = await unmanaged(desktop, "^cover$");
      await person.pasteServers({ mcpServers: { everything: EVERYTHING } });
      await person.openServer("everything");
      await app.click(role("button", words("start")));
      await keys.atCard("start_server");
      for (const change of ["windowmap", "windowunmap"]) {
        await waitFor("the guard to pass", async () => (await phase(app)) === "passed");
        const before = await round(app);
        xdotool(desktop, change, cover);
        await waitFor(`the guard to start again after ${change}`, async () => (await round(app)) !== before);
      }
      await keys.decline("start_server");
    } finally {
      await stop(picture);
    }
  }),
);

/** Takes a window off the screen; when it comes back, no window manager sees it, and it gets no key. */
async function unmanaged(desktop, title) {
  const [window] = await waitFor(`the window ${title}`, () => {
    const shown = desktop.shownWindows(title);
    return shown.length > 0 && shown;
  });
  xdotool(desktop, "windowunmap", "--sync", window);
  xdotool(desktop, "set_window", "--overrideredirect", "1", window);
  return window;
}

function xdotool(desktop, ...command) {
  const { status, stderr } = spawnSync("xdotool", command, { env: desktop.env, encoding: "utf8", timeout: 20_000 });
  assert.equal(status, 0, stderr);
}

/** How often the guard of the card in front began, as the page counts. */
const round = (app) => app.execute(() => document.querySelector("[data-testid=guard]")?.getAttribute("data-round"));

const phase = (app) => app.execute(() => document.querySelector("[data-testid=guard]")?.getAttribute("data-phase"));

/** In the page: counts the keys that come from a keyboard, and says what the mouse was over. */
function listen() {
  globalThis.heard = { keys: 0, places: [] };
  addEventListener("keydown", (event) => (globalThis.heard.keys += Number(event.isTrusted)), { capture: true });
  addEventListener(
    "mousemove",
    ({ target }) => {
      const place = /** @type {Element} */ (target).closest("[data-testid]");
      globalThis.heard.places.push(place?.getAttribute("data-testid"));
    },
    { capture: true },
  );
}

/** Moves the consent window by one pixel and waits until the page has restarted the guard. */
async function moveWindow({ app, desktop }) {
  const before = await round(app);
  xdotool(desktop, "windowmove", "--relative", consentWindow(desktop), "1", "0");
  await waitFor("the guard to start again", async () => (await round(app)) !== before);
}

const consentWindow = (desktop) => desktop.shownWindows(" – Vestibule needs your OK$")[0];

/** Moves the window, which starts the guard anew, and presses what permits again and again before it can pass. */
async function pressAtOnce({ app, desktop }) {
  const window = consentWindow(desktop);
  const at = await app.execute(() => {
    const box = document.querySelector("[data-testid=answer-accept]").getBoundingClientRect();
    return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  });
  const move = ["windowmove", "--relative", window, "1", "0", "mousemove", "--window", window, ...at.map(String)];
  const keys = ["alt+a", "Return", "space"].flatMap((key) => ["key", "--delay", "1", key]);
  const press = Array.from({ length: EACH }, () => [...move, "click", "1", ...keys]).flat();
  const began = Date.now();
  const { status, stderr } = spawnSync("xdotool", ["windowfocus", "--sync", window, ...press], {
    env: desktop.env,
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.equal(status, 0, stderr);
  assert.equal(await phase(app), "running", `the guard passed within ${Date.now() - began} ms`);
  assert.equal((await app.all(css("[data-testid=card][data-kind=start_server]"))).length, 1);
}

/** What a script does is no press at all, during the guard and after it. */
async function pressByScript({ app, keys }) {
  const press = () =>
    app.execute(() => {
      const button = /** @type {HTMLElement} */ (document.querySelector("[data-testid=answer-accept]"));
      for (let time = 0; time < 5_000; time += 1) {
        for (const type of ["pointerdown", "pointerup"])
          button.dispatchEvent(new PointerEvent(type, { bubbles: true }));
        for (const type of ["keydown", "keyup"])
          button.dispatchEvent(new KeyboardEvent(type, { key: "Enter", bubbles: true }));
        button.click();
      }
    });
  await press();
  await keys.atCard("start_server");
  await press();
  assert.equal((await app.all(css("[data-testid=card][data-kind=start_server]"))).length, 1);
}
