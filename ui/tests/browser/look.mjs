// Visits to pages of the built UI in a real browser, with the fake host behind them, for all files of these tests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

/** The source text of axe. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const EN = { appearance: "light", language: "en" };

/** How long a page may take to do anything, in milliseconds: other files of tests share the processor. */
const LONGEST = 120_000;

/** One browser and one site for each file of tests; a file whose tests are all filtered out starts none. */
let running;
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
 * Opens a page. `wrong` gathers errors, violations of the policy and requests to anywhere else. `context` are further
 * settings of the browser, such as `forcedColors`. With `guard: "held"` the guard of a card lasts until `letGo`.
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
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...settings });
  context.setDefaultTimeout(LONGEST);
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (origin !== site.address && protocol !== "data:") wrong.push(`request: ${request.url()}`);
  });
  // The app freezes this prototype, which some libraries do not survive.
  await page.addInitScript(() => Object.freeze(Object.prototype));
  const query = new URLSearchParams({ scene, guard, ...look });
  return { page, wrong, address: `${site.address}/${file}?${query}`, close: () => context.close() };
}

/** Loads the page that was opened and waits until something is on it. */
export async function load({ page, address }, file, view) {
  await view.begin?.(page);
  await page.goto(address);
  const first = view.ready ?? (file === "consent.html" ? "main" : "[data-testid=add-server], .bar");
  await page.locator(first).first().waitFor();
}

/** Opens and loads a page, runs `act` on it, closes it, and fails on anything that went wrong there. */
export async function visit(file, view, look, act) {
  const opened = await open(file, view, look);
  try {
    await load(opened, file, view);
    await act(opened.page);
    assert.deepEqual(opened.wrong, []);
  } finally {
    await opened.close();
  }
}

/** Goes to a view of the main window, or to a card, as `pages.mjs` describes it. */
export async function arrive(page, file, view) {
  if (view.ready) await page.locator(view.ready).waitFor();
  else if (file === "index.html") await page.getByTestId("composer").waitFor();
  else if (view.scene !== "empty") await page.getByTestId("card").waitFor();
  await view.go?.(page);
  await page.waitForFunction(() => document.fonts.status === "loaded");
}

/** What axe finds wrong, as short lines; by its usual rules, or by these. */
export async function violations(page, rules) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const { violations: found } = await page.evaluate(
    (runOnly) => globalThis.axe.run(document, { resultTypes: ["violations"], ...(runOnly && { runOnly }) }),
    rules,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
