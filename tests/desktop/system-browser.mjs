// The browser of a desktop: Debian's own Chromium, started by what stands where the system's opener does, and driven as a
// person would. What the application hands to the opener is written down byte for byte before anything reads it.
import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./desktop.mjs";
import { waitFor } from "./wait.mjs";

const { chromium } = createRequire(join(ROOT, "ui/package.json"))("playwright-core");
const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
/** A page of somebody else may take this long on a busy machine, in milliseconds. */
const PATIENTLY = { within: 45_000 };

/** The opener: every argument on a line of its own, then the browser in its place, with the first of them. */
const OPENER = ({ opened, profile, log }) => `#!/bin/sh
printf '%s\\n' "$@" >> '${opened}'
exec '${PROGRAM}' --user-data-dir='${profile}' --remote-debugging-port=0 --no-first-run --no-default-browser-check \\
  --disable-background-networking --disable-component-update --disable-sync --password-store=basic --disable-gpu \\
  ${process.getuid() === 0 ? "--no-sandbox" : ""} --window-size=700,600 -- "$1" >> '${log}' 2>&1
`;

/** Gives a desktop its browser. Nothing is started before the application opens a page. */
export function giveBrowser(desktop) {
  const profile = join(desktop.folder, "browser");
  const opener = { opened: desktop.opened, profile, log: join(desktop.reports, "browser.log") };
  writeFileSync(join(desktop.programs, "xdg-open"), OPENER(opener), { mode: 0o755 });
  return new Browser(desktop, profile);
}

class Browser {
  #desktop;
  #profile;
  #driven;

  constructor(desktop, profile) {
    this.#desktop = desktop;
    this.#profile = profile;
  }

  /** The page whose address begins like this, waiting for it. */
  async page(address) {
    this.#driven ??= await this.#attach();
    const pages = () => this.#driven.contexts().flatMap((context) => context.pages());
    const found = await waitFor(
      `a page of ${address}`,
      () => pages().find((page) => page.url().startsWith(address)),
      PATIENTLY,
    );
    found.setDefaultTimeout(PATIENTLY.within);
    return found;
  }

  async #attach() {
    const told = join(this.#profile, "DevToolsActivePort");
    const port = await waitFor(
      "the browser to run",
      () => existsSync(told) && readFileSync(told, "utf8").split("\n")[0],
      PATIENTLY,
    );
    return chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  }

  /** Ends it, if it runs, and waits until nothing of it writes into its profile any more. */
  async close() {
    const running = () => this.#desktop.processesNaming(this.#profile);
    if (this.#driven?.isConnected()) {
      const session = await this.#driven.newBrowserCDPSession();
      await session.send("Browser.close");
    } else {
      running().forEach((id) => process.kill(id));
    }
    await waitFor("the browser to end", () => running().length === 0);
  }
}
