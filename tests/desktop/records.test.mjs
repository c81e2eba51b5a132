// The screens that say what was allowed and what happened, in the real application: a rule is read, tried and taken back;
// the ledger is searched, verified and exported, and the exported file is verified by the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { TYPESCRIPT } from "./asking.mjs";
import { APPLICATION } from "./desktop.mjs";
import { atDesk } from "./everything.mjs";
import { css } from "./locate.mjs";
import { asksFor, says } from "./model-endpoint.mjs";

const PATIENTLY = { within: 45_000 };
const named = (id) => css(`[data-testid=${id}]`);

/** Has the model call the tool in a new chat, and answers the question that follows for this chat, for ever, or once. */
async function call({ model, person }, scope, last) {
  model.queue(asksFor({ tool: /asking__forecast$/, arguments: {} }), says(last));
  await person.sayInNewChat("What will it be?");
  await person.atCard("call_tool");
  await person.chooseScope(scope);
  await person.allow("call_tool");
  await person.hears(last);
}

async function withCalledTool(name, steps) {
  await atDesk(name, async (desk) => {
    await desk.person.pasteServers({ mcpServers: { asking: TYPESCRIPT } });
    await desk.person.startServer("asking");
    await call(desk, "always", "It rains, I hear.");
    await steps(desk);
  });
}

test("a rule that is taken back in the list of rules permits no further call", { timeout: 480_000 }, () =>
  withCalledTool("records-rules", async (desk) => {
    const { app, person, model } = desk;
    model.queue(asksFor({ tool: /asking__forecast$/, arguments: {} }), says("Again, unasked."));
    await person.sayInNewChat("And now?");
    await person.hears("Again, unasked.");

    await app.click(named("to-rules"));
    const rule = css('[data-testid=rule][data-decision=allow]:has([data-testid="rule-edit"])');
    await app.find(rule);
    await app.click(named("rule-edit"));
    await app.click(named("rule-try"));
    await app.find(named("trial"));
    await app.screenshot(join(desk.desktop.reports, "trial.png"));
    const before = (await app.all(rule)).length;
    await app.click(named("rule-take-back"));
    await app.gone(named("rule-editor"));
    assert.equal((await app.all(rule)).length, before - 1);

    model.queue(asksFor({ tool: /asking__forecast$/, arguments: {} }), says("It was asked about."));
    await person.sayInNewChat("And now?");
    await person.allow("call_tool");
    await person.hears("It was asked about.");
  }),
);

test("the ledger finds a call, verifies, and its exported file verifies by itself", { timeout: 480_000 }, () =>
  withCalledTool("records-ledger", async (desk) => {
    const { app } = desk;
    await app.click(named("to-ledger"));
    await app.fill(named("ledger-search"), "forecast");
    await app.find(css("[data-testid=ledger] [data-testid=record]"), PATIENTLY);
    await app.click(named("ledger-verify"));
    await app.find(named("ledger-found"), PATIENTLY);
    await app.screenshot(join(desk.desktop.reports, "ledger.png"));

    await app.click(named("ledger-export"));
    const exported = await app.find(named("ledger-exported"), PATIENTLY);
    const file = (await app.execute((it) => it.parentElement.querySelector(".exact").innerText, exported)).trim();
    assert.ok(existsSync(file), `${file} is there`);
    assert.equal(statSync(file).mode & 0o077, 0, "other accounts cannot read it");
    const verified = spawnSync(APPLICATION, ["ledger", "verify", file], { env: desk.desktop.env, encoding: "utf8" });
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  }),
);
