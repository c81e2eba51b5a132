// Pictures of every view of the main window and of every card, to be looked at: `node looks.mjs FOLDER [NAMES]`, where
// NAMES is a regular expression over the names in `pages.mjs`. Both languages, light and dark; `montage` makes sheets.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { arrive } from "./look.mjs";
import { CARDS, MAIN_VIEWS } from "./pages.mjs";
import { serve } from "./serve.mjs";

const LOOKS = ["light", "dark"].flatMap((appearance) => ["en", "zh-CN"].map((language) => ({ appearance, language })));
const PAGES = [
  ...MAIN_VIEWS.map((view) => ({ file: "index.html", size: { width: 1280, height: 800 }, view })),
  ...CARDS.map((view) => ({ file: "consent.html", size: { width: 560, height: 700 }, view })),
];
/** Loading a page waits as much as it computes. */
const AT_ONCE = 3;

const [folder, names = ""] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node looks.mjs FOLDER [NAMES]");
mkdirSync(folder, { recursive: true });
const wanted = PAGES.filter(({ view }) => new RegExp(names).test(view.name));
const shots = LOOKS.flatMap((look) => wanted.map((page) => ({ ...page, look })));
const site = await serve();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });

async function take({ file, size, view, look }) {
  const viewport = { ...size, width: view.width ?? size.width };
  const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  await view.begin?.(page);
  await page.goto(`${site.address}/${file}?${new URLSearchParams({ scene: view.scene, ...look })}`);
  await arrive(page, file, view);
  // A card is as high as it needs to be.
  const hidden = await page.evaluate(() => {
    const card = document.querySelector(".scroll");
    return card === null ? 0 : card.scrollHeight - card.clientHeight;
  });
  if (file === "consent.html") await page.setViewportSize({ ...viewport, height: viewport.height + hidden });
  const name = `${file.split(".")[0]} ${view.name} ${look.appearance} ${look.language}.png`;
  await page.screenshot({ path: join(folder, name.replaceAll(" ", "-")) });
  await context.close();
}

async function work() {
  for (let shot = shots.shift(); shot !== undefined; shot = shots.shift()) await take(shot);
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
await browser.close();
await site.stop();
