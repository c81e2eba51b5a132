// What a server asks the user for: a form to fill in, and a page to open.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, consent, passed, refuse, replies, tabTo } from "./cards.mjs";

describe("a form of a server", () => {
  // Shows EF-006: an answer is changed as often as the person wants before it goes.
  it("can_be_filled_in_and_sent_by_keyboard_alone", () =>
    consent("fill_form", async (page) => {
      await passed(page);
      assert.equal(await accept(page).isDisabled(), true);
      await tabTo(page, "[data-field=region] input");
      await page.keyboard.press("ArrowDown");
      await tabTo(page, "[data-field=replicas] input");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("12");
      await page.locator("[data-field=replicas] [aria-invalid=true]").waitFor();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("3");
      await tabTo(page, "[data-field=contact] input");
      await page.keyboard.type("ada@example.org");
      await tabTo(page, "[data-testid=answer-accept]");
      await page.keyboard.press("Enter");
      assert.deepEqual((await replies(page))[0].answer, {
        answer: "submit",
        content: { region: "us1", replicas: 3, contact: "ada@example.org" },
        not_secret: [],
      });
    }));

  it("tells_declining_from_skipping_and_hides_with_Escape", async () => {
    await consent("fill_form", async (page) => {
      await passed(page);
      await page.keyboard.press("Alt+d");
      assert.deepEqual((await replies(page))[0].answer, { answer: "refuse", reason: null });
    });
    await consent("fill_form", async (page) => {
      await passed(page);
      await tabTo(page, "[data-testid=answer-cancel]");
      await page.keyboard.press("Enter");
      assert.deepEqual((await replies(page))[0].answer, { answer: "cancel" });
    });
    await consent("fill_form", async (page) => {
      await passed(page);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => globalThis.fake.hidden === 1);
      assert.deepEqual(await replies(page), []);
    });
  });

  // Shows EF-018, EF-019.
  it("shows_the_words_of_the_server_as_words", () =>
    consent("fill_form_all", async (page) => {
      await passed(page);
      assert.equal(await page.locator(".card a, .card b b, .card img").count(), 0);
      assert.match(await page.locator(".quoted").first().innerText(), /U\+202E.*<b>Bold<\/b> \[here\]/s);
      const secret = page.locator("[data-field=api_key]");
      assert.equal(await secret.locator("input, textarea").count(), 0, "a field for a secret is locked");
      await secret.getByTestId("not-secret").click();
      assert.equal(await secret.locator("input, textarea").inputValue(), "");
    }));

  it("leads_to_what_is_not_ready_yet", () =>
    consent("fill_form_all", async (page) => {
      await passed(page);
      await page.locator(".blocked button").click();
      await page.waitForFunction(() => document.activeElement?.closest("[data-field=name]") !== null);
    }));

  it("keeps_its_answers_in_sight_at_twice_the_size", () =>
    consent(
      "fill_form_all",
      async (page) => {
        await passed(page);
        for (const answer of [refuse(page), page.getByTestId("answer-cancel"), accept(page)]) {
          const box = await answer.boundingBox();
          assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 280 && box.y + box.height <= 380);
        }
        const wide = await page.evaluate(() => document.querySelector(".scroll").scrollWidth);
        assert.ok(wide <= 280, `${wide}`);
      },
      { width: 280, height: 380 },
    ));
});

describe("a page a server wants opened", () => {
  // Shows EU-010: it is opened by an answer of ours, and nothing in the server's words leads anywhere.
  it("is_shown_whole_and_opened_by_keyboard", () =>
    consent("open_page", async (page) => {
      await passed(page);
      assert.equal(await page.getByTestId("domain").innerText(), "payroll-suite.com");
      assert.equal(
        await page.getByTestId("url").innerText(),
        "https://login.secure.payroll-suite.com/connect?elicitationId=550e8400-e29b-41d4-a716-446655440000",
      );
      assert.equal(await page.locator("a").count(), 0);
      const words = page.locator(".card :is(.quoted, .relation, [data-testid=address])");
      assert.equal(await words.count(), 3);
      assert.equal(await words.locator("a, button, [role=link], [role=button], [onclick]").count(), 0);
      await page.keyboard.press("Alt+a");
      await page.keyboard.press("Enter");
      assert.deepEqual((await replies(page))[0].answer, { answer: "open" });
    }));

  it("can_not_be_opened_where_its_address_is_blocked", () =>
    consent("blocked_page", async (page) => {
      await passed(page);
      assert.equal(await accept(page).isDisabled(), true);
      assert.equal(await page.locator(".card .note.no").count(), 4);
    }));

  it("can_be_opened_again_given_up_or_done_with", async () => {
    const presses = [
      ["[data-testid=regenerate]", { answer: "open" }],
      ["[data-testid=answer-accept]", { answer: "done" }],
    ];
    for (const [button, expected] of presses) {
      await consent("visit_page", async (page) => {
        await passed(page);
        await tabTo(page, button);
        await page.keyboard.press("Enter");
        assert.deepEqual((await replies(page))[0].answer, expected);
      });
    }
    await consent("visit_failed", async (page) => {
      await passed(page);
      await page.getByTestId("answer-cancel").click();
      assert.deepEqual((await replies(page))[0].answer, { answer: "cancel" });
    });
  });
});
