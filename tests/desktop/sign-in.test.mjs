// Signing in for real: the real application, Debian's Chromium as its browser, an authorization server and a server of the
// official SDK that nobody here wrote, and a real keyring or none. The person says yes by keyboard, signs in and consents
// on the provider's own pages, and comes back; what happens then is read at the provider and at the server.
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { filesBelow } from "./files-below.mjs";
import { Keyboard } from "./keyboard.mjs";
import { css, role, text } from "./locate.mjs";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";
import { SCOPES, startNotesServer } from "./notes-server.mjs";
import { Person } from "./person.mjs";
import { startProvider } from "./provider.mjs";
import { giveBrowser } from "./system-browser.mjs";
import { waitFor } from "./wait.mjs";
import { words } from "./words.mjs";

const PATIENTLY = { within: 45_000 };
/** How long the first access lives, in seconds: long enough to be used once, short enough to be waited for. */
const BRIEF = 8;
const LONG = 3600;

/** Everything a story needs, with the application open at the server that wants a sign-in. */
async function withNotes(name, { life, ...options }, steps) {
  const desktop = await startDesktop(name, options);
  const browser = giveBrowser(desktop);
  const model = await startModelEndpoint();
  const provider = await startProvider({ scopes: SCOPES, life });
  const notes = await startNotesServer(provider);
  const story = new Story({ desktop, browser, model, provider, notes });
  try {
    await desktop.story(async () => {
      await story.open();
      await story.person.addModel({ url: model.url, model: MODEL, label: "Scripted", key: "a-key" });
      await story.person.addServerAt("notes", notes.url);
      await steps(story);
      assert.deepEqual(model.complaints, []);
    });
  } finally {
    const ends = await Promise.allSettled([browser, notes, provider, model].map((part) => part.close()));
    await desktop.stop();
    for (const end of ends) assert.equal(end.status === "rejected" ? end.reason : undefined, undefined);
  }
}

class Story {
  #calls = 0;

  constructor({ desktop, browser, model, provider, notes }) {
    this.desktop = desktop;
    this.browser = browser;
    this.model = model;
    this.provider = provider;
    this.notes = notes;
  }

  async open() {
    this.app = await this.desktop.open();
    this.person = new Person(this.app);
    this.keys = new Keyboard(this.app);
    await this.person.atMain();
  }

  async look() {
    await this.person.atMain();
    await this.app.clickElement(await this.person.serverRow("notes"));
    await this.app.find(css("[data-testid=server-state]"));
  }

  async state(wanted) {
    await this.person.atMain();
    await waitFor(`notes to be ${wanted}`, async () => (await this.person.serverState("notes")) === wanted, PATIENTLY);
  }

  async connect() {
    await this.look();
    await this.app.click(role("button", words("connect")));
    await this.keys.accept("connect_server");
    await this.person.atMain();
  }

  /** Says yes to the card and waits for the browser; returns what the card said and the page the opener was given. */
  async agree() {
    const before = this.desktop.openedPages().length;
    const asked = this.provider.posted.length;
    await this.keys.atCard("sign_in");
    await this.app.screenshot(join(this.desktop.reports, `card-${before}.png`));
    assert.equal(this.provider.posted.length, asked, "nothing but public documents is asked for before the yes");
    const said = await this.keys.accept("sign_in");
    const opened = await waitFor(
      "a page",
      () => this.desktop.openedPages().length > before && this.desktop.openedPages().slice(before),
    );
    assert.equal(opened.length, 1, "the opener got one argument, once");
    return { said, opened: opened[0] };
  }

  /**
   * Consents on the provider's pages, signing in there first if it asks for that. Returns what was consented to, and
   * whether a sign-in was asked for.
   */
  async consentThere({ opened }, who = "ada") {
    const page = await this.browser.page(`${this.provider.issuer}/interaction/`);
    const reached = this.provider.reached.filter(({ url }) => url.startsWith("/auth?"));
    assert.equal(
      this.provider.issuer + reached.at(-1).url,
      opened,
      "the browser asked for what the opener was given, byte for byte",
    );
    const login = page.locator("input[name=login]");
    const consent = page.getByRole("button", { name: "Continue" });
    await login.or(consent).waitFor();
    const anew = await login.isVisible();
    if (anew) {
      await login.fill(who);
      await page.locator("input[name=password]").fill("any");
      await page.getByRole("button", { name: "Sign-in" }).click();
      await consent.waitFor();
    }
    const shown = await page.locator("ul").first().innerText();
    await consent.click();
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
    await page.getByText("go back to Vestibule").waitFor();
    return { shown, anew };
  }

  /** Has the model call a tool, allows that call, and returns a function that waits for what the model was told. */
  async call(tool) {
    this.#calls += 1;
    const last = `Done, number ${this.#calls}.`;
    this.model.queue(asksFor({ tool: new RegExp(`${tool}$`), arguments: {} }), says(last));
    await this.person.sayInNewChat(`Please ${tool}, number ${this.#calls}`);
    await this.keys.accept("call_tool");
    return async () => {
      await this.person.hears(last);
      return toolResults(this.model.requests.at(-1)).join("\n");
    };
  }

  /** What the server holds from the person, as its page says. */
  async held() {
    await this.look();
    await this.app.click(role("tab", words("about_server")));
    return this.app.textOf(await this.app.find(css("[data-testid=held]"), PATIENTLY));
  }
}

/** Nothing that was given out stands in a file of the application, in its logs, or in what it showed. */
function assertNothingWritten({ desktop, provider }) {
  const secrets = provider.gaveOut.map(({ value }) => value);
  assert.ok(secrets.length >= 3, `there is something to look for: ${secrets.length}`);
  let looked = 0;
  for (const folder of [desktop.home, desktop.reports]) {
    for (const { path, bytes } of filesBelow(folder)) {
      if (basename(path) === "browser.log") continue;
      looked += 1;
      assert.ok(!secrets.some((secret) => bytes.includes(secret)), `${path} holds a secret`);
    }
  }
  assert.ok(looked > 3, `files were looked at: ${looked}`);
}

async function signIn(story) {
  await story.connect();
  await story.state("sign_in_needed");
  await story.keys.reach("[data-testid=sign-in]");
  await story.keys.enter();
  const agreed = await story.agree();
  const there = await story.consentThere(agreed);
  await story.state("ready");
  return { ...agreed, ...there };
}

/** Only the first access is brief: whatever uses it last, a call or a look at whether the server lives, renews it. */
async function assertRefreshedOnce(story) {
  const first = story.provider.gaveOut.find(({ kind }) => kind === "AccessToken");
  await waitFor("the access to end", async () => !(await story.provider.about(first.value)).active, PATIENTLY);
  const answer = await (await story.call("read"))();
  assert.match(answer, /Buy milk/);
  assert.equal(story.provider.granted("refresh_token"), 1, "renewed once");
  assert.notEqual(story.provider.latest("AccessToken").value, first.value);
}

async function stepUp(story) {
  const answer = await story.call("write");
  const agreed = await story.agree();
  assert.ok(agreed.said.includes("notes:write"), agreed.said);
  const asked = new URL(agreed.opened).searchParams.get("scope").split(" ");
  assert.ok(
    SCOPES.every((scope) => asked.includes(scope)),
    `what there was is kept: ${asked}`,
  );
  const { shown, anew } = await story.consentThere(agreed);
  assert.deepEqual(
    [/notes:write/.test(shown), anew],
    [true, false],
    "only what is new is asked there, of who is signed in",
  );
  assert.match(await answer(), /Written/);
  assert.deepEqual(
    [story.notes.called("write", 403), story.notes.called("write", 200)],
    [1, 1],
    "refused, then carried out once",
  );
}

/** The page asks who the person is although its own sign-in still counts, and what the first account held is withdrawn. */
async function switchAccount(story) {
  assert.match(await story.held(), /notes:write/);
  const before = story.provider.latest("AccessToken").value;
  assert.equal((await story.provider.about(before)).sub, "ada");
  await story.app.click(role("button", words("switch_account")));
  await story.keys.accept("connect_server");
  const { anew } = await story.consentThere(await story.agree(), "grace");
  await story.state("ready");
  assert.ok(anew, "the page asked who it is");
  assert.equal((await story.provider.about(story.provider.latest("AccessToken").value)).sub, "grace");
  assert.equal((await story.provider.about(before)).active, false);
}

async function signOut(story) {
  assert.match(await story.held(), /notes:read/);
  const given = ["AccessToken", "RefreshToken"].map((kind) => story.provider.latest(kind).value);
  for (const token of given) assert.equal((await story.provider.about(token)).active, true);
  await story.app.click(role("button", words("sign_out")));
  await story.app.find(text(words("held_nothing")));
  for (const token of given) {
    await waitFor(
      "the access to be withdrawn at the provider",
      async () => !(await story.provider.about(token)).active,
    );
  }
  const { provider } = story;
  assert.ok(provider.registered.length > 0, "the application registered itself");
  await waitFor("the registration to be withdrawn there (RFC 7592)", () =>
    provider.withdrawn.includes(provider.registered.at(-1)),
  );
}

/** AU-040, AU-052, AU-063, AU-064, AU-065, AU-071, AU-072, AU-074. */
test(
  "a person signs in through a real browser, stays signed in, gives more, becomes another, and signs out",
  { timeout: 480_000 },
  () =>
    withNotes("sign-in-with-a-keyring", { life: (before) => (before === 0 ? BRIEF : LONG) }, async (story) => {
      const { said, shown } = await signIn(story);
      assert.ok(said.includes("127.0.0.1"), "the card names who signs in");
      assert.match(shown, /notes:read/);
      assert.doesNotMatch(shown, /notes:write/, "no more is asked for than the server demanded");
      assert.match(await (await story.call("read"))(), /Buy milk/);
      await assertRefreshedOnce(story);

      await story.desktop.quit();
      assertNothingWritten(story);
      await story.open();
      await story.connect();
      await story.state("ready");
      assert.equal(story.provider.granted("authorization_code"), 1, "the sign-in outlived the run");

      await stepUp(story);
      await switchAccount(story);
      await signOut(story);
      await story.desktop.quit();
      assertNothingWritten(story);
    }),
);

/** AU-063. */
test("without a keychain Vestibule says so and a sign-in lasts until the end of the run", { timeout: 480_000 }, () =>
  withNotes("sign-in-without-a-keyring", { keyring: false, life: () => LONG }, async (story) => {
    const { said } = await signIn(story);
    assert.ok(said.includes(words("sign_in_not_kept")), said);
    assert.match(await (await story.call("read"))(), /Buy milk/);
    await story.desktop.quit();
    assertNothingWritten(story);

    await story.open();
    await story.connect();
    await story.state("sign_in_needed");
    assert.equal(story.provider.granted("authorization_code"), 1, "nothing was left to sign in with");
  }),
);

/** What the browser brings back after the cancel is too late. */
test("a sign-in that is cancelled in the main window gets no access, whatever comes back", { timeout: 480_000 }, () =>
  withNotes("sign-in-cancelled", { life: () => LONG }, async (story) => {
    await story.connect();
    await story.state("sign_in_needed");
    await story.keys.reach("[data-testid=sign-in]");
    await story.keys.enter();
    const { opened } = await story.agree();
    await story.look();
    const phase = css("[data-testid=sign-in-phase]");
    await story.app.find(text(words("sign_in_browser", { host: new URL(opened).hostname })));
    await story.app.click(role("button", words("cancel")));
    await story.app.gone(phase);
    await story.state("sign_in_needed");

    const page = await story.browser.page(`${story.provider.issuer}/interaction/`);
    await page.locator("input[name=login]").fill("ada");
    await page.locator("input[name=password]").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    const back = page.waitForRequest(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
    await page.getByRole("button", { name: "Continue" }).click();
    await back;
    await story.state("sign_in_needed");
    assert.equal(story.provider.granted("authorization_code"), 0, "the code was not exchanged");
    assert.equal(story.provider.latest("AccessToken"), undefined);
  }),
);
