// A model server of others: llama.cpp's own, from PyPI's xllamacpp, with a model file. What its model says is decided
// by weights, not by the test.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT, startDesktop } from "./desktop.mjs";
import { EVERYTHING } from "./everything.mjs";
import { Person } from "./person.mjs";
import { start, stop } from "./processes.mjs";
import { waitFor } from "./wait.mjs";

const PYTHON = join(ROOT, "target/peers/models/bin/python");
const script = (name) => join(ROOT, "tests/peers/models", name);
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
const KEY = "a-key-of-the-model";
/** A large model is read from the disk first, in milliseconds. */
const LOADED = { within: 120_000 };

/**
 * Makes a small model that calls the tool `name` with `args` and says `answer` once it has a result. With `form` "text"
 * it writes the call instead of making it.
 */
export function makeModel(file, { name, args, answer, form }) {
  assert.ok(existsSync(PYTHON), `${PYTHON} is not installed; \`make setup-tests\` does that`);
  const made = spawnSync(PYTHON, [script("made_model.py"), file, name, JSON.stringify(args), answer, form], { env });
  assert.equal(made.status, 0, `${made.stderr}`);
}

/** Serves a model file; `threads` is how many processors it may use. */
async function serve(file, log, threads) {
  const child = start(PYTHON, [script("gguf_server.py"), file, KEY, `${threads}`], { env, log });
  const address = await waitFor(
    "the model server to listen",
    () => {
      assert.equal(child.exitCode, null, `the model server ended: ${readFileSync(log, "utf8")}`);
      return /^listening on (http:\S+)$/m.exec(readFileSync(log, "utf8"))?.[1];
    },
    LOADED,
  );
  return { child, url: `${address}/v1` };
}

/** Runs `steps` in a new desktop whose chats go to the model in `file`, with the reference server running. */
export async function withModel(desktopName, makeFile, steps, { threads = 1 } = {}) {
  const desktop = await startDesktop(desktopName);
  let server;
  try {
    const file = makeFile(desktop.folder);
    server = await serve(file, join(desktop.reports, "model-server.log"), threads);
    await desktop.story(async () => {
      const app = await desktop.open();
      const person = new Person(app);
      await person.atMain();
      await person.addModel({ url: server.url, model: basename(file, ".gguf"), label: "Own", key: KEY });
      await person.pasteServers({ mcpServers: { everything: EVERYTHING } });
      await person.startServer("everything");
      await steps({ desktop, app, person });
    });
  } finally {
    await desktop.stop();
    await stop(server?.child);
  }
}
