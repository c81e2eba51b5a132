// A chat with llama.cpp's own server. Its model is made on the spot and small, but it is a model: it is offered the
// tools of the reference server through a chat template, calls one, reads the result and answers.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { makeModel, withModel } from "./llama.mjs";
import { role } from "./locate.mjs";
import { callRow } from "./person.mjs";
import { words } from "./words.mjs";

const MESSAGE = "Hello from a small model";
const ANSWER = "The tool has answered.";

const small = (form) => (folder) => {
  const file = join(folder, "small.gguf");
  makeModel(file, { name: "everything__echo", args: { message: MESSAGE }, answer: ANSWER, form });
  return file;
};

/** Allows the call of the model as it is; returns what the card said. */
async function allows(app, person) {
  await person.atCard("call_tool");
  assert.equal(await app.valueOf(await app.find(role("textbox", /^message/))), MESSAGE);
  return person.allow("call_tool");
}

/** Opens the line of the call and waits for the result of the server in it. */
async function seesResult(app, person) {
  await person.hears(new RegExp(ANSWER));
  const row = await app.find(callRow("echo", "answered"));
  await app.execute((it) => it.querySelector("button").click(), row);
  await person.hears(new RegExp(`Echo: ${MESSAGE}`));
}

test("a model behind llama.cpp calls a tool, and the result reaches it", { timeout: 480_000 }, () =>
  withModel("llama-call", small("call"), async ({ app, person }) => {
    await person.sayInNewChat("Please echo something");
    const asked = await allows(app, person);
    assert.ok(!asked.includes(words("as_text")), `it made the call: ${asked}`);
    await seesResult(app, person);
  }),
);

test("a call the model wrote as text is marked, asked and carried out", { timeout: 480_000 }, () =>
  withModel("llama-text", small("text"), async ({ app, person }) => {
    await person.sayInNewChat("Please echo something");
    const asked = await allows(app, person);
    assert.ok(asked.includes(words("as_text")), asked);
    await seesResult(app, person);
    const row = await person.seesCall("echo", "answered");
    assert.ok(row.includes(words("call_as_text")), row);
  }),
);
