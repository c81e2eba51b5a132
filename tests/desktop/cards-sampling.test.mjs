// A real server asks for a model's words, in the real application: the person changes what the model is told and what
// the server hears, by keyboard, and each gets exactly that.
import assert from "node:assert/strict";
import test from "node:test";
import { atDesk, EVERYTHING } from "./everything.mjs";
import { says } from "./model-endpoint.mjs";

const TOOL = /trigger-sampling-request$/;
const PROMPT = "[data-kind=sample_prompt] .turns li:last-child textarea";
const REPLY = "[data-kind=sample_reply] textarea";

/** SA-002, SA-004, SA-005, SA-006, SA-021 */
test("the model and the server get the words that the user kept", { timeout: 480_000 }, () =>
  atDesk("cards-sampling", async (desk) => {
    await desk.person.pasteServers({ mcpServers: { everything: EVERYTHING } });
    await desk.person.startServer("everything");
    await edit(desk);
    await refuse(desk);
  }),
);

async function edit(desk) {
  const { keys, app, model } = desk;
  const result = await desk.call(
    TOOL,
    { prompt: "the words of the server", maxTokens: 60 },
    says("What the model said"),
  );
  const card = await keys.atCard("sample_prompt");
  const words = await app.execute((it) => [...it.querySelectorAll("textarea")].map(({ value }) => value), card);
  assert.deepEqual(words, [
    "You are a helpful test server.",
    "Resource trigger-sampling-request context: the words of the server",
  ]);
  assert.equal(model.requests.length, 1, "no model hears of it before the yes");

  await keys.replace(PROMPT, "the words of the person");
  await keys.accept("sample_prompt");
  await keys.atCard("sample_reply");
  const told = model.requests[1].messages.map(({ role, content }) => [
    role,
    typeof content === "string" ? content : content[0].text,
  ]);
  assert.deepEqual(told, [
    ["system", "You are a helpful test server."],
    ["user", "the words of the person"],
  ]);

  await keys.replace(REPLY, "What the person lets it hear");
  await keys.accept("sample_reply");
  const heard = await result();
  assert.ok(heard.includes("What the person lets it hear"), heard);
  assert.ok(!heard.includes("What the model said"), heard);
}

async function refuse(desk) {
  const asked = desk.model.requests.length;
  const refused = await desk.call(TOOL, { prompt: "no, thank you", maxTokens: 60 });
  await desk.keys.decline("sample_prompt");
  assert.ok((await refused()).length > 0);
  const between = desk.model.requests.slice(asked).filter(({ tools }) => !tools?.length);
  assert.deepEqual(between, [], "a refused prompt reaches no model");

  const kept = await desk.call(TOOL, { prompt: "say it again", maxTokens: 60 }, says("A secret of the model"));
  await desk.keys.accept("sample_prompt");
  await desk.keys.decline("sample_reply");
  assert.ok(!(await kept()).includes("A secret of the model"), "a refused reply does not reach the server");
}
