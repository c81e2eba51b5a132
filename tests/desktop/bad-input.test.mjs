// What servers and others send that no person could be asked, in the real application: it is refused in words the
// server can read, or shown as what it is, and the person goes on working.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ASKING } from "./asking.mjs";
import { atDesk, EVERYTHING } from "./everything.mjs";
import { css } from "./locate.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

const SEND = /__send$/;
const FIELD = '[data-field="it"] :is(input, textarea)';
const WITHDRAWN = css("[data-testid=withdrawn]");

/** A form with one field; its message is a text, or what stands for a long one. */
const form = (field, /** @type {string | { many: string, times: number }} */ message = "Please.") => ({
  message,
  requestedSchema: { type: "object", properties: { it: field } },
});
const page = (url) => ({ mode: "url", elicitationId: "visit", message: "Please.", url });

/** Has the server send a request; returns a function that waits for what it was answered. */
async function sends(desk, params, more = {}) {
  const result = await desk.call(SEND, { method: "elicitation/create", params, ...more });
  return async () => JSON.parse(await result());
}

async function isServed(desk, server) {
  const echoed = await desk.call(new RegExp(`^${server}.*echo$`), { message: "Still here?" });
  assert.match(await echoed(), /Still here\?/);
}

/** EF-010, EF-012, EU-009 */
test(
  "what nobody could be asked is refused in words, and what can be asked is shown as what it is",
  { timeout: 300_000 },
  () =>
    atDesk("bad-input", async (desk) => {
      const { desktop, app, keys, person } = desk;
      await person.pasteServers({ mcpServers: { asking: ASKING, everything: EVERYTHING } });
      await person.startServer("asking");
      await person.startServer("everything");
      const megabyte = { many: "word ", times: 200_000 };
      for (const [params, because] of [
        [form({ type: "object" }), "object"],
        [form({ type: "integer", minimum: 9, maximum: 1 }), "minimum"],
        [form({ type: "string" }, megabyte), "too long"],
        [page({ many: "https://example.com/", times: 5_000 }), "too long"],
      ]) {
        const { error } = await (await sends(desk, params))();
        assert.equal(error.code, -32602);
        assert.ok(error.message.includes(because), error.message);
      }
      assert.deepEqual(desktop.openedPages(), []);

      const suggested = await sends(
        desk,
        form({ type: "string", title: "A number of a tram", maxLength: 3, default: "seventeen" }),
      );
      const said = await app.textOf(await keys.atCard("fill_form"));
      assert.ok(said.includes(words("form_broken_default")) && said.includes("seventeen"), said);
      assert.equal(await app.valueOf(await app.find(css(FIELD))), "");
      await app.screenshot(`${desktop.reports}/broken-default.png`);
      await keys.replace(FIELD, "17");
      await keys.accept("fill_form");
      assert.deepEqual((await suggested()).result, { action: "accept", content: { it: "17" } });

      const explodes = await sends(desk, form({ type: "string", pattern: "^(a+)+$" }));
      await keys.atCard("fill_form");
      await keys.replace(FIELD, `${"a".repeat(60)}!`);
      await app.find(css(`[data-field="it"] [aria-invalid=true]`));
      await keys.replace(FIELD, "a".repeat(60));
      await keys.accept("fill_form");
      assert.deepEqual((await explodes()).result.content, { it: "a".repeat(60) });
      await isServed(desk, "everything");
    }),
);

/** A question that outlives its asker must never happen, and neither must words that go where nobody meant them. */
test("a form that is taken back while it is typed into says so, and its words go nowhere", { timeout: 300_000 }, () =>
  atDesk("taken-back", async (desk) => {
    const { desktop, app, keys, person } = desk;
    await person.pasteServers({ mcpServers: { asking: ASKING } });
    await person.startServer("asking");
    const takenBack = join(desktop.folder, "taken-back");
    const result = await desk.call(SEND, { method: "elicitation/create", params: form({ type: "string" }), takenBack });
    await person.atMain();
    await app.click(css("button.waits"));
    await keys.atCard("fill_form");
    await waitFor("the consent window to have the keyboard", () => app.execute(() => document.hasFocus()));
    await keys.reach(FIELD);
    desktop.types("my pass");
    await waitFor(
      "the words in the field",
      async () =>
        (await app.execute(() => /** @type {HTMLInputElement} */ (document.activeElement).value)) === "my pass",
    );
    writeFileSync(takenBack, "");
    await app.find(WITHDRAWN);
    desktop.types("word is tram\n");
    await app.screenshotIfShown(`${desktop.reports}/withdrawn.png`);
    assert.match(await result(), /taken back/);
    await waitFor("the empty window to go", () => desktop.shownWindows("Vestibule").length === 1);
    await person.atMain();
    assert.equal(await app.valueOf(await app.find(css("[data-testid=composer]"))), "");
    assert.ok(!(await app.pageText()).includes("tram"));

    const next = await sends(desk, form({ type: "string" }));
    await keys.atCard("fill_form");
    assert.equal(await app.valueOf(await app.find(css(FIELD))), "", "a new card is empty");
    await keys.replace(FIELD, "Ada");
    await keys.accept("fill_form");
    assert.deepEqual((await next()).result.content, { it: "Ada" });
  }),
);

/** RO-009, RO-013 */
test("a folder that is swapped for a link during the question is told to nobody", { timeout: 300_000 }, () =>
  atDesk("swapped-folder", async (desk) => {
    const { desktop, app, keys, person } = desk;
    const [shared] = await desk.addFolders("holiday plans");
    const kept = join(desktop.folder, "secret");
    mkdirSync(kept);
    await person.pasteServers({ mcpServers: { everything: EVERYTHING } });
    await person.startServer("everything");
    await keys.atCard("share_folders");
    rmSync(shared, { recursive: true });
    symlinkSync(kept, shared);
    await keys.accept("share_folders");
    const roots = await (await desk.call(/get-roots-list$/, {}))();
    assert.ok(!roots.includes("holiday") && !roots.includes("secret"), roots);
    await person.atMain();
    await app.click(css("[data-testid=workspaces-row]"));
    const said = await app.find(css("[role=status].bad"));
    assert.equal(await app.textOf(said), words("folder_replaced"));
    await app.screenshot(`${desktop.reports}/replaced.png`);
    await isServed(desk, "everything");
  }),
);

test("a ledger that was edited is said on opening, and the person goes on", { timeout: 300_000 }, () =>
  atDesk("edited-ledger", async (desk) => {
    const { desktop, person } = desk;
    await person.pasteServers({ mcpServers: { everything: EVERYTHING } });
    await person.startServer("everything");
    await isServed(desk, "everything");
    await desktop.quit();
    editLedger(join(desktop.home, "vestibule.db"));

    const again = desk.at(await desktop.open());
    const { app } = again;
    await again.person.atMain();
    const note = await app.find(css("[data-testid=broken-ledger]"));
    const said = await app.textOf(note);
    assert.ok(said.includes(words("break_altered")) && said.includes(words("ledger_broken_do")), said);
    await app.screenshot(`${desktop.reports}/edited.png`);
    await app.click(css("[data-testid=broken-ledger] .button, [data-testid=broken-ledger] button"));
    const found = await app.textOf(await app.find(css("[data-testid=ledger-found]")));
    assert.ok(found.includes(words("break_altered")), found);
    await again.person.startServer("everything");
    await isServed(again, "everything");
  }),
);

/** As anybody can who has the file: another question stands under a decision. */
function editLedger(database) {
  assert.ok(!existsSync(`${database}-wal`) || readFileSync(`${database}-wal`).length === 0, "all of it is in the file");
  const file = readFileSync(database, "latin1");
  const [, question] = /"question":"([0-9a-f]{64})"/.exec(file);
  writeFileSync(database, file.replaceAll(question, `beef${question.slice(4)}`), "latin1");
}
