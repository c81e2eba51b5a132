// Writes docs/wording.md: every message of the user interface that differs from the commit given as the argument, with
// its key and its words before and after in both languages.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LANGUAGES = { English: "ui/messages/en.json", 简体中文: "ui/messages/zh-CN.json" };
const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error("usage: node scripts/wording.mjs COMMIT");

const before = (file) =>
  JSON.parse(
    execFileSync("git", ["show", `${commit}:${file}`], { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }),
  );
const now = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
const textOf = (message) => {
  if (message === undefined) return "–";
  return typeof message === "string" ? message : message.flatMap(({ match }) => Object.values(match)).join(" / ");
};
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const parts = [
  "# Changed wording",
  "",
  "Each message of the user interface that was reworded, by its key in `ui/messages`. The terms and their meanings are in",
  "[terms.tsv](terms.tsv); `scripts/terms.mjs` checks both catalogues against them.",
];
for (const [language, file] of Object.entries(LANGUAGES)) {
  const [old, current] = [before(file), now(file)];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(current)])].toSorted();
  const changed = keys.filter((key) => textOf(old[key]) !== textOf(current[key]));
  parts.push("", `## ${language}`, "", "| key | before | after |", "|---|---|---|");
  for (const key of changed) parts.push(`| ${key} | ${cell(textOf(old[key]))} | ${cell(textOf(current[key]))} |`);
}
writeFileSync(join(ROOT, "docs/wording.md"), `${parts.join("\n")}\n`);
