// Holds the words of the project against a list of phrases that a reader from another project would not understand:
// `node scripts/words.mjs`, part of `make lint`.
//
// It reads comments and strings of product Rust, comments of the user interface and the English catalogue. Tests are
// left out. A file in EXCLUDED is not read yet; the list shrinks and is empty in the end. docs/GLOSSARY.md has the
// words to use instead.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listed, root } from "./files.mjs";

/** Beginnings of paths that are not read yet. */
const EXCLUDED = [];

/**
 * What is not written, and what is written instead.
 * @type {[phrase: RegExp, instead: string][]}
 */
const PHRASES = [
  [/\b(?:whoever|nobody|somebody|anybody)\b/i, "name who does it, or use the passive"],
  [/\bcan not\b(?! only)/i, "cannot"],
  [/\b(?:the|a) person\b/i, "the user"],
  [/\b(?:is|are|was|were|be|been) told\b(?! apart)/i, "gets, receives, is notified of"],
  [/\bhears? of\b|\bheard of\b/i, "gets, is notified of"],
  [/\banew\b/i, "again"],
  [/\bin vain\b/i, "without success"],
  [/\blets? itself\b/i, "accepts, can be"],
  [/\b(?:stands?|stood) still\b/i, "is paused, does not move"],
  [/\bas far as was said\b/i, "if the server reported it"],
  [/\bhow many-th\b/i, "1-based number"],
  [/\bsigns? of life\b/i, "progress, event"],
];

const isRead = (file) =>
  !EXCLUDED.some((beginning) => file.startsWith(beginning)) &&
  !file.split("/").includes("tests") &&
  !/(?:^|\/)tests\.rs$|\.test\.ts$|\.spec\.ts$|bindings\.ts$/.test(file);

const RUST =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:x[\da-f]{2}|u\{[\da-f_]+\}|.)|[^'\\\n])'/gi;
const SCRIPT = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->/g;

/** Comments and strings of a file, each with the number of its first line. Inline test modules do not count. */
function texts(file, source) {
  const product = file.endsWith(".rs") ? source.split(/^#\[cfg\(test\)\]\s*mod \w+ \{/m)[0] : source;
  const pattern = file.endsWith(".rs") ? RUST : SCRIPT;
  return [...product.matchAll(pattern)].map((found) => [product.slice(0, found.index).split("\n").length, found[0]]);
}

/** The messages of a catalogue, each with the number of its line. */
const messages = (source) => source.split("\n").map((line, index) => [index + 1, line.replace(/^\s*"[^"]*":/, "")]);

const findings = [];
for (const file of listed("src-tauri/*.rs", "ui/src/*.ts", "ui/src/*.svelte", "ui/messages/en.json").filter(isRead)) {
  const source = readFileSync(join(root, file), "utf8");
  for (const [first, text] of basename(file) === "en.json" ? messages(source) : texts(file, source)) {
    text.split("\n").forEach((line, index) => {
      for (const [phrase, instead] of PHRASES) {
        const found = phrase.exec(line);
        if (found !== null) findings.push(`${file}:${first + index}: "${found[0]}": ${instead}`);
      }
    });
  }
}

for (const finding of findings) process.stdout.write(`${finding}\n`);
if (findings.length > 0) {
  process.stderr.write(`${findings.length} phrases of another dialect; docs/GLOSSARY.md has the words to use\n`);
  process.exit(1);
}
