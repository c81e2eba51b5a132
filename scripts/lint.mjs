// Checks the scripts and the tests outside of ui/ with the linter, the formatter and the compiler of the user interface:
// `node scripts/lint.mjs`, part of `make lint`. With --fix it formats them. tsconfig.json says how types are checked. It
// also finds files that are too large for the repository, such as a download that was committed by mistake.

import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { listed, root } from "./files.mjs";

const require = createRequire(join(root, "ui/package.json"));
const { ESLint } = require("eslint");
const globals = require("globals");
const js = require("@eslint/js");
const prettier = require("prettier");

/** In bytes. The largest file that belongs here is a third of it. */
const LARGEST_FILE = 1024 * 1024;

const fix = process.argv.includes("--fix");
const files = listed("scripts/*.mjs", "tests/*.mjs");

const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    js.configs.recommended,
    // Some functions of the desktop tests run in a page.
    {
      languageOptions: { globals: { ...globals.node, ...globals.browser } },
      rules: { "no-control-regex": "off", "no-unused-vars": ["error", { ignoreRestSiblings: true }] },
    },
  ],
});
const findings = (await eslint.lintFiles(files)).flatMap(({ filePath, messages }) =>
  messages.map(({ line, ruleId, message }) => `${filePath.slice(root.length + 1)}:${line}: ${message} (${ruleId})`),
);

const compiler = spawnSync(join(root, "ui/node_modules/.bin/tsc"), ["--project", root], {
  cwd: root,
  encoding: "utf8",
});
if (compiler.error) throw compiler.error;
if (compiler.status !== 0) findings.push(compiler.stdout.trimEnd());

const { printWidth } = JSON.parse(readFileSync(join(root, "ui/.prettierrc.json"), "utf8"));
for (const file of files) {
  const text = readFileSync(join(root, file), "utf8");
  const formatted = await prettier.format(text, { printWidth, parser: "babel" });
  if (formatted === text) continue;
  if (fix) writeFileSync(join(root, file), formatted);
  else findings.push(`${file}: not formatted; \`node scripts/lint.mjs --fix\` does it`);
}

for (const file of listed("*")) {
  const { size } = statSync(join(root, file));
  if (size > LARGEST_FILE) findings.push(`${file}: ${size} bytes; a file here has at most ${LARGEST_FILE}`);
}

for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
else console.log(`${files.length} scripts and tests are linted, formatted and type-checked`);
