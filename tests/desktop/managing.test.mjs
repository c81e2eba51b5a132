// What a user manages in the main window of the real application: a server filled in by hand, a value that it lacks, its
// limits, its removal; a model and a folder that are removed; everything stopped at once.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { marked, TYPESCRIPT } from "./asking.mjs";
import { atDesk } from "./everything.mjs";
import { css, role } from "./locate.mjs";
import { asksFor, says } from "./model-endpoint.mjs";
import { callRow } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { Key } from "./webdriver.mjs";
import { words } from "./words.mjs";

const PATIENTLY = { within: 45_000 };
const TOKEN = "a value that only the server may have";
const start = role("button", words("start"));

/** Fills in the form for a program that needs the variable API_TOKEN, without its value. */
async function fillInProgram({ app, person }, name, { command, args }) {
  await person.atMain();
  await app.click(css("[data-testid=add-server]"));
  await app.click(role("tab", words("fill_in")));
  await app.fill(role("textbox", new RegExp(`^${words("name")}`)), name);
  await app.fill(role("textbox", new RegExp(`^${words("command")}`)), command);
  for (const [index, argument] of args.entries()) {
    await app.click(role("button", words("add_argument")));
    await app.fill(role("textbox", words("argument_number", { number: index + 1 })), argument);
  }
  await app.click(role("button", words("add_variable")));
  await app.fill(role("textbox", words("variable_name", { number: 1 })), "API_TOKEN");
  await app.click(css("form .end .primary"));
  await person.serverRow(name);
}

test("a program that was filled in by hand starts once its missing value is there", { timeout: 480_000 }, () =>
  atDesk("managing-program", async (desk) => {
    const { app, person } = desk;
    await fillInProgram(desk, "asking", TYPESCRIPT);
    await app.fill(css("#missing-0"), TOKEN);
    await app.screenshot(join(desk.desktop.reports, "missing.png"));
    await app.click(role("button", words("save_value_of", { name: "API_TOKEN" })));
    await app.gone(css("#missing-0"));

    await app.click(start);
    const shown = await person.atCard("start_server");
    const said = await app.textOf(shown);
    for (const part of TYPESCRIPT.args) assert.ok(said.includes(part), `the card shows ${part}: ${said}`);
    assert.ok(said.includes("API_TOKEN") && !said.includes(TOKEN), "the card names the variable and hides its value");
    await person.allow("start_server");
    await person.atMain();
    await waitFor("asking to be ready", async () => (await person.serverState("asking")) === "ready", PATIENTLY);
  }),
);

test("a limit of a server is kept, and removing the server ends it", { timeout: 480_000 }, () =>
  atDesk("managing-limits", async (desk) => {
    const { app, person } = desk;
    const { server, mark } = marked(TYPESCRIPT);
    await person.pasteServers({ mcpServers: { asking: server } });
    await person.startServer("asking");
    const about = role("tab", words("about_server"));
    await person.openServer("asking");
    await app.click(about);
    const limit = css("[data-testid=budget-hour]");
    const before = await app.valueOf(await app.find(limit));
    await app.click(limit);
    await app.press(Key.control, "a");
    await app.write(`${Number(before) + 1234}`);
    await app.press(Key.tab);
    const said = await person.allow("widen");
    assert.ok(said.includes((Number(before) + 1234).toLocaleString("en")), `the card names the limit: ${said}`);
    await person.atMain();
    await app.click(role("tab", words("log")));
    await app.click(about);
    await waitFor("the limit to be kept", async () => {
      return (await app.valueOf(await app.find(limit))) === `${Number(before) + 1234}`;
    });

    await app.click(role("button", words("remove_server")));
    await app.screenshot(join(desk.desktop.reports, "removing.png"));
    await app.click(role("button", words("remove")));
    await waitFor("the server to be gone from the list", async () => {
      const rows = await Promise.all((await app.all(css("[data-testid=server-row]"))).map((row) => app.textOf(row)));
      return rows.every((row) => !row.includes("asking"));
    });
    await waitFor("its process to be gone", () => desk.desktop.processesNaming(mark).length === 0);
  }),
);

test("a folder and a model that are removed are gone at the next start as well", { timeout: 480_000 }, () =>
  atDesk("managing-removals", async (desk) => {
    const [folder] = await desk.addFolders("notes");
    const remove = css(`[aria-label="${words("remove_folder", { folder })}"]`);
    await desk.app.click(remove);
    await desk.app.gone(remove);

    const removeModel = role("button", words("remove_model", { model: "Scripted" }));
    await desk.app.click(role("button", words("settings")));
    await desk.app.click(removeModel);
    await desk.app.gone(removeModel);
    await desk.desktop.quit();

    const app = await desk.desktop.open();
    await desk.at(app).person.atMain();
    await app.click(css("[data-testid=workspaces-row]"));
    await app.find(css("[data-testid=folder-path]"));
    assert.equal((await app.all(remove)).length, 0);
    await app.click(role("button", words("settings")));
    await app.find(role("button", words("add_connection")));
    assert.equal((await app.all(removeModel)).length, 0);
  }),
);

test("stop everything ends the call that waits and every server, and starts them again", { timeout: 480_000 }, () =>
  atDesk("managing-stop", async (desk) => {
    const { app, person, model } = desk;
    const { server, mark } = marked(TYPESCRIPT);
    await person.pasteServers({ mcpServers: { asking: server } });
    await person.startServer("asking");
    model.queue(asksFor({ tool: /asking__forecast$/, arguments: {} }), says("It was stopped."));
    await person.sayInNewChat("What will it be?");
    await person.atCard("call_tool");

    await person.atMain();
    await app.click(css("[data-testid=stop-everything]"));
    await app.find(css("[data-testid=everything-stopped]"), PATIENTLY);
    await waitFor("asking to be stopped", async () => (await person.serverState("asking")) === "stopped", PATIENTLY);
    await waitFor("its process to be gone", () => desk.desktop.processesNaming(mark).length === 0);
    await app.find(callRow("forecast", "cancelled"), PATIENTLY);
    await app.gone(css("[data-testid=waiting-row]"));
    await app.screenshot(join(desk.desktop.reports, "stopped.png"));

    await app.click(css("[data-testid=start-again]"));
    await waitFor(
      "a question or the server",
      async () => ["asking", "ready"].includes(await person.serverState("asking")),
      PATIENTLY,
    );
  }),
);
