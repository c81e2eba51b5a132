// Signing in to a server with the real keyring and without one: the card, the page in the browser, what is held, and
// that a sign-in outlives the run exactly where something keeps it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { css, role, text } from "./locate.mjs";
import { Person } from "./person.mjs";
import { startProtected } from "./protected.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

const opened = (desktop) => (existsSync(desktop.opened) ? readFileSync(desktop.opened, "utf8").trim().split("\n") : []);

/** Connects "members" and says yes; comes to where the server wants a sign-in, or is ready. */
async function connect(app, person) {
  await person.atMain();
  await app.click(role("button", words("connect")));
  await person.allow("connect_server");
  await person.atMain();
}

async function signIn(app, person, desktop, world) {
  const before = opened(desktop).length;
  await app.click(css("[data-testid=sign-in]"), { within: 45_000 });
  const card = await person.atCard("sign_in");
  assert.deepEqual(["/register", "/authorize", "/token"].map(world.times), [0, 0, 0], "nothing was sent before the yes");
  assert.ok((await app.textOf(card)).includes("127.0.0.1"), "the card names who signs in");
  await app.screenshot(join(desktop.reports, "card.png"));
  await person.allow("sign_in");
  const page = await waitFor("the page in the browser", () => opened(desktop)[before]);
  assert.ok(page.startsWith(`${world.issuer}/authorize?`), page);
  await person.atMain();
  await app.find(css("[data-testid=sign-in-phase]"));
  await app.screenshot(join(desktop.reports, "waiting.png"));
  await world.visit(page);
  await waitFor("the server to be ready", async () => (await person.serverState("members")) === "ready");
}

for (const keyring of [true, false]) {
  const name = keyring ? "sign-in-with-a-keyring" : "sign-in-without-a-keyring";
  test(name, { timeout: 180_000 }, async () => {
    const [desktop, world] = [await startDesktop(name, { keyring }), await startProtected()];
    try {
      await desktop.story(async () => {
        let app = await desktop.open();
        let person = new Person(app);
        await person.atMain();
        await person.pasteServers({ mcpServers: { members: { url: world.url } } });
        await person.toServer("members");
        await connect(app, person);
        await signIn(app, person, desktop, world);
        await app.click(role("tab", words("about_server")));
        await app.find(css("[data-testid=held]"));
        await app.screenshot(join(desktop.reports, "held.png"));
        await desktop.quit();

        app = await desktop.open();
        person = new Person(app);
        await person.atMain();
        await person.toServer("members");
        await connect(app, person);
        if (keyring) {
          await waitFor("the server to be ready", async () => (await person.serverState("members")) === "ready");
        } else {
          await app.find(css("[data-testid=sign-in]"), { within: 45_000 });
          await signIn(app, person, desktop, world);
        }
        assert.equal(world.times("/token"), keyring ? 1 : 2);
        await app.click(role("tab", words("about_server")));
        await app.click(role("button", words("sign_out")));
        await app.find(text(words("held_nothing")));
        await waitFor("the tokens to be withdrawn", () => world.times("/revoke") === 2);
      });
    } finally {
      world.close();
      await desktop.stop();
    }
  });
}
