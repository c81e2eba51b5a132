// Checks the scripts and the tests outside of ui/ with the linter, the formatter and the compiler of the user interface:
// `node scripts/lint.mjs`, part of `make lint`. With --fix it formats them. tsconfig.json says how types are checked.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(join(ROOT, "ui/package.json"));
const { ESLint } = require("eslint");
const globals = require("globals");
const js = require("@eslint/js");
const prettier = require("prettier");

const fix = process.argv.includes("--fix");
const files = execFileSync("git", ["ls-files", "-z", "--", "scripts/*.mjs", "tests/*.mjs"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\0")
  .filter((name) => name !== "");

const eslint = new ESLint({
  cwd: ROOT,
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
  messages.map(({ line, ruleId, message }) => `${filePath.slice(ROOT.length + 1)}:${line}: ${message} (${ruleId})`),
);

const compiler = spawnSync(join(ROOT, "ui/node_modules/.bin/tsc"), ["--project", ROOT], {
  cwd: ROOT,
  encoding: "utf8",
});
if (compiler.error) throw compiler.error;
if (compiler.status !== 0) findings.push(compiler.stdout.trimEnd());

const { printWidth } = JSON.parse(readFileSync(join(ROOT, "ui/.prettierrc.json"), "utf8"));
for (const file of files) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const formatted = await prettier.format(text, { printWidth, parser: "babel" });
  if (formatted === text) continue;
  if (fix) writeFileSync(join(ROOT, file), formatted);
  else findings.push(`${file}: not formatted; \`node scripts/lint.mjs --fix\` does it`);
}

for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
else console.log(`${files.length} scripts and tests are linted, formatted and type-checked`);
