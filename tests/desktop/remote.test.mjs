// Servers at an address: the real application and the reference server "everything", over both of its ways through
// HTTP. Nothing is sent before a yes given from the keyboard, a tool is called, the server dies, the person sees what
// is being waited for, and it is back: by itself, or at once when they ask for it. SSE-004, SSE-008, LS-001.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { startEverything } from "./remote-server.mjs";
import { Keyboard } from "./keyboard.mjs";
import { css, role, text } from "./locate.mjs";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

/** An attempt follows another after seconds, and this machine may be busy. */
const PATIENTLY = { within: 60_000 };
const COUNTDOWN = css("[data-testid=countdown]");

const state = (person, wanted) =>
  waitFor(`everything to be ${wanted}`, async () => (await person.serverState("everything")) === wanted, PATIENTLY);

/** Calls `echo` and waits until the model has read what came back. */
async function echo(person, model, message) {
  const before = model.requests.length;
  model.queue(asksFor({ tool: /echo$/, arguments: { message } }), says(`I heard ${message}.`));
  await person.sayInNewChat(`Echo ${message}`);
  await person.allow("call_tool");
  await person.hears(new RegExp(`I heard ${message}\\.`));
  const results = toolResults(await model.request(before + 2));
  assert.ok(
    results.some((result) => result.includes(`Echo: ${message}`)),
    JSON.stringify(results),
  );
}

/** Goes back to the page of the server. */
async function lookAtServer(app, person) {
  await person.atMain();
  await app.clickElement(await person.serverRow("everything"));
  await app.find(css("[data-testid=server-state]"));
}

async function story(way, back) {
  const desktop = await startDesktop(`remote-${way}`);
  const model = await startModelEndpoint();
  const server = await startEverything(way, desktop.reports);
  try {
    await desktop.story(async () => {
      const app = await desktop.open();
      const person = new Person(app);
      await person.atMain();
      await person.addModel({ url: model.url, model: MODEL, label: "Scripted", key: "a-key" });

      await person.addServerAt("everything", server.url);
      assert.equal(await person.serverState("everything"), "stopped", "adding connects nothing");
      await app.click(role("button", words("connect")));
      const asked = await new Keyboard(app).accept("connect_server");
      assert.ok(asked.includes(server.url), `the card shows the whole address: ${asked}`);
      await person.atMain();
      await state(person, "ready");
      // It has instructions for models, which are asked about once: not again when it is back.
      await new Keyboard(app).accept("tool_changed");
      await person.atMain();
      await app.click(role("tab", words("about_server")));
      await app.find(text(way === "sse" ? /HTTP\+SSE/ : /Streamable HTTP/));
      await app.screenshot(join(desktop.reports, "about.png"));
      await echo(person, model, "before");

      await lookAtServer(app, person);
      await server.startAnother();
      await server.die();
      await waitFor("a countdown", async () => /\d/.test(await app.textOf(await app.find(COUNTDOWN))), PATIENTLY);
      await app.screenshot(join(desktop.reports, "countdown.png"));
      // The fourth pause is long enough that only the button ends it so soon.
      if (back === "now") await app.find(text(/attempt 4\b/i), PATIENTLY);
      await server.comeBack();
      if (back === "now") await app.click(role("button", words("now")));
      await state(person, "ready");
      await app.gone(COUNTDOWN);
      await echo(person, model, "after");

      await lookAtServer(app, person);
      await app.click(role("tab", words("traffic")));
      await app.click(role("button", words("traffic_show")));
      await app.find(text("tools/call"), PATIENTLY);
      await app.screenshot(join(desktop.reports, "traffic.png"));
      assert.deepEqual(model.complaints, []);
    });
  } finally {
    await desktop.stop();
    await server.stop();
    await model.close();
  }
}

test("a server over Streamable HTTP is asked for once, dies, and comes back by itself", { timeout: 480_000 }, () =>
  story("streamableHttp", "by itself"),
);

test(
  "a server over HTTP with SSE is asked for once, dies, and comes back when the person says now",
  { timeout: 480_000 },
  () => story("sse", "now"),
);
