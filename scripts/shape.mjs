// Counts the structure of the code: `make shape`, or `node scripts/shape.mjs [--json]`.
//
// Product Rust is every `.rs` file under src-tauri without `tests.rs`, `tests/` folders and inline `mod tests`.
// With FILES=n and SEED=text it also draws n product files, each with its first paragraph, so that a reader can say
// what each is for. Nothing is judged here; the targets stand beside the figures below.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listed, root } from "./files.mjs";

const text = (file) => readFileSync(join(root, file), "utf8");

const LITERAL =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:x[\da-f]{2}|u\{[\da-f_]+\}|.)|[^'\\\n])'/gi;

/** The same text with comments and literals blanked, so that braces and words in them do not count. */
const blank = (source) => source.replace(LITERAL, (found) => found.replace(/[^\n]/g, " "));

/** Where the block that opens at or after `from` ends, in blanked text. */
function blockEnd(code, from) {
  const open = code.indexOf("{", from);
  let depth = 0;
  for (let at = open; at >= 0 && at < code.length; at++) {
    if (code[at] === "{") depth++;
    else if (code[at] === "}" && --depth === 0) return at + 1;
  }
  return code.length;
}

/** The file without its inline test modules. */
function withoutTests(source) {
  let rest = source;
  for (;;) {
    const code = blank(rest);
    const found = /#\[cfg\(test\)\]\s*(?:pub )?mod \w+\s*\{/.exec(code);
    if (found === null) return rest;
    rest = rest.slice(0, found.index) + rest.slice(blockEnd(code, found.index));
  }
}

const isProduct = (file) => !file.split("/").includes("tests") && basename(file) !== "tests.rs";

/** Name, length in lines and deepest nesting of each function with a body. */
function functionsIn(code) {
  const found = [];
  for (const match of code.matchAll(/\bfn (\w+)/g)) {
    if (!hasBody(code, match.index)) continue;
    const end = blockEnd(code, match.index);
    const body = code.slice(match.index, end);
    found.push({ name: match[1], lines: body.split("\n").length, depth: nesting(body) });
  }
  return found;
}

/** Whether a signature is followed by a body. A semicolon in brackets is that of an array type. */
function hasBody(code, from) {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if ("[(".includes(code[at])) depth++;
    else if ("])".includes(code[at])) depth--;
    else if (depth === 0 && code[at] === "{") return true;
    else if (depth === 0 && code[at] === ";") return false;
  }
  return false;
}

/** How deep blocks of control flow and closures stand inside each other; braces of literals and paths do not count. */
function nesting(body) {
  const stack = [];
  let deepest = 0;
  for (let at = body.indexOf("{") + 1; at < body.length; at++) {
    if (body[at] === "{") {
      const before = body.slice(0, at).split(/[;{}]/).at(-1);
      const flow = /\b(if|else|for|while|loop|match|async|select|unsafe)\b|\|[^|]*\|\s*$|=>\s*$|!\s*$/.test(before);
      stack.push(flow);
      deepest = Math.max(deepest, stack.filter(Boolean).length);
    } else if (body[at] === "}") stack.pop();
  }
  return deepest;
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const files = listed("src-tauri/*.rs", "src-tauri/**/*.rs")
  .filter(isProduct)
  .map((file) => {
    const source = withoutTests(text(file));
    const crate = /^src-tauri\/crates\/([^/]+)\//.exec(file)?.[1] ?? "shell";
    return { file, crate, source, code: blank(source) };
  });

const all = new Map();
const implFiles = new Map();
const functions = [];
let shortDocs = 0;
let docBlocks = 0;
let ids = 0;
let codeLines = 0;
let idMethods = 0;
const shares = new Map();
for (const { file, crate, source, code } of files) {
  for (const [, name] of code.matchAll(/^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) (\w+)/gm)) {
    all.set(name, [...(all.get(name) ?? []), file]);
  }
  for (const [, name] of code.matchAll(/^impl(?:<[^>]*>)? (?:[\w:<>, '&]+ for )?([A-Z]\w*)/gm)) {
    const key = `${crate}::${name}`;
    implFiles.set(key, (implFiles.get(key) ?? new Set()).add(file));
  }
  functions.push(...functionsIn(code).map((one) => ({ ...one, file })));
  for (const block of source.match(/(?:^[ \t]*\/\/\/[^\n]*\n)+/gm) ?? []) {
    docBlocks++;
    const words = block
      .replace(/^\s*\/\/\//gm, " ")
      .split(/\s+/)
      .filter((word) => word !== "");
    if (words.length <= 3) shortDocs++;
  }
  for (const [comment] of source.matchAll(/\/\/[^\n]*/g))
    ids += (comment.match(/\b(?!SHA-)[A-Z]{2,5}-\d{3}\b/g) ?? []).length;
  const lines = code.split("\n").filter((line) => line.trim() !== "").length;
  codeLines += lines;
  shares.set(crate, (shares.get(crate) ?? 0) + lines);
  if (/host\/src\/servers[./]|crates\/servers\//.test(file))
    idMethods += (code.match(/\bserver: ServerId\b/g) ?? []).length;
}

const lengths = functions.map(({ lines }) => lines).sort((a, b) => a - b);
const twice = [...all].filter(([, where]) => where.length >= 2);
const thrice = twice.filter(([, where]) => where.length >= 3);
const spread = [...implFiles].filter(([name, where]) => where.size > 3 && !name.endsWith("::Store"));
const biggest = [...shares].sort((a, b) => b[1] - a[1])[0];
const deep = functions.filter(({ depth }) => depth >= 5);
/** Names of the commands, from their table. */
const commands = [
  ...text("src-tauri/crates/app-protocol/src/commands.rs").matchAll(/^\s*(?:async|sync|window) fn (\w+)\(/gm),
].map((found) => found[1]);
/** Where a command is written: its line in the table, its function, its name in a call or a list. Not what is generated. */
const writing = listed("src-tauri", "ui/src").filter(
  (file) =>
    isProduct(file) &&
    /^src-tauri\/(?:src|permissions|build\.rs|crates\/(?:app-protocol|host)\/src\/(?:commands\.rs|host))|^ui\/src\//.test(
      file,
    ) &&
    !/fake|paraglide/.test(file) &&
    !/^(?:\/\/|#) Generated/.test(text(file)),
);
const places = commands.map((command) => {
  const written = new RegExp(
    `(?:pub(?:\\(\\w+\\))?(?: async)?|async|sync|window) fn ${command}\\b|^ *"${command}",|::${command},|invoke\\("${command}"`,
    "m",
  );
  return writing.filter((file) => written.test(text(file))).length;
});
const kinds = listed("ui/src/**/*.ts", "ui/src/**/*.svelte").filter((file) => {
  if (/fake|bindings/.test(file)) return false;
  return (
    new Set(
      text(file).match(
        /["'](?:fill_form|open_page|start_server|call_tool|share_folders|sign_in|connect_server|sample|tool_changed|allow_tool)["']/g,
      ),
    ).size >= 3
  );
});

const rows = [
  [
    "type names defined twice or more / three times or more",
    `${twice.length} / ${thrice.length} of ${all.size}`,
    "<= 20 / <= 3",
  ],
  ["`server: ServerId` parameters in servers", idMethods, "<= 12"],
  [
    "types with impl blocks in more than three files",
    `${spread.length}: ${spread.map(([name]) => name).join(", ")}`,
    "<= 1",
  ],
  ["biggest crate, share of product Rust", `${biggest[0]} ${((100 * biggest[1]) / codeLines).toFixed(1)} %`, "<= 14 %"],
  ["doc blocks of three words or fewer", `${shortDocs} of ${docBlocks}`, "0"],
  ["requirement ids in product comments", ids, "0"],
  [
    "files that write one command, most",
    `${Math.max(0, ...places)} (of ${commands.length} commands)`,
    "2: the table and the body",
  ],
  ["UI files that switch over question kinds", kinds.length, "1"],
  ["function length, median / p90", `${quantile(lengths, 0.5)} / ${quantile(lengths, 0.9)}`, "p90 <= 21"],
  ["functions nested five deep", deep.length, "<= 3"],
  ["product Rust, lines of code", codeLines, "not more than at the start"],
];

if (process.argv.includes("--json")) {
  process.stdout.write(
    `${JSON.stringify({ twice, spread: spread.map(([name, where]) => [name, [...where]]), deep, kinds, shares: [...shares] }, null, 1)}\n`,
  );
} else {
  for (const [what, value, target] of rows) process.stdout.write(`${what}: ${value}  (target ${target})\n`);
  const draw = Number(process.env.FILES ?? 0);
  const order = ({ file }) =>
    createHash("sha256")
      .update(`${process.env.SEED ?? ""}\0${file}`)
      .digest("hex");
  for (const { file, source } of [...files].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, draw)) {
    const paragraph = [...source.matchAll(/^\/\/!(.*)$/gm)].map((found) => found[1].trim()).join(" ");
    process.stdout.write(`\n${file}\n  ${paragraph}\n`);
  }
}
