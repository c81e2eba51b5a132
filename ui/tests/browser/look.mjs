// Visits to pages of the built UI in a real browser, with the fake host behind them, for all files of these tests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
export const LOOKS = [
  { appearance: "light", language: "en" },
  { appearance: "dark", language: "en" },
  { appearance: "light", language: "zh-CN" },
  { appearance: "dark", language: "zh-CN" },
];
export const EN = LOOKS[0];

let browser;
let site;
before(async () => {
  site = await serve();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

/**
 * Opens a page, runs `act` on it and fails on any error, policy violation or foreign request. `context` are further
 * settings of the browser, such as `forcedColors`.
 */
export async function visit(file, view, look, act) {
  const { scene, width = file === "consent.html" ? 560 : 1320, height = 760, context: settings = {} } = view;
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...settings });
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
  try {
    await view.begin?.(page);
    const query = new URLSearchParams({ scene, ...look });
    await page.goto(`${site.address}/${file}?${query}`);
    const first = view.ready ?? (file === "consent.html" ? "main" : "[data-testid=add-server], .bar");
    await page.locator(first).first().waitFor();
    await act(page);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
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

/** What axe finds wrong, as short lines. */
export async function violations(page) {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const { violations: found } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
