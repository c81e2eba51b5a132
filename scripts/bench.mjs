// Measures our client beside others: `make bench`, or `node scripts/bench.mjs [part of a row's name]`.
//
// Every client has a driver with the same command line (see tests/bench/README.md). Driver and server share one
// processor, drivers take turns within a round, and the median of the rounds counts. What is printed are ratios to the
// client of the official Rust SDK, and whether each stands within the goal the project has set itself. A row that
// misses its goal is marked and does not fail the run: a figure is read by a person.
//
// BEFORE names the folder with the drivers of another commit: ours then take turns with those alone, and a row is marked where
// each of its rounds was slower. ROUNDS (3) is how many there are.

import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";

const rounds = Number(process.env.ROUNDS ?? 3);
const processor = String(availableParallelism() - 1);
const built = (path) => resolve("target", path);
const server = built("bench/release/bench-server");
const drivers = {
  ours: [built("release/vestibule-session-driver")],
  host: [built("release/vestibule-driver"), "bench", "--layer", "host"],
  rmcp: [built("bench/release/bench-rmcp")],
  pooled: [built("bench/release/bench-rmcp"), "--layer", "pooled"],
  floor: [built("bench/release/bench-floor")],
};

const before = process.env.BEFORE && resolve(process.env.BEFORE);
if (before) {
  drivers.before = [resolve(before, "vestibule-session-driver")];
  drivers["before host"] = [resolve(before, "vestibule-driver"), "bench", "--layer", "host"];
}

/** Smaller is better everywhere: what of the line is looked at, and how many times the other client's it may be. */
const time = "time";
const rows = [];
for (const era of ["legacy", "modern"]) {
  rows.push(
    row(`seq stdio ${era}`, "seq", "stdio", era, ["ours", "rmcp", "floor"], { count: 8000, warmup: 500 }, [
      [time, "rmcp", 0.7],
      [time, "floor", 3.5],
    ]),
    row(`pipe stdio ${era}`, "pipe", "stdio", era, ["ours", "rmcp", "floor"], { count: 16000, warmup: 1000 }, [
      [time, "rmcp", 0.5],
    ]),
  );
  for (const sse of ["", " sse"]) {
    const http = (scenario, count) =>
      row(
        `${scenario} http ${era}${sse}`,
        scenario,
        "http",
        era,
        ["ours", "rmcp", "pooled", "floor"],
        { count, warmup: 300 },
        [
          [time, "rmcp", 0.4],
          [time, "pooled", 0.9],
        ],
        sse ? ["--sse", "yes"] : [],
      );
    rows.push(http("seq", 3000), http("pipe", 3000));
  }
}
for (const transport of ["stdio", "http"]) {
  for (const [megabytes, count] of [
    [1, 60],
    [10, 8],
    [50, 3],
  ]) {
    const others = transport === "http" && megabytes > 10 ? ["floor"] : ["rmcp", "floor"];
    const goals = others.includes("rmcp") ? [[time, "rmcp", 0.4]] : [];
    rows.push(
      row(
        `blob ${megabytes} MB ${transport}`,
        "blob",
        transport,
        "legacy",
        ["ours", ...others],
        { count, warmup: 1, bytes: megabytes * 1e6 },
        [...goals, ["peak of payload", null, 2.5]],
      ),
    );
  }
  rows.push(
    row(`flood ${transport}`, "flood", transport, "legacy", ["ours", "rmcp"], { count: 100000, warmup: 1000 }, [
      [time, "rmcp", 0.4],
      ["lost", null, 0],
    ]),
  );
  for (const era of ["legacy", "modern"]) {
    rows.push(
      row(
        `tools ${transport} ${era}`,
        "tools",
        transport,
        era,
        ["ours", "rmcp"],
        { count: 20, warmup: 2, tools: 5000 },
        [[time, "rmcp", 0.4]],
        ["--tools", "5000"],
      ),
    );
  }
}
rows.push(
  row("sessions 500 http", "sessions", "http", "legacy", ["ours", "rmcp", "pooled"], { count: 500 }, [
    [time, "rmcp", 0.45],
    ["memory a session", "rmcp", 0.6],
  ]),
  row("sessions 50 stdio", "sessions", "stdio", "legacy", ["ours", "rmcp"], { count: 50 }, [
    [time, "rmcp", 1],
    ["memory a session", "rmcp", 1],
  ]),
  row("host: seq stdio", "seq", "stdio", "legacy", ["host", "ours"], { count: 400, warmup: 20 }, [
    ["own µs", null, 300],
  ]),
  row("host: pipe stdio", "pipe", "stdio", "legacy", ["host", "ours"], { count: 640, warmup: 64, inflight: 64 }, [
    ["own µs", null, 300],
  ]),
  row("host: sessions 500 http", "sessions", "http", "legacy", ["host", "ours"], { count: 500, warmup: 20 }, [
    ["memory a session", null, 120],
  ]),
  row("host: sessions 500 stdio", "sessions", "stdio", "legacy", ["host"], { count: 500, warmup: 20 }, [
    ["memory a session", null, 150],
  ]),
);

function row(name, scenario, transport, era, clients, options, goals, serverOptions = []) {
  return { name, scenario, transport, era, clients, options, goals, serverOptions };
}

const pinned = (command) => ["taskset", "-c", processor, ...command];

/** One run of one driver against a server of its own. */
async function run(row, client) {
  const options = Object.entries(row.options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const what = ["--scenario", row.scenario, "--era", row.era, ...options];
  if (row.transport === "stdio") {
    const command = [server, "stdio", ...row.serverOptions].join(" ");
    return measured(client, [...what, "--transport", "stdio", "--server-cmd", command]);
  }
  const [program, ...args] = pinned([server, "http", ...row.serverOptions]);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const line = await new Promise((done, failed) => {
      child.stdout.once("data", (data) => done(String(data)));
      child.once("exit", () => failed(new Error("the server ended")));
    });
    return measured(client, [...what, "--transport", "http", "--url", line.trim().split(" ").pop()]);
  } finally {
    child.kill();
  }
}

function measured(client, args) {
  const [program, ...rest] = pinned([...drivers[client], ...args]);
  const ended = spawnSync(program, rest, { encoding: "utf8", timeout: 180_000, maxBuffer: 1 << 24 });
  const line = ended.stdout.split("\n").findLast((text) => text.startsWith("{"));
  if (ended.status !== 0 || !line) {
    throw new Error(`${client} ${args.join(" ")}: ${ended.error ?? ended.stderr.slice(-500)}`);
  }
  const said = JSON.parse(line);
  return said.unsupported ? null : said;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** What of a run is compared, in the units of the line. */
const figures = {
  [time]: (line) => (line.scenario === "seq" ? line.p50_us : (line.wall_s * 1e6) / line.ops),
  processor: (line) => line.cpu_us_per_op,
  peak: (line) => line.peak_rss_kb,
  "memory a session": (line) => line.rss_per_session_kb,
  // Beyond what the idle client holds.
  "peak of payload": (line) => ((line.peak_rss_kb - line.idle_rss_kb) * 1024) / line.bytes,
  lost: (line) => line.count - line.delivered,
  // Of a call through the whole host, beyond one commit of a bare database.
  "own µs": (line) => figures[time](line) - line.commit_us,
};

const columns = [time, "processor", "peak", "memory a session"];
const shown = (ratio) =>
  ratio === undefined || Number.isNaN(ratio) ? "–" : ratio < 0.1 ? ratio.toFixed(3) : ratio.toFixed(2);
const all = [];
const wanted = rows
  .filter(({ name }) => name.includes(process.argv[2] ?? ""))
  .map((row) => (before ? beside(row) : row));
let missed = 0;

/** A row in which ours takes turns with the driver of before. */
function beside(row) {
  const [subject] = row.clients;
  return { ...row, clients: [subject, subject === "host" ? "before host" : "before"], goals: [] };
}

console.log(`| row | ${before ? "before" : "rmcp's time"} | ${columns.join(" | ")} | goals |`);
console.log(`|---|---|${columns.map(() => "---|").join("")}---|`);
for (const row of wanted) {
  const lines = Object.fromEntries(row.clients.map((client) => [client, []]));
  const broken = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const client of row.clients) {
      try {
        const line = await run(row, client);
        if (line) lines[client].push(line);
      } catch (error) {
        broken.push(error.message);
      }
    }
  }
  const value = (client, figure) => median((lines[client] ?? []).map(figures[figure]));
  const subject = row.clients[0];
  const base = row.clients.includes("rmcp") ? "rmcp" : row.clients[1];
  const cells = columns.map((figure) => {
    const reference = value(base, figure);
    const ratios = (lines[subject] ?? []).map((line) => figures[figure](line) / reference);
    const middle = shown(median(ratios));
    return middle === "–" ? middle : `${middle} (${shown(Math.min(...ratios))} to ${shown(Math.max(...ratios))})`;
  });
  const judged = row.goals.map(([figure, client, goal]) => {
    const reached = client ? value(subject, figure) / value(client, figure) : value(subject, figure);
    // Not a number is no success.
    const met = reached <= goal;
    if (!met) missed += 1;
    return `${met ? "✓" : "✗"} ${figure}${client ? ` of ${client}` : ""} ${shown(reached)} ≤ ${goal}`;
  });
  if (before) {
    const reference = value(base, time);
    const least = Math.min(...lines[subject].map((line) => figures[time](line) / reference));
    // Not a number is no success.
    const met = least <= 1;
    if (!met) missed += 1;
    judged.push(`${met ? "✓" : "✗"} a round as fast`);
  }
  console.log(
    `| ${row.name} | ${value(base, time)?.toFixed(1) ?? "–"} µs | ${cells.join(" | ")} | ${judged.join("; ")} |`,
  );
  for (const message of broken) console.log(`|  | ${message.replaceAll("|", "/").replaceAll("\n", " ")} |`);
  all.push({ ...row, lines, broken });
}
writeFileSync(built("bench/last.json"), JSON.stringify(all));
console.log(
  `\n${rounds} rounds, driver and server on processor ${processor}; ${missed} goals missed; every line: target/bench/last.json`,
);
