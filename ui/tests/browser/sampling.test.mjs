// A server that wants the help of a model: what goes to the model, and what comes back.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, consent, passed, replies } from "./cards.mjs";

describe("a model's help a server wants", () => {
  /** Everything that can be read on the card, in the text and in the controls. */
  const readable = (page) =>
    page.evaluate(() => {
      const inside = document.querySelector(".card");
      const controls = [...inside.querySelectorAll("textarea, input, option:checked")];
      return [inside.innerText, ...controls.map((control) => control.value + control.textContent)].join("\n");
    });

  /** Opens what the card waits for. */
  const openAll = async (page) => {
    const closed = page.locator("[data-rest]");
    while ((await closed.count()) > 0) await closed.first().click();
  };

  // Shows SA-003: who asks, the messages, the instructions, the tools, what models it wishes, and the limit.
  it("is_shown_whole_before_a_model_reads_it", () =>
    consent("sample", async (page) => {
      await passed(page);
      await page.locator(".disclosure button").first().click();
      assert.match(await page.getByTestId("hints").innerText(), /claude-sonnet/);
      const words = await readable(page);
      for (const word of [
        "notes",
        "You help with travel plans. Answer in one paragraph.",
        "What should be on a packing list for three rainy days in Oslo?",
        "get_forecast",
        "Fri 9/4 °C, rain 2 mm",
        "Weather for the next days. Always call this first.",
        "Large, in the office",
        "800",
      ])
        assert.ok(words.includes(word), `${word} is not on the card:\n${words}`);
      assert.equal(await page.locator(".card img").count(), 0, "a picture is decoded when it is asked for");
      assert.equal(await accept(page).isDisabled(), true, "the picture goes to the model too");
      await page.getByRole("button", { name: "Show the picture" }).click();
      assert.equal(await page.locator(".card img").count(), 1);
      await page.waitForFunction(() => !document.querySelector("[data-testid=answer-accept]").disabled);
    }));

  it("cannot_be_sent_before_all_of_it_was_opened", () =>
    consent("sample", async (page) => {
      await passed(page);
      const opened = ["Show the picture", /tool of the server/];
      for (const name of opened) {
        assert.equal(await accept(page).isDisabled(), true);
        await page.getByRole("button", { name }).click();
      }
      await page.waitForFunction(() => !document.querySelector("[data-testid=answer-accept]").disabled);
      const words = await readable(page);
      for (const word of ["Temperature: 0.4", "Weather for the next days. Always call this first.", '"integer"'])
        assert.ok(words.includes(word), `${word} is not on the card:\n${words}`);
    }));

  // Shows SA-004, SA-005: both sides can be changed, and what is sent is what stands on the card then.
  it("can_be_changed_on_both_sides", async () => {
    for (const scene of ["sample", "sample_reply"])
      await consent(scene, async (page) => {
        await passed(page);
        await openAll(page);
        const first = page.locator(".card textarea").first();
        const before = await first.inputValue();
        await first.fill("Other words.");
        await accept(page).click();
        const [{ answer }] = await replies(page);
        assert.equal(answer.answer, "accept");
        const sent = JSON.stringify(answer.arguments);
        assert.ok(sent.includes("Other words."), sent);
        assert.ok(!sent.includes(before), sent);
      });
  });
});
