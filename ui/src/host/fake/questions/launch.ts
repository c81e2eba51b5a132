// What is asked before a server is started or connected to.
import type { QuestionBody } from "../../bindings";

export const START: Extract<QuestionBody, { kind: "start_server" }> = {
  kind: "start_server",
  program: "/usr/local/bin/npx",
  command: "npx",
  args: [
    "-y",
    "@acme/notes-mcp",
    "--store",
    "/home/ada/Notes and \u202Elists",
    "-e",
    "require('./x').run(process.env)",
  ],
  folder: "/home/ada/.local/share/vestibule/servers/notes",
  variables: [
    {
      name: "NODE_OPTIONS",
      effect: "loads_code",
      value: { display: "shown", text: "--import data:text/javascript,\u202Esteal()" },
    },
    { name: "NOTES_TOKEN", effect: null, value: { display: "masked", text: "sk-notes-0123456789" } },
    { name: "NOTES_REGION", effect: null, value: { display: "hidden" } },
  ],
  files: [
    {
      role: "program",
      path: "/usr/local/bin/npx",
      resolved: "/usr/local/lib/npm/bin/npx-cli.js",
      sha256: "0f",
      runner: true,
    },
    { role: "interpreter", path: "/usr/local/bin/node", resolved: "/usr/local/bin/node", sha256: "1f", runner: true },
  ],
  gaps: [{ kind: "unpinned_package", what: "@acme/notes-mcp" }],
  loads_more: true,
  risks: ["variable_changes_code", "inline_code", "unpinned_package", "hidden_characters"],
  change: { change: "changed", parts: [{ part: "arguments" }, { part: "variables", names: ["NODE_OPTIONS"] }] },
};

/** A start whose program is exact, asked because more is checked than before. */
export const START_AGAIN: typeof START = {
  ...START,
  program: "/usr/local/bin/npx",
  args: ["-y", "@acme/notes-mcp@1.4.2", "--store", "/home/ada/notes.json"],
  variables: [{ name: "NOTES_TOKEN", effect: null, value: { display: "hidden" } }],
  files: [
    ...START.files,
    { role: "argument", path: "/home/ada/notes.json", resolved: "/home/ada/notes.json", sha256: "2f", runner: false },
  ],
  gaps: [],
  risks: [],
  change: { change: "binds_more" },
};

/** A start that downloads its package first. */
export const START_DOWNLOAD: typeof START = {
  ...START_AGAIN,
  args: ["-y", "@acme/notes-mcp", "--store", "/home/ada/notes.json"],
  change: null,
  package: { name: "@acme/notes-mcp", wanted: "", state: { state: "to_fetch", tool: "/usr/local/bin/npm" } },
};

const VERSION = "/home/ada/.local/share/vestibule/packages/notes/7c1e";

/** A start from a package that was downloaded. */
export const START_DOWNLOADED: typeof START = {
  ...START_AGAIN,
  program: `${VERSION}/node_modules/@acme/notes-mcp/dist/cli.js`,
  args: ["--store", "/home/ada/notes.json"],
  change: { change: "changed", parts: [{ part: "package", name: "@acme/notes-mcp", version: "1.4.2" }] },
  package: {
    name: "@acme/notes-mcp",
    wanted: "",
    state: { state: "fetched", version: "1.4.2", packages: 99, lock: "5f".repeat(32) },
  },
};

const UNPACKED = `/home/ada/.local/share/vestibule/bundles/notes/${"5f".repeat(32)}`;

/** A start from an MCP bundle. */
export const START_BUNDLE: typeof START = {
  ...START_AGAIN,
  program: "/usr/local/bin/node",
  command: "node",
  files: START.files.slice(-1),
  args: [`${UNPACKED}/server/index.js`, "--store", "/home/ada/notes.json"],
  change: null,
  package: { name: "field-notes", wanted: "1.2.0", state: { state: "bundle", sha256: "5f".repeat(32) } },
};

/** The start of the user's own program that serves a model. */
export const START_MODEL: QuestionBody = {
  kind: "start_server",
  program: "/usr/local/bin/llama-server",
  command: "llama-server",
  args: [
    "--model",
    "/home/ada/models/small-one-4b-q4.gguf",
    "--host",
    "127.0.0.1",
    "--port",
    "41873",
    "--ctx-size",
    "16384",
    "--parallel",
    "1",
    "--jinja",
  ],
  folder: "/",
  variables: [{ name: "LLAMA_API_KEY", effect: null, value: { display: "hidden" } }],
  files: [
    {
      role: "program",
      path: "/usr/local/bin/llama-server",
      resolved: "/usr/local/bin/llama-server",
      sha256: "3f",
      runner: false,
    },
  ],
  gaps: [{ kind: "too_large", what: "/home/ada/models/small-one-4b-q4.gguf" }],
  loads_more: false,
  risks: [],
  change: null,
  serves_model: true,
};

/** The same after an update of Node. */
export const START_UPDATED: QuestionBody = {
  ...START_AGAIN,
  change: { change: "runners_updated", runners: ["/usr/local/bin/node"] },
};

/** A start with a variable that acts on every program. */
export const START_SERIOUS: QuestionBody = {
  ...START_AGAIN,
  variables: [
    { name: "LD_PRELOAD", effect: "injects_code", value: { display: "shown", text: "/tmp/.cache/libhelp.so" } },
  ],
  risks: ["acts_on_every_program"],
  change: null,
};

export const CONNECT: QuestionBody = {
  kind: "connect_server",
  inspection: {
    canonical: "http://127.0.0.1:3001/mcp?team=harbour",
    escaped: "http://127.0.0.1:3001/mcp?team=harbour",
    ascii_host: "127.0.0.1",
    display_host: "127.0.0.1",
    registrable_domain: null,
    registrable_display: null,
    emphasis: [7, 16],
    port: 3001,
    warnings: ["loopback", "insecure-http", "ip-literal", "nonstandard-port"],
    verdict: "warn",
  },
  origin: "http://127.0.0.1:3001",
  transport: "auto",
  headers: [
    { name: "Authorization", effect: null, value: { display: "masked", text: "Bearer 0123456789" } },
    { name: "X-Team", effect: null, value: { display: "hidden" } },
  ],
  proxy: null,
  carries_values: true,
  changed: true,
};
