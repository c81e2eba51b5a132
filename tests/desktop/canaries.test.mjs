// Looks for canaries (a token, a key, the text of a file, words of a chat, the name of a host) after the real application
// was used beside a server that spreads what it knows, with every log at trace level and the system's own keychain. They may
// be in the database and the keychain, and in what they were sent in, and nowhere else.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { startDesktop } from "./desktop.mjs";
import { filesBelow } from "./files-below.mjs";
import { asksFor, MODEL, says, startModelEndpoint } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";
import { tapped } from "./wire.mjs";

const SERVER = join(dirname(fileURLToPath(import.meta.url)), "canary-server.mjs");
/** Kept on purpose: the database, and the keyring of the desktop of the test. */
const KEPT = /\/(vestibule\.db[^/]*|keyrings\/[^/]*)$/;

const canary = (what) => `canary-${what}-${randomBytes(8).toString("hex")}`;

/** A text as it is, and what is the same wherever it stands in something that is written in base64. */
function forms(text) {
  const whole = [0, 1, 2].map((skipped) => Buffer.from(text).subarray(skipped));
  const encoded = whole.map((bytes) => bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64"));
  return [text, ...encoded];
}

/** The canaries, by name, that are in these bytes. */
function found(canaries, bytes) {
  const isIn = ([, text]) => forms(text).some((form) => bytes.includes(form));
  return Object.entries(canaries)
    .filter(isIn)
    .map(([name]) => name);
}

test("what is secret is in no log, no file and no request that is not its own", { timeout: 480_000 }, async () => {
  const canaries = {
    token: canary("token"),
    key: canary("key"),
    text: canary("text"),
    words: canary("words"),
    host: canary("host"),
  };
  const desktop = await startDesktop("canaries", { env: { VESTIBULE_LOG: "trace" } });
  const model = await startModelEndpoint();
  const wire = join(desktop.folder, "wire");
  try {
    await desktop.story(async () => {
      await useEverything(desktop, model, wire, canaries);
      const requests = Buffer.from(JSON.stringify(model.requests));
      assert.deepEqual(found(canaries, requests), ["text", "words", "host"], "what the model is asked");
      assert.deepEqual(found(canaries, readFileSync(join(wire, "from-host"))), [], "what the server is asked");
      const log = readFileSync(join(desktop.reports, "application.log"));
      assert.match(log.toString(), /TRACE/, "the log is at trace level");
      assert.deepEqual(found(canaries, log), [], "the log at trace level");
      const files = [...filesBelow(desktop.folder)].filter(({ path }) => !path.startsWith(wire));
      const kept = found(
        canaries,
        Buffer.concat(files.filter(({ path }) => KEPT.test(path)).map(({ bytes }) => bytes)),
      );
      assert.ok(kept.includes("words") && kept.includes("host"), `what is searched is where it is kept: ${kept}`);
      for (const { path, bytes } of files.filter(({ path }) => !KEPT.test(path))) {
        assert.deepEqual(found(canaries, bytes), [], path);
      }
    });
  } finally {
    await desktop.stop();
    await model.close();
  }
});

/** A model with a key, a server with a token and a text, and a chat in which the text is read. */
async function useEverything(desktop, model, wire, { token, key, text, words, host }) {
  const app = await desktop.open();
  const person = new Person(app);
  await person.atMain();
  await person.addModel({ url: model.url, model: MODEL, label: "Scripted", key });
  const server = tapped({ command: process.execPath, args: [SERVER, text] }, wire);
  await person.pasteServers({ mcpServers: { canary: { ...server, env: { CANARY_TOKEN: token } } } });
  await person.startServer("canary");
  model.queue(asksFor({ tool: /read$/, arguments: {} }), says("I have ", "read it."));
  await person.sayInNewChat(`${words} at https://${host}.invalid/`);
  await person.allow("call_tool");
  await person.hears(/I have read it\./);
  assert.equal(model.authorization, `Bearer ${key}`);
  for (const secret of [token, key, words, host]) {
    assert.deepEqual(desktop.processesNaming(secret), [], "it is on no command line");
  }
  await desktop.quit();
}
