// The process that draws a page ends, as it does when the system has no memory left for it.
import assert from "node:assert/strict";
import test from "node:test";
import { atDesk } from "./everything.mjs";
import { text } from "./locate.mjs";
import { says } from "./model-endpoint.mjs";
import { processes } from "./processes.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

const MAIN = "^Vestibule$";
/** An empty window has fewer colours. */
const EMPTY = 100;

test("a window whose process ended is there again, and takes a message", { timeout: 300_000 }, () =>
  atDesk("page-ends", async ({ desktop, app, model }) => {
    // A page begins with a new chat, so that these settings are gone once it is drawn again.
    await app.gone(text(words("change_done")));
    const settings = desktop.pictureOf(MAIN);
    const own = `VESTIBULE_HOME=${desktop.home}`;
    const pages = () =>
      processes(({ exe, environment }) => /WebKitWebProcess$/.test(exe) && environment.split("\n").includes(own));
    const first = pages();
    assert.ok(first.length > 0);
    first.forEach((pid) => process.kill(pid, "SIGKILL"));
    // The session of the driver ended with its page, so the rest goes by the screen and the keyboard.
    await waitFor("the page to be drawn again", () => {
      const { digest, colours } = desktop.pictureOf(MAIN);
      return digest !== settings.digest && colours > EMPTY;
    });
    model.queue(says("At nine."));
    desktop.types("When does it leave?");
    desktop.presses("Return");
    await waitFor("the message to reach the model", () => model.requests.length === 1);
  }),
);
