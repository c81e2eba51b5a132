// Answers that ended before they were whole, and models that refuse tools: what the chat offers then.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act) => visit("index.html", { scene: "chat" }, EN, act);
const last = (page) => page.locator("[data-testid=entry-assistant]").last();
const fake = (page, name, ...given) => page.evaluate(([name, given]) => globalThis.fake[name](...given), [name, given]);
/** Waits until the status of the chat, which a screen reader reads out, is this. */
const announced = (page, words) =>
  page.locator(".flow ~ [role=status]").getByText(words).waitFor({ state: "attached" });

describe("an answer that a limit ended", () => {
  it("is_continued_by_the_button_at_its_end", () =>
    main(async (page) => {
      await last(page).waitFor();
      const before = await page.getByTestId("entry-assistant").count();
      await fake(page, "cutOff", "oslo", true);
      const cut = page.locator("[data-testid=entry-assistant][data-state=length]");
      assert.match(await cut.innerText(), /Ended by a limit on its length/);
      assert.match(await page.getByTestId("entry-failure").innerText(), /longest answer set for this chat, 64 tokens/);
      await cut.getByRole("button", { name: "Continue" }).click();
      await page.getByTestId("entry-failure").waitFor({ state: "detached" });
      await page.getByTestId("continue").waitFor({ state: "detached" });
      await last(page).and(page.locator("[data-state=done]")).waitFor();
      assert.equal(await page.getByTestId("entry-assistant").count(), before + 2);
      assert.match(await cut.innerText(), /at the end of a long/);
    }));

  it("is_not_announced_as_complete", () =>
    main(async (page) => {
      await last(page).waitFor();
      await fake(page, "cutOff", "oslo");
      await announced(page, "Ended by a limit on its length");
    }));

  it("offers_nothing_while_the_model_speaks_or_once_it_was_answered", () =>
    main(async (page) => {
      await last(page).waitFor();
      await fake(page, "cutOff", "oslo");
      const button = page.getByTestId("continue");
      await button.waitFor();
      await fake(page, "changeChat", "oslo", { busy: true });
      await button.waitFor({ state: "detached" });
      await fake(page, "changeChat", "oslo", { busy: false });
      await button.waitFor();
      await fake(page, "putEntry", "oslo", { kind: "user", text: "Thanks.", attachments: [] });
      await button.waitFor({ state: "detached" });
    }));
});

describe("what an answer took", () => {
  it("is_marked_where_its_server_did_not_count_it", () =>
    main(async (page) => {
      await last(page).waitFor();
      const usage = { input: 1204, output: 64, cached: 0, cost: 1_200, currency: "USD" };
      const answer = { kind: "assistant", text: "Yes.", reasoning: "", model: "m", scripted: false, state: "done" };
      for (const [estimated, marked] of [
        [true, /64 out.*estimated/],
        [false, /64 out((?!estimated).)*$/],
      ]) {
        const { id } = await fake(page, "putEntry", "oslo", { ...answer, usage: { ...usage, estimated } });
        const text = await page.locator(`[data-entry="${id}"]`).getByTestId("round-usage").innerText();
        assert.match(text, marked);
      }
    }));
});

describe("a turn that fails", () => {
  it("is_announced_in_the_words_of_its_failure", () =>
    main(async (page) => {
      await last(page).waitFor();
      const failure = page.getByTestId("entry-failure");
      for (const [problem, words] of [
        [{ problem: "model_busy", retry_after_s: null }, "The model's server is limiting requests."],
        [{ problem: "longest_answer", tokens: 64 }, /longest answer set for this chat, 64 tokens/],
      ]) {
        await fake(page, "putEntry", "oslo", { kind: "failure", problem, retryable: true });
        await announced(page, words);
      }
      assert.equal(await failure.count(), 2);
    }));
});

describe("a model that refuses tools", () => {
  it("goes_on_without_them_and_the_settings_say_who_said_so", () =>
    main(async (page) => {
      await last(page).waitFor();
      await fake(page, "refuseTools", "oslo");
      await page.getByRole("button", { name: "Continue without tools" }).click();
      await page.getByTestId("entry-failure").waitFor({ state: "detached" });
      await last(page).and(page.locator("[data-state=done]")).waitFor();
      await page.getByTestId("to-settings").click();
      const facts = page.getByTestId("connection").first().getByTestId("facts").first();
      assert.match((await facts.innerText()).replaceAll(/\s+/g, " "), /You No tools/);
    }));
});
