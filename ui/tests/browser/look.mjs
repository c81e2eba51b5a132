// Visits to pages of the built UI in a real browser, with the fake host behind them, for all files of these tests.
import assert from "node:assert/strict";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { AXE, serve } from "./serve.mjs";

export const EN = { appearance: "light", language: "en" };

/** How long a page may take to do anything, in milliseconds: other files of tests share the processor. */
const LONGEST = 120_000;

/** One browser and one site for each file of tests; a file whose tests are all filtered out starts none. */
let running;
/** Pages whose test is over, by the settings of their context. In a page that loaded the files once, they load in half the time. */
const idle = new Map();
const start = async () => ({
  site: await serve(),
  // Without a graphics card Chromium would emulate OpenGL on the processor.
  browser: await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--disable-gpu"],
  }),
});
after(async () => {
  const { browser, site } = (await running) ?? {};
  await browser?.close();
  await site?.stop();
});

/**
 * Opens a page, or takes one whose test is over. `wrong` gathers errors, violations of the policy and requests to
 * anywhere else. `context` are further settings of the browser, such as `forcedColors`. With `guard: "held"` the guard of
 * a card lasts until `letGo`. `close` ends the page; `leave` keeps it for another test.
 */
export async function open(file, view, look) {
  const { browser, site } = await (running ??= start());
  const {
    scene,
    guard = "",
    width = file === "consent.html" ? 560 : 1320,
    height = 760,
    context: settings = {},
  } = view;
  const alike = JSON.stringify(settings);
  const page = idle.get(alike)?.pop() ?? (await newPage(browser, settings));
  await page.setViewportSize({ width, height });
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (origin !== site.address && protocol !== "data:") wrong.push(`request: ${request.url()}`);
  });
  const query = new URLSearchParams({ scene, guard, ...look });
  const close = () => page.context().close();
  const leave = async () => {
    // Scripts that a view adds to a page cannot be taken away again.
    if (view.begin) return close();
    for (const event of ["pageerror", "console", "request"]) page.removeAllListeners(event);
    await page.mouse.move(-1, -1);
    await page.goto("about:blank");
    idle.set(alike, [...(idle.get(alike) ?? []), page]);
  };
  return { page, wrong, address: `${site.address}/${file}?${query}`, close, leave };
}

async function newPage(browser, settings) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...settings });
  context.setDefaultTimeout(LONGEST);
  const page = await context.newPage();
  await page.addInitScript(() => {
    // The app freezes this prototype, which some libraries do not survive.
    Object.freeze(Object.prototype);
    // A test that reloads its page finds what it stored, and the next test does not.
    const [loaded] = performance.getEntriesByType("navigation");
    if (loaded.type === "navigate" && location.protocol === "http:") sessionStorage.clear();
  });
  return page;
}

/** Loads the page that was opened and waits until something is on it. */
export async function load({ page, address }, file, view) {
  await view.begin?.(page);
  await page.goto(address);
  const first = view.ready ?? (file === "consent.html" ? "main" : "[data-testid=add-server], .bar");
  await page.locator(first).first().waitFor();
}

/** Opens and loads a page, runs `act` on it, leaves it, and fails on anything that went wrong there. */
export async function visit(file, view, look, act) {
  const opened = await open(file, view, look);
  try {
    await load(opened, file, view);
    await act(opened.page);
    assert.deepEqual(opened.wrong, []);
  } catch (error) {
    await opened.close();
    throw error;
  }
  await opened.leave();
}

/** Goes to a view of the main window, or to a card, as `pages.mjs` describes it. */
export async function arrive(page, file, view) {
  if (view.ready) await page.locator(view.ready).waitFor();
  else if (file === "index.html") await page.getByTestId("composer").waitFor();
  else if (view.scene !== "empty") await page.getByTestId("card").waitFor();
  await view.go?.(page);
  await page.waitForFunction(() => document.fonts.status === "loaded");
}

/** Waits until the page has drawn some frames, in which it would have done what a test says that it does not do. */
export const framesPass = (page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 6; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
  });

/** Has the fake model send no more words while `held` is true; a stop still ends its answer. */
export const holdWords = (page, held) => page.evaluate((held) => (globalThis.fake.wordsHeld = held), held);

/** Has events be applied some frames later than replies, as on a busy computer. */
export const delayEvents = (page) =>
  page.evaluate(() => {
    const frame = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = (act) => setTimeout(() => frame(act), 300);
  });

/** What axe finds wrong, as short lines; by its usual rules, or by these. */
export async function violations(page, rules) {
  // As a file it is compiled once for all that a page loads after each other.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.addScriptTag({ url: AXE });
  const { violations: found } = await page.evaluate(
    (runOnly) => globalThis.axe.run(document, { resultTypes: ["violations"], ...(runOnly && { runOnly }) }),
    rules,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
