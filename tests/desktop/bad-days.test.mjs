// Days on which something is wrong before anybody has done anything: no keychain, data of a newer version, and a
// main window that tries to answer for the person.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { startDesktop } from "./desktop.mjs";
import { css, role, text } from "./locate.mjs";
import { startModelEndpoint, MODEL } from "./model-endpoint.mjs";
import { Person } from "./person.mjs";
import { words } from "./words.mjs";

async function onADesktop(name, options, steps) {
  const desktop = await startDesktop(name, options);
  try {
    await desktop.story(() => steps(desktop));
  } finally {
    await desktop.stop();
  }
}

test("without a keychain Vestibule says so and keeps a key until the end of the run", { timeout: 300_000 }, () =>
  onADesktop("no-keychain", { keyring: false }, async (desktop) => {
    const model = await startModelEndpoint();
    try {
      let app = await desktop.open();
      let person = new Person(app);
      await person.atMain();
      await app.click(role("button", words("settings")));
      await app.find(text(words("secrets_memory_only")));
      await app.click(css("[data-testid=settings-data]"));
      await app.find(text(words("secrets_in_memory")));
      await app.screenshot(join(desktop.reports, "settings.png"));
      await person.addModel({ url: model.url, model: MODEL, label: "Scripted", key: "only-for-this-run" });
      await app.find(text(words("has_key")));
      await desktop.quit();

      app = await desktop.open();
      person = new Person(app);
      await person.atMain();
      await app.click(role("button", words("settings")));
      await app.find(text(words("has_no_key")));
    } finally {
      await model.close();
    }
  }),
);

test("data of a newer version is left alone, and a window says what to do", { timeout: 300_000 }, () =>
  onADesktop("newer-data", {}, async (desktop) => {
    const first = await desktop.open();
    await first.find(css("[data-testid=composer]"));
    await desktop.quit();
    const database = join(desktop.home, "vestibule.db");
    const newer =
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version = 4711'); c.commit()";
    const made = spawnSync("python3", ["-c", newer, database], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);

    const app = await desktop.open();
    await app.find(text(words("could_not_start")));
    const said = await app.pageText();
    assert.ok(said.includes("4711") && said.includes(words("problem_data_newer_do")), said);
    await app.screenshot(join(desktop.reports, "newer.png"));
  }),
);

test("no script in the main window can answer a question", { timeout: 300_000 }, () =>
  onADesktop("forged-answer", {}, async (desktop) => {
    const app = await desktop.open();
    const person = new Person(app);
    await person.atMain();
    await app.find(css("[data-testid=composer]"));
    for (const command of [
      "consent_answer",
      "consent_open",
      "consent_messages",
      "consent_present",
      "plugin:event|listen",
      "plugin:window|close",
    ]) {
      const answer = await app.executeAsync(
        (name) =>
          window.__TAURI_INTERNALS__.invoke(name, {}).then(
            () => "it was let",
            (error) => `refused: ${JSON.stringify(error)}`,
          ),
        command,
      );
      assert.match(answer, /^refused: .*not allowed/, command);
    }
  }),
);
