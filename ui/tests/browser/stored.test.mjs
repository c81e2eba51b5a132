// Large parts of a result are kept beside their entry: a text is read in pieces as it is scrolled, a picture and a sound are
// shown, and no part of them is in the page before it is looked at.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, violations, visit } from "./look.mjs";

const LINES = 150_000;
/** The most pieces of a text that are drawn at once. */
const MOST_PIECES = 6;
const SHA256 = "0".repeat(64);
const TEXT = {
  number: 0,
  form: { form: "text" },
  bytes: 10_000_000,
  sha256: SHA256,
  pieces: 306,
  lines: LINES,
  beginning: Array.from({ length: 500 }, (_, line) => `line ${line + 1} of a long log`).join("\n"),
  end: "",
};
const media = (number, form, bytes) => ({ ...TEXT, number, form, bytes, pieces: 2, lines: 0, beginning: "" });

/** Opens a call whose result has these stored parts. */
const opened = (parts, act, structured_stored = undefined) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.locator("[data-chat=invoices]").click();
    const given = [parts, structured_stored];
    await page.evaluate(([parts, structured_stored]) => {
      const { body } = globalThis.fake.entries.get("invoices").find((entry) => entry.body.state === "answered");
      const content = parts.map((part) => ({ type: "stored", part }));
      const result = { ...body.result, content, structured: null, structured_stored, misfits: [], cut_bytes: 0 };
      globalThis.fake.putEntry("invoices", { ...body, result }, "stored");
    }, given);
    const row = page.locator("[data-entry=stored]");
    await row.locator(".head").click();
    await act(page, row);
  });

const box = (page) => page.getByTestId("stored-text");
const drawn = (page) => page.locator("[data-piece]").count();

/** Scrolls to a share of the text, and waits until what is there is read. */
async function scrollTo(page, share) {
  await box(page).evaluate((it, share) => (it.scrollTop = share * (it.scrollHeight - it.clientHeight)), share);
  await page.waitForFunction(() => {
    const it = document.querySelector("[data-testid=stored-text]");
    const { top, bottom } = it.getBoundingClientRect();
    const pieces = [...it.querySelectorAll("[data-piece]")].map((piece) => piece.getBoundingClientRect());
    return (
      pieces.some((piece) => piece.top <= top + 1 && piece.bottom > top) &&
      pieces.some((piece) => piece.bottom >= bottom - 9)
    );
  });
}

/** The most pieces that are drawn in any frame while a text is scrolled by so many steps. */
const mostDrawn = (page, steps) =>
  box(page).evaluate(async (it, steps) => {
    let most = 0;
    for (let step = 0; step < steps; step += 1) {
      it.scrollTop += 400;
      await new Promise((done) => requestAnimationFrame(done));
      most = Math.max(most, it.querySelectorAll("[data-piece]").length);
    }
    return most;
  }, steps);

describe("a long text that is kept beside its entry", () => {
  it("shows_its_beginning_and_reads_the_rest_as_it_is_scrolled", () =>
    opened([TEXT], async (page, row) => {
      await row.getByText("line 11 of a long log").waitFor();
      assert.equal(await row.getByText("line 12 of a long log").count(), 0);
      await row.getByRole("button", { name: "Show all 150,000 lines (10\u00A0MB)" }).click();
      await row.getByText("line 12 of a long log", { exact: false }).first().waitFor();
      assert.ok((await drawn(page)) <= MOST_PIECES);
      for (const [share, line] of [
        [1, LINES],
        [0, 1],
      ]) {
        await scrollTo(page, share);
        await box(page).getByText(`line ${line} of a long log`, { exact: false }).waitFor();
        assert.ok((await drawn(page)) <= MOST_PIECES, String(share));
      }
      assert.deepEqual(await violations(page), []);
    }));

  it("that_is_the_structured_form_is_folded_beside_content_and_shown_without", async () => {
    const structured = { ...TEXT, number: 1, form: { form: "structured" }, sha256: "1".repeat(64) };
    const lines = (row) => row.getByText("line 11 of a long log");
    await opened(
      [TEXT],
      async (_page, row) => {
        await lines(row).waitFor();
        assert.equal(await lines(row).count(), 1);
        await row.getByRole("button", { name: "Structured result" }).click();
        await lines(row).nth(1).waitFor();
      },
      structured,
    );
    await opened([], async (_page, row) => lines(row).waitFor(), structured);
  });

  it("is_reached_anywhere_and_lies_still_while_lines_are_measured", () =>
    opened([TEXT], async (page, row) => {
      await row.getByRole("button", { name: /^Show all/ }).click();
      await scrollTo(page, 0.5);
      const first = () =>
        box(page).evaluate((it) => {
          const { top } = it.getBoundingClientRect();
          const piece = [...it.querySelectorAll("[data-piece]")].find(
            (one) => one.getBoundingClientRect().bottom > top,
          );
          return Number(piece.dataset.piece);
        });
      const middle = await first();
      assert.ok(middle > 100 && middle < 200, String(middle));
      for (let step = 0; step < 12; step += 1) {
        await box(page).evaluate((it) => (it.scrollTop -= it.clientHeight));
        await scrollTo(page, await box(page).evaluate((it) => it.scrollTop / (it.scrollHeight - it.clientHeight)));
        assert.ok((await first()) <= middle);
      }
      assert.ok((await first()) > middle - 12, "upwards no further than was scrolled");
    }));

  it("has_few_pieces_in_the_page_in_every_frame_while_it_is_scrolled", () =>
    opened([TEXT], async (page, row) => {
      await row.getByRole("button", { name: /^Show all/ }).click();
      await scrollTo(page, 0);
      assert.ok((await mostDrawn(page, 200)) <= MOST_PIECES);
      assert.ok(await box(page).evaluate((it) => it.scrollTop > 70_000), "it was scrolled");
    }));

  it("is_copied_whole", () =>
    opened([TEXT], async (page, row) => {
      await page.evaluate(() => {
        globalThis.copied = null;
        navigator.clipboard.write = async ([item]) => {
          globalThis.copied = await (await item.getType("text/plain")).text();
        };
      });
      await row.locator(".text").getByRole("button", { name: "Copy the text" }).click();
      await page.waitForFunction(() => globalThis.copied !== null);
      const copied = await page.evaluate(() => globalThis.copied.split("\n"));
      assert.equal(copied.length, LINES + 1);
      assert.ok(copied[LINES - 1].startsWith(`line ${LINES} `));
    }));

  it("says_when_it_is_gone", () =>
    opened([TEXT], async (page, row) => {
      await page.evaluate(() => {
        const entry = globalThis.fake.entries.get("invoices").find(({ id }) => id === "stored");
        entry.body.result.content = [];
      });
      await row.getByRole("button", { name: /^Show all/ }).click();
      await row.getByRole("alert").waitFor();
    }));
});

describe("pictures and sounds that are kept beside their entry", () => {
  const PICTURE = media(0, { form: "image", mime: "image/png" }, 3_000_000);
  const SOUND = media(1, { form: "audio", mime: "audio/wav" }, 2_000_000);

  it("are_shown_and_the_sound_is_read_on_demand", () =>
    opened([PICTURE, SOUND], async (page, row) => {
      await row.getByTestId("open-picture").click();
      await page
        .getByTestId("picture-facts")
        .getByText(/PNG.*3\u00A0MB/)
        .waitFor();
      await page.keyboard.press("Escape");
      assert.equal(await row.locator("audio").count(), 0);
      await row.getByRole("button", { name: "Load the sound (2\u00A0MB)" }).click();
      const source = await row.locator("audio").getAttribute("src");
      assert.equal(source, "data:audio/wav;base64,AAAAAAAA");
    }));

  it("are_not_read_where_a_sound_is_too_long_to_play", () =>
    opened([{ ...SOUND, number: 0, bytes: 40_000_000 }], async (_, row) => {
      await row.getByText("Not shown here: audio/wav").waitFor();
      assert.equal(await row.getByRole("button", { name: /^Load/ }).count(), 0);
    }));
});
