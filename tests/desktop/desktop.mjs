// A whole desktop for one test: its own X server, window manager, session bus, unlocked keyring and home folder, none
// of which is the person's. Inside it the real application is started, driven through WebDriver, quit and started
// again. What goes wrong leaves pictures and logs in target/desktop/.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { answering, freePort, processes, start, stop } from "./processes.mjs";
import { bounded, waitFor } from "./wait.mjs";
import { startSession } from "./webdriver.mjs";

/** The root of the repository. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
/** The application as `make e2e` builds it, with the built UI inside. */
export const APPLICATION = process.env.VESTIBULE_BINARY ?? join(ROOT, "target/debug/vestibule");

/** WebDriver for WebKitGTK, which starts the application. */
const DRIVER = "/usr/bin/WebKitWebDriver";
/** Has Tauri let a driver control its windows. */
const CONTROLLED = { TAURI_WEBVIEW_AUTOMATION: "true" };
const REPORTS = join(ROOT, "target/desktop");

/** How the log says that the application panicked. */
const PANIC = "panicked at";
/** How much of a line, and of the beginning and the end of a window, the message of a failure quotes, in characters. */
const MOST_QUOTED = 600;
/** How many lines of the log it quotes. */
const MOST_LINES = 10;

/** A session bus that starts nothing by itself, so that the test alone decides whether there is a keyring. */
const BUS = (socket) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/**
 * Stands where the browser would: it opens nothing, and writes down each address it was given and, byte for byte, how
 * many arguments it got and which.
 */
const BROWSER = (file) => `#!/bin/sh
printf '%s\\0' "$#" "$@" >> '${file}.arguments'
printf '%s\\n' "$@" >> '${file}'
`;

/**
 * Starts a desktop named `name` (used for reports). `keyring: false` leaves it without a secret service; `env` adds
 * variables for the application.
 */
export async function startDesktop(name, { keyring = true, env = {}, screen = "1440x900" } = {}) {
  const desktop = new Desktop(name, env);
  try {
    await desktop.start(keyring, screen);
    return desktop;
  } catch (error) {
    await desktop.stop();
    throw error;
  }
}

class Desktop {
  #name;
  #children = [];
  #clipboard;
  #driver;
  #session;
  #logs;
  #application = APPLICATION;
  /** The X11 id of the main window; unknown before the first `leave`. */
  #mainWindow;

  constructor(name, env) {
    this.#name = name;
    /** Everything the test may write to; gone after `stop`. */
    this.folder = mkdtempSync(join(tmpdir(), "vestibule-desktop-"));
    /** The application's data folder (`VESTIBULE_HOME`); survives `quit` and `open`. */
    this.home = this.#make("vestibule-home");
    this.#logs = join(REPORTS, name);
    rmSync(this.#logs, { recursive: true, force: true });
    mkdirSync(this.#logs, { recursive: true });

    /** Programs the application finds before those of the system. */
    this.programs = this.#make("bin");
    this.opened = join(this.folder, "opened-pages.txt");
    writeFileSync(join(this.programs, "xdg-open"), BROWSER(this.opened), { mode: 0o755 });
    const runtime = this.#make("runtime");
    chmodSync(runtime, 0o700);
    this.env = {
      PATH: `${this.programs}:${process.env.PATH}`,
      HOME: this.#make("home"),
      XDG_RUNTIME_DIR: runtime,
      XDG_CONFIG_HOME: this.#make("home/.config"),
      XDG_DATA_HOME: this.#make("home/.local/share"),
      XDG_CACHE_HOME: this.#make("home/.cache"),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(runtime, "bus")}`,
      LANG: "C.UTF-8",
      GDK_BACKEND: "x11",
      NO_AT_BRIDGE: "1",
      RUST_BACKTRACE: "1",
      VESTIBULE_HOME: this.home,
      ...env,
    };
  }

  #make(path) {
    const folder = join(this.folder, path);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  #log(part) {
    return join(this.#logs, `${part}.log`);
  }

  #start(part, program, args, options = {}) {
    const child = start(program, args, { env: this.env, log: this.#log(part), ...options });
    this.#children.push(child);
    return child;
  }

  async start(keyring, screen) {
    // The number of a display that has just ended can be given again while its socket is still being taken away.
    for (let left = 2; !(await this.#startScreen(screen)); left -= 1) {
      if (left === 0) throw new Error(`no screen could be started: ${readFileSync(this.#log("openbox"), "utf8")}`);
      for (const child of this.#children.splice(0).reverse()) await stop(child);
    }
    const configuration = join(this.folder, "bus.conf");
    const socket = join(this.env.XDG_RUNTIME_DIR, "bus");
    writeFileSync(configuration, BUS(socket));
    this.#start("bus", "dbus-daemon", [`--config-file=${configuration}`, "--nofork", "--nopidfile"]);
    await waitFor("the session bus", () => existsSync(socket));
    if (keyring) await this.#unlockKeyring();
  }

  /** Starts an X server and a window manager on it; whether both came up. */
  async #startScreen(screen) {
    const server = this.#start(
      "xvfb",
      "Xvfb",
      ["-displayfd", "3", "-screen", "0", `${screen}x24`, "-nolisten", "tcp"],
      {
        extra: ["pipe"],
      },
    );
    const announced = Promise.race([once(server.stdio[3], "data"), once(server, "exit"), once(server, "error")]);
    const [display] = await bounded("starting Xvfb", 45_000, announced);
    if (!Buffer.isBuffer(display))
      throw new Error(`Xvfb did not start: ${readFileSync(this.#log("xvfb"), "utf8")}${display ?? ""}`);
    this.env.DISPLAY = `:${display.toString().trim()}`;
    const manager = this.#start("openbox", "openbox", ["--sm-disable"]);
    const managed = () => this.#tool("xdotool", "get_num_desktops").status === 0;
    await waitFor("the window manager", () => manager.exitCode !== null || managed());
    return manager.exitCode === null;
  }

  /** An empty password does not unlock a keyring; a line break does. */
  async #unlockKeyring() {
    this.#start("keyring", "gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
      input: "\n",
    });
    await waitFor("the secret service", () => {
      const asked = ["--session", "--dest=org.freedesktop.DBus", "--print-reply", "/org/freedesktop/DBus"];
      const owner = this.#tool(
        "dbus-send",
        ...asked,
        "org.freedesktop.DBus.GetNameOwner",
        "string:org.freedesktop.secrets",
      );
      return owner.status === 0;
    });
  }

  #tool(program, ...args) {
    return spawnSync(program, args, { env: this.env, encoding: "utf8", timeout: 10_000 });
  }

  /** Starts the application and returns the WebDriver session, in its main window. */
  async open({ application = APPLICATION, args = [] } = {}) {
    if (!existsSync(application)) throw new Error(`${application} is missing; \`make e2e\` builds it`);
    this.#application = resolve(application);
    const port = await freePort();
    this.#driver = this.#start("application", DRIVER, [`--port=${port}`], { env: { ...this.env, ...CONTROLLED } });
    const endpoint = `http://127.0.0.1:${port}`;
    await answering(`${endpoint}/status`, this.#driver, this.#log("application"));
    this.#session = await startSession(endpoint, { "webkitgtk:browserOptions": { binary: application, args } });
    return this.#session;
  }

  /** Starts the application as a person does, without WebDriver; for measuring. It ends with `stop` or `kill`. */
  launch(application = APPLICATION) {
    return this.#start("application", application, []);
  }

  /** Ids of the windows whose title contains `title` and that are on the screen now. */
  shownWindows(title) {
    const { stdout } = this.#tool("xdotool", "search", "--onlyvisible", "--name", title);
    return stdout.trim().split("\n").filter(Boolean);
  }

  /** Ids of the windows whose title contains `title`, on the screen or not. */
  windowsNamed(title) {
    const { stdout } = this.#tool("xdotool", "search", "--name", title);
    return stdout.trim().split("\n").filter(Boolean);
  }

  /**
   * Writes a text and presses a key in the window with this title, which no driver reaches; waits until it is there. The
   * first character makes some windows show a field for the text, and what is typed before the field is drawn can be lost.
   */
  async writeInto(title, words, key) {
    const [window] = await waitFor(`the window ${title}`, () => {
      const shown = this.shownWindows(title);
      return shown.length > 0 && shown;
    });
    this.#tool("xdotool", "windowactivate", "--sync", window);
    if (words !== "") {
      const before = await this.#atRest(window);
      this.types(words.slice(0, 1));
      await waitFor("the first character to be drawn", () => this.#digestOf(window) !== before);
      await this.#atRest(window);
      this.types(words.slice(1));
    }
    this.#tool("xdotool", "key", key);
  }

  /** Waits until a window is drawn as it was a moment before; gives back the digest of its picture. */
  #atRest(window) {
    let last = "";
    return waitFor("the window to be drawn", () => {
      const before = last;
      last = this.#digestOf(window);
      return last === before && last;
    });
  }

  /** A digest of what a window shows. */
  #digestOf(window) {
    return this.#tool("import", "-silent", "-window", window, "-format", "%#", "info:").stdout;
  }

  /** A digest of what the window with this title shows, and how many colours it has. */
  pictureOf(title) {
    const [window] = this.shownWindows(title);
    const { stdout } = this.#tool("import", "-silent", "-window", window, "-format", "%# %k", "info:");
    const [digest, colours] = stdout.split(" ");
    return { digest, colours: Number(colours) };
  }

  /** Minimises the main window. The consent window must be about to hide, because no card waits. */
  async leave() {
    const shown = () => this.shownWindows("Vestibule").map(Number);
    // The application makes the main window first, so its id is the least.
    this.#mainWindow ??= Math.min(...(await waitFor("a window", () => shown().length > 0 && shown())));
    await waitFor("the consent window to hide", () => shown().every((window) => window === this.#mainWindow));
    this.#tool("xdotool", "windowminimize", String(this.#mainWindow));
    await waitFor("the main window to be minimised", () => shown().length === 0);
  }

  /** Brings the main window to the front again after `leave`. */
  async comeBack() {
    this.#tool("xdotool", "windowactivate", String(this.#mainWindow));
    await waitFor("the main window", () => this.shownWindows("Vestibule").map(Number).includes(this.#mainWindow));
  }

  /** Types on the keyboard of the desktop: it goes to whichever window has it, as a person's keys do. */
  types(words) {
    this.#tool("xdotool", "type", "--delay", "15", words);
  }

  /** Puts a file into the clipboard as a kind of content ("image/png"), and waits until others can paste it. */
  async copies(kind, file) {
    const of = ["-selection", "clipboard", "-t"];
    // What was copied before may be of the same kind.
    if (this.#clipboard) await stop(this.#clipboard);
    this.#clipboard = this.#start("clipboard", "xclip", ["-quiet", ...of, kind, "-i", file]);
    await waitFor(`${kind} in the clipboard`, () =>
      this.#tool("xclip", ...of, "TARGETS", "-o")
        .stdout.split("\n")
        .includes(kind),
    );
  }

  /** Presses a key of the desktop's keyboard ("ctrl+v"): it goes to whichever window has it. */
  presses(key) {
    this.#tool("xdotool", "key", key);
  }

  /** Where a window is on the screen and how large it is inside its frame, in pixels. */
  placeOf(window) {
    const { stdout } = this.#tool("xdotool", "getwindowgeometry", "--shell", window);
    const value = (name) => Number(new RegExp(`^${name}=(-?\\d+)$`, "m").exec(stdout)?.[1]);
    return { x: value("X"), y: value("Y"), width: value("WIDTH"), height: value("HEIGHT") };
  }

  /** Moves a window and gives it a size, as the user does with the mouse. */
  placeAt(window, { x, y, width, height }) {
    this.#tool(
      "xdotool",
      "windowsize",
      window,
      String(width),
      String(height),
      "windowmove",
      window,
      String(x),
      String(y),
    );
  }

  /** The title of the window in front; empty where there is none. */
  inFront() {
    return this.#tool("xdotool", "getactivewindow", "getwindowname").stdout.trim();
  }

  /** How many different colours a window shows; one or two mean that nothing is drawn yet. */
  coloursOf(windowId) {
    return Number(this.#tool("import", "-silent", "-window", windowId, "-format", "%k", "info:").stdout);
  }

  /** The ids of the running application (one, while it is open). */
  applicationIds() {
    const own = `VESTIBULE_HOME=${this.home}`;
    return processes(({ exe, environment }) => exe === this.#application && environment.split("\n").includes(own));
  }

  /** Ids of processes whose command line mentions `words`, such as a server that was given a folder of this test. */
  processesNaming(words) {
    return processes(({ commandLine }) => commandLine.includes(words));
  }

  /**
   * Closes the application as a user does from the task bar, and waits until it has ended. The title of the main window
   * may carry the number of open questions. `confirm` answers the application where it asks, because something still runs.
   * `close` closes the window in another way.
   */
  async quit(title = "^(\\([0-9]+\\) )?Vestibule$", confirm = async () => {}, close = () => this.closeWindow(title)) {
    await close();
    await confirm();
    await waitFor("the application to end after its window was closed", () => this.applicationIds().length === 0);
    await this.#release();
  }

  /** Closes a window as a user does from the task bar. */
  async closeWindow(title) {
    const [window] = await waitFor(`the window ${title}`, () => {
      const shown = this.shownWindows(title);
      return shown.length > 0 && shown;
    });
    // What a task bar sends when its user closes a window. A key press can be lost while another window opens.
    this.#tool("wmctrl", "-i", "-c", `0x${Number(window).toString(16)}`);
  }

  /**
   * Presses the mouse at a place inside the window with this title. Where the press ends the application, a press through
   * the driver would be lost with its session, or hold the application up.
   */
  clickIn(title, { x, y }) {
    const [window] = this.shownWindows(title);
    const place = this.placeOf(window);
    this.#tool("xdotool", "mousemove", "--sync", String(place.x + x), String(place.y + y), "click", "1");
  }

  /** Ends the application without warning, as a power cut would. */
  async kill() {
    this.applicationIds().forEach((pid) => process.kill(pid, "SIGKILL"));
    await waitFor("the killed application to be gone", () => this.applicationIds().length === 0);
    await this.#release();
  }

  async #release() {
    await bounded("ending the session", 5_000, this.#session?.close()).catch(() => {}); // its application is gone already
    this.#session = undefined;
    await stop(this.#driver);
    this.#driver = undefined;
  }

  /**
   * Addresses the application asked the browser to open, oldest first. The opener makes the file before it writes the
   * address, so only whole lines count.
   */
  openedPages() {
    return existsSync(this.opened) ? readFileSync(this.opened, "utf8").split("\n").slice(0, -1) : [];
  }

  /** Every run of the browser so far: how many arguments it was given, and each of them, separated by NUL bytes. */
  browserRuns() {
    const file = `${this.opened}.arguments`;
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** A picture of the whole screen, as the person sees it. */
  screenPicture(file) {
    return this.#tool("import", "-window", "root", join(this.#logs, file));
  }

  /** Where this test's logs and pictures are. */
  get reports() {
    return this.#logs;
  }

  /**
   * Writes down what every window shows; for a test that has just failed. Gives back the beginning of it, because where
   * only the output of the tests is kept, the files are gone.
   */
  async report() {
    this.screenPicture("screen.png");
    const seen = [];
    if (!this.#session) return seen;
    for (const [number, { handle, title, url }] of (await this.#session.windows()).entries()) {
      await this.#session.toWindow(title, (window) => window.handle === handle);
      const words = await this.#session.pageText();
      writeFileSync(join(this.#logs, `window-${number}.txt`), `${title}\n${url}\n\n${words}\n`);
      seen.push(`${url}: ${quoted(words)}`);
      await this.#session.screenshotIfShown(join(this.#logs, `window-${number}.png`));
    }
    return seen;
  }

  /**
   * Runs a story, in which the application may not panic, not even where nobody notices. If it fails, reports what the
   * windows showed and adds the place of the report to the error.
   */
  async story(steps) {
    try {
      const outcome = await steps();
      this.#assertNoPanic();
      return outcome;
    } catch (error) {
      const seen = await bounded("the report", 30_000, this.report()).catch((late) => [String(late)]);
      const where = `(logs and pictures: target/desktop/${this.#name})`;
      // The message of a deadline cannot be changed.
      throw new Error([error.message, where, ...seen, ...this.#lastLines()].join("\n"), { cause: error });
    }
  }

  /** Ends everything this desktop started and removes its folder. */
  async stop() {
    if (this.#session) await this.kill();
    for (const child of this.#children.reverse()) await stop(child);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What the application logged. */
  #logged() {
    const log = this.#log("application");
    return existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  }

  /** The end of that log, for the message of a failure. */
  #lastLines() {
    return this.#logged()
      .slice(-MOST_LINES)
      .map((line) => line.slice(0, MOST_QUOTED));
  }

  #assertNoPanic() {
    const lines = this.#logged();
    const at = lines.findIndex((line) => line.includes(PANIC));
    if (at < 0) return;
    throw new Error(`the application panicked: ${lines.slice(at, at + 2).join(" ")}`);
  }
}

/** The beginning and the end of what a window shows: a problem often stands below a long form. */
function quoted(words) {
  const line = words.replace(/\s+/g, " ");
  if (line.length <= 2 * MOST_QUOTED) return line;
  return `${line.slice(0, MOST_QUOTED)} … ${line.slice(-MOST_QUOTED)}`;
}
