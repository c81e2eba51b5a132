// A question that is put aside: Escape and closing hide its window and answer nothing, the shortcut brings it back, and a
// call that was denied is asked again.
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { Keyboard } from "./keyboard.mjs";
import { css } from "./locate.mjs";
import { Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { Key } from "./webdriver.mjs";

const ASK = "What is the weather in Oslo?";
/** The tool, the server and the application, as the title of the window has to name them. */
const TITLE = "^weather · tour – Vestibule needs your OK$";
const WAITING = css("[data-testid=waiting-row]");
const PATIENTLY = { within: 45_000 };

test(
  "a hidden window leaves its question waiting, and a denied call is asked again",
  { timeout: 480_000 },
  async () => {
    const desktop = await startDesktop("hidden");
    const shown = (is) =>
      waitFor(
        is ? "the consent window to be shown" : "the consent window to be hidden",
        () => desktop.shownWindows(TITLE).length === (is ? 1 : 0),
        PATIENTLY,
      );
    try {
      await desktop.story(async () => {
        const app = await desktop.open();
        const person = new Person(app);
        const keys = new Keyboard(app);
        await person.atMain();
        await waitFor("the tour to be ready", async () => (await person.serverState("tour")) === "ready", PATIENTLY);
        await person.say(ASK);
        await keys.atCard("call_tool");
        await shown(true);

        await keys.hide("call_tool");
        await shown(false);
        await person.atMain();
        await app.find(WAITING);
        await app.find(css(".waits"));
        await app.click(css("[data-testid=composer]"));
        await app.press(Key.control, Key.enter);
        await shown(true);
        await waitFor("the consent window in front", () => new RegExp(TITLE).test(desktop.inFront()), PATIENTLY);
        await keys.atCard("call_tool");

        await desktop.closeWindow(TITLE);
        await shown(false);
        await person.atMain();
        await app.find(WAITING);
        await app.click(css("[data-testid=waiting-row] .review button"));
        await shown(true);
        await keys.decline("call_tool");
        await person.seesCall("weather", "refused");

        await app.click(css("[data-testid=ask-again]"));
        await keys.accept("call_tool");
        await person.seesCall("weather", "answered");
        await app.screenshot(join(desktop.reports, "asked-again.png"));
      });
    } finally {
      await desktop.stop();
    }
  },
);
