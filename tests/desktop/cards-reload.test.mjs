// The window of the questions is loaded anew while somebody fills in a form of a real server: what was typed is there
// again, on that card alone and from memory alone, and the server gets exactly that.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { atDesk, EVERYTHING, reload } from "./everything.mjs";
import { filesBelow } from "./files-below.mjs";
import { css, text } from "./locate.mjs";
import { words } from "./words.mjs";
import { Key } from "./webdriver.mjs";
import { tapped, WireCopy } from "./wire.mjs";

const TOOL = /trigger-elicitation-request$/;
const NAME = "Augusta Ada King, 1815–1852";
const field = (name, control = "input, textarea, select") => `[data-field="${name}"] :is(${control})`;
const again = text(new RegExp(words("entered_again").slice(0, 20)));

test("what was typed survives a reload of the consent window, and nothing else does", { timeout: 480_000 }, () =>
  atDesk("cards-reload", async (desk) => {
    const { app, keys } = desk;
    const copy = join(desk.desktop.folder, "wire");
    await desk.person.pasteServers({ mcpServers: { everything: tapped(EVERYTHING, copy) } });
    await desk.person.startServer("everything");
    const result = await desk.call(TOOL, {});
    await keys.atCard("fill_form");
    await keys.replace(field("name"), NAME);
    await keys.reach(field("check"));
    await keys.repeat(Key.up, 2); // from "leave out" over "no" to "yes"
    await keys.replace(field("number"), "7x");
    await app.find(css('[data-field="number"] [aria-invalid=true]'));

    await reload(app);
    await keys.atCard("fill_form");
    await app.find(again);
    assert.deepEqual(await typed(app), { name: NAME, check: true, number: "7x" });
    assert.equal(await app.execute(() => localStorage.length + sessionStorage.length), 0, "the page keeps nothing");
    assert.deepEqual(holding(desk.desktop.folder, NAME), [], "what was typed is on no disk");
    await app.screenshot(join(desk.desktop.reports, "loaded-anew.png"));

    await keys.replace(field("number"), "7");
    await keys.accept("fill_form");
    assert.ok((await result()).includes(NAME));
    assert.notDeepEqual(holding(desk.desktop.folder, NAME), [], "once it is sent it stands in the chat");
    const sent = new WireCopy(copy).fromHost.findLast(({ method }) => method === undefined).result;
    assert.equal(sent.action, "accept");
    assert.deepEqual([sent.content.name, sent.content.check, sent.content.number], [NAME, true, 7]);

    const next = await desk.call(TOOL, {});
    await keys.atCard("fill_form");
    await reload(app);
    await keys.atCard("fill_form");
    assert.deepEqual(
      await typed(app),
      { name: "", check: false, number: "3.14" },
      "another form starts as its server wrote it",
    );
    await app.gone(again);
    await keys.cancel("fill_form");
    await next();
  }),
);

const typed = (app) =>
  app.execute(() => {
    const control = (name) =>
      /** @type {HTMLInputElement} */ (document.querySelector(`[data-field="${name}"] :is(input, textarea)`));
    return { name: control("name").value, check: control("check").checked, number: control("number").value };
  });

/** The files below a folder in which a text stands. */
function holding(folder, words) {
  return [...filesBelow(folder)].filter(({ bytes }) => bytes.includes(words)).map(({ path }) => path);
}
