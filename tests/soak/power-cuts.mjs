// Fifty power cuts of the real application while it writes: each time a message is said, the application is killed at
// a random moment after the message is on the screen. What was shown as saved is there at the next start, no server
// is left, and in the end the ledger is whole. Takes some minutes, so it is `make soak` and no part of `make test`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { APPLICATION, startDesktop } from "../desktop/desktop.mjs";
import { css } from "../desktop/locate.mjs";
import { Person } from "../desktop/person.mjs";
import { processes } from "../desktop/processes.mjs";
import { waitFor } from "../desktop/wait.mjs";

const CUTS = Number(process.env.CUTS ?? 50);
const MESSAGES = css("[data-testid=entry-user]");
const texts = async (app) => Promise.all((await app.all(MESSAGES)).map((entry) => app.textOf(entry)));

const desktop = await startDesktop("power-cuts", { keyring: false });
try {
  const said = [];
  for (let cut = 1; cut <= CUTS; cut += 1) {
    const app = await desktop.open();
    const person = new Person(app);
    await person.atMain();
    await app.find(css("[data-testid=composer]"));
    const last = said.at(-1);
    if (last !== undefined) {
      await waitFor("the last message to be there again", async () =>
        (await texts(app)).some((text) => text.includes(last)),
      );
    }
    await waitFor("the tour to be ready", async () => (await person.serverState("tour")) === "ready", {
      within: 30_000,
    });
    const message = `add ${cut} and ${1000 + cut}`;
    await person.say(message);
    await waitFor("the message on the screen", async () => (await texts(app)).some((text) => text.includes(message)));
    said.push(message);
    await new Promise((resume) => setTimeout(resume, Math.random() * 600));
    await desktop.kill();
    await waitFor("every server to be gone", () => processes(({ exe }) => exe === APPLICATION).length === 0, {
      within: 5_000,
    });
  }
  const verified = spawnSync(APPLICATION, ["ledger", "verify"], { env: desktop.env, encoding: "utf8" });
  assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  await readsBack(said);
  console.log(`${CUTS} power cuts: ${said.length} messages kept. ${verified.stdout.trim()}`);
} finally {
  await desktop.stop();
}

/** Opens the chat once more and reads it from its end to its beginning. */
async function readsBack(said) {
  const app = await desktop.open();
  await new Person(app).atMain();
  const missing = new Set(said);
  await waitFor(
    "every message to be there again",
    async () => {
      for (const text of await texts(app))
        for (const message of missing) if (text.includes(message)) missing.delete(message);
      if (missing.size > 0) {
        await app.execute(() => {
          const earlier = /** @type {HTMLElement | null} */ (document.querySelector("[data-testid=earlier]"));
          earlier?.click();
        });
      }
      return missing.size === 0;
    },
    { within: 60_000 },
  );
}
