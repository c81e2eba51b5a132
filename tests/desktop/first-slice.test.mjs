// The whole way once, with real servers and a scripted model: paste a configuration, see what would start, change what
// a tool is sent, refuse another with a reason, allow a third for good, and find everything again after a restart.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT, startDesktop } from "./desktop.mjs";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";
import { callRow, Person } from "./person.mjs";
import { words } from "./words.mjs";

const KEY = "a-key-that-must-stay-in-the-keychain";
const REASON = "That file belongs to somebody else";

const peer = (name) => join(ROOT, "target/peers/npm/node_modules/@modelcontextprotocol", name, "dist/index.js");

test(
  "what a person decides about each call is what happens, and it is all there after a restart",
  { timeout: 480_000 },
  async () => {
    const desktop = await startDesktop("first-slice");
    const model = await startModelEndpoint();
    const folder = join(desktop.folder, "shared-with-files");
    mkdirSync(folder);
    const note = join(folder, "note.txt");
    const other = join(folder, "other.txt");
    writeFileSync(note, "the tram leaves at nine");
    const servers = {
      mcpServers: {
        everything: { command: "node", args: [peer("server-everything"), "stdio"] },
        files: { command: "node", args: [peer("server-filesystem"), folder] },
      },
    };
    try {
      await desktop.story(async () => {
        let app = await desktop.open();
        let person = new Person(app);
        await person.atMain();
        await person.addModel({ url: model.url, model: MODEL, label: "Scripted", key: KEY });

        // Of more than 40 tools the model would have to find one first.
        await person.offerAllTools();
        await addAndStart(person, desktop, servers, folder);
        await changeACall(person, model);
        await refuseACall(person, model, other);
        await allowForGood(person, model, note);
        assert.deepEqual(model.complaints, []);
        assert.equal(model.authorization, `Bearer ${KEY}`);
        await app.screenshot(join(desktop.reports, "before-restart.png"));

        await desktop.quit();
        assert.deepEqual(desktop.processesNaming(folder), [], "no server outlives the application");

        app = await desktop.open();
        person = new Person(app);
        await findEverythingAgain(person, app, desktop, model, { folder, note });
        await app.screenshot(join(desktop.reports, "after-restart.png"));
      });
    } finally {
      await desktop.stop();
      await model.close();
    }
  },
);

/** Pasting starts nothing; each start shows the exact command line and waits. */
async function addAndStart(person, desktop, servers, folder) {
  await person.pasteServers(servers);
  assert.deepEqual(desktop.processesNaming(folder), [], "nothing that was pasted has been started");
  const asked = await person.startServer("files");
  assert.ok(
    asked.includes(peer("server-filesystem")) && asked.includes(folder),
    `the card shows every argument: ${asked}`,
  );
  assert.equal(desktop.processesNaming(folder).length > 0, true, "the server runs after the yes");
  await person.startServer("everything");
}

/** The server gets what the person left in the card, and the model is told what came of it. */
async function changeACall(person, model) {
  model.queue(
    asksFor({ tool: /echo$/, arguments: { message: "written by the model" } }),
    says("It ", "said it ", "back."),
  );
  await person.sayInNewChat("Echo something for me");
  const waiting = await person.seesCall("echo", "waiting");
  assert.ok(waiting.includes(words("call_waiting")), waiting);
  await person.atCard("call_tool");
  await person.changeArgument("message", "changed by the person");
  await person.allow("call_tool");
  await person.hears(/It said it back\./);
  assert.ok(toolResults(await model.request(2)).some((result) => result.includes("changed by the person")));
  assert.equal(
    toolResults(await model.request(2)).some((result) => result.includes("Echo: written by the model")),
    false,
    "what the model wrote was not sent",
  );
}

/** A refused call has no effect, and the reason reaches the model in the person's words. */
async function refuseACall(person, model, other) {
  model.queue(
    asksFor({ tool: /write_file$/, arguments: { path: other, content: "x" } }),
    says("Then I will leave it."),
  );
  await person.say("Now write the other file");
  await person.denyBecause("call_tool", REASON);
  await person.hears(/Then I will leave it\./);
  assert.ok(toolResults(await model.request(4)).some((result) => result.includes(REASON)));
  assert.equal(existsSync(other), false, "nothing was written");
}

/** After "always" the next call of that tool passes, and its line says by which permission. */
async function allowForGood(person, model, note) {
  const read = asksFor({ tool: /read_text_file$/, arguments: { path: note } });
  model.queue(read, read, says("Twice the same."));
  await person.say("Read the note, twice");
  await person.atCard("call_tool");
  await person.chooseScope("always");
  await person.allow("call_tool");
  await person.hears(/Twice the same\./);
  const second = await person.seesCall("read_text_file", "answered", 2);
  assert.ok(second.includes(words("why_rule_always")), `the line names the permission: ${second}`);
  assert.equal(
    toolResults(await model.request(7)).filter((result) => result.includes("the tram leaves at nine")).length,
    2,
  );
}

/** Chats, calls, servers, the key and the permission are where they were; nothing has started by itself. */
async function findEverythingAgain(person, app, desktop, model, { folder, note }) {
  await person.hears(/Twice the same\./);
  for (const said of [/Echo something for me/, /It said it back\./, /Now write the other file/])
    await person.hears(said);
  assert.equal((await app.all(callRow("read_text_file", "answered"))).length, 2);
  assert.equal((await app.all(callRow("write_file", "refused"))).length, 1);
  assert.equal(await person.serverState("everything"), "stopped");
  assert.equal(await person.serverState("files"), "stopped");
  assert.deepEqual(desktop.processesNaming(folder), [], "no server started by itself");

  await person.startServer("files");
  model.authorization = undefined;
  model.queue(asksFor({ tool: /read_text_file$/, arguments: { path: note } }), says("Still nine."));
  await person.sayInNewChat("And once more");
  await person.hears(/Still nine\./);
  const passed = await person.seesCall("read_text_file", "answered");
  assert.ok(passed.includes(words("why_rule_always")), `the permission still holds: ${passed}`);
  assert.equal(model.authorization, `Bearer ${KEY}`, "the key came back from the keychain");
}
