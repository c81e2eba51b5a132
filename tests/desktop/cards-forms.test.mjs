// A form of a real server, in the real application, filled in without a mouse: what the server got is what was typed,
// and a no is told from "not now".
import assert from "node:assert/strict";
import test from "node:test";
import { atDesk, EVERYTHING } from "./everything.mjs";
import { css } from "./locate.mjs";
import { Key } from "./webdriver.mjs";

const TOOL = /trigger-elicitation-request$/;
const field = (name, control = "input, textarea, select") => `[data-field="${name}"] :is(${control})`;

/** What the server says it got. */
const rawResult = (words) => JSON.parse(words.slice(words.indexOf("Raw result:") + "Raw result:".length));

/** EF-004, EF-005, EF-006, EF-011, EF-012, EF-013, EF-014 */
test("a form is filled in by keyboard, and the server gets what was typed and nothing else", { timeout: 480_000 }, () =>
  atDesk("cards-forms", async (desk) => {
    await desk.person.pasteServers({ mcpServers: { everything: EVERYTHING } });
    await desk.person.startServer("everything");
    await fillIn(desk);
    await sayNo(desk);
  }),
);

async function fillIn(desk) {
  const { keys, app } = desk;
  const result = await desk.call(TOOL, {});
  const card = await keys.atCard("fill_form");
  const said = await app.textOf(card);
  assert.ok(said.includes("Please provide inputs for the following fields:"), said);
  assert.equal(
    await app.execute(() => document.querySelector("[data-testid=answer-accept]").matches(":disabled")),
    true,
    "a name is required",
  );

  await keys.replace(field("name"), "Ada Lovelace");
  await keys.reach(field("check"));
  await keys.repeat(Key.up, 2); // from "leave out" over "no" to "yes"
  await keys.replace(field("email"), "not an address");
  await app.find(css('[data-field="email"] [aria-invalid=true]'));
  await keys.replace(field("email"), "ada@example.org");
  await keys.replace(field("birthdate"), "1815-12-10");
  // Its description names a PIN, so it is locked first.
  await keys.reach(field("integer", "[data-testid=not-secret]"));
  await keys.enter();
  await keys.replace(field("integer"), "7");
  await keys.reach(field("untitledSingleSelectEnum"));
  await keys.repeat(Key.down, 2); // from Monica over Rachel to Joey
  await keys.reach(field("untitledMultipleSelectEnum", "label:nth-of-type(3) input"));
  await app.press(" ");
  await keys.reach(field("titledSingleSelectEnum"));
  await app.press(Key.down);
  await app.screenshot(`${desk.desktop.reports}/filled-in.png`);
  await keys.accept("fill_form");

  assert.deepEqual(rawResult(await result()), {
    action: "accept",
    content: {
      name: "Ada Lovelace",
      check: true,
      firstLine: "It was a dark and stormy night.",
      email: "ada@example.org",
      birthdate: "1815-12-10",
      integer: 7,
      number: 3.14,
      untitledSingleSelectEnum: "Joey",
      untitledMultipleSelectEnum: ["Guitar", "Violin"],
      titledSingleSelectEnum: "hero-2",
      titledMultipleSelectEnum: ["fish-1"],
      legacyTitledEnum: "pet-1",
    },
  });
}

async function sayNo(desk) {
  const declined = await desk.call(TOOL, {});
  await desk.keys.decline("fill_form");
  assert.deepEqual(rawResult(await declined()), { action: "decline" });

  const left = await desk.call(TOOL, {});
  await desk.keys.cancel("fill_form");
  assert.deepEqual(rawResult(await left()), { action: "cancel" });
}
