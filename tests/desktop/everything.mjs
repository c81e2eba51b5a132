// The desktop of the stories about cards: the application, the reference server “everything” from npm, and a model under
// the test's control that calls its tools.
import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, startDesktop } from "./desktop.mjs";
import { Keyboard } from "./keyboard.mjs";
import { css } from "./locate.mjs";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";
import { Key } from "./webdriver.mjs";
import { words } from "./words.mjs";

const peer = (name) => join(ROOT, "target/peers/npm/node_modules/@modelcontextprotocol", name, "dist/index.js");
/** How each server is started, as a configuration says it. */
export const EVERYTHING = { command: "node", args: [peer("server-everything"), "stdio"] };
export const files = (folder) => ({ command: "node", args: [peer("server-filesystem"), folder] });

/** Runs `steps` on a new desktop with the application open and the model set up. */
export async function atDesk(name, steps) {
  const desktop = await startDesktop(name);
  const model = await startModelEndpoint();
  try {
    await desktop.story(async () => {
      const app = await desktop.open();
      const desk = new Desk(desktop, app, model);
      await desk.person.atMain();
      await desk.person.addModel({ url: model.url, model: MODEL, label: "Scripted", key: "a-key" });
      await steps(desk);
      assert.deepEqual(model.complaints, []);
    });
  } finally {
    await desktop.stop();
    await model.close();
  }
}

class Desk {
  #said = 0;

  constructor(desktop, app, model) {
    this.desktop = desktop;
    this.app = app;
    this.model = model;
    this.person = new Person(app);
    this.keys = new Keyboard(app);
  }

  /** The same desk after the application was opened again. */
  at(app) {
    return new Desk(this.desktop, app, this.model);
  }

  /** Makes folders of these names and adds them to the workspace by keyboard; returns where they are. */
  async addFolders(...names) {
    const folders = names.map((name) => join(this.desktop.folder, name));
    folders.forEach((folder) => mkdirSync(folder));
    await this.person.atMain();
    await this.keys.reach("[data-testid=workspaces-row]");
    await this.app.press(Key.enter);
    const places = folders.map((folder) => realpathSync(folder));
    for (const folder of places) {
      writeFileSync(join(folder, "note.txt"), "the tram leaves at nine");
      await this.keys.replace("[data-testid=folder-path]", folder);
      await this.app.press(Key.enter);
      await this.app.find(css(`[aria-label="${words("remove_folder", { folder })}"]`));
    }
    return places;
  }

  /** Shares these folders and no other of the card that asks for folders. */
  async share(...wanted) {
    await this.keys.atCard("share_folders");
    const rows = () =>
      this.app.execute(() =>
        [...document.querySelectorAll("[data-kind=share_folders] li")].map((it) => ({
          path: it.querySelector(".path").textContent.trim(),
          ticked: it.querySelector("input").checked,
        })),
      );
    for (const [index, { path, ticked }] of (await rows()).entries()) {
      if (ticked === wanted.includes(path)) continue;
      await this.keys.reach(`[data-kind=share_folders] li:nth-child(${index + 1}) input`);
      await this.app.press(" ");
    }
    const ticked = (await rows()).filter((row) => row.ticked);
    assert.deepEqual(
      ticked.map(({ path }) => path),
      wanted,
    );
    return this.keys.accept("share_folders");
  }

  /**
   * Has the model call a tool of the server and allows that call by keyboard. `between` are turns of the model that are
   * used up before it reads the result. Returns a function that waits for that result.
   */
  async call(tool, args, ...between) {
    this.#said += 1;
    const last = `That was number ${this.#said}.`;
    this.model.queue(asksFor({ tool, arguments: args }), ...between, says(last));
    await this.person.sayInNewChat(`Please do number ${this.#said}`);
    await this.keys.accept("call_tool");
    return async () => {
      await this.person.hears(last);
      return toolResults(this.model.requests.at(-1)).join("\n");
    };
  }
}

/** Loads the page of the chosen window anew and waits until the old one is gone. */
export async function reload(app) {
  await app.execute(() => {
    document.documentElement.dataset.before = "";
    location.reload();
  });
  await app.find(css("html:not([data-before]) [data-testid=card]"));
}
