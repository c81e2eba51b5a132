// The desktop of the stories about cards: the application, the reference server “everything” from npm, and a model under
// the test's control that calls its tools.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT, startDesktop } from "./desktop.mjs";
import { Keyboard } from "./keyboard.mjs";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";

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
