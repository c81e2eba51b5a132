// Holds the requirements in tests/requirements.tsv against the tests that name them. A test names what it shows in the
// comment right above it; a requirement without a test needs a reason in the table. With `--table` the whole table is
// printed with its tests, otherwise the coverage of each part and what is missing.
//
// It ends with 1 when a requirement has neither test nor reason, when a test names an id that the table does not have,
// when a test that names one is ignored or empty, and when a part has fewer rows than its heading says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listed, root } from "./files.mjs";

const ID = /\b[A-Z]{2,5}-\d{3}\b/g;
const COMMENT = /^\s*(\/\/\/?|\*|\/\*\*?)/;
const RUST_TEST = /^\s*#\[(tokio::)?test\b/;
const RUST_NAME = /^\s*(?:pub )?(?:async )?fn (\w+)/;
const SCRIPT_TEST = /^\s*(?:await )?(?:test|it)(?:\.each\b.*)?\(\s*(?:["'`](.*?)["'`])?/;

/** The parts of the table, each with its rows. */
function readTable() {
  const parts = [];
  for (const line of readFileSync(join(root, "tests/requirements.tsv"), "utf8").split("\n")) {
    const heading = /^## (.*) \((\d+)\)$/.exec(line);
    if (heading !== null) parts.push({ name: heading[1], count: Number(heading[2]), rows: [] });
    else if (line !== "" && !line.startsWith("#")) {
      const [id, level, title, reason] = line.split("\t");
      if (title === undefined) throw new Error(`tests/requirements.tsv: not a row: ${line}`);
      parts.at(-1).rows.push({ id, level, title, reason });
    }
  }
  return parts;
}

/** Where each requirement is shown: its id, and the tests whose comments name it. */
function readTests() {
  const shown = new Map();
  const useless = [];
  for (const file of listed("*.rs", "*.mjs", "*.ts")) {
    for (const { name, ids, counts } of testsIn(readFileSync(join(root, file), "utf8"), file.endsWith(".rs"))) {
      if (!counts) useless.push(`${file}: ${name}`);
      else for (const id of ids) shown.set(id, [...(shown.get(id) ?? []), `${file}: ${name}`]);
    }
  }
  return { shown, useless };
}

/** The tests of one file that name requirements. */
function* testsIn(text, rust) {
  let ids = new Set();
  let isTest = false;
  let ignored = false;
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (COMMENT.test(line)) {
      for (const id of line.match(ID) ?? []) ids.add(id);
      continue;
    }
    if (rust && /^\s*#\[/.test(line)) {
      isTest ||= RUST_TEST.test(line);
      ignored ||= /#\[ignore/.test(line);
      continue;
    }
    const name = rust ? (isTest ? RUST_NAME.exec(line)?.[1] : undefined) : scriptTest(lines, at);
    const counts = !ignored && !/\.(skip|todo)\(/.test(line) && !/\{\s*\}\)?;?\s*$/.test(line);
    if (name !== undefined && ids.size > 0) yield { name, ids, counts };
    ids = new Set();
    isTest = false;
    ignored = false;
  }
}

/** The title of the test that begins on this line, which may stand on the next one. */
function scriptTest(lines, at) {
  const found = SCRIPT_TEST.exec(lines[at]);
  if (found === null) return undefined;
  return found[1] ?? /["'`](.*?)["'`]/.exec(lines[at + 1] ?? "")?.[1];
}

const parts = readTable();
const { shown, useless } = readTests();
const rows = parts.flatMap((part) => part.rows);
const missing = rows.filter(({ id, reason }) => reason === undefined && !shown.has(id));
const needless = rows.filter(({ id, reason }) => reason !== undefined && shown.has(id));
const unknown = [...shown].filter(([id]) => !rows.some((row) => row.id === id));
const shrunk = parts.filter(({ count, rows }) => rows.length !== count);
const twice = rows.filter(({ id }, at) => rows.findIndex((row) => row.id === id) !== at);

for (const { name, rows } of parts) {
  const covered = rows.filter(({ id }) => shown.has(id)).length;
  const excused = rows.filter(({ reason }) => reason !== undefined).length;
  console.log(`${name}: ${covered} shown, ${excused} with a reason, of ${rows.length}`);
  if (!process.argv.includes("--table")) continue;
  for (const { id, level, title, reason } of rows) {
    console.log(`  ${id} ${level} ${title}`);
    for (const place of shown.get(id) ?? [reason ?? "NOT SHOWN"]) console.log(`      ${place}`);
  }
}
console.log(`\n${rows.length - missing.length} of ${rows.length} requirements are shown or have a reason.`);
for (const { id, level, title } of missing) console.error(`not shown: ${id} ${level} ${title}`);
for (const { id } of needless) console.error(`has a reason and a test: ${id}`);
for (const { id } of twice) console.error(`stands twice: ${id}`);
for (const [id, tests] of unknown) console.error(`in no table: ${id}, named by ${tests.join(", ")}`);
for (const test of useless) console.error(`ignored or empty: ${test}`);
for (const { name, count, rows } of shrunk) console.error(`${name} has ${rows.length} rows, its heading says ${count}`);
const faults = [missing, needless, twice, unknown, useless, shrunk];
process.exitCode = faults.some((list) => list.length > 0) ? 1 : 0;
