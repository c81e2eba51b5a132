// All that a server can ask, asked by servers of the TypeScript and the Python SDK in the real application: answered
// without a mouse, and compared with the bytes on the wire. Two of the servers speak the newest revision, in which a
// wish is part of a result and the answer comes with the call made again; two are opened by handshake.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "node:test";
import { PYTHON, PYTHON_HANDSHAKE, TYPESCRIPT, TYPESCRIPT_HANDSHAKE, watchedPlace } from "./asking.mjs";
import { atDesk } from "./everything.mjs";
import { says } from "./model-endpoint.mjs";
import { Key } from "./webdriver.mjs";
import { tapped, WireCopy } from "./wire.mjs";

const PROMISE = "what was answered by keyboard is on the wire of";
/** @type {[name: string, server: { command: string, args: string[] }, modern: boolean, more?: (asks) => Promise<void>][]} */
const SERVERS = [
  ["a-server-of-the-typescript-sdk", TYPESCRIPT, true],
  ["a-server-of-the-python-sdk", PYTHON, true],
  ["a-server-of-the-typescript-sdk-opened-by-handshake", TYPESCRIPT_HANDSHAKE, false],
  ["a-server-of-the-python-sdk-opened-by-handshake", PYTHON_HANDSHAKE, false, pageFirst],
];
for (const [name, server, modern, more] of SERVERS) {
  // MR-003, MR-004, MR-006, MR-008, MR-014, MR-018, EF-004, EF-005, EU-003, EU-004, EU-024, SA-005, SA-006, RO-002, RO-003
  test(`${PROMISE} ${name.replaceAll("-", " ")}`, { timeout: 300_000 }, () =>
    atDesk(`cards-${name}`, async (desk) => {
      const folder = join(desk.desktop.folder, "wire");
      const asks = new Asks(desk, new WireCopy(folder), modern);
      const shared = await desk.addFolders("holiday plans", "kept");
      await desk.person.pasteServers({ mcpServers: { asking: tapped(server, folder) } });
      await desk.person.startServer("asking");
      await form(asks);
      await page(asks);
      await sampling(asks);
      await folders(asks, shared);
      await more?.(asks);
    }),
  );
}

/** One server that asks, and what it hears. */
class Asks {
  constructor(desk, wire, modern) {
    this.desk = desk;
    this.wire = wire;
    this.modern = modern;
    this.app = desk.app;
    this.keys = desk.keys;
  }

  /** Has the tool called; `answering` gives the answers of the person; returns what the server was told on the wire. */
  async tell(tool, args, answering, ...between) {
    const result = await this.desk.call(new RegExp(`asking__${tool}$`), args, ...between);
    await answering();
    const read = await result();
    const { answer, retry } = this.wire.answer(tool, `the ${tool}`);
    const once = { state: true, arguments: true, newId: true, sameKeys: true };
    assert.deepEqual(retry, this.modern ? once : undefined, "the call is made again as the revision wants it");
    return { answer, read };
  }
}

const field = (name, control = "input, textarea, select") => `[data-field="${name}"] :is(${control})`;

async function form(asks) {
  const { keys, app } = asks;
  const { answer } = await asks.tell("form", {}, async () => {
    const said = await app.textOf(await keys.atCard("fill_form"));
    assert.ok(said.includes("Who travels, and how?"), said);
    await keys.replace(field("name"), "Ada Löf — 李");
    await keys.replace(field("seats"), "3");
    await keys.reach(field("class"));
    await app.press(Key.down);
    await keys.accept("fill_form");
  });
  assert.equal(answer.action, "accept");
  assert.ok(["c1", "c2"].includes(answer.content.class));
  assert.deepEqual(
    answer.content,
    { name: "Ada Löf — 李", seats: 3, class: answer.content.class },
    "what was not touched is left out",
  );

  const no = await asks.tell("form", {}, () => keys.decline("fill_form"));
  assert.deepEqual(no.answer, { action: "decline" });
  const later = await asks.tell("form", {}, () => keys.cancel("fill_form"));
  assert.deepEqual(later.answer, { action: "cancel" });
}

/** Who listens at the address sees nobody, before the yes and after it: opening is the browser's, and only the browser's. */
async function page(asks) {
  const { keys, desk, app } = asks;
  const place = await watchedPlace();
  const { desktop } = desk;
  const no = await asks.tell("page", { url: place.url }, () => keys.decline("open_page"));
  assert.deepEqual(no.answer, { action: "decline" });
  assert.equal(desktop.browserRuns(), "", "a refused page is not opened");

  const { answer } = await asks.tell("page", { url: place.url }, async () => {
    await keys.atCard("open_page");
    const shown = await app.execute(() => document.querySelector("[data-testid=url]").textContent.trim());
    assert.equal(shown, place.url);
    assert.deepEqual([desktop.browserRuns(), place.visits], ["", 0], "nothing opens or is fetched before the yes");
    await keys.accept("open_page");
    if (asks.modern) await keys.accept("visit_page");
  });
  assert.deepEqual(answer, { action: "accept" });
  assert.equal(desktop.browserRuns(), `1\0${place.url}\0`, "one run, one argument, the bytes that were shown");
  assert.equal(place.visits, 0, "and nobody but the browser goes there");
  await fetch(place.url);
  assert.equal(place.visits, 1, "who goes there is seen");
  await place.close();
}

/** EU-019: the server ends the call with error -32042; it is made again, once, when the person is done. */
async function pageFirst({ desk, wire, keys }) {
  const { desktop } = desk;
  const url = "https://accounts.example.org/first?state=a%20b&next=%2Fhome";
  const before = desktop.browserRuns();
  const calls = () => wire.fromHost.filter(({ method, params }) => method === "tools/call" && params.name === "gate");
  const result = await desk.call(/asking__gate$/, { url });
  await keys.atCard("open_page");
  const [refused] = wire.fromServer.filter(({ id, error }) => error && id === calls()[0].id);
  assert.equal(refused.error.code, -32042);
  assert.equal(desktop.browserRuns(), before, "nothing opens before the yes");
  await keys.accept("open_page");
  await keys.atCard("visit_page");
  assert.equal(desktop.browserRuns(), `${before}1\0${url}\0`);
  assert.equal(calls().length, 1, "the call waits for the person");
  await keys.accept("visit_page");
  assert.match(await result(), /The gate is open/);
  const [first, again, ...others] = calls();
  assert.deepEqual([again.params.arguments, others], [{ url }, []]);
  assert.notEqual(again.id, first.id);
}

async function sampling(asks) {
  const { keys, desk } = asks;
  const asked = desk.model.requests.length;
  const { answer, read } = await asks.tell(
    "words",
    {},
    async () => {
      await keys.atCard("sample_prompt");
      assert.equal(desk.model.requests.length, asked + 1, "no model hears of it before the yes");
      await keys.replace("[data-kind=sample_prompt] .turns li:last-child textarea", "the words of the person");
      await keys.accept("sample_prompt");
      await keys.atCard("sample_reply");
      await keys.replace("[data-kind=sample_reply] textarea", "What the person lets it hear");
      await keys.accept("sample_reply");
    },
    says("What the model said"),
  );
  const told = JSON.stringify(desk.model.requests[asked + 1].messages);
  assert.ok(told.includes("the words of the person") && !told.includes("the words of the server"), told);
  assert.deepEqual(
    [answer.role, answer.content],
    ["assistant", { type: "text", text: "What the person lets it hear" }],
  );
  assert.ok(!read.includes("What the model said"), read);
}

async function folders(asks, [shared, kept]) {
  const { answer } = await asks.tell("folders", {}, async () => {
    const said = await asks.desk.share(shared);
    assert.ok(said.includes(shared) && said.includes(kept), said);
  });
  assert.deepEqual(
    answer.roots.map(({ uri }) => uri),
    [pathToFileURL(shared).href],
  );
}
