// Child processes that never outlive the test: each is started with its output kept in a file, ended by its own id,
// and ended at once if the test process goes away first.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { waitFor } from "./wait.mjs";

/** How long a process may take to end by itself after being asked, in milliseconds. */
const PATIENCE = 4_000;

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/**
 * A process, and the error where it could not be started.
 * @typedef {import("node:child_process").ChildProcess & { failure?: Error }} Child
 */

/**
 * Starts a program with its standard output and error going to the file `log`. `extra` may name further pipes.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env: NodeJS.ProcessEnv, log: string, input?: string, extra?: "pipe"[] }} options
 * @returns {Child}
 */
export function start(program, args, { env, log, input, extra = [] }) {
  const output = openSync(log, "a");
  /** @type {Child} */
  const child = spawn(program, args, {
    env,
    stdio: [input === undefined ? "ignore" : "pipe", output, output, ...extra],
  });
  closeSync(output);
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", (error) => (child.failure = error));
  if (input !== undefined) child.stdin.end(input);
  return child;
}

/** Asks a process to end, insists after a while, and waits until it has. */
export async function stop(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null || child.failure) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const insist = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  await ended;
  clearTimeout(insist);
}

/** The TCP port that a server listens on. */
export const portOf = (/** @type {import("node:net").Server} */ server) =>
  /** @type {import("node:net").AddressInfo} */ (server.address()).port;

/** A TCP port nobody listens on at this moment. */
export async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const port = portOf(probe);
  probe.close();
  await once(probe, "close");
  return port;
}

/** Waits until something answers HTTP at `url`, or fails with what the process that should answer has printed. */
export function answering(url, child, log) {
  return waitFor(url, async () => {
    if (child.exitCode !== null || child.failure) {
      const printed = readFileSync(log, "utf8");
      throw Object.assign(new Error(`${child.spawnargs[0]} ended (${child.failure ?? child.exitCode}): ${printed}`), {
        fatal: true,
      });
    }
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).status > 0;
  });
}

/** Ids of the processes that `wanted({ pid, exe, commandLine, environment })` accepts. */
export function processes(wanted) {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const read = (file) => readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", "\n");
        return wanted({
          pid,
          exe: readlinkSync(`/proc/${pid}/exe`),
          commandLine: read("cmdline"),
          environment: read("environ"),
        });
      } catch {
        return false; // it ended while we looked, or it is not ours to read
      }
    });
}
