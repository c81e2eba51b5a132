// Clicks of a mouse on the consent window while the main window has the focus: the first one answers where the card was
// still and the pointer on it, and no click does that comes while the window appears, moves, or is covered or uncovered.
// VESTIBULE_CLICKS says how many of the second kind are tried.
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

const CLICKS = Number(process.env.VESTIBULE_CLICKS ?? 120);
/** Clicks that are sent at once: few enough to be over long before the click delay of three seconds. */
const AT_ONCE = 10;
const CARD = "[data-testid=card][data-kind=start_server]";

test("one click of a pointer at rest on the card answers", { timeout: 300_000 }, () =>
  atDesk("first-click", async (desk) => {
    const study = await ClickStudy.begin(desk);
    await study.passed();
    study.xdotool(...study.moveTo(690));
    await study.running();
    // When the click delay is over, the pointer has been inside for longer than it needs.
    study.xdotool(...study.toButton);
    study.leave();
    await study.passed();
    study.xdotool("click", "1");
    await desk.person.atMain();
    await waitFor("the server", async () => (await desk.person.serverState("everything")) === "ready");
    const opened = study.wire().filter(({ method }) => method === "initialize");
    assert.equal(opened.length, 1, "one click starts it once");
  }),
);

test("no click on a window that appears, moves or is covered answers", { timeout: 3_600_000 }, () =>
  atDesk("aimed-elsewhere", async (desk) => {
    const study = await ClickStudy.begin(desk);
    const cover = await Cover.make(desk.desktop);
    try {
      await study.comingFromOutside();
      for (let sent = 0; sent < CLICKS; sent += 2 * AT_ONCE) {
        await study.rush(study.moveTo(700), study.moveTo(701));
        await study.rush(["windowmap", cover.window], ["windowunmap", cover.window]);
      }
      study.xdotool("windowunmap", cover.window);
      assert.deepEqual(study.wire(), [], "nothing was started");
      await desk.keys.decline("start_server");
    } finally {
      await cover.stop();
    }
  }),
);

class ClickStudy {
  /** The ids of the consent window and of the main window. */
  window = "";
  main = "";
  /** What moves the pointer to the permitting answer. */
  toButton = [""];

  constructor(desk, folder) {
    this.desk = desk;
    this.folder = folder;
  }

  /** Has the start of a server asked about, and comes to know where the window and its button are. */
  static async begin(desk) {
    const study = new ClickStudy(desk, join(desk.desktop.folder, "wire"));
    await desk.person.pasteServers({ mcpServers: { everything: tapped(EVERYTHING, study.folder) } });
    await desk.person.openServer("everything");
    await desk.app.click(role("button", words("start")));
    await desk.keys.atCard("start_server");
    const [button] = await waitFor("the answer to be enabled", async () => {
      const found = await desk.app.all(css("[data-testid=answer-accept]:not(:disabled)"));
      return found.length > 0 && found;
    });
    const at = await desk.app.middleOf(button);
    [study.window] = desk.desktop.shownWindows(" – Vestibule needs your OK$");
    [study.main] = desk.desktop.shownWindows("^(\\([0-9]+\\) )?Vestibule$");
    study.toButton = ["mousemove", "--window", study.window, String(at.x), String(at.y)];
    // A window that is partly off the screen counts as covered.
    study.xdotool(...study.moveTo(700));
    await study.running();
    study.leave();
    return study;
  }

  /** Moves the consent window to a place where all of it is on the screen. */
  moveTo(x) {
    return ["windowmove", this.window, String(x), "40"];
  }

  wire() {
    return new WireCopy(this.folder).fromHost;
  }

  xdotool(...command) {
    const { env } = this.desk.desktop;
    const { status, stderr } = spawnSync("xdotool", command, { env, encoding: "utf8", timeout: 20_000 });
    assert.equal(status, 0, stderr);
  }

  /** Gives the focus to the main window. */
  leave() {
    this.xdotool("windowfocus", "--sync", this.main);
  }

  phase() {
    return this.desk.app.execute(() => document.querySelector("[data-testid=guard]")?.getAttribute("data-phase"));
  }

  async passed() {
    await waitFor("the click delay to pass", async () => (await this.phase()) === "passed");
  }

  async running() {
    await waitFor("the click delay to begin", async () => (await this.phase()) === "running");
  }

  async stillAsks() {
    assert.equal(await this.phase(), "running", "a click came later than the click delay");
    assert.equal((await this.desk.app.all(css(CARD))).length, 1);
  }

  /** The pointer comes from another window and clicks at once, on a card that could be read for long. */
  async comingFromOutside() {
    for (let time = 0; time < 3; time += 1) {
      this.xdotool("mousemove", "2", "2");
      this.leave();
      await this.passed();
      this.xdotool(...this.toButton, "click", "1");
      await this.running();
      await this.stillAsks();
    }
  }

  /** Does both to the window in turn, a click after each, each on a window without the focus. */
  async rush(first, second) {
    const one = (change) => ["windowfocus", this.main, ...change, ...this.toButton, "click", "1"];
    const changes = Array.from({ length: AT_ONCE / 2 }, () => [...one(first), ...one(second)]).flat();
    this.xdotool(...changes);
    await this.stillAsks();
  }
}

/** A picture as large as the screen, which no window manager sees and which gets no key. */
class Cover {
  window = "";

  constructor(picture) {
    this.picture = picture;
  }

  static async make(desktop) {
    const size = ["-size", "1440x900", "xc:gray"];
    const log = join(desktop.reports, "cover.log");
    const cover = new Cover(start("display", ["-title", "cover", ...size], { env: desktop.env, log }));
    [cover.window] = await waitFor("the cover", () => {
      const shown = desktop.shownWindows("^cover$");
      return shown.length > 0 && shown;
    });
    for (const change of [
      ["windowunmap", "--sync", cover.window],
      ["set_window", "--overrideredirect", "1", cover.window],
    ])
      spawnSync("xdotool", change, { env: desktop.env, timeout: 20_000 });
    return cover;
  }

  stop() {
    return stop(this.picture);
  }
}
