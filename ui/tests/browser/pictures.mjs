// Pictures for the documentation from the built UI with the fake host behind it, light and dark, in English and Chinese:
// every card, as high as it needs to be, and the views of the main window that need a past to show anything.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const SCENES = [
  "start_server",
  "connect_server",
  "look_up_issuer",
  "sign_in",
  "call_tool",
  "tool_changed",
  "instructions",
  "new_tools",
  "allow_tool",
  "fill_form",
  "open_page",
  "blocked_page",
  "visit_page",
  "sample",
  "sample_reply",
  "folders",
  "flood",
  "flood_alike",
];
const LOOKS = [
  { name: "light", appearance: "light", language: "en" },
  { name: "dark", appearance: "dark", language: "en" },
  { name: "light-zh", appearance: "light", language: "zh-CN" },
  { name: "dark-zh", appearance: "dark", language: "zh-CN" },
];
/** As wide as the consent window, and at least as high, in pixels. */
const SIZE = { width: 560, height: 560 };

/** Writes a picture a card and look into `folder`. */
export async function takeCards(folder, scenes = SCENES) {
  mkdirSync(folder, { recursive: true });
  const site = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
  try {
    const page = await browser.newPage({ viewport: SIZE, reducedMotion: "reduce" });
    for (const scene of scenes) {
      for (const { name, ...look } of LOOKS) {
        await page.setViewportSize(SIZE);
        await page.goto(`${site.address}/consent.html?${new URLSearchParams({ scene, ...look })}`);
        await page.locator("[data-testid=guard][data-phase=passed]").waitFor({ state: "attached" });
        await page.waitForFunction(() => document.fonts.status === "loaded");
        const hidden = await page.locator(".scroll").evaluate((it) => it.scrollHeight - it.clientHeight);
        await page.setViewportSize({ ...SIZE, height: SIZE.height + hidden });
        const file = join(folder, `${scene.replaceAll("_", "-")}-${name}.png`);
        await page.screenshot({ path: file });
        // A palette holds all the colours of a card, in a third of the bytes.
        execFileSync("convert", [file, "-strip", "+dither", "-colors", "160", `PNG8:${file}`]);
      }
    }
  } finally {
    await browser.close();
    await site.stop();
  }
}

/** How to get from the main window to each view. */
const VIEWS = {
  rules: async (page) => {
    await page.getByTestId("to-rules").click();
    await page.getByTestId("rule").first().waitFor();
  },
  "rules-trial": async (page) => {
    await page.getByTestId("rule-edit").first().click();
    await page.getByTestId("rule-try").click();
    await page.getByTestId("trial").waitFor();
  },
  ledger: async (page) => {
    await page.getByTestId("to-ledger").click();
    await page.getByTestId("ledger-server").selectOption("s-notes");
    await page.locator("[data-testid=ledger-seen] .disclosure button").click();
    await page.getByTestId("seen-name").first().waitFor();
    await page.getByTestId("ledger-verify").click();
    await page.getByTestId("ledger-found").waitFor();
    // The record of another server goes when the filter has come through.
    await page.locator("[data-testid=record][data-kind=checkpoint]").waitFor({ state: "detached" });
    await page.getByTestId("record").first().waitFor();
  },
};

/** Writes a picture a view and look into `folder`. */
export async function takeViews(folder) {
  mkdirSync(folder, { recursive: true });
  const site = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
  try {
    const page = await browser.newPage({ viewport: { width: 1320, height: 860 }, reducedMotion: "reduce" });
    for (const { name, ...look } of LOOKS) {
      await page.goto(`${site.address}/index.html?${new URLSearchParams({ scene: "chat", ...look })}`);
      await page.waitForFunction(() => document.fonts.status === "loaded");
      for (const [view, go] of Object.entries(VIEWS)) {
        await go(page);
        const file = join(folder, `${view}-${name}.png`);
        await page.screenshot({ path: file });
        execFileSync("convert", [file, "-strip", "+dither", "-colors", "160", `PNG8:${file}`]);
      }
    }
  } finally {
    await browser.close();
    await site.stop();
  }
}
