// The list of changed wording, docs/wording.md: every message of the user interface that differs from what it was at a
// commit, with its key and its words before and after in both languages.
//
// `node scripts/wording.mjs COMMIT` writes the list, and docs/wording-base.tsv with a digest of each message at that
// commit. `node scripts/wording.mjs` checks without the history of the repository that each changed message is listed
// as it is today; it is part of `make lint`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LANGUAGES = { English: "ui/messages/en.json", 简体中文: "ui/messages/zh-CN.json" };
const LIST = join(ROOT, "docs/wording.md");
const BASE = join(ROOT, "docs/wording-base.tsv");
/** Stands for a message that is not there. */
const NONE = "–";

const before = (commit, file) =>
  JSON.parse(
    execFileSync("git", ["show", `${commit}:${file}`], { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }),
  );
const now = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
const keysOf = (...catalogues) =>
  [...new Set(catalogues.flatMap(Object.keys))].filter((key) => !key.startsWith("$")).toSorted();

function textOf(message) {
  if (message === undefined) return NONE;
  return typeof message === "string" ? message : message.flatMap(({ match }) => Object.values(match)).join(" / ");
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);

function write(commit) {
  const parts = [
    "# Changed wording",
    "",
    "Each message of the user interface that was reworded, by its key in `ui/messages`. The terms and their meanings are in",
    "[terms.tsv](terms.tsv); `scripts/terms.mjs` checks both catalogues against them. `scripts/wording.mjs` checks that",
    "this list is whole.",
  ];
  const olds = Object.values(LANGUAGES).map((file) => before(commit, file));
  for (const [at, [language, file]] of Object.entries(LANGUAGES).entries()) {
    const [old, current] = [olds[at], now(file)];
    parts.push("", `## ${language}`, "", "| key | before | after |", "|---|---|---|");
    for (const key of keysOf(old, current)) {
      const [was, is] = [textOf(old[key]), textOf(current[key])];
      if (was !== is) parts.push(`| ${key} | ${cell(was)} | ${cell(is)} |`);
    }
  }
  writeFileSync(LIST, `${parts.join("\n")}\n`);
  const rows = keysOf(...olds).map((key) => [key, ...olds.map((old) => digest(textOf(old[key])))].join("\t"));
  writeFileSync(BASE, `key\tEnglish\t简体中文\n${rows.join("\n")}\n`);
}

/** The rows of each language: the words after, as a cell, by key. */
function listed() {
  const sections = readFileSync(LIST, "utf8").split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [language, ...lines] = section.split("\n");
      const rows = lines.filter((line) => line.startsWith("| ") && !line.startsWith("| key |"));
      return [
        language,
        new Map(rows.map((row) => row.split(/(?<!\\)\|/)).map(([, key, , is]) => [key.trim(), is.trim()])),
      ];
    }),
  );
}

/** What is wrong with the list, as lines. */
function findings() {
  const [, ...rows] = readFileSync(BASE, "utf8").trimEnd().split("\n");
  const base = new Map(rows.map((row) => row.split("\t")).map(([key, ...digests]) => [key, digests]));
  const lists = listed();
  const wrong = [];
  for (const [at, [language, file]] of Object.entries(LANGUAGES).entries()) {
    const current = now(file);
    const list = lists.get(language) ?? new Map();
    for (const key of new Set([...base.keys(), ...keysOf(current), ...list.keys()])) {
      const is = textOf(current[key]);
      const isChanged = digest(is) !== (base.get(key)?.[at] ?? digest(NONE));
      if (isChanged && !list.has(key)) wrong.push(`${language}: ${key} is not listed`);
      else if (!isChanged && list.has(key)) wrong.push(`${language}: ${key} is listed, and is what it was`);
      else if (isChanged && list.get(key) !== cell(is).trim()) wrong.push(`${language}: ${key} has other words today`);
    }
  }
  return wrong;
}

const [commit] = process.argv.slice(2);
if (commit !== undefined) {
  write(commit);
} else {
  const wrong = findings();
  for (const line of wrong) process.stdout.write(`docs/wording.md: ${line}\n`);
  if (wrong.length > 0) {
    process.stderr.write("write the list with `node scripts/wording.mjs 47d7637`\n");
    process.exit(1);
  }
}
