// Writes the licences of everything that is compiled into the application: `make notices`. The package installs the
// file. Crates come from the dependency graph of the release, npm packages from what the built pages import.
// Without a licence text of its own a component is listed with its SPDX expression and its address.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, "target/notices/THIRD-PARTY-NOTICES.txt");
const TEXT = /^(licen[cs]e|copying|notice|unlicense|ofl|authors)/i;
/** What the build tools put into the pages, beside the declared dependencies. */
const COMPILED_IN = ["svelte"];
/** Tools for building that are declared as dependencies. */
const NOT_SHIPPED = ["@tauri-apps/cli"];

/** The licence texts in a package's own folder. */
function textsIn(folder) {
  return readdirSync(folder)
    .filter((name) => TEXT.test(name) && statSync(join(folder, name)).isFile())
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

/** The same with those in the folders below, each once: a crate with code in C has the licence of that code there. */
function textsBelow(folder) {
  const folders = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return [...new Set([folder, ...folders].flatMap(textsIn))];
}

/** The crates that the application links, each once. */
function crates() {
  const host = /^host: (.*)$/m.exec(execFileSync("rustc", ["-vV"], { encoding: "utf8" }))[1];
  const asked = [
    "metadata",
    "--format-version",
    "1",
    "--locked",
    "--features",
    "custom-protocol",
    "--filter-platform",
    host,
  ];
  const { packages, resolve } = JSON.parse(
    execFileSync("cargo", asked, { cwd: ROOT, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 }),
  );
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set();
  const waiting = [resolve.root];
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (reached.has(id)) continue;
    reached.add(id);
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (kinds.some(({ kind }) => kind === null)) waiting.push(pkg);
    }
  }
  return packages
    .filter(({ id, source }) => reached.has(id) && source !== null)
    .map(({ name, version, license, links, repository, manifest_path: manifest }) => ({
      name: `${name} ${version}`,
      license: license ?? "see the text",
      address: repository ?? `https://crates.io/crates/${name}`,
      texts: links === null ? textsIn(dirname(manifest)) : textsBelow(dirname(manifest)),
    }));
}

/** The npm packages whose code is in the built pages, each once. */
function npmPackages() {
  const modules = join(ROOT, "ui/node_modules");
  const found = new Map();
  const declared = JSON.parse(readFileSync(join(ROOT, "ui/package.json"), "utf8")).dependencies;
  const waiting = [...Object.keys(declared), ...COMPILED_IN].filter((name) => !NOT_SHIPPED.includes(name));
  while (waiting.length > 0) {
    const name = waiting.pop();
    const folder = join(modules, name);
    if (found.has(name) || !existsSync(folder)) continue;
    const {
      version,
      license,
      repository,
      dependencies = {},
    } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const address = repository?.url ?? repository ?? `https://www.npmjs.com/package/${name}`;
    found.set(name, { name: `${name} ${version}`, license, address, texts: textsIn(folder) });
    waiting.push(...Object.keys(dependencies));
  }
  return [...found.values()];
}

const components = [...crates(), ...npmPackages()].sort((one, other) => (one.name < other.name ? -1 : 1));

/** Each text once, with the components that come under it. */
const byText = new Map();
for (const { name, texts } of components) {
  for (const text of texts) byText.set(text, [...(byText.get(text) ?? []), name]);
}

const lines = [
  "Vestibule contains these components. Their licences follow, each text once.",
  "",
  ...components.map(({ name, license, address }) => `${name} (${license}) ${address}`),
];
for (const [text, names] of byText) lines.push("", "-".repeat(78), ...names, "", text);

mkdirSync(dirname(OUT), { recursive: true });
writeFileSync(OUT, `${lines.join("\n")}\n`);
const bare = components.filter(({ texts }) => texts.length === 0).map(({ name }) => name);
console.log(`${components.length} components, ${byText.size} texts, in ${OUT}`);
if (bare.length > 0) console.log(`without a text of their own: ${bare.join(", ")}`);
