// The ledger as a list: one field with tokens, days, a request with its result, and a record as labelled facts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const RECORDS = 2_000;
/** The most elements of the page; a row has fifteen. */
const MOST_ELEMENTS = 9_000;
const ledger = (act) =>
  visit("index.html", { scene: "chat" }, EN, async (page) => {
    await page.getByTestId("to-ledger").click();
    await page.getByTestId("record").first().waitFor();
    await act(page);
  });
/** The same with a thousand records more in a window as high as six pages. */
const highLedger = (act) =>
  ledger(async (page) => {
    await page.setViewportSize({ width: 1320, height: 7_000 });
    await page.evaluate(() => globalThis.fake.addRecords(1_000));
    await page.getByTestId("ledger-search").fill(" ");
    await page.locator('[data-seq="890"]').waitFor();
    await act(page);
  });
const count = (page, wanted) =>
  page.waitForFunction((rows) => document.querySelectorAll("[data-testid=record]").length === rows, wanted);

describe("the ledger", () => {
  it("shows_a_request_with_its_result_in_one_row_under_its_day", () =>
    ledger(async (page) => {
      await count(page, 6);
      assert.equal(await page.getByRole("heading", { name: "Friday, November 20" }).count(), 1);
      const row = page.locator("[data-testid=record]", { hasText: "completed" });
      assert.equal(await row.count(), 1);
      assert.match(await row.innerText(), /allowed · completed/);
      assert.match(await row.locator("time").innerText(), /^\d\d:\d\d:\d\d$/);
      await page.getByText("7 records in 6 rows. A request and its result share a row.").waitFor();
      // Where the requests are left out, each record is a row.
      await page.getByTestId("ledger-kind").selectOption("results");
      await count(page, 1);
      await page.getByText("Records shown: 1", { exact: true }).waitFor();
    }));

  it("shows_a_record_as_labelled_facts_with_the_way_to_its_chat", () =>
    ledger(async (page) => {
      const row = page.locator("[data-testid=record]", { hasText: "completed" });
      await row.locator("button").first().click();
      const facts = row.getByTestId("record-facts");
      assert.equal(await facts.count(), 2);
      const terms = await facts.locator("dt").allInnerTexts();
      for (const term of ["Decision", "Chat", "Arguments digest", "Seal", "Result", "Result digest"])
        assert.ok(terms.includes(term), `${term} in ${terms}`);
      assert.doesNotMatch(await facts.first().innerText(), /[{}]/);
      await row.getByTestId("record-chat").click();
      await page.getByTestId("composer").waitFor();
    }));

  it("says_how_far_it_is_signed_in_good_english", () =>
    ledger(async (page) => {
      await page.getByTestId("ledger-verify").click();
      await page.getByText("Signed through record 6 (2 signatures).").waitFor();
    }));

  it("shows_which_file_went_to_which_model", () =>
    ledger(async (page) => {
      await page.evaluate(() => {
        const { fake } = globalThis;
        const [last] = fake.records;
        const sent = { ...last, seq: last.seq + 1, kind: "intent", chat: "oslo", action: "file.send", object: "large" };
        const names = [
          { what: "file", name: "Harbour plan.pdf" },
          { what: "host", name: "models.example" },
        ];
        const body = { file: "pdf", pages: 12, bytes: 1_840_224, content: "sha256:51c0" };
        fake.records = [{ ...sent, names, body }, ...fake.records];
      });
      await page.getByTestId("ledger-search").fill(" ");
      const row = page.getByTestId("record").filter({ hasText: "give a file to" });
      await row.getByRole("button").first().click();
      const facts = await row.getByTestId("record-facts").innerText();
      for (const fact of ["Harbour plan.pdf", "models.example", "pages: 12", "1.8\u00A0MB", "sha256:51c0"])
        assert.ok(facts.includes(fact), `${fact}: ${facts}`);
    }));

  it("draws_only_what_is_near_of_thousands_of_records", () =>
    ledger(async (page) => {
      await page.evaluate((count) => globalThis.fake.addRecords(count), RECORDS);
      await page.getByTestId("ledger-search").fill(" ");
      await page.locator(`[data-seq="${RECORDS + 7}"]`).waitFor();
      const edge = () =>
        page.evaluate(() => {
          const all = [...document.querySelectorAll("[data-seq]")].map((row) => Number(row.dataset.seq));
          return { first: Math.max(...all), last: Math.min(...all), rows: all.length };
        });
      // Scrolled in the page, frame by frame, because twenty pages are read.
      const most = await page.evaluate(async () => {
        const pane = document.querySelector(".pane");
        let elements = 0;
        while (!document.querySelector('[data-seq="1"]')) {
          pane.scrollTop = pane.scrollHeight;
          await new Promise((done) => requestAnimationFrame(done));
          elements = Math.max(elements, document.querySelectorAll("*").length);
        }
        return elements;
      });
      assert.ok(most < MOST_ELEMENTS, `${most} elements`);
      const [records, rows] = [RECORDS + 7, RECORDS + 6].map((number) => number.toLocaleString("en"));
      await page.getByText(`${records} records in ${rows} rows.`).waitFor();
      assert.ok((await edge()).rows <= 200);
      // Back up, nothing that is read moves while records come in before it.
      const { first } = await edge();
      await page.locator(`[data-seq="${first}"]`).evaluate((row) => row.scrollIntoView({ block: "center" }));
      await page.locator(`[data-seq="${first + 1}"]`).waitFor({ state: "attached" });
      const middle = await page.locator(`[data-seq="${first}"]`).boundingBox();
      assert.ok(middle.y > 100 && middle.y < 660, `${middle.y}`);
      await page.evaluate(() => globalThis.fake.addRecords(1));
      await page.getByTestId("ledger-newest").click();
      await page.locator(`[data-seq="${RECORDS + 8}"]`).waitFor();
    }));

  it("fills_a_window_that_is_higher_than_a_page_without_a_scroll", () =>
    highLedger((page) => page.locator('[data-seq="1007"]').waitFor()));

  it("shows_new_records_by_itself_at_the_top_where_several_pages_are_drawn", () =>
    highLedger(async (page) => {
      // A record of a later page stays open and keeps the focus.
      const open = page.locator('[data-seq="900"] button').first();
      await open.click();
      await page.locator('[data-seq="900"]').getByTestId("record-facts").waitFor();
      await page.evaluate(() => globalThis.fake.addRecords(2));
      await page.locator('[data-seq="1009"]').waitFor();
      assert.equal(await page.getByTestId("ledger-newest").count(), 0);
      assert.equal(await page.locator('[data-seq="900"]').getByTestId("record-facts").count(), 1);
      assert.ok(await open.evaluate((it) => it === document.activeElement));
      // Where older records are read, they stay in place, and a button leads to the new ones.
      await page.setViewportSize({ width: 1320, height: 760 });
      await page.locator('[data-seq="950"]').evaluate((row) => row.scrollIntoView({ block: "center" }));
      const place = () => page.locator('[data-seq="950"]').evaluate((row) => row.getBoundingClientRect().top);
      const before = await place();
      await page.evaluate(() => globalThis.fake.addRecords(1));
      await page.getByTestId("ledger-newest").waitFor();
      assert.equal(await place(), before);
      // At the top they come by themselves again.
      await page.locator(".pane").evaluate((pane) => (pane.scrollTop = 0));
      await page.locator('[data-seq="1010"]').waitFor();
      await page.getByTestId("ledger-newest").waitFor({ state: "detached" });
    }));

  it("reads_on_at_the_end_where_new_records_came_while_older_ones_were_read", () =>
    ledger(async (page) => {
      await page.evaluate(() => globalThis.fake.addRecords(1_000));
      await page.getByTestId("ledger-search").fill(" ");
      await page.locator('[data-seq="1007"]').waitFor();
      // Replies of the host wait until they are let go, one by one.
      await page.evaluate(() => {
        const { setTimeout } = globalThis;
        globalThis.replies = [];
        globalThis.setTimeout = (act, ms, ...rest) =>
          ms === 20 ? globalThis.replies.push(act) : setTimeout(act, ms, ...rest);
      });
      const asked = (count) => page.waitForFunction((count) => globalThis.replies.length === count, count);
      const pane = page.locator(".pane");
      await asked(1);
      await page.evaluate(() => globalThis.replies.shift()());
      await pane.evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
      await asked(1);
      await page.evaluate(() => globalThis.fake.addRecords(1));
      await asked(2);
      await page.evaluate(() => globalThis.replies.pop()());
      await page.locator('[data-seq="1008"]').waitFor({ state: "attached" });
      await page.evaluate(() => globalThis.replies.pop()());
      await asked(1);
      await page.evaluate(() => globalThis.replies.pop()());
      await page.locator('[data-seq="970"]').waitFor({ state: "attached" });
    }));

  it("reads_on_by_keyboard", () =>
    ledger(async (page) => {
      await page.evaluate(() => globalThis.fake.addRecords(1_000));
      await page.getByTestId("ledger-search").fill(" ");
      await page.locator('[data-seq="1007"]').waitFor();
      await page.getByTestId("ledger-older").focus();
      await page.locator('[data-seq="970"]').waitFor({ state: "attached" });
      const newestIsDrawn = () => page.locator('[data-seq="1007"]').count();
      const last = () => Number([...document.querySelectorAll("[data-seq]")].at(-1).dataset.seq);
      while (await newestIsDrawn()) {
        const before = await page.evaluate(last);
        await page.getByTestId("ledger-older").press("Enter");
        await page.waitForFunction(
          (before) => Number([...document.querySelectorAll("[data-seq]")].at(-1).dataset.seq) < before,
          before,
        );
        await page.waitForFunction(() => document.activeElement.closest("[data-seq]") !== null);
      }
      const newest = () => Number(document.querySelector("[data-seq]").dataset.seq);
      const before = await page.evaluate(newest);
      // Where the focus scrolls to the button, its page is read before the key is pressed.
      await page.getByTestId("ledger-newer").focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction((before) => Number(document.querySelector("[data-seq]").dataset.seq) > before, before);
    }));

  it("keeps_older_records_and_their_place_while_its_search_names_a_removed_server", () =>
    ledger(async (page) => {
      await page.evaluate(() => {
        const { fake } = globalThis;
        fake.addRecords(1_000);
        for (const record of fake.records.slice(0, 1_000)) record.server = "s-gone";
      });
      await page.getByTestId("ledger-search").fill("server:susp");
      await page.locator('[data-seq="1007"]').waitFor();
      await page.waitForFunction(() => {
        const pane = document.querySelector(".pane");
        pane.scrollTop = pane.scrollHeight;
        return document.querySelector('[data-seq="950"]');
      });
      const row = page.locator('[data-seq="950"]');
      await row.evaluate((it) => it.scrollIntoView({ block: "center" }));
      const place = () => row.evaluate((it) => it.getBoundingClientRect().top);
      const before = await place();
      // Each reply lists the removed servers again. Of two more that were asked for, one was shown.
      const read = await page.evaluate(() => globalThis.fake.ledgerReads.length);
      await page.waitForFunction((read) => globalThis.fake.ledgerReads.length >= read + 2, read);
      assert.equal(await row.count(), 1);
      assert.equal(await place(), before);
    }));

  it("takes_tokens_in_its_search", () =>
    ledger(async (page) => {
      const field = page.getByTestId("ledger-search");
      await field.fill("server:susp");
      await count(page, 1);
      await field.fill("server:nobody-like-this");
      await page.getByText("No server is called nobody-like-this").waitFor();
      await field.fill("kind:checkpoints");
      await count(page, 1);
      await field.fill("");
      await count(page, 6);
      await page.getByTestId("ledger-server").selectOption("s-notes");
      await page.locator("[data-testid=ledger-seen] .disclosure button").click();
      await page.getByTestId("seen-name").first().click();
      assert.equal(await field.inputValue(), "file:/home/ada/Notes/Oslo.md");
    }));
});
