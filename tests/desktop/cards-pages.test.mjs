// Pages a real server wants opened, in the real application: nothing reaches the browser before the yes, then exactly
// the address that was shown does, and the call goes on after the visit.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { atDesk, EVERYTHING } from "./everything.mjs";

const TOOL = /trigger-url-elicitation$/;
/** Escapes and an ampersand have to arrive as they are; what a command line acts on is blocked. */
const URL = "https://accounts.example.org/connect?state=a%20b%3Bid&next=%2Fhome#done";
const ODD = "https://accounts.example.org/connect?next=$(touch+x);id";
/** Where the server sends who has to do something first. */
const FIRST = "https://modelcontextprotocol.io/";

const said = (message, url = URL) => ({ url, message, elicitationId: "visit-1" });
/** Everything the browser was given, byte for byte. */
const opened = ({ desktop }) => (desktop.openedPages().length === 0 ? "" : readFileSync(desktop.opened, "utf8"));

/** EU-003, EU-004, EU-005, EU-006, EU-009, EU-013, EU-014, EU-018, EU-019 */
test(
  "a page opens once, as it was shown, after a yes given by keyboard, and the call goes on",
  { timeout: 480_000 },
  () =>
    atDesk("cards-pages", async (desk) => {
      await desk.person.pasteServers({ mcpServers: { everything: EVERYTHING } });
      await desk.person.startServer("everything");
      await refuse(desk);
      await visit(desk);
      await visitFirst(desk);
    }),
);

async function refuse(desk) {
  const declined = await desk.call(TOOL, said("Sign in, please"));
  await desk.keys.decline("open_page");
  assert.match(await declined(), /declined to open the URL/);

  const left = await desk.call(TOOL, said("Sign in, please", ODD));
  await desk.keys.atCard("open_page");
  assert.equal(
    await desk.app.execute(() => document.querySelector("[data-testid=answer-accept]").matches(":disabled")),
    true,
    "it is blocked",
  );
  await desk.keys.cancel("open_page");
  assert.match(await left(), /cancelled the URL elicitation/);
  assert.equal(opened(desk), "", "a refused page is not opened");
}

/** The server waits on an open request: the yes is told at once, and this server then ends the call. */
async function visit(desk) {
  const result = await desk.call(TOOL, said("Sign in, please"));
  const card = await desk.keys.atCard("open_page");
  assert.equal(opened(desk), "", "nothing opens before the yes");
  const words = await desk.app.textOf(card);
  assert.ok(words.includes("example.org") && words.includes("Sign in, please"), words);
  const shown = await desk.app.execute(() => document.querySelector("[data-testid=url]").textContent.trim());
  await desk.keys.accept("open_page");
  assert.match(await result(), /completed the URL elicitation flow/);
  assert.equal(opened(desk), `${shown}\n`, "what was shown is what the browser got, once");
}

/** The server ends the call with error -32042 first: it is made again when the person is done. */
async function visitFirst(desk) {
  const before = opened(desk);
  const result = await desk.call(TOOL, { ...said("Then this one"), errorPath: true });
  const first = await desk.keys.accept("open_page");
  assert.ok(first.includes("Open this link to satisfy the prerequisite"), first);
  await desk.keys.atCard("visit_page");
  assert.equal(opened(desk), `${before}${FIRST}\n`);
  await desk.keys.accept("visit_page");

  const second = await desk.keys.accept("open_page");
  assert.ok(second.includes("Then this one"), second);
  assert.match(await result(), /completed the URL elicitation flow/);
  assert.equal(opened(desk), `${before}${FIRST}\n${before}`);
}
