// The first five minutes of somebody with no key and no network: the tour server and the rehearsal, which is a script
// and says so. And what is left of an open question when the power goes.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { css, role } from "./locate.mjs";
import { callRow, Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

const WAITING = css("[data-testid=waiting-row]");

async function onADesktop(name, options, steps) {
  const desktop = await startDesktop(name, options);
  try {
    await desktop.story(() => steps(desktop));
  } finally {
    await desktop.stop();
  }
}

/** The tour is Vestibule's own program and runs already; one press on a suggestion makes the script call a tool. */
async function beginTheTour(app, person) {
  await person.atMain();
  await waitFor("the tour to be ready", async () => (await person.serverState("tour")) === "ready", { within: 30_000 });
  await app.click(role("button", words("suggest_tools")));
  await app.find(WAITING, { within: 30_000 });
}

test("a person without a key meets a call that waits, allows it and sees the result", { timeout: 300_000 }, () =>
  onADesktop("first-minutes", {}, async (desktop) => {
    const app = await desktop.open();
    const person = new Person(app);
    await beginTheTour(app, person);
    await app.screenshot(join(desktop.reports, "waiting.png"));
    await person.allow("call_tool");
    await person.atMain();
    await app.gone(WAITING, { within: 30_000 });
    await app.find(css("[data-testid=call-row][data-state=answered]"), { within: 30_000 });
    await app.find(css("[data-testid=entry-assistant][data-state=done]"), { within: 30_000 });
    const said = await app.pageText();
    assert.ok(said.includes(words("scripted")), "the script says wherever it speaks that it is one");
    await app.screenshot(join(desktop.reports, "answered.png"));
  }),
);

test("a power cut while a call waits loses no message and permits nothing", { timeout: 300_000 }, () =>
  onADesktop("power-cut", { keyring: false }, async (desktop) => {
    let app = await desktop.open();
    let person = new Person(app);
    await beginTheTour(app, person);
    const tool = await app.execute((row) => row.dataset.tool, await app.find(WAITING));
    await desktop.kill();

    app = await desktop.open();
    person = new Person(app);
    await person.atMain();
    await person.hears(words("suggest_tools"));
    await app.find(callRow(tool, "interrupted"));
    assert.equal((await app.all(WAITING)).length, 0, "no question without an asker");
  }),
);
