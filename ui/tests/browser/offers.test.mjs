// The list that "/" and "@" open in the composer: prompts and resources of the connected servers, by keyboard alone.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, violations, visit } from "./look.mjs";

const main = (act, view = {}, look = EN) =>
  visit("index.html", { scene: "chat", ...view }, look, async (page) => {
    const field = page.getByTestId("composer");
    await field.waitFor();
    await act(page, field);
  });
const rows = (page) => page.getByTestId("offer-entry");
const first = (page) => rows(page).first().waitFor();
const gone = (page) => rows(page).first().waitFor({ state: "detached" });
const marked = (page) => page.locator("[data-testid=offer-entry][aria-selected=true] .name").innerText();
/** Waits until the marked row can be read whole. */
const markedInSight = (page) =>
  page.waitForFunction(() => {
    const row = document.querySelector("[data-testid=offer-entry][aria-selected=true]");
    if (!row) return false;
    const [at, menu] = [row, row.closest("[data-testid=offer-menu]")].map((it) => it.getBoundingClientRect());
    return at.top >= menu.top && at.bottom <= menu.bottom;
  });
const line = (page) => page.getByTestId("offer-line");
/** Leaves these servers connected, and no others. */
const connected = (page, ids) =>
  page.evaluate((ids) => {
    const { fake } = globalThis;
    for (const server of fake.servers)
      fake.putServer({ ...server, state: { state: ids.includes(server.id) ? "ready" : "stopped" } });
  }, ids);

describe("a slash or an at in the composer", () => {
  it("lists_prompts_at_the_start_of_the_message_and_opens_the_sheet_on_the_one_that_is_chosen", () =>
    main(async (page, field) => {
      await field.pressSequentially("/");
      await first(page);
      assert.match(await rows(page).first().innerText(), /Plan a trip[\s\S]*notes/, "the server is named");
      await field.pressSequentially("plan");
      assert.equal(await rows(page).count(), 1);
      await page.keyboard.press("Enter");
      const sheet = page.getByTestId("pick-sheet");
      await sheet.getByRole("heading", { name: "Plan a trip" }).waitFor();
      await page.waitForFunction(() => document.activeElement?.matches("[data-testid=pick-sheet] form input"));
      assert.equal(await field.inputValue(), "", "the word that asked for it is gone");
      assert.equal(
        await page
          .getByTestId("entry-user")
          .last()
          .innerText()
          .then((said) => said.includes("/plan")),
        false,
      );
    }));

  it("lists_resources_and_templates_at_the_start_of_a_word_and_goes_on_where_the_word_was", () =>
    main(async (page, field) => {
      await field.fill("Read  and answer");
      await field.evaluate((it) => it.setSelectionRange(5, 5));
      await field.pressSequentially("@");
      await first(page);
      assert.equal(await rows(page).count(), 3, "two resources and a template");
      await page.keyboard.press("ArrowDown");
      assert.equal(await marked(page), "Packing list");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      assert.equal(await marked(page), "A note by its name", "the arrow keys go around");
      await field.pressSequentially("oslo");
      await page.waitForFunction(() => document.querySelectorAll("[data-testid=offer-entry]").length === 1);
      await page.keyboard.press("Tab");
      await page.waitForFunction(() => document.activeElement?.dataset.testid === "attach");
      await page.keyboard.press("Enter");
      await page.getByTestId("attachment").waitFor();
      assert.equal(await field.inputValue(), "Read  and answer");
      await field.pressSequentially("it");
      assert.equal(await field.inputValue(), "Read it and answer");
    }));

  it("lists_beside_Chinese_words_and_for_wide_signs", () =>
    main(async (page, field) => {
      for (const text of ["请看@", "请看，@", "＠", "／"]) {
        await field.fill("");
        await gone(page);
        await field.pressSequentially(text);
        await first(page);
      }
    }));

  it("leaves_addresses_paths_and_words_with_a_slash_alone", () =>
    main(async (page, field) => {
      await field.pressSequentially("@");
      await first(page);
      for (const text of [
        "/home/ada",
        "and/or",
        "look in /etc",
        "1 / 2",
        "ada@example.org",
        "ada.b+c@",
        "git@",
        "@ ",
      ]) {
        await field.fill("");
        await field.pressSequentially(text);
        assert.equal(await rows(page).count(), 0, text);
        assert.equal(await line(page).innerText(), "", text);
        assert.equal(await field.getAttribute("aria-controls"), null, text);
      }
    }));

  it("opens_only_for_what_is_typed", () =>
    main(async (page, field) => {
      await field.pressSequentially("Hello @o");
      await first(page);
      await page.keyboard.press("Shift+Tab");
      await gone(page);
      await field.click();
      await page.keyboard.press("End");
      assert.equal(await rows(page).count(), 0);
      await field.pressSequentially("s");
      await first(page);
    }));

  it("closes_with_Escape_keeps_what_was_typed_and_lets_the_answer_go_on", () =>
    main(async (page, field) => {
      await page.getByTestId("stop").waitFor();
      await field.pressSequentially("/pl");
      await first(page);
      await page.keyboard.press("Escape");
      await gone(page);
      assert.equal(await field.inputValue(), "/pl");
      const stopped = () => page.evaluate(() => globalThis.fake.stopped.size);
      assert.equal(await stopped(), 0, "only the list was closed");
      await field.pressSequentially("an");
      assert.equal(await rows(page).count(), 0, "it stays closed for this word");
      await field.fill("");
      await field.pressSequentially("/pl");
      await first(page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      assert.equal(await stopped(), 1, "the next Escape stops the answer");
    }));

  it("closes_where_the_caret_or_the_focus_leaves_the_word", () =>
    main(async (page, field) => {
      await field.pressSequentially("Hello @o");
      await first(page);
      await page.keyboard.press("Home");
      await gone(page);
      await page.keyboard.press("End");
      await field.pressSequentially("s");
      await first(page);
      await page.keyboard.press("Shift+Tab");
      await gone(page);
    }));

  it("sends_what_matches_nothing_and_starts_lines_as_always", () =>
    main(async (page, field) => {
      await page.locator("[data-chat]").nth(1).click();
      await field.pressSequentially("@o");
      await first(page);
      await page.keyboard.press("Shift+Enter");
      assert.equal(await field.inputValue(), "@o\n");
      await field.fill("");
      await field.pressSequentially("@nobody");
      assert.equal(await rows(page).count(), 0);
      await page.keyboard.press("Enter");
      await page.getByTestId("entry-user").last().filter({ hasText: "@nobody" }).waitFor();
    }));

  it("does_nothing_while_an_input_method_composes", () =>
    main(async (page, field) => {
      const ime = await page.context().newCDPSession(page);
      const compose = (text) =>
        ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
      await field.focus();
      await compose("/");
      assert.equal(await field.inputValue(), "/");
      assert.equal(await rows(page).count(), 0, "it opens while a word is composed");
      await ime.send("Input.insertText", { text: "/" });
      await first(page);
      await compose("ao si lu");
      assert.equal(await rows(page).count(), 1, "it narrows while a word is composed");
      for (const key of ["Enter", "Escape", "ArrowDown", "Tab"]) {
        const taken = await field.evaluate(
          (it, key) =>
            !it.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode: 229, bubbles: true, cancelable: true })),
          key,
        );
        assert.equal(taken, false, key);
      }
      assert.equal(await page.getByTestId("pick-sheet").count(), 0);
      await ime.send("Input.insertText", { text: "奥斯陆" });
      await gone(page);
      assert.equal(await field.inputValue(), "/奥斯陆");
    }));

  it("says_in_one_line_that_there_is_nothing_to_choose", () =>
    main(async (page, field) => {
      await connected(page, ["s-files"]);
      await field.pressSequentially("/");
      await page.getByText("The connected servers offer no prompts.").waitFor();
      await page.keyboard.press("Escape");
      assert.equal(await line(page).innerText(), "");
      await field.fill("");
      await field.pressSequentially("See @");
      await page.getByText("The connected servers offer no resources.").waitFor();
      await connected(page, []);
      await field.fill("");
      await field.pressSequentially("@");
      await page.getByText("No server is connected.").waitFor();
      assert.deepEqual(await violations(page), []);
      await field.pressSequentially("x");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector("[data-testid=composer]").value === "");
      assert.equal(await line(page).innerText(), "", "the line goes with the message");
    }));

  it("asks_no_server_for_anything_until_something_is_chosen", () =>
    main(async (page, field) => {
      for (const text of ["/plan", "@oslo"]) {
        await field.fill("");
        await field.pressSequentially(text);
        await first(page);
      }
      assert.deepEqual(await page.evaluate(() => globalThis.fake.fetched), []);
      await page.keyboard.press("Enter");
      await page.getByTestId("attachment-parts").waitFor();
      assert.deepEqual(await page.evaluate(() => globalThis.fake.fetched), ["note://trips/oslo"]);
    }));

  it("is_a_list_for_screen_readers_whose_marked_row_the_field_names", () =>
    main(async (page, field) => {
      assert.equal(await field.getAttribute("aria-haspopup"), "listbox");
      assert.equal(await field.getAttribute("aria-controls"), null);
      await field.pressSequentially("@");
      await first(page);
      await page.keyboard.press("ArrowDown");
      const named = await field.evaluate((it) => {
        const list = document.querySelector(`#${CSS.escape(it.getAttribute("aria-controls"))}`);
        const row = document.querySelector(`#${CSS.escape(it.getAttribute("aria-activedescendant"))}`);
        const { role, ariaSelected } = row;
        return { list: list.role, label: list.ariaLabel, role, ariaSelected, inside: list.contains(row) };
      });
      assert.deepEqual(named, {
        list: "listbox",
        label: "Resources of your servers",
        role: "option",
        ariaSelected: "true",
        inside: true,
      });
      assert.deepEqual(await violations(page), []);
    }));

  it("keeps_the_focus_in_the_field_when_the_list_is_pressed", () =>
    main(async (page, field) => {
      await field.pressSequentially("@");
      await first(page);
      const { x, y } = await rows(page).nth(1).boundingBox();
      await page.mouse.move(x + 30, y + 10);
      assert.equal(await marked(page), "Packing list");
      await page.mouse.down();
      assert.ok(await field.evaluate((it) => it === document.activeElement));
      await page.mouse.up();
      await page.getByTestId("attachment-parts").waitFor();
    }));
});

describe("the list of what servers offer", () => {
  it("draws_eight_rows_at_most_and_says_how_many_more_there_are", () =>
    main(
      async (page, field) => {
        await field.fill("A line of a message.\n".repeat(6));
        await field.pressSequentially("@");
        await first(page);
        assert.equal(await rows(page).count(), 8);
        assert.match(await line(page).innerText(), /^\d{3} more\. Keep typing to narrow the list\.$/);
        for (let step = 0; step < 7; step++) await page.keyboard.press("ArrowDown");
        await markedInSight(page);
        // The list gets less room, as it does while the message grows.
        for (const height of [760, 420, 300]) {
          await page.setViewportSize({ width: 640, height });
          await markedInSight(page);
        }
      },
      { scene: "crowded", width: 640, height: 420 },
    ));

  for (const [width, height] of [
    [1280, 840],
    [900, 600],
    [640, 420],
    [360, 240],
  ])
    it(`covers_no_Stop_and_no_words_of_the_message_at_${width}x${height}`, () =>
      main(
        async (page, field) => {
          await field.fill(`${"A line of a long message.\n".repeat(12)}and `);
          await field.pressSequentially("@");
          await first(page);
          const covered = await page.evaluate(() => {
            const menu = document.querySelector("[data-testid=offer-menu]");
            const list = menu.getBoundingClientRect();
            const kept = ["composer", "stop", "send", "add", "stop-everything"];
            return kept.filter((id) => {
              const it = document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect();
              return it && it.top < list.bottom && it.bottom > list.top && it.left < list.right && it.right > list.left;
            });
          });
          assert.deepEqual(covered, []);
          await markedInSight(page);
          const box = await page.getByTestId("offer-menu").boundingBox();
          assert.ok(box.y >= 0 && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
        },
        { scene: "crowded", width, height },
      ));

  it("keeps_words_of_servers_apart_from_one_another", () =>
    main(
      async (page, field) => {
        await field.pressSequentially("@");
        await first(page);
        const isolated = await rows(page).evaluateAll((all) =>
          all.every((row) => [...row.querySelectorAll(".name, .about, .server")].every((it) => it.closest("bdi"))),
        );
        assert.ok(isolated);
        assert.equal(await rows(page).locator(".server").count(), 8, "each row names its server");
      },
      { scene: "crowded" },
    ));

  for (const [language, hint] of [
    ["en", /\/ for prompts.*@ for resources/],
    ["zh-CN", /\/ 插入提示词.*@ 插入资源/],
  ])
    it(`is_named_below_the_field_and_read_with_it_in_${language}`, () =>
      main(
        async (page, field) => {
          await page.locator("[data-chat]").nth(1).click();
          const told = await field.evaluate(
            (it) => document.querySelector(`#${CSS.escape(it.getAttribute("aria-describedby"))}`).innerText,
          );
          assert.match(told, hint);
        },
        {},
        { appearance: "light", language },
      ));
});
