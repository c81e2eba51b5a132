// Five servers from npm and three from PyPI in the real window, as people configure them: `make servers`. Each is imported
// at an older version, fetched after its card, started, called and updated. Then the registries and the proxies are at a
// port where nothing listens, and each starts again. It needs the network to both registries, so it is no part of
// `make test`. UV_BIN is the folder of uv and uvx; SERVERS=calculator,thinking runs these alone.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { startDesktop } from "./desktop.mjs";
import { Keyboard } from "./keyboard.mjs";
import { css, role } from "./locate.mjs";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

/** A download may take this long, in milliseconds. */
const PATIENTLY = { within: 600_000 };
/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:9";
/** Servers of the first generation of the Python SDK that do not say so. */
const OLDER_SDK = ["--with", "mcp<2"];

/** The list of servers shortens long names. */
const SHORT = {
  "calc-mcp": "calc",
  "time-mcp": "time",
  "server-sequential-thinking": "thinking",
  mcp: "eslint",
  "mcp-server-code-runner": "runner",
};
const short = (name) => {
  const own = name.split("/").at(-1);
  return SHORT[own] ?? own.split("-").at(-1).slice(0, 10);
};

const npx = (name, before, after, tool, args, answer) => ({
  name: short(name),
  command: "npx",
  args: ["-y", `${name}@${before}`],
  newer: `${name}@${after}`,
  before,
  after,
  tool,
  call: args,
  answer,
});
const uvx = (name, before, after, tool, args, answer, options = []) => ({
  name: short(name),
  command: "uvx",
  args: [...options, "--from", `${name}==${before}`, name],
  newer: `${name}==${after}`,
  before,
  after,
  tool,
  call: args,
  answer,
});

const THOUGHT = { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
const ALL = [
  npx("@coo-quack/calc-mcp", "2.1.0", "2.1.1", "math", { expression: "6*7" }, /42/),
  npx("time-mcp", "1.0.4", "1.0.6", "days_in_month", { date: "2024-02-01" }, /29/),
  npx("@modelcontextprotocol/server-sequential-thinking", "2026.7.4", "2026.8.31", "sequentialthinking", THOUGHT, /1/),
  npx("@eslint/mcp", "0.3.12", "0.3.13", "lint-files", { filePaths: ["/nonexistent.js"] }, /./),
  npx(
    "mcp-server-code-runner",
    "0.1.7",
    "0.1.8",
    "run-code",
    { code: "console.log(6*7)", languageId: "javascript" },
    /42/,
  ),
  uvx("mcp-server-calculator", "0.2.0", "0.2.1", "calculate", { expression: "6*7" }, /42/, OLDER_SDK),
  uvx("mcp-simple-timeserver", "3.3.0", "3.3.2", "get_local_time", {}, /:/),
  uvx("mcp-text-editor", "1.0.1", "1.0.2", "get_text_file_contents", { files: [] }, /./, OLDER_SDK),
];
const only = process.env.SERVERS?.split(",");
const SERVERS = ALL.filter(({ name }) => only === undefined || only.includes(name));

/** What this computer needs to reach the registries, for a home folder of the test's own. */
function network() {
  const names = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
  const set = [...names, ...names.map((name) => name.toLowerCase())].filter((name) => process.env[name]);
  return Object.fromEntries(set.map((name) => [name, process.env[name]]));
}

class Study {
  #said = 0;

  constructor(desktop, model, app) {
    this.desktop = desktop;
    this.model = model;
    this.at(app);
  }

  at(app) {
    this.app = app;
    this.person = new Person(app);
    this.keys = new Keyboard(app);
  }

  /** Starts a server and answers its cards until it is ready. */
  async start({ name }) {
    await this.person.openServer(name);
    await this.app.click(role("button", words("start")));
    await this.keys.accept("start_server");
    await this.person.atMain();
    let state = "";
    await waitFor(
      `${name} to be ready`,
      async () => {
        state = await this.person.serverState(name);
        return state === "ready" || state === "failed";
      },
      PATIENTLY,
    );
    if (state === "failed")
      throw new Error(`${name}: ${await this.app.textOf(await this.app.find(css("[data-testid=server-state]")))}`);
    await this.review(name);
  }

  /** Accepts the instructions of a server and the tools that another version changed, each on its card. */
  async review(name) {
    const held = new RegExp(`^${words("state_held", { count: "\\d+" })}$`);
    const state = async () =>
      this.app.execute((it) => it.querySelector(".state").textContent.trim(), await this.person.serverRow(name));
    for (let said = await state(); held.test(said); said = await state()) {
      await this.keys.readAll("tool_changed");
      await this.keys.accept("tool_changed");
      await this.person.atMain();
      await waitFor(`fewer of ${name} to review than ${said}`, async () => (await state()) !== said);
    }
  }

  /** The version that the page of the server names. */
  async version({ name }) {
    await this.person.openServer(name);
    await this.app.click(role("tab", words("about_server")));
    return this.app.textOf(await this.app.find(css("[data-testid=package]")));
  }

  async stop({ name }) {
    await this.person.openServer(name);
    await this.app.click(role("button", words("stop")));
    await waitFor(`${name} to stop`, async () => (await this.person.serverState(name)) === "stopped");
  }

  /** Has the model call the tool of a server, and agrees; gives back what the server answered. */
  async call({ name, tool, call }) {
    this.#said += 1;
    const last = `That was number ${this.#said}.`;
    this.model.queue(asksFor({ tool: new RegExp(`__${tool}$`), arguments: call }), says(last));
    await this.person.sayInNewChat(`Please do number ${this.#said}`);
    await this.keys.accept("call_tool");
    await this.person.hears(last);
    assert.ok(name);
    return toolResults(this.model.requests.at(-1)).join("\n");
  }

  /** Writes the newer version into the form of the server and saves it. */
  async update(server) {
    await this.person.openServer(server.name);
    await this.app.click(css("[data-testid=edit-server]"));
    const number = server.args.findIndex((arg) => arg.includes(server.before)) + 1;
    await this.app.fill(role("textbox", words("argument_number", { number })), server.newer);
    await this.app.click(css("form .end .primary"));
    await this.app.find(css("[data-testid=edit-server]"));
  }
}

async function whole(study, server) {
  const { name, command, args, before, after } = server;
  await study.person.atMain();
  await study.person.pasteServers({ mcpServers: { [name]: { command, args } } });
  await study.start(server);
  assert.ok((await study.version(server)).includes(before), `${name} is at ${before}`);
  assert.match(await study.call(server), server.answer);
  await study.stop(server);
  await study.update(server);
  await study.start(server);
  assert.ok((await study.version(server)).includes(after), `${name} is at ${after}`);
  await study.stop(server);
}

// The search path is that of the login shell, so uv is added where its own installer adds it.
const desktop = await startDesktop("servers", { env: { ...network(), SHELL: "/bin/sh" } });
const model = await startModelEndpoint();
const failed = [];
try {
  writeFileSync(join(desktop.env.HOME, ".profile"), `PATH="${process.env.UV_BIN}:$PATH"\nexport PATH\n`);
  if (existsSync(join(homedir(), ".npmrc"))) copyFileSync(join(homedir(), ".npmrc"), join(desktop.env.HOME, ".npmrc"));
  const study = new Study(desktop, model, await desktop.open());
  await study.person.atMain();
  await study.person.addModel({ url: model.url, model: MODEL, label: "Scripted", key: "a-key" });
  await study.person.offerAllTools();
  for (const server of SERVERS) {
    const began = Date.now();
    try {
      await whole(study, server);
      console.log(
        `servers: ${server.name} ${server.before} -> ${server.after}: fetched, called, updated (${Math.round((Date.now() - began) / 1000)} s)`,
      );
    } catch (error) {
      failed.push(server);
      console.log(`servers: ${server.name}: ${error.message}`);
      desktop.screenPicture(`${server.name}.png`);
    }
  }
  await desktop.quit();
  // From here on nothing of either registry can be reached.
  writeFileSync(join(desktop.env.HOME, ".npmrc"), `registry=${NOWHERE}/\nfetch-retries=0\n`);
  mkdirSync(join(desktop.env.XDG_CONFIG_HOME, "uv"), { recursive: true });
  writeFileSync(join(desktop.env.XDG_CONFIG_HOME, "uv/uv.toml"), `index-url = "${NOWHERE}/simple"\n`);
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"])
    desktop.env[name] = NOWHERE;
  desktop.env.NO_PROXY = "127.0.0.1,localhost";
  study.at(await desktop.open());
  for (const server of SERVERS.filter((server) => !failed.includes(server))) {
    try {
      await study.start(server);
      assert.match(await study.call(server), server.answer);
      await study.stop(server);
      console.log(`servers: ${server.name} started and answered without a registry`);
    } catch (error) {
      failed.push(server);
      console.log(`servers: ${server.name} without a registry: ${error.message}`);
      desktop.screenPicture(`${server.name}-offline.png`);
    }
  }
} finally {
  await desktop.stop();
  await model.close();
}
console.log(`servers: ${SERVERS.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
