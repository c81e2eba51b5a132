// When nobody looks: the operating system says that a question waits or a chat ended and nothing of what they say; a
// click brings the card or the chat; a reload, a flood and the end of the application leave no question without an answer.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ASKING } from "./asking.mjs";
import { atDesk, EVERYTHING, reload } from "./everything.mjs";
import { css, role } from "./locate.mjs";
import { startNotifications } from "./notifications.mjs";
import { behind } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { tapped, WireCopy } from "./wire.mjs";
import { words } from "./words.mjs";

const TOOL = /__ask$/;
const NAME = '[data-field="name"] :is(input, textarea)';
const PASSED = css("[data-testid=guard][data-phase=passed]");
const PATIENTLY = { within: 45_000 };

const press = (app, answer) =>
  app.execute((it) => /** @type {HTMLElement} */ (document.querySelector(`[data-testid=${it}]`)).click(), answer);

/** Waits until the main window's title says so many questions wait. */
const counted = (desktop, count) =>
  waitFor(
    `${count} in the title`,
    () => desktop.windowsNamed(count === 0 ? "^Vestibule$" : `^\\(${count}\\) Vestibule$`).length > 0,
    PATIENTLY,
  );

/**
 * Has the model call a tool that sends many requests while the card for the start of a server is in front. Then allows
 * that start and waits until the grouped card counts all requests. A request whose card was in front once keeps a card
 * of its own, and the speed of the machine would decide how many do.
 */
async function floodBehindStart(desk, server, tool, args) {
  const { desktop, app, person } = desk;
  const after = join(desktop.folder, server);
  const result = await desk.call(tool, { ...args, after });
  await person.askToStart(server);
  await person.atCard("start_server");
  await app.find(PASSED, PATIENTLY);
  writeFileSync(after, "");
  await app.find(behind("flood"), PATIENTLY);
  await person.allowStart(server);
  await app.click(css("[data-testid=chat-row]"));
  await waitFor(
    `all ${args.count} requests`,
    async () => (await app.textOf(await person.atCard("flood"))).includes(` ${args.count} requests`),
    PATIENTLY,
  );
  return result;
}

test("the system tells of a question and of a chat's end only while nobody looks", { timeout: 300_000 }, () =>
  atDesk("attention", async (desk) => {
    const { desktop, app, keys, person } = desk;
    const service = await startNotifications(desktop);
    const requests = () => service.shown.filter(({ title }) => title === words("notice_title", { server: "asking" }));
    try {
      await person.pasteServers({ mcpServers: { asking: ASKING } });
      await person.startServer("asking");
      const after = (name) => join(desktop.folder, name);
      const first = await desk.call(TOOL, { count: 1, after: after("first") });
      assert.deepEqual(service.shown, [], "two cards were answered in front of the person");

      await desktop.leave();
      writeFileSync(after("first"), "");
      const [told] = await waitFor("a notification", () => service.shown.length > 0 && service.shown);
      assert.equal(told.title, words("notice_title", { server: "asking" }));
      assert.equal(told.text, words("notice_form"));
      assert.ok(!JSON.stringify(told).includes("Prose"), "nothing the server says");
      await counted(desktop, 1);
      service.click(told.shown);
      await waitFor("the consent window in front", () => desktop.inFront().includes("Vestibule"), PATIENTLY);
      await waitFor("the notification to go", () => service.withdrawn.includes(told.shown));
      await keys.cancel("fill_form");
      assert.match(await first(), /"cancel":1/);
      await counted(desktop, 0);

      // A question that is answered in the window takes its notification back.
      await desktop.comeBack();
      const second = await desk.call(TOOL, { count: 1, after: after("second") });
      await desktop.leave();
      writeFileSync(after("second"), "");
      const again = await waitFor("another notification", () => requests()[1]);
      assert.equal(again.text, words("notice_form"), "the card of the call was answered in front of the person");
      await person.atCard("fill_form");
      await press(app, "answer-refuse");
      await waitFor("it to be taken back", () => service.withdrawn.includes(again.shown));
      assert.match(await second(), /"decline":1/);

      // No question waits, so a notification tells that the second chat ended. A click on it shows the chat. The first chat
      // may have had its notification before the second question came.
      const ended = await waitFor("the end of the chat", () =>
        service.shown.slice(service.shown.indexOf(again) + 1).find(({ title }) => title === words("notice_finished")),
      );
      // The scripted model says that it read little, which the chat takes for a limit.
      assert.equal(ended.text, words("notice_stopped"));
      await person.atMain();
      // Another view than the chat's. A click of the pointer brings the window to the front, which takes notifications back.
      await app.execute(() => {
        const settings = document.querySelector("[data-testid=to-settings]");
        if (settings instanceof HTMLElement) settings.click();
      });
      service.click(ended.shown);
      await app.find(css("[data-testid=composer]"));
      await waitFor("the main window in front", () => desktop.inFront() === "Vestibule", PATIENTLY);

      // Switched off, nothing is told; switched on, the next one is.
      await person.atMain();
      await app.click(role("button", words("settings")));
      await app.click(css("[data-testid=settings-notifications]"));
      await app.click(css("[data-testid=notify]"));
      await app.find(css("[data-testid=notify]:not(:checked)"));
      const third = await desk.call(TOOL, { count: 1, after: after("third") });
      await desktop.leave();
      writeFileSync(after("third"), "");
      await person.atCard("fill_form");
      await counted(desktop, 1);
      await press(app, "answer-refuse");
      await third();
      assert.equal(requests().length, 2, "no notification while they are off");
      await desktop.comeBack();
      await person.atMain();
      await app.click(role("button", words("settings")));
      await app.click(css("[data-testid=settings-notifications]"));
      await app.click(css("[data-testid=notify]"));
      await app.find(css("[data-testid=notify]:checked"));
      const fourth = await desk.call(TOOL, { count: 1, after: after("fourth") });
      await desktop.leave();
      writeFileSync(after("fourth"), "");
      const last = await waitFor("the third notification", () => requests()[2]);
      assert.equal(last.text, words("notice_form"));
      await person.atCard("fill_form");
      await press(app, "answer-refuse");
      await fourth();
    } finally {
      await service.stop();
    }
  }),
);

/** EF-009 */
test("five hundred forms in a moment are one card in a window that goes on working", { timeout: 300_000 }, () =>
  atDesk("flood", async (desk) => {
    const { desktop, app, keys, person } = desk;
    await person.pasteServers({ mcpServers: { asking: ASKING, again: ASKING, last: ASKING } });
    await person.startServer("asking");
    const different = await floodBehindStart(desk, "again", TOOL, { count: 500 });
    await app.find(PASSED, PATIENTLY);
    await app.screenshot(`${desktop.reports}/flood.png`);
    assert.equal((await app.all(css("[data-testid=answer-accept]"))).length, 0, "what differs has no common yes");
    await counted(desktop, 1);
    await keys.decline("flood");
    const {
      decline,
      cancel = 0,
      "error -32603": tooMany = 0,
      ...others
    } = JSON.parse(/\{.*\}/.exec(await different())[0]);
    assert.deepEqual(
      { decline, answered: decline + cancel + tooMany, others },
      { decline: 64, answered: 500, others: {} },
    );
    await counted(desktop, 0);

    // Each server has a pace of its own; the first has used up its minute.
    const same = await floodBehindStart(desk, "last", /^again.*__ask$/, { count: 40, same: true });
    await app.find(PASSED, PATIENTLY);
    await app.screenshot(`${desktop.reports}/flood-alike.png`);
    await keys.replace(NAME, "Ada");
    await keys.accept("flood");
    assert.deepEqual(JSON.parse(/\{.*\}/.exec(await same())[0]), { accept: 40 });
  }),
);

test(
  "a question survives a reload of its window and is answered when the application quits",
  { timeout: 300_000 },
  () =>
    atDesk("survives", async (desk) => {
      const { desktop, app, keys, person } = desk;
      const folder = join(desktop.folder, "wire");
      const wire = new WireCopy(folder);
      const cancelled = () => wire.fromHost.some(({ result }) => result?.action === "cancel");
      await person.pasteServers({ mcpServers: { everything: tapped(EVERYTHING, folder) } });
      await person.startServer("everything");
      const result = await desk.call(/trigger-elicitation-request$/, {});
      await keys.atCard("fill_form");
      await keys.replace(NAME, "Ada Lov");
      await reload(app);
      await app.find(PASSED, PATIENTLY);
      assert.equal(await app.valueOf(await app.find(css(NAME))), "Ada Lov", "what was typed is there again");
      await keys.replace(NAME, "Ada Lovelace");
      await keys.accept("fill_form");
      assert.match(await result(), /Ada Lovelace/);

      await desk.call(/trigger-elicitation-request$/, {});
      await person.atCard("fill_form");
      await counted(desktop, 1);
      assert.ok(!cancelled());
      await person.atMain();
      await desktop.quit(undefined, async () => {
        const yes = await app.find(css("[data-testid=close-yes]"));
        desktop.clickIn("Vestibule$", await app.middleOf(yes));
      });
      assert.ok(cancelled(), "the server heard that nobody answered");
    }),
);
