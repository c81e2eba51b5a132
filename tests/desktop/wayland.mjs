// A Wayland compositor without a screen for the desktop of a test, with a keyboard and a clipboard. The application that is
// opened next is drawn there.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { start, stop } from "./processes.mjs";
import { waitFor } from "./wait.mjs";

/** sway refuses to run as root, so there it runs as this user, "nobody". */
const NOBODY = 65534;

export async function startWayland(desktop) {
  const wayland = new Wayland(desktop);
  await wayland.start();
  return wayland;
}

class Wayland {
  #desktop;
  #children = [];

  constructor(desktop) {
    this.#desktop = desktop;
  }

  #start(part, program, args, env, options = {}) {
    const child = start(program, args, { env, log: join(this.#desktop.reports, `${part}.log`), ...options });
    this.#children.push(child);
  }

  async start() {
    const folder = join(this.#desktop.folder, "wayland");
    mkdirSync(folder, { mode: 0o700 });
    const configuration = join(folder, "sway.conf");
    writeFileSync(configuration, "output * resolution 1440x900\nxwayland disable\n");
    const asNobody = process.getuid() === 0;
    if (asNobody) {
      chownSync(folder, NOBODY, NOBODY);
      // It may pass through, and read nothing.
      chmodSync(this.#desktop.folder, 0o711);
    }
    const { DISPLAY: _, ...env } = this.#desktop.env;
    const headless = { WLR_BACKENDS: "headless", WLR_LIBINPUT_NO_DEVICES: "1", WLR_RENDERER: "pixman" };
    const [program, ...args] = [
      ...(asNobody ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : []),
      ...["sway", "--config", configuration],
    ];
    this.#start("sway", program, args, { ...env, ...headless, XDG_RUNTIME_DIR: folder, HOME: folder });
    const socket = await waitFor("the Wayland compositor", () =>
      readdirSync(folder).find((name) => /^wayland-\d+$/.test(name)),
    );
    Object.assign(this.#desktop.env, { WAYLAND_DISPLAY: join(folder, socket), GDK_BACKEND: "wayland" });
  }

  /** Plugs a keyboard in. A window has the keyboard only while there is one. */
  plugIn() {
    this.#start("keyboard", "wtype", ["-s", "600000"], this.#desktop.env);
  }

  /** Puts bytes into the clipboard as a kind of content ("image/png"), and waits until others can paste them. */
  async copies(kind, bytes) {
    this.#start("clipboard", "wl-copy", ["--foreground", "--type", kind], this.#desktop.env, { input: bytes });
    await waitFor(`${kind} in the clipboard`, () => {
      const { stdout } = spawnSync("wl-paste", ["--list-types"], {
        env: this.#desktop.env,
        encoding: "utf8",
        timeout: 10_000,
      });
      return stdout.split("\n").includes(kind);
    });
  }

  async stop() {
    for (const child of this.#children.reverse()) await stop(child);
  }
}
