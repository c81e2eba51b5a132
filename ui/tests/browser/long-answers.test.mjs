// Long answers: only what is near is drawn, and reading, searching and copying miss nothing of the rest.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, framesPass, visit } from "./look.mjs";

const ITEMS = 1_200;
/** Items longer than a line, with and without more than words in them, and rows of the same. */
const item = (at) =>
  at % 2 ? `Item ${at} of the list, with words enough for more than one line of it.` : `Item **${at}**`;
const KINDS = {
  "a list of words": (from, to) => lines(from, to, (at) => `1. Item ${at}: ${"some words ".repeat(1 + (at % 9))}`),
  "a list of more than words": (from, to) => lines(from, to, (at) => `- ${item(at)} ${"some words ".repeat(at % 9)}`),
  "a table of words": (from, to) =>
    lines(from, to, (at) => `| ${at} | Item ${at} | ${"some words ".repeat(1 + (at % 9))}|`),
  "a table of more than words": (from, to) =>
    lines(from, to, (at) => `| ${at} | ${item(at)} | ${"some words ".repeat(at % 9)} |`),
};
const PARAGRAPHS = "paragraphs, code, lists and tables";
KINDS[PARAGRAPHS] = (from, to) =>
  lines(from, to, (at) => {
    const paragraph = `Item ${at}: ${"some words ".repeat(1 + (at % 9))}\n`;
    const others = { 3: "~~~js\nlet one = 1;\n~~~\n", 5: "- one\n- two\n", 7: "| a | b |\n|---|---|\n| 1 | 2 |\n" };
    return `${paragraph}\n${others[at % 10] ?? ""}`;
  });
const HEAD = "| Number | Name | Words |\n|--:|---|---|\n";
const lines = (from, to, line) => Array.from({ length: to - from }, (_, at) => `${line(from + at)}\n`).join("");

/** What is one item or about one. */
const ITEM = ":is(li, tr, .blocks > p)";
const box = (page) => page.getByRole("region", { name: "Conversation" });
const drawn = (page) => page.locator('[data-entry="told"]').locator(ITEM).count();

/** Waits until what is far away is empty. */
const untilFew = (page) =>
  page.waitForFunction((item) => document.querySelectorAll(`[data-entry="told"] ${item}`).length < 500, ITEM);

/** Streams an answer of this kind to its end, and acts when it is done. */
const streamed = (kind, act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    const write = KINDS[kind];
    const pieces = Array.from({ length: ITEMS / 100 }, (_, at) => write(100 * at, 100 * (at + 1)));
    await page.evaluate(
      async ([head, all]) => {
        const { fake } = globalThis;
        const body = { kind: "assistant", text: head, reasoning: "", model: "m", scripted: false, state: "streaming" };
        const put = (now, added) =>
          fake.tell({
            event: "entry",
            entry: { id: "told", chat: "oslo", position: 1_000, at_ms: 0, body: now },
            added,
          });
        put(body, true);
        for (const text of all) {
          fake.tell({ event: "words", chat: "oslo", entry: "told", text, reasoning: "" });
          await new Promise((done) => requestAnimationFrame(done));
        }
        const done = { ...body, text: head + all.join(""), state: "done" };
        put(done, false);
        fake.putEntry("oslo", done, "told");
      },
      [kind.startsWith("a table") ? HEAD : "", pieces],
    );
    await page
      .locator('[data-entry="told"]')
      .getByText(`${ITEMS - 1}`)
      .last()
      .waitFor();
    await act(page);
  });

/** The item that stands highest in the window, and where. */
const highest = (page) =>
  box(page).evaluate((scroller, item) => {
    const top = scroller.getBoundingClientRect().top;
    const all = [...scroller.querySelectorAll(`[data-entry="told"] ${item}`)];
    const first = all.find((one) => one.getBoundingClientRect().top >= top);
    return { text: first?.textContent, top: first?.getBoundingClientRect().top };
  }, ITEM);

/** Scrolls up by so many pixels as the user does, and says how far an item went that was in sight. */
const readUp = (page, by) =>
  box(page).evaluate(
    async (scroller, [up, item]) => {
      const top = scroller.getBoundingClientRect().top;
      const all = [...scroller.querySelectorAll(`[data-entry="told"] ${item}`)];
      const seen = all.find((one) => one.getBoundingClientRect().top >= top);
      const before = seen.getBoundingClientRect().top;
      scroller.dispatchEvent(new WheelEvent("wheel", { deltaY: -up }));
      scroller.scrollTop -= up;
      for (let frame = 0; frame < 4; frame += 1) await new Promise((done) => requestAnimationFrame(done));
      return seen.getBoundingClientRect().top - before;
    },
    [by, ITEM],
  );

for (const kind of Object.keys(KINDS))
  describe(kind, () => {
    it("is_drawn_near_what_is_seen_and_whole_where_one_scrolls", () =>
      streamed(kind, async (page) => {
        await framesPass(page);
        const { scrollHeight } = await box(page).evaluate(({ scrollHeight }) => ({ scrollHeight }));
        assert.ok((await drawn(page)) < 500, `${await drawn(page)} items are drawn`);
        await box(page).evaluate((scroller) => (scroller.scrollTop = 0));
        await page.locator('[data-entry="told"]').getByText("Item 0").first().waitFor();
        await framesPass(page);
        assert.ok((await drawn(page)) < 500, `${await drawn(page)} items are drawn`);
        assert.equal(await box(page).evaluate((it) => it.scrollHeight), scrollHeight);
      }));

    it("stays_where_it_is_read_after_the_window_became_narrower", () =>
      streamed(kind, async (page) => {
        await page.setViewportSize({ width: 760, height: 600 });
        await framesPass(page);
        await readUp(page, 400);
        for (let step = 0; step < 20; step += 1) {
          const moved = await readUp(page, 300);
          assert.ok(
            Math.abs(moved - 300) <= 2,
            `step ${step}: ${JSON.stringify(await highest(page))} went ${moved} pixels`,
          );
        }
      }));

    it("is_copied_whole_where_all_of_it_is_selected", () =>
      streamed(kind, async (page) => {
        await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('[data-entry="told"]')));
        const missing = () =>
          page.evaluate((count) => {
            const text = getSelection().toString();
            const numbers = new Set(text.match(/\d+/g));
            return Array.from({ length: count }, (_, at) => `${at}`).filter((number) => !numbers.has(number));
          }, ITEMS);
        await page.waitForFunction(
          (count) =>
            getSelection()
              .toString()
              .includes(`${count / 2}`),
          ITEMS,
        );
        assert.deepEqual(await missing(), []);
        await page.evaluate(() => getSelection().empty());
        await untilFew(page);
      }));

    it("is_searched_whole", () =>
      streamed(kind, async (page) => {
        await page.keyboard.press("Control+f");
        await page.getByTestId("find-field").fill("Item 507");
        await page.getByTestId("find-where").getByText("1 of 1", { exact: true }).waitFor();
        await page.waitForFunction(() => CSS.highlights.get("chat-find-current")?.size === 1);
        const seen = await page.evaluate(() => {
          const [range] = CSS.highlights.get("chat-find-current");
          const { top, bottom } = range.getBoundingClientRect();
          return { text: range.toString(), inSight: top > 60 && bottom < innerHeight };
        });
        assert.deepEqual(seen, { text: "Item 507", inSight: true });
        await page.keyboard.press("Escape");
        await untilFew(page);
      }));
  });

describe("a list that becomes long while one reads far above it", () => {
  it("is_there_when_one_comes_back", () =>
    visit("index.html", { scene: "chat" }, EN, async (page) => {
      const told = page.locator('[data-entry="told"]');
      const tell = (text) =>
        page.evaluate(
          (words) => globalThis.fake.tell({ event: "words", chat: "oslo", entry: "told", text: words, reasoning: "" }),
          text,
        );
      await page.evaluate((text) => {
        const body = { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state: "streaming" };
        const entry = { id: "told", chat: "oslo", position: 1_000, at_ms: 0, body };
        globalThis.fake.tell({ event: "entry", entry, added: true });
      }, "A paragraph of some words.\n\n".repeat(119));
      await tell(lines(0, 60, (at) => `- Item ${at}`));
      await told.getByText("Item 59", { exact: true }).waitFor();
      await box(page).hover();
      await page.mouse.wheel(0, -100_000);
      await told.getByText("Item 59", { exact: true }).waitFor({ state: "detached" });
      await tell(lines(60, 400, (at) => `- Item ${at}`));
      await page.getByTestId("to-end").click();
      await told.getByText("Item 399", { exact: true }).waitFor();
      await box(page).hover();
      await page.mouse.wheel(0, -9_000);
      await told.getByText("Item 59", { exact: true }).waitFor();
    }));
});
