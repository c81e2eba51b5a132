// A large text and a large picture of a server in the real window: the text is read as it is scrolled, the picture comes by
// the application's own scheme, which answers no other window and no script.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { startDesktop } from "./desktop.mjs";
import { files } from "./everything.mjs";
import { css, role } from "./locate.mjs";
import { asksFor, MODEL, says, startModelEndpoint } from "./model-endpoint.mjs";
import { callRow, Person } from "./person.mjs";
import { waitFor } from "./wait.mjs";

const LINES = 60_000;
const [WIDTH, HEIGHT] = [900, 700];

/** A picture of noise, so that nothing of it can be packed. */
function picture() {
  const rows = Buffer.concat(
    Array.from({ length: HEIGHT }, () => Buffer.concat([Buffer.alloc(1), randomBytes(WIDTH * 3)])),
  );
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Has the model call a tool with a file, and opens the row of the call. */
async function read(app, person, model, tool, path) {
  const last = `That was ${tool}.`;
  model.queue(asksFor({ tool: new RegExp(`${tool}$`), arguments: { path } }), says(last));
  await person.sayInNewChat(`Please ${tool}`);
  await person.allow("call_tool");
  await person.hears(last);
  const row = await app.find(callRow(tool, "answered"));
  await app.click(css(".head"), { scope: row });
  return row;
}

/** What becomes of a picture with this address in the page that is chosen. */
const load = (app, address) =>
  app.executeAsync(
    (source) =>
      new Promise((done) => {
        const image = new Image();
        image.onload = () => done("shown");
        image.onerror = () => done("refused");
        image.src = source;
      }),
    address,
  );

/** Scrolls a long text for 20 frames, because the driver ends a script after 30 s; the longest of them in milliseconds. */
const scroll = (app) =>
  app.executeAsync(async () => {
    const box = document.querySelector("[data-testid=stored-text]");
    let [longest, before] = [0, performance.now()];
    for (let step = 0; step < 20; step += 1) {
      box.scrollTop += 300;
      await new Promise((done) => requestAnimationFrame(done));
      const now = performance.now();
      [longest, before] = [Math.max(longest, now - before), now];
    }
    return longest;
  });

/** Scrolls to the end; how many pieces of the text are drawn once its last line is there. */
const piecesAtEnd = (app, last) =>
  app.execute((line) => {
    const box = /** @type {HTMLElement} */ (document.querySelector("[data-testid=stored-text]"));
    box.scrollTop = box.scrollHeight;
    return box.innerText.includes(line) && box.querySelectorAll("[data-piece]").length;
  }, last);

test("a large text and a large picture are shown in the window and in no other", { timeout: 480_000 }, async () => {
  const desktop = await startDesktop("stored");
  const model = await startModelEndpoint();
  const folder = join(desktop.folder, "large");
  mkdirSync(folder);
  const [text, image] = [join(folder, "log.txt"), join(folder, "noise.png")];
  writeFileSync(
    text,
    Array.from({ length: LINES }, (_, line) => `line ${line + 1} of a long log, 第 ${line + 1} 行`).join("\n"),
  );
  writeFileSync(image, picture());
  try {
    await desktop.story(async () => {
      const app = await desktop.open();
      const person = new Person(app);
      await person.atMain();
      await person.addModel({
        url: model.url,
        model: MODEL,
        label: "Scripted",
        key: "a-key",
      });
      await person.offerAllTools();
      await person.pasteServers({ mcpServers: { files: files(folder) } });
      await person.startServer("files");

      const row = await read(app, person, model, "read_text_file", text);
      await app.click(role("button", /^Show all 60,000 lines/), {
        scope: row,
      });
      await app.find(css("[data-testid=stored-text]"), { scope: row });
      let longest = 0;
      for (let part = 0; part < 15; part += 1) longest = Math.max(longest, await scroll(app));
      console.log(`the longest frame of 300 while the text was scrolled: ${Math.round(longest)} ms`);
      const pieces = await waitFor("the end of the text", () => piecesAtEnd(app, `line ${LINES} of a long log`));
      assert.ok(pieces <= 6, `${pieces} pieces are drawn`);

      await read(app, person, model, "read_media_file", image);
      const { address, size } = await waitFor("the picture to be drawn", () =>
        app.execute(() => {
          const it = /** @type {HTMLImageElement | null} */ (document.querySelector("[data-testid=open-picture] img"));
          return it?.naturalWidth ? { address: it.src, size: [it.naturalWidth, it.naturalHeight] } : null;
        }),
      );
      assert.deepEqual(size, [WIDTH, HEIGHT]);
      assert.match(address, /^vestibule-media:\/\/localhost\/[\da-f-]{36}\/\d+$/);
      await app.screenshot(join(desktop.reports, "picture.png"));
      assert.equal(await load(app, address), "shown");
      assert.equal(await load(app, `${address}1`), "refused");
      const fetched = await app.executeAsync(
        (source) =>
          fetch(source).then(
            () => "read",
            () => "refused",
          ),
        address,
      );
      assert.equal(fetched, "refused", "no script reads the bytes");
      await app.toWindow("with the questions", ({ url }) => url.includes("consent"));
      assert.equal(await load(app, address), "refused", "the consent window gets nothing");
      await desktop.quit();
    });
  } finally {
    await desktop.stop();
    await model.close();
  }
});
