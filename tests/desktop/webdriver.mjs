// A WebDriver client as small as this project needs: plain HTTP with fetch, no dependency. It knows nothing of
// Vestibule. Every request has a deadline, because a driver that waits for a hidden window waits for ever.
import { writeFile } from "node:fs/promises";
import { describe, locate } from "./locate.mjs";
import { bounded, waitFor } from "./wait.mjs";

/** The key under which the protocol hands out references to elements. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** Deadline of one command, and of the start of a session (which starts the application), in milliseconds. */
const COMMAND = 45_000;
const START = 60_000;

/** Keys that have no character, as `press` takes them. */
export const Key = {
  enter: "\uE007",
  tab: "\uE004",
  escape: "\uE00C",
  control: "\uE009",
  shift: "\uE008",
  alt: "\uE00A",
  backspace: "\uE003",
  up: "\uE013",
  down: "\uE015",
};

async function send(method, url, body, within = COMMAND) {
  const response = await fetch(url, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(within),
  });
  const { value } = await response.json();
  if (!response.ok) {
    const message = `${method} ${new URL(url).pathname}: ${value?.error}: ${value?.message}`;
    throw Object.assign(new Error(message), { code: value?.error });
  }
  return value;
}

/** Starts a session at a driver's `endpoint` ("http://127.0.0.1:4444") and returns its `Session`. */
export async function startSession(endpoint, capabilities) {
  const { sessionId } = await send(
    "POST",
    `${endpoint}/session`,
    { capabilities: { alwaysMatch: capabilities } },
    START,
  );
  return new Session(`${endpoint}/session/${sessionId}`);
}

/**
 * How a locator is looked for: inside an element found before, and for so many milliseconds.
 * @typedef {{ scope?: object, within?: number }} Search
 */

/** One automated application with one or more windows; commands go to the window chosen last. */
export class Session {
  #base;

  constructor(base) {
    this.#base = base;
  }

  #get(path, within) {
    return send("GET", this.#base + path, undefined, within);
  }

  #post(path, body = {}, within) {
    return send("POST", this.#base + path, body, within);
  }

  /** Ends the session; the driver then ends the application. */
  close() {
    return send("DELETE", this.#base, undefined, COMMAND);
  }

  /** Runs a function in the page, as a script would: its text is sent, so it sees only its arguments. */
  execute(script, ...args) {
    return this.#post("/execute/sync", { script: `return (${script}).apply(null, arguments)`, args });
  }

  /** The middle of an element in its page, in pixels. */
  middleOf(element) {
    return this.execute((it) => {
      const box = it.getBoundingClientRect();
      return { x: Math.round(box.left + box.width / 2), y: Math.round(box.top + box.height / 2) };
    }, element);
  }

  /** Like `execute`, for a function that returns a promise. */
  async executeAsync(script, ...args) {
    const body = `const done = arguments[arguments.length - 1];
      Promise.resolve((${script}).apply(null, [...arguments].slice(0, -1)))
        .then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const outcome = await this.#post("/execute/async", { script: body, args });
    if (outcome.error) throw new Error(outcome.error);
    return outcome.value;
  }

  navigate(url) {
    return this.#post("/url", { url });
  }

  title() {
    return this.#get("/title");
  }

  url() {
    return this.#get("/url");
  }

  /** Everything the page shows as text. */
  pageText() {
    return this.execute(() => document.body.innerText);
  }

  /** Every window as { handle, title, url }; leaves the current window chosen. */
  async windows() {
    const current = await this.#get("/window").catch(() => undefined);
    const seen = [];
    for (const handle of await this.#get("/window/handles")) {
      await this.#post("/window", { handle });
      seen.push({ handle, title: await this.title(), url: await this.url() });
    }
    if (current && seen.some(({ handle }) => handle === current)) await this.#post("/window", { handle: current });
    return seen;
  }

  /** Chooses the window that `wanted({ title, url })` accepts, waiting for it to appear. */
  async toWindow(what, wanted, options) {
    const found = await waitFor(`the window ${what}`, async () => (await this.windows()).find(wanted), options);
    await this.#post("/window", { handle: found.handle });
    return found;
  }

  /** All visible elements a locator names now, as protocol references. */
  all(locator, scope) {
    return this.execute(locate, locator, scope ?? null);
  }

  /** The first visible element a locator names, waiting for it. */
  find(locator, /** @type {Search} */ { scope, within } = {}) {
    return waitFor(describe(locator), async () => (await this.all(locator, scope))[0], { within });
  }

  /** Waits until the locator names nothing. */
  gone(locator, /** @type {Search} */ { scope, within } = {}) {
    return waitFor(`${describe(locator)} to go`, async () => (await this.all(locator, scope)).length === 0, { within });
  }

  /** Waits for the element to be there and enabled, then clicks it as a person would (a trusted event). */
  async click(locator, /** @type {Search} */ { scope, within } = {}) {
    await waitFor(
      `${describe(locator)} to be clickable`,
      async () => {
        const [element] = await this.all(locator, scope);
        if (!element || !(await this.#enabled(element))) return false;
        await this.#post(`/element/${element[ELEMENT]}/click`);
        return true;
      },
      { within },
    );
  }

  #enabled(element) {
    return this.execute((it) => !it.matches(":disabled, [aria-disabled=true]"), element);
  }

  /** Clicks an element already found. */
  clickElement(element) {
    return this.#post(`/element/${element[ELEMENT]}/click`);
  }

  /** Replaces what a text field holds. */
  async fill(locator, value, /** @type {Search} */ { scope, within } = {}) {
    const element = await this.find(locator, { scope, within });
    await this.#post(`/element/${element[ELEMENT]}/clear`);
    await this.#post(`/element/${element[ELEMENT]}/value`, { text: value });
    return element;
  }

  /** Types keys into whatever has the focus; several keys given at once are held together. */
  async press(...keys) {
    const down = keys.map((value) => ({ type: "keyDown", value }));
    const up = keys.toReversed().map((value) => ({ type: "keyUp", value }));
    await this.#post("/actions", { actions: [{ type: "key", id: "keyboard", actions: [...down, ...up] }] });
  }

  /** Types a text into whatever has the focus, key by key. */
  async write(words) {
    const keys = [...words].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.#post("/actions", { actions: [{ type: "key", id: "keyboard", actions: keys }] });
  }

  /** What an element shows as text. */
  async textOf(element) {
    return this.execute((it) => it.innerText, element);
  }

  /** What a field holds. */
  valueOf(element) {
    return this.execute((it) => it.value, element);
  }

  /**
   * A picture of the chosen window as PNG bytes, written to `path` if one is given. The driver may otherwise hand out
   * the frame from before the last change, so two animation frames pass first. Without OpenGL WebKit answers only when
   * it paints next, which a page at rest never does, so the page paints an outline that cannot be seen meanwhile.
   */
  async screenshot(path) {
    await this.executeAsync(
      () =>
        new Promise((done) => {
          const { style } = document.documentElement;
          let frames = 0;
          const paint = () => {
            frames += 1;
            if (frames === 3) done();
            // Emptying the outline ends this.
            if (frames > 1 && style.outline === "") return;
            style.outline = `1px solid rgb(0 0 0 / ${frames % 2 === 0 ? 0.001 : 0.002})`;
            requestAnimationFrame(paint);
          };
          requestAnimationFrame(paint);
        }),
    );
    try {
      const bytes = Buffer.from(await this.#get("/screenshot"), "base64");
      if (path) await writeFile(path, bytes);
      return bytes;
    } finally {
      await this.execute(() => {
        document.documentElement.style.outline = "";
      });
    }
  }

  /** A screenshot that gives up early and says nothing, for reports of other failures (a hidden window never answers). */
  async screenshotIfShown(path) {
    const shown = await bounded(
      "visibility",
      3_000,
      this.execute(() => document.visibilityState),
    ).catch(() => "hidden");
    if (shown !== "visible") return undefined;
    return bounded("screenshot", 5_000, this.screenshot(path)).catch(() => undefined);
  }
}
