// What a long chat and fast answers cost in the real application with its own window, as Markdown tables: WebKitGTK on a
// display of its own, the store on the disk, a model's endpoint on this computer.
//   node scripts/bench-window.mjs [chat|stream|ledger|hour]...
// VESTIBULE_BINARY is the application, ENTRIES (10000) the length of the chat, TIMES (5) how often it is opened, STREAM_S
// (60) how many seconds each answer takes, SHAPES which answers, RECORDS (1000000) the length of the ledger, ANSWERS (60)
// how many answers the hour has, which runs only when it is named.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, startDesktop } from "../tests/desktop/desktop.mjs";
import { css, role } from "../tests/desktop/locate.mjs";
import { Person } from "../tests/desktop/person.mjs";
import { waitFor } from "../tests/desktop/wait.mjs";
import { Key } from "../tests/desktop/webdriver.mjs";
import { words } from "../tests/desktop/words.mjs";
import { FastModel, LAST_WORD, MODEL } from "./fast-model.mjs";
import { chatFile, TITLE } from "./long-chat-file.mjs";
import { family, proportionalKilobytes, readOf } from "./process-tree.mjs";

const ENTRIES = Number(process.env.ENTRIES ?? 10_000);
const TIMES = Number(process.env.TIMES ?? 5);
const STREAM_S = Number(process.env.STREAM_S ?? 60);
const SHAPES = process.env.SHAPES?.split(",") ?? ["prose", "code", "list", "table", "mixed"];
const TOKENS_A_SECOND = 2_000;
const PICTURES = 40;
const RECORDS = Number(process.env.RECORDS ?? 1_000_000);
const SCROLL_S = 20;
const LONG_LEDGER = join(ROOT, "target/release/examples/long_ledger");
const ANSWERS = Number(process.env.ANSWERS ?? 60);
/** How many seconds memory is looked at: the window has garbage collected five and ten seconds after it rests. */
const REST_S = 20;
const MILLISECONDS = { s: 1_000, ms: 1, µs: 0.001 };
const PATIENTLY = { within: 120_000 };
const STREAMED = { within: STREAM_S * 4_000 + 60_000, pause: 500 };

const wanted = process.argv.slice(2);
const benches = Object.entries({ chat: longChat, stream: streams, ledger: longLedger, hour });
for (const [name, bench] of benches) {
  if (wanted.length === 0 ? bench !== hour : wanted.includes(name)) await bench();
}

/** Scrolls through a ledger that is written while the application is closed, and filters it. */
async function longLedger() {
  await atWindow("bench-ledger", async ({ desktop }) => {
    await desktop.quit();
    const written = spawnSync(LONG_LEDGER, [join(desktop.home, "vestibule.db"), String(RECORDS)], { encoding: "utf8" });
    if (written.status !== 0) throw new Error(String(written.error ?? written.stderr));
    const app = await desktop.open();
    await new Person(app).atMain();
    const button = await app.find(role("button", words("ledger")));
    const opened = await app.executeAsync(untilFirstRecord, button);
    const { gaps, from, to } = await app.executeAsync(scrollDown, SCROLL_S);
    const sorted = gaps.toSorted((a, b) => a - b);
    console.log(`\n| a ledger of ${RECORDS} records, one run | |\n|---|---|`);
    console.log(`| from the click to the frame with the newest, ms | ${opened} |`);
    console.log(`| records passed in ${SCROLL_S} s of scrolling | ${from - to} |`);
    console.log(`| p99 frame, ms | ${sorted[Math.floor(sorted.length * 0.99)]} |`);
    console.log(`| longest frame, ms | ${sorted.at(-1)} |`);
  });
}

/** In the page: milliseconds from the click to the second frame that shows a record. */
async function untilFirstRecord(button) {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const began = performance.now();
  button.click();
  while (document.querySelector("[data-seq]") === null) await frame();
  await frame();
  return Math.round(performance.now() - began);
}

/** In the page: scrolls down in each frame, as fast as a wheel that is turned quickly; the time between the frames. */
async function scrollDown(seconds) {
  let pane = document.querySelector("[data-seq]");
  while (pane.scrollHeight <= pane.clientHeight + 1 || !/auto|scroll/.test(getComputedStyle(pane).overflowY)) {
    pane = pane.parentElement;
  }
  const numbers = () => [...document.querySelectorAll("[data-seq]")].map((row) => Number(row.getAttribute("data-seq")));
  const [from] = numbers();
  const gaps = [];
  let last = performance.now();
  const end = last + seconds * 1_000;
  while (last < end) {
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    gaps.push(Math.round(now - last));
    last = now;
    pane.scrollTop += 250;
  }
  return { gaps, from, to: numbers().at(-1) };
}

/** Opens, leaves and searches a chat that was imported from a file. */
async function longChat() {
  await atWindow("bench-chat", async ({ desktop, app, person, model }) => {
    await person.sayInNewChat("A short chat");
    const short = await waitFor("the short chat", () =>
      app.execute(() => document.querySelector("[data-chat]")?.getAttribute("data-chat")),
    );
    const long = await importedChat(desktop, app, person);
    const runs = [];
    await app.clickElement(await app.find(css(`[data-chat="${short}"]`)));
    for (let run = 0; run < TIMES; run += 1) runs.push(await visit(desktop, app, { long, short, run }));
    console.log(`| ${ENTRIES} entries, ${PICTURES} pictures: | median (least to most) of ${TIMES} |\n|---|---|`);
    for (const key of Object.keys(runs[0])) console.log(`| ${key} | ${spread(runs.map((run) => run[key]))} |`);
    await app.clickElement(await app.find(css(`[data-chat="${long}"]`)));
    await rounds(desktop, app, model);
  });
}

/**
 * Sends messages in the chat that is open: how long each takes to the end of the request, how much of that is not the
 * library's, and what the host keeps.
 */
async function rounds(desktop, app, model) {
  const before = await hostAtRest(desktop);
  const told = preparedRounds(desktop).length;
  const took = [];
  for (let round = 0; round < TIMES; round += 1) {
    await app.fill(css("[data-testid=composer]"), `Round ${round}`);
    await app.execute(() => {
      addEventListener("keydown", () => (globalThis.pressedAt = Date.now()), { capture: true, once: true });
    });
    const last = model.request.at;
    await app.press(Key.enter);
    await waitFor("the request", () => model.request.at > last, PATIENTLY);
    took.push(model.request.at - (await app.execute(() => globalThis.pressedAt)));
    await app.find(css("[data-testid=send]"), PATIENTLY);
  }
  const own = preparedRounds(desktop).slice(told);
  console.log(`| from the key to the end of the request of ${model.request.bytes} bytes, ms | ${spread(took)} |`);
  console.log(`| of that, to prepare the request for the library, ms | ${spread(own)} |`);
  console.log(
    `| the host at rest, more MB after ${TIMES} rounds | ${Math.max(0, (await hostAtRest(desktop)) - before)} |`,
  );
}

/** The least memory of the host within some seconds, after which its allocator has given back what is free. */
async function hostAtRest(desktop) {
  let least = Infinity;
  for (let look = 0; look < REST_S; look += 1) {
    await new Promise((next) => setTimeout(next, 1_000));
    least = Math.min(least, megabytes(desktop.applicationIds()));
  }
  return least;
}

/** How long each round so far was prepared and put into the library's words, in milliseconds, by the host's log. */
function preparedRounds(desktop) {
  const log = readFileSync(join(desktop.reports, "application.log"), "utf8").replaceAll(/\u001b\[[\d;]*m/g, "");
  const times = (pattern) => [...log.matchAll(pattern)].map(([, size, unit]) => Number(size) * MILLISECONDS[unit]);
  const converted = times(/made the body of a request converted=([\d.]+)(ms|µs|s)/g);
  return times(/prepared a round elapsed=([\d.]+)(ms|µs|s)/g).map((took, at) => Math.round(took + converted[at]));
}

/** Imports the long chat as a user does; gives its id. */
async function importedChat(desktop, app, person) {
  const file = join(desktop.folder, "chats.json");
  writeFileSync(file, JSON.stringify(chatFile(ENTRIES, PICTURES)));
  await person.atMain();
  await app.click(role("button", words("settings")));
  await app.click(css("[data-testid=settings-data]"));
  await app.click(css("[data-testid=chats-import-choose]"));
  await desktop.writeInto(words("choose_chat_file_title"), file, "Return");
  await app.click(css("[data-testid=chats-import]"), PATIENTLY);
  return waitFor(
    "the imported chat",
    () =>
      app.execute((title) => {
        const rows = [...document.querySelectorAll("[data-chat]")];
        return rows.find((row) => row.textContent.includes(title))?.getAttribute("data-chat");
      }, TITLE),
    PATIENTLY,
  );
}

/** Opens the long chat, leaves it, opens an entry of it by the search, and leaves it again. */
async function visit(desktop, app, { long, short, run }) {
  const memory = () => megabytes(webProcesses(desktop));
  const before = memory();
  const open = await app.executeAsync(shown, long, `Answer ${ENTRIES - 1}.`);
  const nodes = await app.executeAsync(atRest);
  const after = memory();
  const away = await app.executeAsync(shown, short, "A short chat");
  const jump = await jumped(app, Math.floor((ENTRIES / (TIMES + 1)) * (run + 1)));
  await app.clickElement(await app.find(css(`[data-chat="${short}"]`)));
  await app.executeAsync(atRest);
  return {
    "open, ms": open,
    "nodes at rest": nodes,
    "web processes, more MB": Math.max(0, after - before),
    "away, ms": away,
    "jump to a message, ms": jump,
  };
}

/** Finds a message and goes to it: milliseconds from the key to the second frame in which it is in sight. */
async function jumped(app, number) {
  const message = number - (number % 3);
  await app.press(Key.control, Key.shift, "f");
  await app.fill(css("[data-testid=find-sheet-search]"), `message ${message}`);
  await app.find(css("[data-testid=find-hit]"));
  await app.execute((text) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const seen = () => {
      const it = document.querySelector("[data-entry].found");
      const box = it?.getBoundingClientRect();
      return box !== undefined && it.textContent.includes(text) && box.bottom > 0 && box.top < innerHeight;
    };
    const watch = async (event) => {
      if (event.key !== "Enter") return;
      const pressed = performance.now();
      while (!seen()) await frame();
      await frame();
      globalThis.jumpTook = Math.round(performance.now() - pressed);
    };
    delete globalThis.jumpTook;
    addEventListener("keydown", (event) => void watch(event), {
      capture: true,
      once: true,
    });
  }, `Message ${message}`);
  await app.press(Key.enter);
  return waitFor("the message that was found", () => app.execute(() => globalThis.jumpTook));
}

/** In the page: clicks a chat and says after how many milliseconds the frame with the text was drawn. */
async function shown(chat, text) {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const began = performance.now();
  /** @type {HTMLElement} */ (document.querySelector(`[data-chat="${chat}"]`)).click();
  const isThere = () => [...document.querySelectorAll("[data-entry]")].some((it) => it.textContent.includes(text));
  while (!isThere()) await frame();
  await frame();
  return Math.round(performance.now() - began);
}

/** In the page: waits until twenty frames have drawn nothing more and gives the number of nodes. */
async function atRest() {
  const count = () => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let found = 0;
    while (walker.nextNode()) found += 1;
    return found;
  };
  let nodes = 0;
  for (let still = 0; still < 20;) {
    const now = count();
    still = now === nodes ? still + 1 : 0;
    nodes = now;
    await new Promise((done) => requestAnimationFrame(done));
  }
  return nodes;
}

/** Streams answers and watches the frames of the window. */
async function streams() {
  console.log(
    `\n| ${STREAM_S} s at ${TOKENS_A_SECOND} tokens/s | p99 frame, ms | longest, ms | frames/s | messages/s | last word after, ms |\n|---|---|---|---|---|---|`,
  );
  await atWindow("bench-stream", async ({ app, person, model }) => {
    for (const shape of SHAPES) {
      await person.atMain();
      await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
      await app.fill(css("[data-testid=composer]"), `A ${shape}`);
      model.shape = shape;
      await app.execute(watchFrames, LAST_WORD);
      await app.press(Key.enter);
      const seen = await waitFor("the last word", () => app.execute(() => globalThis.watched), STREAMED);
      const gaps = seen.gaps.toSorted((a, b) => a - b);
      const p99 = gaps[Math.floor(gaps.length * 0.99)];
      const seconds = gaps.reduce((sum, gap) => sum + gap, 0) / 1_000;
      const [frames, messages] = [gaps.length, seen.messages].map((count) => Math.round(count / seconds));
      console.log(`| ${[shape, p99, gaps.at(-1), frames, messages, seen.at - model.lastAt].join(" | ")} |`);
    }
  });
}

/** Streams one answer after the other, each in a chat of its own, and says how much memory is taken between them. */
async function hour() {
  await atWindow("bench-hour", async ({ desktop, app, person, model }) => {
    const newChat = async () => {
      await person.atMain();
      await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
    };
    // What the first answer of a run loads is there before anything is measured.
    await newChat();
    await app.fill(css("[data-testid=composer]"), "Hello");
    await app.press(Key.enter);
    await app.find(css("[data-testid=entry-assistant]"), PATIENTLY);
    const before = await memoryAtRest(desktop, app, newChat);
    const names = Object.keys(before);
    const columns = [...names, "most that draws meanwhile"];
    console.log(`\n| MB in a new chat, at rest | ${columns.join(" | ")} |\n|---|${columns.map(() => "---|").join("")}`);
    const say = (when, memory, most = "") =>
      console.log(`| ${when} | ${[...names.map((name) => memory[name]), most].join(" | ")} |`);
    say("before", before);
    for (let answer = 0; answer < ANSWERS; answer += 1) {
      model.shape = SHAPES[answer % SHAPES.length];
      await app.fill(css("[data-testid=composer]"), `A ${model.shape}`);
      const last = model.lastAt;
      await app.press(Key.enter);
      let most = 0;
      const isOver = () => {
        most = Math.max(most, megabytes(webProcesses(desktop)));
        return model.lastAt > last;
      };
      await waitFor("the end of the answer", isOver, STREAMED);
      await app.find(css("[data-testid=send]"), PATIENTLY);
      say(`after answer ${answer + 1}, ${model.shape}`, await memoryAtRest(desktop, app, newChat), String(most));
    }
    // Time for what WebKit collects late.
    await new Promise((next) => setTimeout(next, 60_000));
    say("a minute later", await memoryAtRest(desktop, app, newChat));
  });
}

/**
 * The least memory of each kind of process within some seconds in a chat without entries, and of all together; and the
 * longest time in which the page did nothing else.
 */
async function memoryAtRest(desktop, app, newChat) {
  await newChat();
  await app.execute(watchPauses);
  const least = { all: Infinity };
  for (let look = 0; look < REST_S; look += 1) {
    await new Promise((next) => setTimeout(next, 1_000));
    const now = { all: 0 };
    for (const pid of family(desktop.applicationIds()[0])) {
      const [name, size] = [readOf(pid, "comm").trim(), megabytes([pid])];
      now[name] = (now[name] ?? 0) + size;
      now.all += size;
    }
    for (const name of Object.keys(now)) least[name] = Math.min(least[name] ?? Infinity, now[name]);
  }
  return { ...least, "pause, ms": await app.execute(() => globalThis.longestPause()) };
}

/** In the page: measures the longest time without a turn of a timer, which asks for no frames, until it is asked for. */
function watchPauses() {
  let [last, longest] = [performance.now(), 0];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 10);
  globalThis.longestPause = () => {
    clearInterval(timer);
    return Math.round(longest);
  };
}

/**
 * In the page: from the first word on, remembers the time between frames until the last word is drawn, and counts the
 * messages and replies that come from Rust meanwhile.
 */
function watchFrames(lastWord) {
  delete globalThis.watched;
  const { callbacks } = globalThis.__TAURI_INTERNALS__;
  let messages = 0;
  callbacks.get = (id) => {
    messages += 1;
    return Map.prototype.get.call(callbacks, id);
  };
  const answers = () => document.querySelectorAll("[data-testid=entry-assistant] [data-part=message]");
  // Looking through the page in each frame would be a part of what is measured.
  let answer;
  const hasWords = (node) => (node.nodeValue.trim() === "" ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const lastText = (it) => document.createTreeWalker(it, NodeFilter.SHOW_TEXT, hasWords).lastChild()?.nodeValue ?? "";
  const gaps = [];
  let last = 0;
  const step = () => {
    const now = performance.now();
    if (!answer?.isConnected) answer = [...answers()].at(-1);
    if (answer) {
      if (last > 0) gaps.push(Math.round(now - last));
      else messages = 0;
      last = now;
      if (lastText(answer).includes(lastWord)) {
        delete callbacks.get;
        globalThis.watched = { gaps, messages, at: Date.now() };
        return;
      }
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Runs `steps` with the application open and the fast model set up. */
async function atWindow(name, steps) {
  const model = await FastModel.start(TOKENS_A_SECOND, STREAM_S);
  const env = { VESTIBULE_LOG: "warn,vestibule_host::turn=debug,vestibule_models::remote=debug" };
  const desktop = await startDesktop(name, { env });
  try {
    await desktop.story(async () => {
      const app = await desktop.open();
      const person = new Person(app);
      await person.atMain();
      await person.addModel({
        url: model.url,
        model: MODEL,
        label: "Fast",
        key: "a-key",
      });
      await steps({ desktop, app, person, model });
    });
  } finally {
    await desktop.stop();
    await model.stop();
  }
}

/** The processes that draw the windows. */
function webProcesses(desktop) {
  const [application] = desktop.applicationIds();
  return family(application).filter((pid) => readOf(pid, "comm").startsWith("WebKitWeb"));
}

function megabytes(pids) {
  return Math.round(pids.reduce((sum, pid) => sum + proportionalKilobytes(pid), 0) / 1_000);
}

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return `${sorted[sorted.length >> 1]} (${sorted[0]} to ${sorted.at(-1)})`;
}
