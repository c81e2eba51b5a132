// What long chats and fast streams cost the main window, as Markdown tables: the built page with the fake host in
// headless Chromium, under the policy of the application. Rust and WebKitGTK are not in these figures.
//   node scripts/bench-ui.mjs [open|stream|markdown]...
import { createRequire } from "node:module";
import { serve } from "../ui/tests/browser/serve.mjs";

const { chromium } = createRequire(new URL("../ui/package.json", import.meta.url))("playwright-core");

const ENTRIES = [1_000, 10_000];
/** How often each chat is opened; the median is printed. */
const TIMES = Number(process.env.TIMES ?? 3);
const TOKENS_A_SECOND = 2_000;
/** How long each stream lasts, in seconds. */
const STREAM_S = Number(process.env.STREAM_S ?? 20);
/** Which streams are measured. */
const SHAPES = process.env.SHAPES?.split(",") ?? ["prose", "code", "list", "table", "mixed"];
const TOKEN = {
  prose: "harbour ",
  code: "let x = 1;\n",
  list: "- word word\n",
  table: "| a | b |\n",
};
const BEGIN = {
  prose: "",
  code: "```ts\n",
  list: "",
  table: "| one | two |\n|---|---|\n",
};
/**
 * Characters of Markdown repeated, and how often.
 * @type {[string, number][]}
 */
const BOMBS = [
  ["_a*", 8_000],
  ["[", 24_000],
  ["> ", 12_000],
  ["`a", 12_000],
  ["![a](", 5_000],
  ["<a ", 8_000],
  ["- ", 12_000],
  ["| a ", 6_000],
];

const site = await serve();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
});
const wanted = process.argv.slice(2);
try {
  const benches = Object.entries({
    open: openings,
    stream: streams,
    markdown: bombs,
  });
  for (const [name, bench] of benches) if (wanted.length === 0 || wanted.includes(name)) await bench();
} finally {
  await browser.close();
  await site.stop();
}

/** Runs an act on a page of its own. */
async function visit(act) {
  const context = await browser.newContext({
    viewport: { width: 1320, height: 760 },
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    await page.goto(`${site.address}/index.html?scene=chat&appearance=light&language=en`);
    await page.getByTestId("waiting-row").waitFor();
    return await act(page, await context.newCDPSession(page));
  } finally {
    await context.close();
  }
}

async function openings() {
  console.log(
    "| entries | open, ms | away, ms | jump, ms | elements | nodes | heap, MB |\n|---|---|---|---|---|---|---|",
  );
  for (const entries of ENTRIES) {
    const runs = [];
    for (let run = 0; run < TIMES; run += 1) runs.push(await visit((page, cdp) => opening(page, cdp, entries)));
    const cells = Object.keys(runs[0]).map((key) => median(runs.map((run) => run[key])));
    console.log(`| ${[entries, ...cells].join(" | ")} |`);
  }
}

/** Opens a chat and leaves it again. */
async function opening(page, cdp, entries) {
  await page.evaluate((count) => /** @type {any} */ (globalThis).fake.addLongChat("long", count), entries);
  await page.locator("[data-chat=long]").waitFor();
  await cdp.send("Performance.enable");
  const before = await counts(cdp);
  const open = await page.evaluate(shown, {
    chat: "long",
    wanted: `[data-entry="long-${entries - 1}"]`,
  });
  const elements = await page.evaluate(atRest);
  const after = await counts(cdp);
  const away = await page.evaluate(shown, {
    chat: "oslo",
    wanted: "[data-testid=waiting-row]",
  });
  const jump = await jumped(page, Math.floor(entries / 3));
  const heap = Math.round((after.JSHeapUsedSize - before.JSHeapUsedSize) / 100_000) / 10;
  return { open, away, jump, elements, nodes: after.Nodes, heap };
}

/** Finds a message in the search over all chats, and says how many milliseconds pass from its key to the frame that shows it. */
async function jumped(page, number) {
  await page.keyboard.press("Control+Shift+F");
  // A third of the entries are messages of the user.
  await page.getByTestId("find-sheet-search").fill(`message ${number - (number % 3)}`);
  await page.getByTestId("find-hit").first().waitFor();
  // The key would not be heard by a page that is still asked to listen.
  await page.evaluate(() => {
    const heard = (done) => (event) => event.key === "Enter" && done(performance.now());
    const pressed = new Promise((done) => addEventListener("keydown", heard(done), { capture: true }));
    Object.assign(globalThis, { pressed });
  });
  await page.keyboard.press("Enter");
  return page.evaluate(async () => {
    const pressed = await /** @type {any} */ (globalThis).pressed;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const seen = (it) => {
      const box = it?.getBoundingClientRect();
      return box !== undefined && box.bottom > 0 && box.top < innerHeight;
    };
    while (!seen(document.querySelector("[data-entry].found"))) await frame();
    await frame();
    return Math.round(performance.now() - pressed);
  });
}

/** In the page: opens a chat and says after how many milliseconds the frame with the element was drawn. */
async function shown({ chat, wanted }) {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const began = performance.now();
  /** @type {HTMLElement} */ (document.querySelector(`[data-chat="${chat}"]`)).click();
  while (document.querySelector(wanted) === null) await frame();
  await frame();
  return Math.round(performance.now() - began);
}

/** In the page: waits until ten frames have drawn nothing more and gives the number of elements. */
async function atRest() {
  let elements = 0;
  for (let still = 0; still < 10;) {
    const now = document.querySelectorAll("*").length;
    still = now === elements ? still + 1 : 0;
    elements = now;
    await new Promise((done) => requestAnimationFrame(done));
  }
  return elements;
}

async function counts(cdp) {
  await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

async function streams() {
  console.log(`\n| ${STREAM_S} s at ${TOKENS_A_SECOND} tokens/s | p99 frame, ms | longest, ms |\n|---|---|---|`);
  for (const shape of SHAPES) {
    const settings = {
      token: TOKEN[shape],
      begin: BEGIN[shape],
      rate: TOKENS_A_SECOND,
      seconds: STREAM_S,
    };
    const of = shape === "mixed" ? { ...settings, begin: "", token: null, parts: { TOKEN, BEGIN } } : settings;
    const gaps = (await visit((page) => page.evaluate(streamed, of))).toSorted((a, b) => a - b);
    console.log(`| ${shape} | ${gaps[Math.floor(gaps.length * 0.99)]} | ${gaps.at(-1)} |`);
  }
}

/** In the page: streams words into an answer and gives the times between frames, in milliseconds. */
async function streamed({ token, begin, rate, seconds, parts }) {
  const { fake } = /** @type {any} */ (globalThis);
  const position = 1_000;
  const answer = {
    kind: "assistant",
    text: begin,
    reasoning: "",
    model: "m",
    scripted: false,
    state: "streaming",
  };
  const entry = {
    id: "streamed",
    chat: "oslo",
    position,
    at_ms: Date.now(),
    body: answer,
  };
  fake.tell({ event: "entry", entry, added: true });
  const tell = (text) =>
    fake.tell({
      event: "words",
      chat: "oslo",
      entry: "streamed",
      text,
      reasoning: "",
    });
  const mixed = (number) => {
    const shape = Object.keys(parts.TOKEN)[Math.floor(number / 500) % 4];
    const ends = number % 500 === 0 ? `\n${number > 0 && shape === "list" ? "```\n" : ""}\n${parts.BEGIN[shape]}` : "";
    return ends + parts.TOKEN[shape];
  };
  const gaps = [];
  const began = performance.now();
  let [said, last] = [0, began];
  while (last - began < seconds * 1_000) {
    const due = Math.min(Math.floor(((performance.now() - began) / 1_000) * rate), seconds * rate);
    for (; said < due; said += 1) tell(token ?? mixed(said));
    const now = await new Promise((done) => requestAnimationFrame(() => done(performance.now())));
    gaps.push(Math.round(now - last));
    last = now;
  }
  return gaps;
}

async function bombs() {
  console.log("\n| Markdown repeated | characters | longest frame, ms |\n|---|---|---|");
  for (const [text, times] of BOMBS) {
    const longest = await visit((page) => page.evaluate(bombed, text.repeat(times)));
    console.log(`| \`${text}\` | ${text.length * times} | ${longest} |`);
  }
}

/** In the page: shows one answer whole and gives the longest time between two frames, in milliseconds. */
async function bombed(text) {
  const body = {
    kind: "assistant",
    text,
    reasoning: "",
    model: "m",
    scripted: false,
    state: "done",
  };
  let longest = 0;
  let last = performance.now();
  /** @type {any} */ (globalThis).fake.tell({
    event: "entry",
    entry: { id: "b", chat: "oslo", position: 1_000, at_ms: Date.now(), body },
    added: true,
  });
  for (let frames = 0; frames < 30; frames += 1) {
    const now = await new Promise((done) => requestAnimationFrame(() => done(performance.now())));
    longest = Math.max(longest, Math.round(now - last));
    last = now;
  }
  return longest;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
