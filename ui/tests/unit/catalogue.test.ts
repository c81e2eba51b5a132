import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "svelte/compiler";
import { describe, expect, it } from "vitest";
import en from "../../messages/en.json";
import zh from "../../messages/zh-CN.json";

type Catalogue = Record<string, unknown>;

const variables = (message: unknown) =>
  [...new Set([...JSON.stringify(message).matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].toSorted();

const files = (end: string) =>
  readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(end) && !file.startsWith("paraglide"))
    .map((file) => join("src", file));

describe("the catalogues", () => {
  it("have_the_same_keys_with_the_same_gaps", () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en));
    for (const [key, message] of Object.entries(en as Catalogue)) {
      expect(variables((zh as Catalogue)[key]), key).toEqual(variables(message));
    }
  });

  it("hold_nothing_empty_and_no_exclamation_marks", () => {
    for (const [key, message] of [...Object.entries(en as Catalogue), ...Object.entries(zh as Catalogue)]) {
      expect(JSON.stringify(message).length, key).toBeGreaterThan(2);
      expect(JSON.stringify(message), key).not.toMatch(/[!！]/);
    }
  });

  it("hold_nothing_that_is_not_used", () => {
    const source = [...files(".svelte"), ...files(".ts")].map((file) => readFileSync(file, "utf8")).join("\n");
    // The operating system draws notifications and dialogs, and the shell names a pasted picture and the parts of Markdown
    // files: with words from here.
    const own = ["attention/words.rs", "folder_dialog.rs", "commands/window.rs", "words.rs"];
    const shell = own.map((file) => readFileSync(`../src-tauri/src/${file}`, "utf8")).join("\n");
    const used = (key: string) => new RegExp(`\\bm\\.${key}\\b`).test(source) || shell.includes(`"${key}"`);
    const unused = Object.keys(en).filter((key) => !used(key));
    expect(unused).toEqual([]);
  });
});

/** Attributes that a person reads or hears. */
const READ = ["aria-label", "title", "placeholder", "alt", "aria-description", "label", "hint"];
/** What is a name or a sign in every language. */
const NAMES =
  /^(JSON|Markdown|English|简体中文|API_TOKEN|Authorization|X-Team|https?:\S+|Alt [AD]|Esc|N|K|Ctrl .|Ctrl Shift .|Ctrl \+ − 0|F2|Shift Enter|[^\p{L}]*)$/u;

interface Node {
  type: string;
  name?: string;
  data?: string;
  value?: unknown;
  [key: string]: unknown;
}

function literals(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) for (const item of node) literals(item, found);
  else if (typeof node === "object" && node !== null) {
    const { type, name, data, value, ...rest } = node as Node;
    if (type === "Text" && data) found.push(data.trim());
    else if (type === "Attribute") {
      const texts = Array.isArray(value) ? (value as Node[]).filter((part) => part.type === "Text") : [];
      if (READ.includes(name ?? "")) for (const text of texts) found.push(String(text.data).trim());
      if (!texts.length) literals(value, found);
    } else if (type !== "Comment" && type !== "StyleDirective" && type !== "Script") {
      literals(value, found);
      literals(Object.values(rest), found);
    }
  }
  return found;
}

describe("the components", () => {
  it.each(files(".svelte"))("hold_no_words_of_their_own: %s", (file) => {
    const { fragment } = parse(readFileSync(file, "utf8"), { modern: true });
    expect(literals(fragment).filter((text) => !NAMES.test(text))).toEqual([]);
  });
});
