// What a person writes and pastes into the message field of the real application, with the clipboard and the
// dictionaries of a real desktop.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { atDesk } from "./everything.mjs";
import { css, role, text } from "./locate.mjs";
import { MODEL, says } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";
import { startWayland } from "./wayland.mjs";
import { words } from "./words.mjs";

const CHIP = "[data-testid=attachment]";
const COMPOSER = "[data-testid=composer]";
/** A mark under a word of six letters has more red pixels than this. */
const SHORTEST_MARK = 30;

test("a picture in the clipboard is shown whole before it is sent, and the model gets it", { timeout: 300_000 }, () =>
  atDesk("paste", async (desk) => {
    const { desktop, app, keys, person, model } = desk;
    const shot = join(desktop.folder, "shot.png");
    draw(shot, "-size", "640x400", "gradient:#205080-#f0e0c0");
    await desktop.copies("image/png", shot);
    await newChat(desk);
    await paste(desk);
    await app.find(css(CHIP));
    await app.click(css(`${CHIP} .what`));
    const sheet = await app.find(css("[data-testid=picture-sheet]"));
    await waitFor("the whole picture to be shown", () =>
      app.execute((it) => it.querySelector("img")?.naturalWidth === 640, sheet),
    );
    await app.screenshot(`${desktop.reports}/whole.png`);
    await app.click(role("button", words("close_yes")), { scope: sheet });

    await person.say("What is on this picture?");
    await app.find(text(words("problem_model_without_pictures")));
    assert.equal(model.requests.length, 0);

    await app.click(role("button", words("settings")));
    await app.click(role("button", words("change_model", { model: "Scripted" })));
    await keys.reach("[data-testid=model-form] .three > :nth-child(2) select");
    await app.press("Y");
    await app.click(role("button", words("save_model")));
    await app.gone(role("button", words("save_model")));
    model.queue(says("It fades from blue to sand."));
    await app.click(css("[data-testid=chat-row]"));
    await app.click(css("[data-testid=send]"));
    await person.hears("It fades from blue to sand.");
    const sent = model.requests.at(-1).messages.at(-1).content;
    const picture = sent.find((part) => part.type === "image_url");
    assert.equal(picture.image_url.url, `data:image/png;base64,${readFileSync(shot).toString("base64")}`);
    assert.equal(model.requests.at(-1).model, MODEL);
  }),
);

test("what is no picture, and what is too large, is refused in words", { timeout: 300_000 }, () =>
  atDesk("paste-refused", async (desk) => {
    const { desktop, app } = desk;
    const huge = join(desktop.folder, "huge.png");
    const header = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const file = openSync(huge, "w");
    writeSync(file, header);
    ftruncateSync(file, 16 * 1024 * 1024);
    closeSync(file);
    await desktop.copies("image/png", huge);
    await newChat(desk);
    await paste(desk);
    await app.find(text(new RegExp(`${words("pasted_picture")} is too large`)), { within: 60_000 });
    await app.screenshot(`${desktop.reports}/too-large.png`);

    const broken = join(desktop.folder, "broken.png");
    writeFileSync(broken, "this is no picture");
    await desktop.copies("image/png", broken);
    await paste(desk);
    await app.find(text(words("problem_clipboard_without_picture")));
    assert.equal((await app.all(css(CHIP))).length, 0);
  }),
);

test("a long text in the clipboard is a file that the model gets whole", { timeout: 300_000 }, () =>
  atDesk("paste-text", async (desk) => {
    const { desktop, app, person, model } = desk;
    const copied = join(desktop.folder, "copied.txt");
    writeFileSync(copied, "The tram leaves at nine.\n".repeat(40_000));
    await desktop.copies("text/plain;charset=utf-8", copied);
    await newChat(desk);
    await paste(desk);
    const chip = await app.find(css(CHIP));
    assert.match(await app.textOf(chip), new RegExp(words("pasted_text")));
    assert.equal(await app.execute((it) => it.value, await app.find(css(COMPOSER))), "");
    await app.screenshot(`${desktop.reports}/long-text.png`);
    model.queue(says("At nine."));
    await person.say("When does it leave?");
    await person.hears("At nine.");
    const told = JSON.stringify(model.requests[0].messages);
    assert.equal(told.split("The tram leaves at nine.").length - 1, 40_000);

    writeFileSync(copied, "x".repeat(1024 * 1024 + 1));
    await desktop.copies("UTF8_STRING", copied);
    await paste(desk);
    await app.find(text(new RegExp(`${words("pasted_text")} is too large`)), {
      within: 60_000,
    });
  }),
);

/** A page of a computer without a graphics card is drawn there too; WebKitGTK alone would show an empty window. */
test("under Wayland the window is drawn, and a picture in the clipboard is pasted", { timeout: 300_000 }, async () => {
  const desktop = await startDesktop("paste-wayland");
  /** @type {Awaited<ReturnType<typeof startWayland>> | undefined} */
  let wayland;
  try {
    await desktop.story(async () => {
      wayland = await startWayland(desktop);
      const app = await desktop.open();
      const person = new Person(app);
      await newChat({ app, person });
      wayland.plugIn();
      await waitFor("the window to have the keyboard", () => app.execute(() => document.hasFocus()));
      const shot = join(desktop.folder, "shot.png");
      draw(shot, "-size", "640x400", "gradient:#205080-#f0e0c0");
      await wayland.copies("image/png", readFileSync(shot));
      // GTK ignores the shortcuts of the keyboard that a test can plug in, so the test sends the paste event to the page.
      // What is pasted comes from the clipboard of the desktop.
      await app.execute(() => {
        const paste = new Event("paste", { bubbles: true, cancelable: true });
        document.querySelector("[data-testid=composer]").dispatchEvent(paste);
      });
      await app.find(css(CHIP));
      await app.screenshot(`${desktop.reports}/pasted.png`);
      await app.click(css(`${CHIP} .what`));
      const sheet = await app.find(css("[data-testid=picture-sheet]"));
      await waitFor("the whole picture to be shown", () =>
        app.execute((it) => it.querySelector("img")?.naturalWidth === 640, sheet),
      );
    });
  } finally {
    await desktop.stop();
    await wayland?.stop();
  }
});

test("misspelled words are marked while the user writes", { timeout: 300_000 }, () =>
  atDesk("spelling", async (desk) => {
    const { desktop, app } = desk;
    await newChat(desk);
    const marks = async (name) => {
      const file = `${desktop.reports}/${name}.png`;
      const place = await app.execute((it) => it.getBoundingClientRect().toJSON(), await app.find(css(COMPOSER)));
      await app.screenshot(file);
      return redPixels(file, place);
    };
    const writes = async (more, whole) => {
      await app.write(more);
      const field = await app.find(css(COMPOSER));
      await waitFor(`the field to hold “${whole}”`, async () => (await app.valueOf(field)) === whole);
    };
    await writes("The weather of tomorrow ", "The weather of tomorrow ");
    assert.equal(await marks("correct"), 0, "correct words are marked");
    await writes("is wonderfull helllo ", "The weather of tomorrow is wonderfull helllo ");
    const seen = [];
    await waitFor("the misspelled words to be marked", async () => {
      seen.push(await marks("marked"));
      return seen.at(-1) >= SHORTEST_MARK;
    }).catch((error) => assert.fail(`${error.message}; red pixels at each look: ${seen.join(", ")}`));
  }),
);

async function newChat({ app, person }) {
  await person.atMain();
  await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
  await app.click(css(COMPOSER));
}

/** Pastes as a person does, on the keyboard of the desktop: a page cannot be told to paste. */
async function paste({ app, desktop }) {
  await app.click(css(COMPOSER));
  await waitFor("the main window in front", () => /Vestibule$/.test(desktop.inFront()));
  desktop.presses("ctrl+v");
}

function draw(file, ...how) {
  const { status, stderr } = spawnSync("convert", [...how, file], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
}

/** How many pixels of this part of a picture have the red of the mark under a misspelled word, faint edges included. */
function redPixels(file, { x, y, width, height }) {
  const part = [width, height].map(Math.floor).join("x") + [x, y].map((at) => `+${Math.ceil(at)}`).join("");
  const red = "(r - max(g, b) > 0.2) ? 1 : 0";
  const { stdout, stderr } = spawnSync(
    "convert",
    [file, "-crop", part, "-fx", red, "-format", "%[fx:mean*w*h]", "info:"],
    { encoding: "utf8" },
  );
  assert.match(stdout, /^[\d.e+-]+$/, stderr);
  return Math.round(Number(stdout));
}
