// A day in the real application by keyboard alone, in each language: nothing is clicked, and no value is set. What the
// page gets are keys; what the dialogs of the system and the clipboard get are keys of the desktop.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { cutOff, unreadable } from "../../ui/tests/browser/layout.mjs";
import { ASKING, marked } from "./asking.mjs";
import { startDesktop } from "./desktop.mjs";
import { Keyboard } from "./keyboard.mjs";
import { css, text } from "./locate.mjs";
import { callRow, Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { Key } from "./webdriver.mjs";
import { wordsIn } from "./words.mjs";

const PATIENTLY = { within: 45_000 };
const named = (id) => css(`[data-testid=${id}]`);
const COMPOSER = "[data-testid=composer]";
/** The title of the main window, with the number of open requests or without. */
const MAIN = /^(\(\d+\) )?Vestibule$/;

/** The key that zooms, and what it leads to step by step, in percent. */
const ZOOMS = [
  ["-", [90, 80, 75, 67, 50]],
  ["+", [110, 125, 150, 175, 200]],
];

for (const [language, settings] of Object.entries({ en: 1, "zh-CN": 2 })) {
  test(`a day by keyboard alone, in ${language}`, { timeout: 300_000 }, async () => {
    const desktop = await startDesktop(`keyboard-day-${language}`);
    try {
      await desktop.story(async () => {
        const day = new Day(desktop, await desktop.open(), wordsIn(language));
        await day.begins(settings, language);
        await day.callsATool();
        await day.addsAServer();
        await day.branches();
        await day.finds();
        await day.attaches();
        await day.zooms();
        await day.exports();
        await day.ends();
      });
    } finally {
      await desktop.stop();
    }
  });
}

class Day {
  #server = marked(ASKING);

  constructor(desktop, app, words) {
    this.desktop = desktop;
    this.app = app;
    this.words = words;
    this.person = new Person(app);
    this.keys = new Keyboard(app);
  }

  /** The application is open; the language is chosen in the settings. */
  async begins(steps, language) {
    const { app, keys, person } = this;
    await person.atMain();
    await waitFor("the tour to be ready", async () => (await person.serverState("tour")) === "ready", PATIENTLY);
    await app.press(Key.control, ",");
    await keys.reach("[data-testid=settings-look]");
    await keys.enter();
    await keys.reach(".choice:nth-of-type(2) input");
    await keys.repeat(Key.down, steps);
    await app.find(css(`html[lang="${language}"]`));
  }

  /** The rehearsal calls three tools: one is allowed, one denied, one skipped. */
  async callsATool() {
    const { app, keys, person, words } = this;
    await this.#newChat();
    await this.#says(words("suggest_tools"));
    await keys.accept("call_tool");
    await this.#atRest();
    const [row] = await app.all(css("[data-testid=call-row][data-state=answered]"));
    const tool = await app.execute((it) => it.dataset.tool, row);
    for (const answer of ["decline", "cancel"]) {
      await this.#says(words("suggest_tools"));
      await keys[answer]("call_tool");
      await this.#atRest();
    }
    assert.equal((await app.all(callRow(tool, "refused"))).length, 2);
    await app.screenshot(join(this.desktop.reports, "called.png"));
    await person.atMain();
  }

  /** A server is pasted, added, and started with its card. */
  async addsAServer() {
    const { app, desktop, keys, person, words } = this;
    await this.#palette(words("add_server"));
    await app.find(named("paste-json"));
    await this.#paste("text/plain;charset=utf-8", JSON.stringify({ mcpServers: { asking: this.#server.server } }));
    await app.find(css(".paste .end .primary:not(:disabled)"));
    await keys.reach(".paste .end .primary");
    await keys.enter();
    await waitFor("the start of the new server to have the focus", () =>
      app.execute(() => document.activeElement?.matches("[data-testid=start-stop]")),
    );
    await keys.enter();
    const said = await keys.accept("start_server");
    assert.ok(said.includes(ASKING.args[0]), `the card shows the program: ${said}`);
    await person.atMain();
    await waitFor("the server to be ready", async () => (await person.serverState("asking")) === "ready", PATIENTLY);
    await app.screenshot(join(desktop.reports, "server.png"));
  }

  /** A message is changed and sent again; the arrows lead to what was said before. */
  async branches() {
    const { app, keys, words } = this;
    await this.#newChat();
    await this.#says(words("suggest_hello"));
    await keys.accept("call_tool");
    await this.#atRest();
    await keys.reach("[data-testid=edit]");
    await keys.enter();
    await app.find(named("edit-message"));
    await app.write(" 2");
    await keys.enter();
    await keys.decline("call_tool");
    await this.#atRest();
    await app.find(text(`${words("suggest_hello")} 2`));
    await keys.reach("[data-way=before]");
    await keys.enter();
    await app.gone(text(`${words("suggest_hello")} 2`));
    await app.find(text(words("suggest_hello")));
  }

  /** Words are found in this chat and in all chats. */
  async finds() {
    const { app, keys, words } = this;
    await this.#focusComposer();
    await app.press(Key.control, "f");
    await app.write(words("suggest_hello"));
    await app.find(css("[data-testid=find-where]:not(:empty)"));
    await app.press(Key.escape);
    await app.gone(named("find-bar"));

    await app.press(Key.control, Key.shift, "f");
    await app.find(named("find-sheet"));
    await app.write(words("suggest_tools"));
    await app.find(named("find-hit"), PATIENTLY);
    await keys.enter();
    await app.gone(named("find-sheet"));
    await app.find(css("[data-testid=call-row]"));
  }

  /** A picture is pasted, and a text is picked by its path. */
  async attaches() {
    const { app, desktop, keys, words } = this;
    const picture = join(desktop.folder, "shot.png");
    assert.equal(spawnSync("convert", ["-size", "320x200", "gradient:#205080-#f0e0c0", picture]).status, 0);
    await this.#focusComposer();
    await this.#paste("image/png", readFileSync(picture));
    await app.find(named("attachment"));
    const note = join(desktop.folder, "note.txt");
    writeFileSync(note, "the tram leaves at nine");
    await keys.reach("[data-testid=attach-files]");
    await keys.enter();
    await desktop.writeInto(words("attach_files"), note, "Return");
    await waitFor("both to be attached", async () => (await app.all(named("attachment"))).length === 2);
    await app.screenshot(join(desktop.reports, "attached.png"));
  }

  /** At each size all words can be read, in the chat and in the settings. */
  async zooms() {
    const { app, desktop } = this;
    const sizes = [];
    for (const view of ["chat", "settings"]) {
      if (view === "settings") await app.press(Key.control, ",");
      for (const [key, steps] of ZOOMS) {
        for (const step of steps) {
          await app.press(Key.control, key);
          await this.#isDrawnAt(step);
        }
        const size = steps.at(-1);
        sizes.push(size);
        await app.screenshot(join(desktop.reports, `${view}-${size}.png`));
        for (const look of [cutOff, unreadable]) {
          assert.deepEqual(await app.execute(look), [], `${look.name} in the ${view} at ${size} %`);
        }
        await app.press(Key.control, "0");
        await this.#isDrawnAt(100);
      }
    }
    assert.deepEqual(sizes, [50, 200, 50, 200]);
  }

  /** All chats are written into a file. */
  async exports() {
    const { app, desktop, keys, words } = this;
    // The dialog proposes a name with this ending, and what is typed takes the place of the rest.
    const file = join(desktop.folder, "chats");
    await keys.reach("[data-testid=settings-data]");
    await keys.enter();
    await keys.reach("[data-testid=chats-export-json]");
    await keys.enter();
    await desktop.writeInto(words("choose_new_chat_file_title"), file, "Return");
    await app.find(css("[data-testid=chat-files] [role=status]"), PATIENTLY);
    const exported = readFileSync(`${file}.json`, "utf8");
    assert.ok(exported.includes(words("suggest_tools")), "the file has what was said");
  }

  /** The keys of the window manager close the window. */
  async ends() {
    const { desktop } = this;
    await this.#inFront();
    await desktop.quit(undefined, undefined, () => desktop.presses("alt+F4"));
    assert.deepEqual(desktop.processesNaming(this.#server.mark), [], "no server outlives the application");
  }

  async #newChat() {
    await this.person.atMain();
    await this.app.press(Key.control, "n");
    await this.#composerHasFocus();
  }

  #composerHasFocus() {
    return waitFor("the message field to have the focus", () =>
      this.app.execute((wanted) => document.activeElement?.matches(wanted), COMPOSER),
    );
  }

  async #focusComposer() {
    await this.person.atMain();
    await this.keys.reach(COMPOSER);
  }

  async #says(message) {
    await this.#focusComposer();
    await this.app.write(message);
    await waitFor(
      "the message to be written",
      async () => (await this.app.execute((it) => document.querySelector(it)?.["value"], COMPOSER)) === message,
    );
    await this.keys.enter();
  }

  /** Waits until the answer is done. */
  async #atRest() {
    await this.person.atMain();
    await this.app.gone(named("stop"), PATIENTLY);
    await this.app.find(css("[data-testid=entry-assistant][data-state=done]"), PATIENTLY);
  }

  /** Chooses what the palette finds first. */
  async #palette(what) {
    await this.person.atMain();
    await this.app.press(Key.control, "k");
    await this.app.find(named("palette-search"));
    await this.app.write(what);
    await this.app.find(css("[data-testid=palette-entry]"));
    await this.keys.enter();
    await this.app.gone(named("palette-search"));
  }

  #inFront() {
    return waitFor("the main window in front", () => MAIN.test(this.desktop.inFront()), PATIENTLY);
  }

  async #paste(kind, content) {
    const file = join(this.desktop.folder, "clipboard");
    writeFileSync(file, content);
    await this.desktop.copies(kind, file);
    await this.#inFront();
    this.desktop.presses("ctrl+v");
  }

  /** The page is drawn at this size: a pixel of CSS is so many of the window. */
  #isDrawnAt(percent) {
    return waitFor(`the page at ${percent} %`, async () => {
      const width = await this.app.execute(() => innerWidth);
      const [window] = this.desktop.shownWindows(MAIN.source);
      const { width: pixels } = this.desktop.placeOf(window);
      return Math.abs((100 * pixels) / width - percent) < 2;
    });
  }
}
