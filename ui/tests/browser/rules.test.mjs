// A rule while its conditions are changed and tried on the calls there were.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, framesPass, visit } from "./look.mjs";

const trial = (page) => page.getByTestId("trial");
const editor = (page) => page.getByTestId("rule-editor");

/** The editor of the first rule, whose trials last until they are let go. */
const editing = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("to-rules").click();
    await page.getByTestId("rule-edit").first().click();
    await page.evaluate(() => globalThis.fake.trials.hold());
    await act(page);
  });
/** Presses "Try on past calls", and waits until so many trials were asked for. */
const ask = async (page, trials) => {
  await page.getByTestId("rule-try").click();
  await page.waitForFunction((trials) => globalThis.fake.trials.asked.length === trials, trials);
};
/** Lets the trials end, and waits until the window has their results and has drawn. */
const letGo = async (page) => {
  await page.evaluate(async () => {
    globalThis.fake.trials.letGo();
    await Promise.allSettled(globalThis.fake.trials.asked);
  });
  await framesPass(page);
};

const CHANGES = [
  [
    "another_condition",
    (page) => page.getByTestId("condition").first().getByRole("textbox").last().fill("@other.example"),
  ],
  ["another_place", (page) => page.getByTestId("rule-reach").selectOption({ index: 1 })],
  ["another_time", (page) => page.getByTestId("rule-span").selectOption({ index: 1 })],
];

describe("a rule that is tried on past calls", () => {
  for (const [name, change] of CHANGES)
    it(`shows_no_result_that_comes_after_${name}_was_entered`, () =>
      editing(async (page) => {
        await ask(page, 1);
        await change(page);
        await letGo(page);
        assert.equal(await trial(page).count(), 0);
        // What is entered now can be tried.
        await ask(page, 2);
        await trial(page).waitFor();
      }));

  it("shows_no_failure_of_conditions_that_were_changed", () =>
    editing(async (page) => {
      await page.evaluate(() => (globalThis.fake.trials.problem = { problem: "chat_busy" }));
      const failure = editor(page).getByRole("alert");
      await ask(page, 1);
      await CHANGES[0][1](page);
      await letGo(page);
      assert.equal(await failure.count(), 0);
      await ask(page, 2);
      await failure.waitFor();
    }));
});

describe("a rule that is saved", () => {
  it("keeps_open_what_was_entered_before_the_reply_came", () =>
    editing(async (page) => {
      await page.evaluate(async () => {
        const field = (name) => document.querySelector(`[data-testid=${name}]`);
        field("rule-save").click();
        field("rule-span").selectedIndex = 1;
        field("rule-span").dispatchEvent(new Event("change", { bubbles: true }));
        await new Promise((drawn) => requestAnimationFrame(drawn));
      });
      await page.waitForFunction(() => !document.querySelector("[data-testid=rule-save]")?.disabled);
      assert.equal(await editor(page).count(), 1);
      await page.getByTestId("rule-save").click();
      await editor(page).waitFor({ state: "detached" });
    }));
});

describe("rules from a file", () => {
  const file = { name: "rules.json", mimeType: "application/json", buffer: Buffer.from('{"rules":[]}') };
  const transfer = (act) =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      await page.getByTestId("to-rules").click();
      await page.getByTestId("carry-rules").click();
      await act(page, page.locator("input[type=file]"), page.getByTestId("rules-import-text"));
    });

  it("can_be_chosen_once_more_after_the_file_was_changed", () =>
    transfer(async (page, picker, text) => {
      await picker.setInputFiles(file);
      await page.waitForFunction(() => document.querySelector("[data-testid=rules-import-text]").value !== "");
      assert.equal(await text.inputValue(), '{"rules":[]}');
      // Choosing what is chosen already would be no change.
      assert.equal(await picker.evaluate(({ files }) => files.length), 0);
    }));

  it("say_that_the_file_cannot_be_read", () =>
    transfer(async (page, picker) => {
      await page.evaluate(() => (File.prototype.text = () => Promise.reject(new Error("The file is gone."))));
      await picker.setInputFiles(file);
      await page.getByRole("alert").waitFor();
    }));
});
