// The chat follows what comes after every send, and never moves while the user reads further up.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const SENDS = 200;
const main = (act, view = {}) => visit("index.html", { scene: "chat", ...view }, EN, act);
const box = (page) => page.getByRole("region", { name: "Conversation" });
const distance = (page) => box(page).evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Where the conversation is once it has not moved for ten frames. */
const resting = (page) =>
  box(page).evaluate(async (it) => {
    let at = NaN;
    for (let still = 0; still < 10;) {
      still = it.scrollTop === at ? still + 1 : 0;
      at = it.scrollTop;
      await new Promise((done) => requestAnimationFrame(done));
    }
    return it.scrollTop;
  });

/** Puts the wheel over the conversation. */
async function hover(page) {
  const { x, y, width, height } = await box(page).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
}

/** Sends a message and lets its answer arrive in pieces, in frames of their own, as fast as the page draws. */
const exchange = (page, number) =>
  page.evaluate(async (number) => {
    const { fake } = globalThis;
    const chat = "oslo";
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const put = (id, position, body) =>
      fake.tell({ event: "entry", entry: { id, chat, position, at_ms: Date.now(), body }, added: true });
    const at = 1_000 + 2 * number;
    put(`sent-${number}`, at, { kind: "user", text: `Message ${number}`, attachments: [] });
    await frame();
    const answer = { kind: "assistant", text: "", reasoning: "", model: "m", scripted: false, state: "streaming" };
    put(`answer-${number}`, at + 1, answer);
    const text = `Answer ${number}.\n\n| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(12)}\n`;
    for (let from = 0; from < text.length; from += 40) {
      fake.tell({ event: "words", chat, entry: `answer-${number}`, text: text.slice(from, from + 40), reasoning: "" });
      await frame();
    }
    put(`answer-${number}`, at + 1, { ...answer, text, state: "done" });
    await frame();
  }, number);

describe("the conversation", () => {
  it(`follows_${SENDS}_of_${SENDS}_sends`, () =>
    main(async (page) => {
      await page.getByTestId("waiting-row").waitFor();
      const lost = [];
      for (let number = 0; number < SENDS; number += 1) {
        await exchange(page, number);
        await frames(page);
        const left = await distance(page);
        if (left > 4 || (await page.getByTestId("to-end").count()) > 0) lost.push(`${number}: ${left} px`);
        const both = page.locator(`[data-entry=sent-${number}], [data-entry=answer-${number}]`);
        if ((await both.count()) !== 2) lost.push(`${number}: is not there`);
      }
      assert.deepEqual(lost, []);
    }));

  it("scrolls_to_a_sent_message_from_further_up", () =>
    main(
      async (page) => {
        await page.locator("[data-chat]").nth(1).click();
        await page.getByTestId("entry-user").first().waitFor();
        await hover(page);
        await page.mouse.wheel(0, -4000);
        await page.getByTestId("to-end").waitFor();
        await page.getByTestId("composer").fill("Hello");
        await page.keyboard.press("Enter");
        await page.getByTestId("to-end").waitFor({ state: "detached" });
        await page.locator("[data-testid=entry-assistant][data-state=done]", { hasText: "rehearsal" }).waitFor();
        await frames(page);
        assert.ok((await distance(page)) <= 4);
      },
      { height: 420 },
    ));

  for (const [what, up] of [
    ["wheel", (page) => page.mouse.wheel(0, -120)],
    [
      "keys",
      async (page) => {
        await box(page).focus();
        await page.keyboard.press("PageUp");
      },
    ],
  ]) {
    it(`stays_where_the_${what}_left_it_while_an_answer_comes_and_leads_back`, () =>
      main(async (page) => {
        await page.getByTestId("waiting-row").waitFor();
        await exchange(page, 0);
        await hover(page);
        await up(page);
        await page.getByTestId("to-end").waitFor();
        const before = await resting(page);
        for (let number = 1; number < 6; number += 1) await exchange(page, number);
        assert.equal(await resting(page), before);
        await page.getByTestId("to-end").click();
        await page.getByTestId("to-end").waitFor({ state: "detached" });
        assert.ok((await distance(page)) <= 4);
        await exchange(page, 7);
        await frames(page);
        assert.ok((await distance(page)) <= 4);
      }));
  }

  it("follows_again_once_the_user_scrolled_back_to_the_end", () =>
    main(async (page) => {
      await page.getByTestId("waiting-row").waitFor();
      await hover(page);
      await page.mouse.wheel(0, -200);
      await page.getByTestId("to-end").waitFor();
      await page.mouse.wheel(0, 4000);
      await page.getByTestId("to-end").waitFor({ state: "detached" });
      await exchange(page, 0);
      await frames(page);
      assert.ok((await distance(page)) <= 4);
    }));

  it("keeps_a_call_in_view_that_the_user_opens", () =>
    main(async (page) => {
      const head = page.locator("[data-testid=waiting-row] > .line > .head");
      await head.click();
      await frames(page);
      assert.ok(await head.isVisible());
      const { y } = await head.boundingBox();
      await exchange(page, 0);
      assert.equal((await head.boundingBox()).y, y);
    }));

  it("shows_the_way_back_above_the_composer_and_over_no_words", () =>
    main(async (page) => {
      await page.getByTestId("waiting-row").waitFor();
      const before = await page.getByTestId("composer").boundingBox();
      await hover(page);
      await page.mouse.wheel(0, -200);
      const pill = await page.getByTestId("to-end").boundingBox();
      const flow = await box(page).boundingBox();
      assert.ok(pill.y >= flow.y + flow.height, "it covers the conversation");
      assert.deepEqual(await page.getByTestId("composer").boundingBox(), before, "it moves the composer");
      assert.ok(pill.y + pill.height <= before.y);
    }));

  it("begins_a_new_chat_at_its_first_line_in_a_low_window", () =>
    main(async (page) => {
      await page.setViewportSize({ width: 900, height: 420 });
      await page.keyboard.press("Control+n");
      const welcome = page.getByRole("heading", { level: 2 }).first();
      await welcome.waitFor();
      await frames(page);
      assert.ok((await distance(page)) > 0, "the window shows all of it");
      assert.equal(await box(page).evaluate((it) => it.scrollTop), 0);
    }));
});
