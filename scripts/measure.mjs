// Figures of the release build, as a Markdown table: size, time to the first picture, time of a second start, memory and
// processor use at rest. Each run has a desktop and a data folder of its own, so every start is a first start. It measures what a
// person waits for (pixels on the screen), not what the program believes about itself.
import { cpus } from "node:os";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT, startDesktop } from "../tests/desktop/desktop.mjs";
import { Person } from "../tests/desktop/person.mjs";
import { stop } from "../tests/desktop/processes.mjs";
import { waitFor } from "../tests/desktop/wait.mjs";
import { family, proportionalKilobytes, readOf, ticks } from "./process-tree.mjs";

const RUNS = 5;
/** How long the application is left alone before it is looked at, and then watched, in milliseconds. */
const REST = 5_000;
/** A window that shows more colours than this has been drawn. */
const DRAWN = 16;
/** A second start raises the first window within this time, in milliseconds. */
const RAISED_WITHIN = 300;
/** What is measured in milliseconds is looked at again at once. */
const CLOSELY = { pause: 1 };
/** Clock ticks per second, as `ticks` counts. */
const TICKS = 100;
const APPLICATION = join(ROOT, "target/release/vestibule");
const EVERYTHING = join(ROOT, "target/peers/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");

async function oneRun(number) {
  const desktop = await startDesktop(`measure-${number}`);
  try {
    const began = performance.now();
    const child = desktop.launch(APPLICATION);
    const [window] = await waitFor("a window", () => {
      const shown = desktop.shownWindows("Vestibule");
      return shown.length > 0 && shown;
    });
    const shown = performance.now() - began;
    await waitFor("something in the window", () => desktop.coloursOf(window) > DRAWN);
    const drawn = performance.now() - began;

    await rest();
    const tree = family(child.pid);
    const before = sum(tree, ticks);
    await rest();
    const processor = ((sum(tree, ticks) - before) / TICKS / (REST / 1000)) * 100;
    const figures = {
      shown,
      drawn,
      memory: sum(tree, proportionalKilobytes) / 1024,
      processes: tree.length,
      processor,
    };
    await stop(child);
    return figures;
  } finally {
    await desktop.stop();
  }
}

/**
 * From the start of a second process until the window of the first is active, several times. Before each the window is
 * put aside and no window is active.
 */
async function secondStarts() {
  const desktop = await startDesktop("measure-second");
  try {
    const first = desktop.launch(APPLICATION);
    const [window] = await waitFor("a window", () => {
      const shown = desktop.shownWindows("Vestibule");
      return shown.length > 0 && shown;
    });
    await waitFor("something in the window", () => desktop.coloursOf(window) > DRAWN);
    await rest();
    const found = [];
    for (let number = 1; number <= RUNS; number += 1) {
      await desktop.leave();
      await waitFor("no window to be active", () => desktop.inFront() === "");
      const began = performance.now();
      const second = desktop.launch(APPLICATION);
      await waitFor("the first window to be active", () => desktop.inFront() === "Vestibule", CLOSELY);
      found.push({ raised: performance.now() - began });
      await waitFor("the second start to end", () => second.exitCode === 0);
    }
    await stop(first);
    return found;
  } finally {
    await desktop.stop();
  }
}

/** Memory with five real servers connected beside the tour: of everything, and of what is not a server. */
async function withServers() {
  const desktop = await startDesktop("measure-servers");
  try {
    const person = new Person(await desktop.open({ application: APPLICATION }));
    const names = ["one", "two", "three", "four", "five"];
    const server = { command: "node", args: [EVERYTHING, "stdio"] };
    await person.atMain();
    await person.pasteServers({
      mcpServers: Object.fromEntries(names.map((name) => [name, server])),
    });
    for (const name of names) await person.startServer(name);
    await rest();
    const [application] = desktop.applicationIds();
    const tree = family(application);
    const own = tree.filter((pid) => !readOf(pid, "cmdline").includes(EVERYTHING));
    const memory = (pids) => sum(pids, proportionalKilobytes) / 1024;
    return { all: memory(tree), own: memory(own), processes: tree.length };
  } finally {
    await desktop.stop();
  }
}

const rest = () => new Promise((resume) => setTimeout(resume, REST));
const sum = (list, value) => list.reduce((total, each) => total + value(each), 0);

function spread(runs, key, digits = 0) {
  const values = runs.map((run) => run[key]);
  const [median, least, most] = [middle(runs, key), Math.min(...values), Math.max(...values)];
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}

function middle(runs, key) {
  return runs.map((run) => run[key]).sort((a, b) => a - b)[runs.length >> 1];
}

function folderBytes(folder) {
  return sum(readdirSync(folder, { withFileTypes: true }), (entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? folderBytes(path) : statSync(path).size;
  });
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

const runs = [];
for (let number = 1; number <= RUNS; number += 1) runs.push(await oneRun(number));

const seconds = await secondStarts();
const five = await withServers();

const bundles = join(ROOT, "target/release/bundle/deb");
const packages = existsSync(bundles) ? readdirSync(bundles).filter((name) => name.endsWith(".deb")) : [];
const rows = [
  ["binary", megabytes(statSync(APPLICATION).size)],
  ["user interface inside it, before compression", megabytes(folderBytes(join(ROOT, "ui/dist")))],
  ...packages.map((name) => [name, megabytes(statSync(join(bundles, name)).size)]),
  ["window on the screen, ms", spread(runs, "shown")],
  ["first content in it, ms", spread(runs, "drawn")],
  [`a second start until the first window is active, ms (at most ${RAISED_WITHIN})`, spread(seconds, "raised")],
  [`memory of all processes after ${REST / 1000} s (PSS), MiB`, spread(runs, "memory")],
  ["processes", spread(runs, "processes")],
  ["memory with five server-everything connected (PSS), MiB, servers included", five.all.toFixed(0)],
  ["the same without the five servers themselves, MiB", five.own.toFixed(0)],
  ["processor at rest, % of one core", spread(runs, "processor", 1)],
];
console.log(
  `Median (least to most) of ${RUNS} first starts; ${cpus().length} × ${cpus()[0].model}, Xvfb, ${process.platform}.\n`,
);
console.log("| what | figure |\n|---|---|");
for (const [what, figure] of rows) console.log(`| ${what} | ${figure} |`);
if (middle(seconds, "raised") > RAISED_WITHIN) {
  console.error(`A second start takes longer than ${RAISED_WITHIN} ms to raise the window.`);
  process.exitCode = 1;
}
