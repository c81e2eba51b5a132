// How long the windows of the real application stand still while a server misbehaves, as a Markdown table: the longest
// time between two frames, in each window. One question waits all the while, so that the window of the questions is to
// be seen from the first moment on. The page is looked at as little as possible while it is measured, because
// looking is work too.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atDesk } from "../tests/desktop/everything.mjs";
import { ROOT } from "../tests/desktop/desktop.mjs";
import { asksFor, says } from "../tests/desktop/model-endpoint.mjs";
import { waitFor } from "../tests/desktop/wait.mjs";

const SERVER = { command: "node", args: [join(ROOT, "tests/desktop/asking-server.mjs")] };
/** What a person does not feel, in milliseconds. */
const LIMIT = 100;
/** How long the windows are watched after the last step, in milliseconds. */
const AFTERWARDS = 1_000;
const PATIENTLY = { within: 60_000 };

/** What is sent, and what the person does then; a story without steps is one in which no card may come. */
/** @type {{ name: string, count?: number, what?: string, size?: number, steps?: Record<string, (desk) => Promise<void>> }[]} */
const STORIES = [
  { name: "nothing happens", count: 0 },
  {
    name: "a form with 200 fields, the most there may be",
    what: "fields",
    size: 200,
    steps: { "all fields opened": openAll, "typed into one": typeInto },
  },
  { name: "a form with 10,000 fields", what: "fields", size: 10_000 },
  {
    name: "a form with 64 kB of words, the most there may be",
    what: "message",
    size: 65_000,
    steps: { "its words opened": openAll },
  },
  { name: "a form with 1 MB of words", what: "message", size: 1_000_000 },
];

const rows = [];
await atDesk("freezes", async (desk) => {
  await desk.person.pasteServers({ mcpServers: { waits: SERVER, asks: SERVER } });
  for (const name of ["waits", "asks"]) await desk.person.startServer(name);
  await leaveOneWaiting(desk);
  for (const story of STORIES) {
    const found = await measure(desk, story);
    rows.push(...found);
  }
});
console.log(`The longest time between two frames, ms. A frame takes 16 or 17; ${LIMIT} is the limit.\n`);
console.log("| what | consent window | main window |\n|---|---|---|");
for (const [what, consent, main] of rows) console.log(`| ${what} | ${consent} | ${main} |`);

async function leaveOneWaiting(desk) {
  await ask(desk, "waits", { count: 1 });
  await desk.keys.atCard("fill_form");
}

/** Has the model call the tool of a server, and allows it. */
async function ask(desk, server, args) {
  desk.model.queue(asksFor({ tool: new RegExp(`${server}__ask$`), arguments: args }));
  await desk.person.sayInNewChat(`Ask through ${server}`);
  await toConsent(desk);
  await waitFor(`the card of ${server}`, () => desk.app.execute(toFront, server, "call_tool"), PATIENTLY);
  await desk.keys.accept("call_tool");
}

/** In the page: brings the newest card of a server to the front; whether it is of this kind now. */
function toFront(server, kind) {
  const tabs = /** @type {NodeListOf<HTMLButtonElement>} */ (
    document.querySelectorAll(`nav.inbox button[title=${server}]`)
  );
  [...tabs].at(-1)?.click();
  return document.querySelector("[data-testid=card]")?.getAttribute("data-kind") === kind;
}

async function measure(desk, { name, count = 1, what = "form", size = 0, steps = undefined }) {
  const go = join(desk.desktop.folder, name);
  await ask(desk, "asks", { count, what, size, after: go });
  desk.model.queue(says(`That was ${name}.`));
  const found = [[name, await longest(desk, () => begin(desk, go, steps !== undefined, name))]];
  for (const [step, act] of Object.entries(steps ?? {}))
    found.push([`… ${step}`, await longest(desk, () => act(desk))]);
  if (steps) await dismiss(desk, name);
  return found.map(([what, { consent, main }]) => [what, consent, main]);
}

/** Lets the server go on, until its card is in front and can be answered, or its call is over. */
async function begin(desk, go, comes, name) {
  writeFileSync(go, "");
  if (!comes) return over(desk, name);
  await toConsent(desk);
  await desk.app.executeAsync(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const tabs = () => [
      .../** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("nav.inbox button")),
    ];
    while (tabs().length < 2) await frame();
    tabs()
      .find((tab) => tab.title === "asks")
      .click();
    while (document.querySelector("[data-testid=guard]")?.getAttribute("data-phase") !== "passed") await frame();
  });
}

async function over(desk, name) {
  await desk.person.atMain();
  await waitFor(
    name,
    () => desk.app.execute((words) => document.body.textContent.includes(words), `That was ${name}.`),
    PATIENTLY,
  );
}

async function dismiss(desk, name) {
  await toConsent(desk);
  for (;;) {
    await desk.keys.cancel(
      await desk.app.execute(() => document.querySelector("[data-testid=card]").getAttribute("data-kind")),
    );
    const left = await desk.app.execute(() => document.querySelectorAll("nav.inbox button[title=asks]").length);
    if (left === 0) break;
  }
  await over(desk, name);
}

async function openAll(desk) {
  await desk.app.executeAsync(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const closed = "[data-testid=card] [data-rest], [data-testid=card] .more";
    for (let next; (next = /** @type {HTMLElement} */ (document.querySelector(closed))); await frame()) next.click();
  });
}

async function typeInto(desk) {
  await desk.app.execute(() =>
    /** @type {HTMLElement} */ (document.querySelector("[data-testid=card] :is(textarea, input:not([type]))")).focus(),
  );
  await desk.app.write("Ada Lovelace");
}

function toConsent(desk) {
  return desk.app.toWindow("with the questions", ({ url }) => url.includes("consent"), PATIENTLY);
}

/** The longest time between two frames while something is done, in each window. */
async function longest(desk, act) {
  for (const to of [() => desk.person.atMain(), () => toConsent(desk)]) {
    await to();
    await desk.app.execute(watch);
  }
  await act();
  await new Promise((resume) => setTimeout(resume, AFTERWARDS));
  const found = async () => (await desk.app.execute(() => window.longestFrame)).toFixed(0);
  await toConsent(desk);
  const consent = await found();
  await desk.person.atMain();
  return { consent, main: await found() };
}

/** In the page: from now on notes the longest time between two frames. */
function watch() {
  window.longestFrame = 0;
  window.lastFrame = performance.now();
  if (window.watchingFrames) return;
  window.watchingFrames = true;
  const frame = () => {
    const now = performance.now();
    window.longestFrame = Math.max(window.longestFrame, now - window.lastFrame);
    window.lastFrame = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
