// What large things cost in the real application with its own window, as a Markdown table: the most
// tools of one server, a long text that is pasted, a result of megabytes. WebKitGTK on a display of its own.
//   node scripts/bench-large.mjs; TIMES (5) is how often each is done, VESTIBULE_BINARY the application
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atDesk } from "../tests/desktop/everything.mjs";
import { css, role } from "../tests/desktop/locate.mjs";
import { asksFor, says } from "../tests/desktop/model-endpoint.mjs";
import { waitFor } from "../tests/desktop/wait.mjs";
import { Key } from "../tests/desktop/webdriver.mjs";
import { words } from "../tests/desktop/words.mjs";

const TIMES = Number(process.env.TIMES ?? 5);
/** The most tools that are taken of one server. */
const TOOLS = 512;
/** With so many servers there are more than 5,000 tools. */
const SERVERS = 10;
/** The length of a result in bytes. */
const RESULT = 10_000_000;
const PASTED = 1_000_000;
const SERVER = fileURLToPath(new URL("large-server.mjs", import.meta.url));
const PATIENTLY = { within: 120_000 };

console.log(`| what | median (least to most) of ${TIMES} |\n|---|---|`);

await atServers("bench-tools", 1, TOOLS - 1, async ({ app, person }) => {
  const [listed, keys] = [[], []];
  for (let run = 0; run < TIMES; run += 1) {
    await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
    const row = await person.serverRow("large");
    listed.push(await app.executeAsync(untilShown, row, "[data-testid=tool-row]"));
    const last = `tool_${TOOLS - 12 + run}`;
    keys.push(...(await keyTimes(app, "[data-testid=tool-filter]", last)));
    await app.find(css(`[data-tool=${last}]`));
  }
  print(`${TOOLS} tools listed, ms`, listed);
  print("… a key in the filter, ms", keys);
});

await atServers("bench-choice", SERVERS, TOOLS - 1, async ({ app, person, model }) => {
  const [listed, keys] = [[], []];
  model.queue(says("All of them are here."));
  await person.sayInNewChat("Which tools are there?");
  await person.hears("All of them are here.");
  for (let run = 0; run < TIMES; run += 1) {
    await app.click(css(".tool-switch"));
    const choose = await app.find(role("menuitem", words("single_tools_choose")));
    listed.push(await app.executeAsync(untilShown, choose, "[data-testid=tool-choice] label"));
    const last = `tool_${TOOLS - 12 + run}`;
    keys.push(...(await keyTimes(app, "[data-testid=tool-choice] [type=search]", last)));
    const found = () => app.execute(() => document.querySelectorAll("[data-testid=tool-choice] label").length);
    await waitFor("that tool of each server", async () => (await found()) === SERVERS);
    await app.press(Key.escape);
  }
  print(`${SERVERS * TOOLS} tools of ${SERVERS} servers listed for a chat, ms`, listed);
  print("… a key in the filter, ms", keys);
});

await atServers("bench-large", 1, 0, async (desk, sent) => {
  const { desktop, app, person, model } = desk;
  const [pastes, attached] = [[], []];
  const text = join(desktop.folder, "pasted.txt");
  writeFileSync(text, "The old harbour is a short walk away. ".repeat(PASTED / 38));
  await desktop.copies("text/plain;charset=utf-8", text);
  for (let run = 0; run < TIMES; run += 1) {
    await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
    await app.click(css("[data-testid=composer]"));
    await app.execute(watchElement, ".composer [data-testid=attachment]", "paste");
    desktop.presses("ctrl+v");
    const { took, longest } = await waitFor("the pasted text", () => app.execute(() => globalThis.appeared), PATIENTLY);
    pastes.push(longest);
    attached.push(took);
  }
  print(`${PASTED / 1e6} MB pasted: the longest frame, ms`, pastes);
  print("… until it is shown as a file, ms", attached);

  const [folded, arriving, opened, scrolled] = [[], [], [], []];
  for (let run = 0; run < TIMES; run += 1) {
    model.queue(asksFor({ tool: /read_log$/, arguments: { path: "log" } }), says(`Read ${run}.`));
    await person.sayInNewChat(`Read the log, number ${run}`);
    await person.atMain();
    await app.execute(watchElement, "[data-tool=read_log][data-state=answered]");
    await desk.keys.accept("call_tool");
    await person.atMain();
    const row = await waitFor("the result", () => app.execute(() => globalThis.appeared), PATIENTLY);
    folded.push(row.at - Number(readFileSync(sent, "utf8")));
    arriving.push(row.longest);
    await person.hears(new RegExp(`Read ${run}\\.`));
    const head = await app.find(css("[data-tool=read_log] .line > .head"));
    opened.push(await app.executeAsync(untilShown, head, "[data-tool=read_log] pre, [data-tool=read_log] .text"));
    scrolled.push(await app.executeAsync(scrolling));
  }
  print(`a result of ${RESULT / 1e6} MB: from the end of the server's answer to its line, ms`, folded);
  print("… the longest frame meanwhile, ms", arriving);
  print("… unfolded, ms", opened);
  print("… the longest frame while it is scrolled, ms", scrolled);
});

/**
 * Runs `steps` with so many servers, each with the tool with the large result and `more` others. They get the path of the
 * file that says when the result was sent.
 */
function atServers(name, count, more, steps) {
  return atDesk(name, async (desk) => {
    const sent = join(desk.desktop.folder, "sent");
    const args = [SERVER, sent, more, RESULT].map(String);
    const names = Array.from({ length: count }, (_, at) => (at === 0 ? "large" : `large${at}`));
    await desk.person.pasteServers({
      mcpServers: Object.fromEntries(names.map((name) => [name, { command: "node", args }])),
    });
    for (const server of names) await desk.person.startServer(server);
    await desk.app.execute(watchFrames);
    await steps(desk, sent);
  });
}

/** Writes into a field key by key; for each, how many milliseconds it takes until the second frame after it. */
async function keyTimes(app, field, text) {
  const times = [];
  for (const key of text) {
    await app.execute(watchKey);
    const filter = await app.find(css(field));
    await app.execute((it) => it.focus(), filter);
    await app.press(key);
    times.push(await waitFor("two frames", () => app.execute(() => globalThis.took), PATIENTLY));
  }
  return times;
}

/** In the page: remembers how long the next key takes until the second frame after it. */
function watchKey() {
  delete globalThis.took;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const watch = async () => {
    const began = performance.now();
    await frame();
    await frame();
    globalThis.took = Math.max(1, Math.round(performance.now() - began));
  };
  addEventListener("keydown", () => void watch(), { capture: true, once: true });
}

/** In the page: clicks an element and says after how many milliseconds the frame with what it shows was drawn. */
async function untilShown(element, selector) {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const began = performance.now();
  element.click();
  while (document.querySelector(selector) === null) await frame();
  await frame();
  return Math.round(performance.now() - began);
}

/** In the page: keeps the longest time between two frames in `longestFrame`. */
function watchFrames() {
  globalThis.longestFrame = 0;
  let last = performance.now();
  const step = (now) => {
    globalThis.longestFrame = Math.max(globalThis.longestFrame, Math.round(now - last));
    last = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/**
 * In the page: remembers when an element is there, how long that took, and the longest frame until then; from now on, or
 * from the next event of a kind.
 */
function watchElement(selector, kind) {
  delete globalThis.appeared;
  const watch = () => {
    const began = performance.now();
    globalThis.longestFrame = 0;
    const remember = () => {
      const took = Math.round(performance.now() - began);
      globalThis.appeared = { at: Date.now(), took, longest: globalThis.longestFrame };
    };
    const step = () => requestAnimationFrame(document.querySelector(selector) === null ? step : remember);
    requestAnimationFrame(step);
  };
  if (kind === undefined) watch();
  else addEventListener(kind, watch, { capture: true, once: true });
}

/** In the page: scrolls the chat from its end to its begin and says how long the longest frame was. */
async function scrolling() {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const flow = document.querySelector(".flow");
  flow.scrollTop = flow.scrollHeight;
  await frame();
  globalThis.longestFrame = 0;
  for (let step = 0; step < 60; step += 1) {
    flow.scrollTop -= 200;
    await frame();
  }
  return globalThis.longestFrame;
}

function print(what, values) {
  const sorted = values.toSorted((a, b) => a - b);
  console.log(`| ${what} | ${sorted[sorted.length >> 1]} (${sorted[0]} to ${sorted.at(-1)}) |`);
}
