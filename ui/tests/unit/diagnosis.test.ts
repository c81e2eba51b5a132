import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { causeSentence } from "../../src/features/diagnosis/causes";
import { changedLines, corrected } from "../../src/features/diagnosis/corrected";
import { guideText } from "../../src/features/diagnosis/guides";
import { stepLabel } from "../../src/features/diagnosis/steps";
import type {
  Correction,
  FailureCause,
  Guide,
  NamedValue,
  NextStep,
  RuntimeTool,
  ServerDraft,
} from "../../src/host/bindings";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

const source = readFileSync("src/host/bindings.ts", "utf8");
const unionOf = (name: string) => new RegExp(`export type ${name} = ([\\s\\S]*?);\\n`).exec(source)?.[1] ?? "";
const wordsOf = (name: string) => [...unionOf(name).matchAll(/"(\w+)"/g)].map(([, word]) => word ?? "");
const LOCALES = ["en", "zh-CN"] as const;

/** Every variant of a union that crosses from Rust, with all fields filled; an unset field where it may be unset. */
function everyVariant(name: string, tag: string, isSet: boolean): Record<string, unknown>[] {
  const variants = unionOf(name)
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
    .matchAll(new RegExp(`\\{ "${tag}": "(\\w+)"([^}]*)\\}`, "g"));
  const sample = (type: string) => {
    if (type.includes("null") && !isSet) return null;
    const [first] = wordsOf(type.replace("| null", "").trim());
    if (first !== undefined) return first;
    return type.startsWith("Array") ? ["sample"] : type.includes("number") ? 7 : "sample";
  };
  return [...variants].map(([, kind, fields = ""]) => {
    const members = [...fields.matchAll(/(\w+): ([^,}]+)/g)].map(([, member, type = ""]) => [member, sample(type)]);
    return { [tag]: kind, ...Object.fromEntries(members) };
  });
}

const causes = [true, false].flatMap((isSet) => everyVariant("FailureCause", "cause", isSet)) as FailureCause[];
const step = (part: string, ...corrections: Correction[]) => ({ step: "edit", part, corrections }) as NextStep;

const program: ServerDraft = {
  name: "notes",
  era: "auto",
  place: { at: "here", command: "npx", args: ["x"], env: [{ name: "KEY", value: "", pasted: false }], folder: null },
};
const address: ServerDraft = {
  name: "web",
  era: "auto",
  place: { at: "address", url: "https://a.example/sse", transport: "auto", headers: [] },
};

describe("a diagnosis", () => {
  afterEach(() => overwriteGetLocale(() => "en"));

  it("has_a_sentence_for_each_cause_that_crosses_from_rust", () => {
    expect(causes.length).toBeGreaterThan(100);
    for (const locale of LOCALES) {
      overwriteGetLocale(() => locale);
      for (const cause of causes) {
        const sentence = causeSentence(cause);
        expect(sentence, cause.cause).toMatch(locale === "en" ? /\.$/ : /。$/);
        expect(sentence, cause.cause).not.toMatch(/undefined|null|\[object|\{|cause_/);
      }
    }
  });

  it("has_a_sentence_for_each_fault_of_a_certificate", () => {
    const said = wordsOf("CertificateFault").map((why) =>
      causeSentence({ cause: "certificate_refused", host: "a.example", why } as FailureCause),
    );
    expect(new Set(said).size).toBe(7);
  });

  it("has_words_for_each_button", () => {
    const parts = wordsOf("FormPart");
    expect(parts.length).toBe(7);
    const steps: NextStep[] = [
      ...parts.map((part) => step(part)),
      { step: "sign_in" },
      { step: "log" },
      { step: "retry" },
      { step: "guide", guide: { guide: "docker_start" } },
      { step: "guide", guide: { guide: "port", port: 3000 } },
    ];
    for (const locale of LOCALES) {
      overwriteGetLocale(() => locale);
      for (const one of steps) expect(stepLabel(one)).not.toMatch(/undefined|step_|\{/);
    }
    overwriteGetLocale(() => "en");
    expect(stepLabel(step("address", { set: "address", url: "https://a.example/mcp" }))).toBe("Try /mcp");
    expect(stepLabel(step("variables", { set: "variable", name: "API_KEY", value: "" }))).toBe("Enter API_KEY");
    const quiet: Correction = { set: "variable", name: "DOTENV_CONFIG_QUIET", value: "true" };
    expect(stepLabel(step("variables", quiet))).toBe("Set DOTENV_CONFIG_QUIET");
  });

  it("shows_a_text_and_a_command_for_each_tool", () => {
    for (const tool of wordsOf("RuntimeTool") as RuntimeTool[]) {
      const { text, commands } = guideText({ guide: "install", tool });
      expect(text).toMatch(/^Install .+ start the server again\.$/);
      expect(commands.length).toBe(2);
    }
    const others: Guide[] = [
      { guide: "cache_owner", tool: "uv" },
      { guide: "modules", tool: "python" },
      { guide: "build_tools" },
      { guide: "docker_start" },
      { guide: "docker_group" },
      { guide: "port", port: 3000 },
    ];
    for (const guide of others) expect(guideText(guide).commands.length, guide.guide).toBeGreaterThan(0);
  });
});

describe("the form that a diagnosis opens", () => {
  it("takes_over_what_this_computer_sets_and_shows_it", () => {
    const asked = ["HTTPS_PROXY", "NO_PROXY"].map((name): Correction => ({ set: "variable", name, value: "" }));
    const here: NamedValue[] = [
      { name: "HTTPS_PROXY", effect: "routes_traffic", value: { display: "shown", text: "http://•••@proxy.example" } },
    ];
    const { place } = corrected(program, asked, here);
    expect(place.at === "here" && place.env.slice(1)).toEqual([
      { name: "HTTPS_PROXY", value: "", pasted: false, from_computer: true },
      { name: "NO_PROXY", value: "", pasted: false },
    ]);
    expect(changedLines(program, asked, here)).toEqual([
      { label: "HTTPS_PROXY", before: "", after: "http://•••@proxy.example" },
    ]);
    expect(changedLines(program, asked)).toEqual([]);
  });

  it("holds_the_change_and_shows_old_and_new", () => {
    const url: Correction = { set: "address", url: "https://a.example/mcp" };
    expect(corrected(address, [url]).place).toMatchObject({ url: "https://a.example/mcp" });
    expect(changedLines(address, [url])).toEqual([
      { label: "URL", before: "https://a.example/sse", after: "https://a.example/mcp" },
    ]);
    const args: Correction = { set: "arguments", args: ["-y", "x"] };
    expect(corrected(program, [args]).place).toMatchObject({ args: ["-y", "x"] });
    expect(changedLines(program, [args])[0]).toMatchObject({ before: "x", after: "-y x" });
  });

  it("adds_a_variable_to_fill_in_and_shows_no_line_for_it", () => {
    const variable: Correction = { set: "variable", name: "API_KEY", value: "" };
    const { place } = corrected(program, [variable]);
    expect(place.at === "here" && place.env.map(({ name }) => name)).toEqual(["KEY", "API_KEY"]);
    expect(changedLines(program, [variable])).toEqual([]);
  });

  it("changes_nothing_that_does_not_fit_the_kind_of_server", () => {
    const url: Correction = { set: "address", url: "https://a.example/mcp" };
    expect(corrected(program, [url])).toEqual(program);
    expect(corrected(address, [{ set: "command", command: "npx" }])).toEqual(address);
  });
});
