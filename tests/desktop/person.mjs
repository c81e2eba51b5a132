// What a person does in Vestibule, as verbs, so that the stories read like what happened. It presses what a person
// would press and looks only at what is on the screen; it knows no command of the application.
import { css, role, text } from "./locate.mjs";
import { answerOnce } from "./press.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

/** A server is started, a tool called: both may take this long on a busy machine, in milliseconds. */
const PATIENTLY = { within: 45_000 };

const named = (id) => css(`[data-testid=${id}]`);
const card = (kind) => css(`[data-testid=card][data-kind=${kind}]`);
/** The tabs of the cards of a kind that wait behind the one in front. */
export const behind = (kind) => css(`.inbox [data-kind=${kind}]:not([aria-current])`);
/** The line of a call in the chat; `state` as the line says it of itself. */
export const callRow = (tool, state) => css(`[data-tool="${tool}"][data-state=${state}]`);

export class Person {
  #app;

  constructor(app) {
    this.#app = app;
  }

  /** Looks at the main window. */
  atMain() {
    return this.#app.toWindow("Vestibule", ({ url }) => !url.includes("consent"));
  }

  /**
   * Looks at the consent window, waiting for a card of this kind in it. Questions of one server come in any order, so
   * the card may wait behind another; then its tab is chosen.
   */
  async atCard(kind) {
    await this.#app.toWindow("with the questions", ({ url }) => url.includes("consent"), PATIENTLY);
    return waitFor(
      `a card of kind ${kind}`,
      async () => {
        const [inFront] = await this.#app.all(card(kind));
        if (inFront) return inFront;
        const [tab] = await this.#app.all(behind(kind));
        // The tab goes with the card in front, where only this one is left.
        if (tab) await this.#app.clickElement(tab);
        return undefined;
      },
      PATIENTLY,
    );
  }

  /** Sets up a connection with one model, agrees that chats go to its address, and gives the model a name. */
  async addModel({ url, model, label, key }) {
    await this.#app.click(role("button", words("settings")));
    await this.#app.click(named("add-connection"));
    await this.#app.fill(role("textbox", words("base_url")), url);
    await this.#app.fill(css("input[type=password]"), key);
    await this.#app.fill(named("first-model"), model);
    await this.#app.click(role("button", words("save_connection")));
    const asked = await this.allow("widen");
    if (!asked.includes(url)) throw new Error(`the card does not show ${url}: ${asked}`);
    await this.atMain();
    // The form closes after the model is listed, and the list moves up.
    await this.#app.gone(role("button", words("save_connection")));
    await this.#app.click(role("button", words("change_model", { model })));
    await this.#app.fill(role("textbox", words("model_label")), label);
    await this.#app.click(role("button", words("save_model")));
    await this.#app.gone(role("button", words("save_model")));
    const choice = role("radio", new RegExp(`^${label}`));
    await this.#app.click(choice);
    await waitFor(`${label} to be the model for new chats`, async () => {
      const row = await this.#app.execute((it) => it.closest(".model").innerText, await this.#app.find(choice));
      return row.includes(words("for_new_chats"));
    });
  }

  /** Pastes a configuration and adds what Vestibule read in it. */
  async pasteServers(configuration) {
    await this.#app.click(named("add-server"));
    await this.#app.click(role("tab", words("paste_json")));
    await this.#app.fill(named("paste-json"), JSON.stringify(configuration));
    await this.#app.click(css(".paste .end .primary"));
    for (const name of Object.keys(configuration.mcpServers)) await this.serverRow(name);
  }

  /** The row of a server in the list, waiting for it. */
  serverRow(name) {
    return waitFor(`the server ${name} in the list`, async () => {
      for (const row of await this.#app.all(named("server-row"))) {
        if ((await this.#app.textOf(row)).split("\n").includes(name)) return row;
      }
      return undefined;
    });
  }

  /** Fills in the form for a server at an address and adds it. */
  async addServerAt(name, url) {
    await this.#app.click(named("add-server"));
    await this.#app.click(role("tab", words("fill_in")));
    await this.#app.fill(role("textbox", new RegExp(`^${words("name")}`)), name);
    await this.#app.click(named("place-address"));
    await this.#app.fill(css("input[inputmode=url]"), url);
    await this.#app.click(css("form .end .primary"));
    await this.#app.find(named("server-state"));
    await this.serverRow(name);
  }

  /** "ready", "stopped" and so on, as the row in the list says. */
  async serverState(name) {
    const row = await this.serverRow(name);
    return this.#app.execute((it) => it.dataset.state, row);
  }

  /** Opens what Vestibule shows of a server. */
  async openServer(name) {
    await this.atMain();
    await this.#app.clickElement(await this.serverRow(name));
  }

  /** Starts a server and allows it; returns the text of the card that asked. */
  async startServer(name) {
    await this.askToStart(name);
    return this.allowStart(name);
  }

  /** Starts a server, which Vestibule asks about. */
  async askToStart(name) {
    await this.openServer(name);
    await this.#app.click(role("button", words("start")));
  }

  /** Allows a server to be started, and waits until it is ready; returns the text of the card that asked. */
  async allowStart(name) {
    const asked = await this.allow("start_server");
    await this.atMain();
    await waitFor(`${name} to be ready`, async () => (await this.serverState(name)) === "ready", PATIENTLY);
    await this.#acceptInstructions(name);
    return asked;
  }

  /** Has each request hold all definitions, however many tools there are. */
  async offerAllTools() {
    await this.atMain();
    await this.#app.click(role("button", words("settings")));
    await this.#app.click(named("settings-limits"));
    await this.#app.click(named("discovery-all"));
    await this.#app.find(css("[data-testid=discovery-all]:checked"), PATIENTLY);
  }

  /** Lets models have the instructions of a server, where it has some that were not accepted before. */
  async #acceptInstructions(name) {
    const row = await this.serverRow(name);
    if (!(await this.#app.execute((it) => it.dataset.instructions === "held", row))) return;
    await this.allow("tool_changed");
    await this.atMain();
  }

  /** Opens a new chat and says something in it. */
  async sayInNewChat(message) {
    await this.atMain();
    await this.#app.click(role("button", new RegExp(`^${words("new_chat")}`)));
    await this.say(message);
  }

  async say(message) {
    await this.atMain();
    await this.#app.fill(named("composer"), message);
    await this.#app.click(named("send"));
  }

  /** Waits until the chat says this. */
  async hears(what) {
    await this.atMain();
    return this.#app.find(text(what), PATIENTLY);
  }

  /** Waits for the line of a call in this state and returns what it says. */
  async seesCall(tool, state, number = 1) {
    await this.atMain();
    const row = await waitFor(
      `call ${number} of ${tool} to be ${state}`,
      async () => (await this.#app.all(callRow(tool, state)))[number - 1],
      PATIENTLY,
    );
    return this.#app.textOf(row);
  }

  /** Changes an argument on the card that is shown. */
  changeArgument(name, value) {
    return this.#app.fill(role("textbox", new RegExp(`^${name}`)), value);
  }

  /** Chooses how long the answer will hold, on the card that is shown. */
  async chooseScope(scope) {
    const [choice] = await this.#app.all(named(`scope-${scope}`));
    await this.#app.clickElement(choice);
  }

  /** Gives the permitting answer as soon as the guard lets it; returns what the card said. */
  async allow(kind) {
    const shown = await this.atCard(kind);
    const said = await this.#app.textOf(shown);
    await this.#press(shown, "answer-accept");
    return said;
  }

  async denyBecause(kind, reason) {
    const shown = await this.atCard(kind);
    await this.#app.click(named("answer-refuse-why"));
    await this.#app.fill(css("#reason"), reason);
    await this.#press(shown, "answer-refuse-reason");
  }

  /** Presses an answer once it is enabled, and waits until its card has gone. */
  #press(shown, answer) {
    return answerOnce(this.#app, shown, `the answer ${answer} to be taken`, () => this.#app.click(named(answer)));
  }
}
