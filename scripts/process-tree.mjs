// Processes of this computer as Linux tells of them in /proc: which belong together, their memory and processor time.
import { readFileSync, readdirSync } from "node:fs";

/** What a file of a process in /proc says. */
export const readOf = (pid, file) => readFileSync(`/proc/${pid}/${file}`, "utf8");

/** The fields of /proc/<pid>/stat after the program's name, which may itself contain spaces. */
const fields = (pid) =>
  readOf(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");

/** Processor time of a process, in clock ticks. */
export const ticks = (pid) => Number(fields(pid)[11]) + Number(fields(pid)[12]);

/**
 * Memory with shared pages divided among those who share them, in kilobytes. The guard's processes do not let their user
 * read this; of them all resident memory is counted, which is a little more.
 */
export function proportionalKilobytes(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readOf(pid, "smaps_rollup"))[1]);
  } catch {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readOf(pid, "status"))[1]);
  }
}

/** A process and everything it started, as far as it still runs. */
export function family(root) {
  const parents = new Map();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [state, parent] = fields(entry);
      if (state !== "Z") parents.set(Number(entry), Number(parent));
    } catch {
      // it ended while we looked
    }
  }
  const belongs = (pid) => pid === root || (parents.has(pid) && belongs(parents.get(pid)));
  return [...parents.keys()].filter(belongs);
}
