// What a real server offers besides tools, in the real application and without a mouse: a resource is read and a prompt
// filled in, each is shown whole before it is attached, and the model is told exactly that; its log keeps to a level.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { atDesk, EVERYTHING } from "./everything.mjs";
import { css, role } from "./locate.mjs";
import { says } from "./model-endpoint.mjs";
import { waitFor } from "./wait.mjs";
import { Key } from "./webdriver.mjs";
import { tapped, WireCopy } from "./wire.mjs";
import { words } from "./words.mjs";

const SHEET = "[data-testid=pick-sheet]";
const READ = "demo://resource/dynamic/text/7";
const SAID = "Please promote Grace to the head of the Marketing team.";

/** RS-004, RS-013, PR-002, PR-006, CP-001, CP-006, LG-002 */
test("a resource and a prompt are picked by keyboard, looked at, and told to the model", { timeout: 300_000 }, () =>
  atDesk("offers", async (desk) => {
    const { desktop, app, keys, person, model } = desk;
    const folder = join(desktop.folder, "wire");
    const wire = new WireCopy(folder);
    await person.pasteServers({ mcpServers: { everything: tapped(EVERYTHING, folder) } });
    await person.startServer("everything");
    const picture = (name) => app.screenshot(`${desktop.reports}/${name}.png`);

    await person.atMain();
    await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
    await choose(desk, "Dynamic Text");
    await keys.replace(`${SHEET} form input`, "7");
    await picture("resource-form");
    await keys.enter();
    await attach(desk, READ, "resource-preview");
    assert.deepEqual(asked(wire, "resources/read"), [{ uri: READ }]);

    await choose(desk, "completable-prompt");
    await keys.replace(`${SHEET} form input`, "Mar");
    await take(desk, "Marketing");
    await app.press(Key.tab);
    await app.write("G");
    await take(desk, "Grace", () => picture("proposals"));
    await keys.enter();
    await attach(desk, SAID, "prompt-preview");
    assert.deepEqual(asked(wire, "prompts/get"), [
      { name: "completable-prompt", arguments: { department: "Marketing", name: "Grace" } },
    ]);

    assert.equal((await app.all(css("[data-testid=attachment]"))).length, 2);
    await picture("attached");
    model.queue(says("I have read both."));
    await keys.reach("[data-testid=composer]");
    await app.write("What is this about?");
    await keys.enter();
    await person.hears("I have read both.");
    const told = JSON.stringify(model.requests.at(-1).messages);
    assert.ok(told.includes(READ) && told.includes(SAID) && told.includes("What is this about?"), told);

    await person.openServer("everything");
    await app.click(role("tab", words("log")));
    await keys.reach("[data-testid=log-level]");
    await app.press("D");
    await waitFor("the level to reach the server", () =>
      asked(wire, "logging/setLevel").some(({ level }) => level === "debug"),
    );
    await picture("log-level");
  }),
);

/** What the application sent with requests of this method. */
function asked(wire, method) {
  const sent = wire.fromHost.filter((message) => message.method === method);
  return sent.map(({ params: { _meta, ...params } }) => params);
}

/** Opens the sheet from the composer, finds an offer and chooses it. */
async function choose({ app, keys, desktop }, name) {
  await keys.reach("[data-testid=add]");
  await keys.enter();
  await keys.reach(`${SHEET} [type=search]`);
  await waitFor("what the server offers", async () => (await app.all(css(`${SHEET} .offer`))).length > 5);
  await app.screenshot(`${desktop.reports}/sheet.png`);
  await app.write(name);
  await waitFor(`${name} to be found`, async () => (await app.all(css(`${SHEET} .offer`))).length === 1);
  await keys.reach(`${SHEET} .offer`);
  await keys.enter();
}

/** Takes the one value that the server proposes for what the person wrote. */
async function take({ app }, value, look = () => {}) {
  await app.find(role("option", value));
  // What it proposed for the empty field may still be there.
  await waitFor(
    `only ${value} to be proposed`,
    async () => (await app.all(css(`${SHEET} [role=option]`))).length === 1,
  );
  await look();
  await app.press(Key.down);
  await app.find(css(`${SHEET} [role=option][aria-selected=true]`));
  await app.press(Key.enter);
  await waitFor(
    `${value} in the field`,
    async () => (await app.execute(() => /** @type {HTMLInputElement} */ (document.activeElement).value)) === value,
  );
}

/** Looks at what was read and attaches it; the focus is there already. */
async function attach({ app, keys, desktop }, shown, picture) {
  const parts = await app.find(css("[data-testid=attachment-parts]"));
  const said = await app.textOf(parts);
  assert.ok(said.includes(shown), said);
  await app.screenshot(`${desktop.reports}/${picture}.png`);
  await keys.reach("[data-testid=attach]");
  await keys.enter();
  await app.gone(css(SHEET));
}
