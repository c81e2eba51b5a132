// A chat with an instruct model of the user's own, which VESTIBULE_GGUF names: `make real-model`. Small models write
// their calls as text; such a call is marked, asked and carried out. What it says after that is its own affair, and
// reading the tools may take minutes, so this is no part of `make test`.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { withModel } from "./llama.mjs";
import { callRow } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

/** A small model on one processor reads the tools of the reference server in about two minutes, in milliseconds. */
const PATIENTLY = { within: 900_000 };

const file = process.env.VESTIBULE_GGUF;
if (!file || !existsSync(file)) {
  console.error(
    "real-model: set VESTIBULE_GGUF to the file of an instruct model of 0.5 to 4 billion parameters with a chat\n" +
      "template that offers tools, for example: VESTIBULE_GGUF=~/models/instruct.gguf make real-model",
  );
  process.exit(2);
}

await withModel(
  "real-model",
  () => file,
  async ({ app, person }) => {
    await person.sayInNewChat('Call the tool everything__echo with the message "vestibule". Call no other tool.');
    await waitFor("the model to call the tool", async () => (await app.all(callRow("echo", "waiting")))[0], PATIENTLY);
    const asked = await person.allow("call_tool");
    await person.atMain();
    const row = await waitFor("the result", async () => (await app.all(callRow("echo", "answered")))[0], PATIENTLY);
    const asText = asked.includes(words("as_text"));
    assert.equal((await app.textOf(row)).includes(words("call_as_text")), asText, "the line says what the card said");
    console.log(`real-model: the call was ${asText ? "written as text" : "made"}, asked about and carried out`);
  },
  { threads: availableParallelism() },
);
