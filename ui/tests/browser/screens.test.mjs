// Screens of the main window: what their lists, headers and buttons show, and how they behave in narrow windows.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act, view = {}) => visit("index.html", { scene: "chat", ...view }, EN, act);
const server = (page, number) => page.locator("[data-testid=server-row]").nth(number).click();
const tools = (page) =>
  page.locator("[data-testid=tool-row]").evaluateAll((all) => all.map(({ dataset }) => dataset.tool));

describe("the tools of a server", () => {
  it("are_one_line_each_and_open_into_the_words_of_the_server", () =>
    main(async (page) => {
      await server(page, 1);
      const row = page.locator("[data-tool=sort_pages]");
      assert.ok((await row.boundingBox()).height < 56);
      assert.equal(await row.getByText("Sorts pages by any rule.").count(), 0);
      assert.equal(await row.getByRole("img", { name: "Arguments cannot be checked" }).count(), 1);
      await row.getByTestId("tool-open").click();
      await row.getByText("Sorts pages by any rule.").waitFor();
      assert.match(await row.innerText(), /The server wrote this/);
      assert.match(await row.innerText(), /cannot check this tool's arguments/);
    }));

  it("are_grouped_by_what_they_claim_where_silence_counts_as_a_change", () =>
    main(async (page) => {
      await server(page, 1);
      await page.locator("[data-tool]").first().waitFor();
      const group = (id) =>
        page.locator(`[data-group=${id}] [data-tool]`).evaluateAll((all) => all.map(({ dataset }) => dataset.tool));
      assert.deepEqual(await group("changes"), ["write_page", "sort_pages", "delete_page", "share_page"]);
      assert.deepEqual(await group("reads"), ["search_pages", "read_page"]);
      assert.equal(await page.getByRole("heading", { name: /^Read-only.*claimed by the server/ }).count(), 1);
      const risk = page.locator("[data-tool=delete_page]").getByRole("img", { name: "Can destroy data" });
      assert.equal(await risk.count(), 1);
    }));

  it("are_found_by_name_and_description", () =>
    main(async (page) => {
      await server(page, 1);
      const filter = page.getByTestId("tool-filter");
      await filter.fill("MARKDOWN");
      await page.locator("[data-tool=delete_page]").waitFor({ state: "detached" });
      assert.deepEqual(await tools(page), ["read_page"]);
      await filter.fill("nothing like it");
      await page.getByText("No results").waitFor();
      await filter.fill("");
      await page.locator("[data-tool=delete_page]").waitFor();
      assert.equal((await tools(page)).length, 6);
    }));
});

describe("the pages of the main window", () => {
  it("begin_at_one_edge_and_say_what_they_are", () =>
    main(async (page) => {
      const found = [];
      for (const to of ["workspaces-row", "to-rules", "to-ledger", "to-settings"]) {
        await page.getByTestId(to).click();
        await page.locator(".pane h2").first().waitFor();
        const { x, width } = await page.locator(".pane .column").first().boundingBox();
        found.push(`${x} ${width}`);
        if (to !== "to-settings") assert.notEqual(await page.locator(".pane header h2").first().innerText(), "");
      }
      assert.equal(new Set(found).size, 1, `${found}`);
    }));
});

describe("a server with a changed tool", () => {
  it("counts_its_tools_the_same_in_the_head_and_on_the_tab", () =>
    main(async (page) => {
      await server(page, 1);
      await page.locator("[data-tool]").first().waitFor();
      assert.match(await page.getByTestId("server-state").innerText(), /6 tools/);
      assert.match(await page.getByRole("tab").first().innerText(), /6/);
      assert.equal((await tools(page)).length, 6);
    }));
});

describe("the start of the main window", () => {
  /** In the page: what moved since the page began. What only grew to one side has a corner that stayed. */
  const moved = () =>
    new Promise((done) => {
      const found = [];
      new PerformanceObserver((list) => {
        for (const { node, previousRect: was, currentRect: is } of list
          .getEntries()
          .flatMap(({ sources }) => sources)) {
          const stays = (was.x === is.x && was.y === is.y) || (was.right === is.right && was.bottom === is.bottom);
          if (!stays) found.push(`${node?.outerHTML?.slice(0, 80)} from ${was.x}, ${was.y} to ${is.x}, ${is.y}`);
        }
      }).observe({ type: "layout-shift", buffered: true });
      // What happened before is reported in the next task.
      requestAnimationFrame(() => requestAnimationFrame(() => done(found)));
    });

  /** In the page: half a second of a screen. */
  const thirtyFrames = async () => {
    for (let frame = 0; frame < 30; frame += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
  };

  /** In the page: removes the limit of 3 s after which the window uses other fonts; slow frames can exceed it. */
  const waitForFonts = () => {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (act, ms, ...rest) => (ms === 3000 ? 0 : setTimeout(act, ms, ...rest));
  };

  /** Starts in a context of its own, so that the fonts are not in memory, and looks for what moved. */
  const stays = (begin) =>
    main(
      async (page) => {
        await page.getByTestId("server-row").first().waitFor();
        await page.getByTestId("composer").waitFor();
        await page.waitForFunction(() => document.fonts.status === "loaded");
        assert.deepEqual(await page.evaluate(moved), []);
      },
      { scene: "chat", context: { locale: "en-GB" }, begin },
    );

  it("draws_nothing_that_moves_when_the_chats_and_servers_come", () => stays());

  it("draws_nothing_that_moves_when_the_fonts_come_late", () =>
    stays(async (page) => {
      await page.addInitScript(waitForFonts);
      await page.route("**/*.woff2", async (route) => {
        await page.evaluate(thirtyFrames);
        await route.continue();
      });
    }));

  it("is_never_in_another_appearance_or_language_than_the_user_chose", async () => {
    const chosen = { appearance: "dark", language: "zh-CN" };
    const script = await readFile(new URL("../../../src-tauri/src/look.js", import.meta.url), "utf8");
    const begin = async (page) => {
      await page.addInitScript(`(${script})(${JSON.stringify(chosen)});`);
      await page.addInitScript(() => {
        const frames = (window.frames_drawn = []);
        const draw = () => {
          const { lang, dataset } = document.documentElement;
          if (document.body?.innerText) frames.push(`${dataset.theme} ${lang}`);
          requestAnimationFrame(draw);
        };
        requestAnimationFrame(draw);
      });
    };
    await visit("index.html", { scene: "chat", begin }, chosen, async (page) => {
      await page.getByTestId("server-row").first().waitFor();
      const frames = await page.evaluate(() => window.frames_drawn);
      assert.deepEqual([...new Set(frames)], ["dark zh-CN"]);
    });
  });
});

describe("the title bar", () => {
  const danger = (page) => page.getByTestId("stop-everything").evaluate((it) => it.classList.contains("danger"));

  it("marks_stop_everything_only_while_something_runs", async () => {
    await main(async (page) => assert.equal(await danger(page), true));
    await visit("index.html", { scene: "first" }, EN, async (page) => {
      await page.getByTestId("composer").waitFor();
      assert.equal(await danger(page), false);
      await page.locator(".chips button").first().click();
      await page.waitForFunction(() =>
        document.querySelector("[data-testid=stop-everything]").classList.contains("danger"),
      );
    });
  });

  it("keeps_stop_everything_away_from_what_waits", () =>
    main(async (page) => {
      const pill = await page.locator(".waits").boundingBox();
      const stop = await page.getByTestId("stop-everything").boundingBox();
      assert.ok(stop.x - (pill.x + pill.width) >= 16);
    }));

  it("keeps_the_model_readable_beside_a_long_title", () =>
    main(
      async (page) => {
        await page.locator("[data-chat=release]").focus();
        await page.keyboard.press("F2");
        await page.keyboard.type("A title that goes on and on and on and on ".repeat(3));
        await page.keyboard.press("Enter");
        await page.locator("[data-chat=release]").click();
        const pill = await page.locator(".model-pill").boundingBox();
        const bar = await page.locator(".bar").boundingBox();
        const title = await page.locator(".bar h1").boundingBox();
        assert.ok(pill.width >= 96, `${pill.width}`);
        assert.ok(title.width <= bar.width / 2);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      },
      { width: 1000, height: 675 },
    ));

  it("keeps_its_title_and_all_that_is_in_it_in_the_smallest_window_at_the_largest_zoom", () =>
    main(
      async (page) => {
        await page.locator(".waits").waitFor();
        assert.ok((await page.locator(".bar h1").boundingBox()).width >= 48);
        const boxes = await page
          .locator(".bar :is(h1, button, select)")
          .evaluateAll((parts) =>
            parts.map((part) => ({ ...part.getBoundingClientRect().toJSON(), part: part.outerHTML.slice(0, 80) })),
          );
        assert.ok(boxes.length > 1, `${boxes.length}`);
        for (const [at, { left, right, part }] of boxes.entries()) {
          assert.ok(right <= 360, `${right} of ${part}`);
          assert.ok(at === 0 || left >= boxes[at - 1].right, `${part} lies on another`);
        }
      },
      { width: 360, height: 420 },
    ));
});

describe("the message field", () => {
  for (const [what, chat] of [
    ["a_chat_whose_model_says_how_much_it_reads", "Release notes 2.4"],
    ["a_chat_whose_model_does_not", "给妈妈的生日计划"],
  ])
    it(`gives_the_meter_its_room_before_it_is_read_in_${what}`, () =>
      main(async (page) => {
        await page.getByTestId("meter").waitFor();
        await page.evaluate(() => {
          window.widths = {};
          new MutationObserver(() => {
            const meter = document.querySelector("[data-testid=meter]");
            if (!meter) return;
            const state = meter.classList.contains("unread") ? "unread" : "read";
            window.widths[state] = meter.getBoundingClientRect().width;
          }).observe(document.body, { subtree: true, childList: true, attributes: true });
        });
        await page.getByText(chat, { exact: true }).click();
        await page.getByRole("heading", { name: chat }).waitFor();
        await page.waitForFunction(() => window.widths.unread && window.widths.read);
        const { unread, read } = await page.evaluate(() => window.widths);
        assert.equal(unread, read);
      }));

  it("keeps_its_buttons_inside_in_the_smallest_window_at_the_largest_zoom", () =>
    main(
      async (page) => {
        const stop = page.getByTestId("stop");
        await stop.waitFor();
        const field = page.getByTestId("composer");
        // The last of its parts, which takes another line.
        await page.getByTestId("meter").waitFor();
        const { composer, parts } = await page.locator(".composer", { has: stop }).evaluate((composer) => {
          const box = (it) => it.getBoundingClientRect().toJSON();
          const buttons = [...composer.querySelectorAll(".tools button")].filter((it) => it.checkVisibility());
          return { composer: box(composer), parts: buttons.map(box) };
        });
        assert.ok(composer.height < 140, `${composer.height}`);
        assert.ok(parts.length > 1, `${parts.length}`);
        for (const part of parts) {
          const places = JSON.stringify([part, composer]);
          assert.ok(part.left >= composer.left && part.right <= composer.right, places);
          assert.ok(part.top >= composer.top && part.bottom <= composer.bottom, places);
        }
        // The hint has no room. It still describes the field.
        const hint = page.locator(`[id="${await field.getAttribute("aria-describedby")}"]`);
        assert.equal(await hint.isVisible(), false);
        assert.match(await hint.textContent(), /Enter adds to the queue/);
      },
      { width: 360, height: 240 },
    ));
});

describe("the left panel", () => {
  it("closes_where_the_window_is_too_narrow_for_it_and_the_chat", () =>
    main(
      async (page) => {
        await page.getByTestId("composer").waitFor();
        assert.equal(await page.getByTestId("add-server").count(), 0);
        assert.ok((await page.getByTestId("composer").boundingBox()).width > 600);
      },
      { width: 900, height: 600 },
    ));

  it("tells_servers_apart_whose_long_names_begin_alike", () =>
    main(async (page) => {
      const names = ["a-server-with-a-very-long-name-production", "a-server-with-a-very-long-name-staging"];
      await page.evaluate((names) => {
        const { fake } = globalThis;
        fake.rename(names);
      }, names);
      for (const [at, end] of [
        [0, "oduction"],
        [1, "-staging"],
      ]) {
        const name = page.locator("[data-testid=server-row] .middle").nth(at);
        await page.locator(`[title="${names[at]}"]`).waitFor();
        const row = await page.locator("[data-testid=server-row]").nth(at).boundingBox();
        const tail = name.locator(".tail");
        assert.equal(await tail.innerText(), end);
        const box = await tail.boundingBox();
        assert.ok(box.x + box.width <= row.x + row.width);
      }
    }));
});

describe("a rule", () => {
  it("says_how_many_days_are_left_and_has_its_acts_in_one_line", () =>
    main(async (page) => {
      await page.getByTestId("to-rules").click();
      const rule = page.getByTestId("rule").first();
      await rule.waitFor();
      assert.match(await rule.innerText(), /\d+ days? left|ends /);
      const middles = [];
      for (const part of [
        rule.locator(".decision"),
        rule.getByTestId("rule-edit"),
        rule.getByTestId("rule-take-back"),
      ]) {
        const { y, height } = await part.boundingBox();
        middles.push(Math.round(y + height / 2));
      }
      assert.ok(Math.max(...middles) - Math.min(...middles) <= 1, `${middles}`);
    }));
});

describe("the rules", () => {
  it("are_grouped_by_server_under_filters_in_one_line", () =>
    main(
      async (page) => {
        await page.getByTestId("to-rules").click();
        await page.getByTestId("rule").first().waitFor();
        assert.deepEqual(
          (await page.getByTestId("rules").locator("h3").allInnerTexts()).map((text) => text.split("\n")[1]),
          ["notes"],
        );
        const tops = await page
          .locator(".filters input, .filters select")
          .evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().top)));
        assert.equal(new Set(tops).size, 1, `${tops}`);
      },
      { width: 1280, height: 840 },
    ));
});

describe("an opened call", () => {
  it("shows_records_as_a_table_once_and_as_text_or_JSON_on_demand", () =>
    main(async (page) => {
      const row = page.locator("[data-tool=get_forecast]");
      await row.locator(".line > .head").click();
      const data = row.getByTestId("result-data");
      await data.locator("table").waitFor();
      assert.deepEqual(await data.locator("th").allInnerTexts(), ["day", "high", "low", "sky"]);
      assert.equal(await data.locator("tbody tr").count(), 3);
      assert.doesNotMatch(await row.innerText(), /"high"/, "the same data is there twice");
      await data.getByTestId("view-json").click();
      await data.locator("pre").waitFor();
      assert.match(await data.innerText(), /"high": 9/);
      await data.getByTestId("view-text").click();
      await data.locator("pre").waitFor({ state: "detached" });
      assert.match(await data.innerText(), /\{"city":"Oslo"/);
    }));
});

describe("what can be copied of an opened call", () => {
  it("has_its_icons_in_one_column", () =>
    main(async (page) => {
      await page.locator("[data-chat=invoices]").click();
      await page.locator("[data-testid=call-group] button").first().click();
      const row = page.getByTestId("call-row").first();
      await row.locator(".head").first().click();
      const icons = ["Copy the call", "Copy the JSON", "Copy the text"].map((name) =>
        row.getByRole("button", { name }).first(),
      );
      const ends = await Promise.all(icons.map(async (icon) => (await icon.boundingBox()).x));
      assert.equal(new Set(ends).size, 1, `${ends}`);
    }));
});

describe("calls that follow each other", () => {
  it("fold_into_one_line_that_counts_those_that_failed_and_opens", () =>
    main(async (page) => {
      await page.locator("[data-chat=invoices]").click();
      const group = page.getByTestId("call-group");
      await group.waitFor();
      assert.equal((await group.locator(".words").innerText()).trim(), "3 calls · 1 failed · 1 denied");
      assert.equal(await page.getByTestId("call-row").count(), 0);
      await group.locator("button").first().click();
      assert.equal(await page.getByTestId("call-row").count(), 3);
    }));

  it("stay_open_while_they_run_and_one_of_them_is_stopped_alone", () =>
    main(async (page) => {
      const row = page.locator("[data-tool=search_files]");
      await row.getByTestId("call-stop").click();
      await page.locator("[data-tool=search_files][data-state=cancelled]").waitFor();
      await row.locator(".head").click();
      await row.getByText("it may have happened all the same").waitFor();
    }));
});

describe("a rule being changed", () => {
  it("offers_the_arguments_of_its_tool_and_the_conditions_of_their_type", () =>
    main(async (page) => {
      await page.getByTestId("to-rules").click();
      const rule = page.getByTestId("rule").filter({ hasText: "delete_page" });
      await rule.getByTestId("rule-edit").click();
      await rule.getByTestId("condition-add").click();
      const argument = rule.getByTestId("condition-argument");
      await argument.waitFor();
      assert.deepEqual(await argument.locator("option").allInnerTexts(), ["page"]);
      assert.equal(await argument.inputValue(), "/page");
      const kinds = await rule.getByTestId("condition").locator("select").nth(1).locator("option").allInnerTexts();
      assert.ok(kinds.length > 5 && !kinds.some((kind) => /between/i.test(kind)), `${kinds}`);
    }));

  it("says_in_the_list_and_the_editor_which_argument_its_tool_does_not_have", () =>
    main(async (page) => {
      await page.getByTestId("to-rules").click();
      const rule = page.getByTestId("rule").filter({ hasText: "share_page" });
      const said = rule.getByTestId("missing-argument");
      await said.waitFor();
      assert.equal(await said.innerText(), "The tool has no argument named “to”.");
      assert.equal(await page.getByTestId("missing-argument").count(), 1);
      await rule.getByTestId("rule-edit").click();
      const editor = rule.getByTestId("rule-editor");
      await editor.getByTestId("missing-argument").waitFor();
      await editor.getByTestId("condition-argument").selectOption("/page");
      await editor.getByTestId("missing-argument").waitFor({ state: "detached" });
    }));

  it("takes_a_folder_from_the_dialog_of_the_system", () =>
    main(async (page) => {
      await page.getByTestId("to-rules").click();
      const rule = page.getByTestId("rule").filter({ hasText: "send_mail" });
      await rule.getByTestId("rule-edit").click();
      const [mail, folder] = await rule.getByTestId("condition").all();
      assert.equal(await mail.getByTestId("condition-folder").count(), 0);
      await folder.getByTestId("condition-folder").click();
      const field = folder.locator("input").last();
      await page.waitForFunction((input) => input.value === "/home/ada/Pictures", await field.elementHandle());
      assert.equal(await rule.getByTestId("missing-argument").count(), 0);
    }));
});

describe("pasted servers", () => {
  it("whose_name_is_taken_are_added_once_they_have_another_one", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      await page
        .getByTestId("paste-json")
        .fill(JSON.stringify({ mcpServers: { notes: { command: "a" }, fresh: { command: "b" } } }));
      const taken = page.getByTestId("name-taken");
      await taken.waitFor();
      assert.match(await page.locator(".paste h3").innerText(), /^1 server/);
      const name = page.getByLabel("Name", { exact: true });
      await name.fill("fresh");
      // The second server has that name now, and is the one to rename.
      assert.match(await page.locator(".paste h3").innerText(), /^1 server/);
      await name.first().fill("my notes");
      await taken.waitFor({ state: "detached" });
      assert.match(await page.locator(".paste h3").innerText(), /^2 servers/);
      await page.locator(".paste .end .primary").click();
      await page.getByTestId("servers-added").waitFor();
      assert.equal(await page.getByTestId("server-item").filter({ hasText: "my notes" }).count(), 1);
    }));

  it("whose_name_looks_like_that_of_another_one_can_be_renamed_and_added", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      const servers = { Notes: { command: "a" }, fresh: { command: "b" } };
      await page.getByTestId("paste-json").fill(JSON.stringify({ mcpServers: servers }));
      const add = page.locator(".paste .end .primary");
      await add.click();
      await page.getByText("The name Notes looks like notes, which another server has.").waitFor();
      await page.getByTestId("name-taken").getByLabel("Name", { exact: true }).fill("my notes");
      await page.locator(".paste h3", { hasText: /^1 server/ }).waitFor();
      await add.click();
      await page.locator("[data-testid=server-row]", { hasText: "my notes" }).waitFor();
      assert.equal(await page.locator("[data-testid=server-row]", { hasText: "fresh" }).count(), 1);
    }));

  it("wait_for_the_values_that_their_command_needs_and_say_what_is_left_out", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      const config = { command: "b", args: ["--dir=${FOLDER}"], env: { KEY: "${KEY}" }, autoApprove: ["x"] };
      await page.getByTestId("paste-json").fill(JSON.stringify({ mcpServers: { fresh: config } }));
      await page.getByTestId("fills").waitFor();
      const add = page.locator(".paste .end .primary");
      assert.equal(await add.isDisabled(), true);
      assert.match(await page.getByTestId("omitted").innerText(), /autoApprove/);
      assert.equal(await page.getByLabel("KEY", { exact: true }).getAttribute("type"), "password");
      await page.getByLabel("FOLDER").fill("/notes");
      await add.click();
      await page.getByTestId("server-state").waitFor();
      assert.equal(await page.getByRole("heading", { name: "fresh" }).count(), 1);
    }));

  it("that_were_switched_off_are_added_only_when_they_are_ticked", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      await page
        .getByTestId("paste-json")
        .fill(JSON.stringify({ mcpServers: { fresh: { command: "b", disabled: true } } }));
      const add = page.locator(".paste .end .primary");
      await page.getByRole("checkbox", { name: "Add fresh" }).waitFor();
      assert.equal(await add.isDisabled(), true);
      await page.getByRole("checkbox", { name: "Add fresh" }).check();
      assert.equal(await add.isDisabled(), false);
    }));
});

describe("the list of servers", () => {
  const names = (page) =>
    page.getByTestId("server-row").evaluateAll((all) => all.map((row) => row.title || row.innerText));

  it("is_put_in_order_by_menu_and_by_keyboard", () =>
    main(async (page) => {
      await page.getByRole("button", { name: "Servers", exact: true }).click();
      const first = page.getByTestId("server-item").first();
      await first.waitFor();
      const before = await names(page);
      await first.getByRole("button", { name: "Move weather" }).click();
      await page.getByRole("menuitem", { name: "Move down" }).click();
      await page.getByTestId("server-item").nth(1).filter({ hasText: "weather" }).waitFor();
      assert.deepEqual(await names(page), [before[1], before[0], ...before.slice(2)]);
      await page.getByTestId("server-item").nth(1).locator(".row").focus();
      await page.keyboard.press("Alt+ArrowUp");
      await page.getByTestId("server-item").first().filter({ hasText: "weather" }).waitFor();
      assert.deepEqual(await names(page), before);
      // The row can be moved on without looking for it.
      await page.keyboard.press("Alt+ArrowDown");
      await page.getByTestId("server-item").nth(1).filter({ hasText: "weather" }).waitFor();
    }));

  it("says_that_tools_could_not_be_listed_and_lists_them_again", () =>
    main(async (page) => {
      await page.evaluate(() => {
        const { fake } = globalThis;
        const listing_problem = { problem: "tools_not_listed", detail: "fetch failed" };
        fake.putServer({ ...fake.serverOf("s-weather"), listing_problem, tool_count: 0 });
      });
      await server(page, 0);
      const note = page.getByTestId("not-listed");
      await note.waitFor();
      assert.match(await note.innerText(), /connected[^]*could not be listed[^]*fetch failed/);
      await note.getByRole("button", { name: "Try again" }).click();
      await note.waitFor({ state: "detached" });
    }));
});

describe("the log of a server", () => {
  it("is_searched_and_marks_what_it_finds", () =>
    main(async (page) => {
      await server(page, 1);
      await page.getByRole("tab", { name: "Log" }).click();
      const lines = page.locator(".log .line");
      await lines.first().waitFor();
      // A line that is not drawn yet has a text, but no inner text: `content-visibility` leaves it out.
      const [word] = /\w{4,}/.exec(await lines.first().locator(".exact").textContent());
      await page.getByTestId("log-search").fill(word.toUpperCase());
      await page.getByTestId("log-found").waitFor();
      assert.equal((await page.locator(".log mark").first().textContent()).toLowerCase(), word.toLowerCase());
      await page.getByTestId("log-search").fill("no such words");
      await page.getByText("No line has these words.").waitFor();
    }));

  for (const [language, words] of [
    ["en", ["Message · Warning", "Message · Error", "Message · Info", "Message · Debug"]],
    ["zh-CN", ["消息 · 警告", "消息 · 错误", "消息 · 信息", "消息 · 调试"]],
  ])
    it(`names_levels_in_words_in_${language}`, () =>
      visit("index.html", { scene: "chat" }, { ...EN, language }, async (page) => {
        await server(page, 1);
        await page.getByRole("tab").nth(3).click();
        await page.locator(".log .line").first().waitFor();
        const said = new Set(await page.locator(".log .source").allTextContents());
        for (const word of words) assert.ok(said.has(word), `${word} in ${[...said]}`);
      }));

  it("fits_into_the_window_so_that_only_its_lines_are_scrolled", () =>
    main(async (page) => {
      await server(page, 0);
      await page.getByRole("tab", { name: "Log" }).click();
      const log = page.locator(".log");
      await log.waitFor();
      /** How much is out of sight of the page and below what is seen of the log, and where the log ends, in pixels. */
      const measured = () =>
        log.evaluate((it) => {
          const pane = it.closest(".pane");
          return {
            page: pane.scrollHeight - pane.clientHeight,
            below: Math.round(it.scrollHeight - it.scrollTop - it.clientHeight),
            end: Math.round(it.getBoundingClientRect().bottom),
          };
        });
      await log.locator(".line").first().waitFor();
      const alone = await measured();
      assert.deepEqual(alone, { page: 0, below: 0, end: alone.end });
      // A note above the log takes some of its height. The last line stays in sight.
      const height = () => log.evaluate((it) => it.clientHeight);
      const before = await height();
      await page.getByRole("button", { name: "Remove this server" }).click();
      await page.locator(".notes").waitFor();
      await page.waitForFunction((end) => {
        const it = document.querySelector(".log");
        return Math.round(it.scrollHeight - it.scrollTop - it.clientHeight) === end;
      }, alone.below);
      assert.deepEqual(await measured(), alone);
      assert.ok((await height()) < before);
      // In a low window the log keeps a height in which lines can be read, and the page scrolls.
      await page.setViewportSize({ width: 720, height: 480 });
      await page.waitForFunction(() => document.querySelector(".pane").scrollHeight > innerHeight);
      assert.equal(await log.evaluate((it) => it.getBoundingClientRect().height), 280);
    }));

  it("has_its_filters_in_one_row_in_the_smallest_window", () =>
    main(async (page) => {
      await server(page, 1);
      await page.getByRole("tab", { name: "Log" }).click();
      const panel = page.getByRole("navigation", { name: "Chats and servers" });
      assert.equal(await panel.count(), 1);
      await page.setViewportSize({ width: 720, height: 480 });
      // The page closes its panels in the frame after the change.
      await panel.waitFor({ state: "detached" });
      const fields = [
        page.getByTestId("log-search"),
        page.getByLabel("Source"),
        page.getByLabel("Level", { exact: true }),
      ];
      const [first, ...others] = await fields
        .reduce((all, field) => all.or(field))
        .evaluateAll((all) => all.map((field) => field.getBoundingClientRect().toJSON()));
      assert.equal(others.length, 2);
      for (const { y, height } of others) assert.ok(Math.abs(y + height / 2 - first.y - first.height / 2) < 2);
    }));
});

describe("how to sign in to a server", () => {
  it("stands_in_a_sheet_like_the_sections_above_it", () =>
    main(async (page) => {
      await server(page, 7);
      await page.getByRole("tab", { name: "About" }).click();
      await page.locator("[data-testid=sign-in-settings] .disclosure button").first().click();
      const left = async (field) => (await field.boundingBox()).x;
      const field = page.getByLabel("Client ID");
      assert.equal(await left(field), await left(page.getByTestId("budget-hour")));
    }));
});

describe("servers of other applications", () => {
  it("are_read_at_a_click_and_only_new_ones_are_ticked", () =>
    main(async (page) => {
      await page.getByTestId("add-server").first().click();
      await page.getByRole("tab", { name: "From this computer" }).click();
      const look = page.getByTestId("look-on-computer");
      await look.waitFor();
      assert.equal(await page.getByTestId("found-file").count(), 0);
      await look.click();
      await page.getByTestId("found-file").first().waitFor();
      const ticked = await page
        .locator(".found li input[type=checkbox]")
        .evaluateAll((all) => all.map((one) => one.checked));
      assert.deepEqual(ticked, [true, false, false, true, false]);
      assert.match(await page.getByTestId("found-added").nth(1).innerText(), /arguments, variables/);
      assert.match(await page.getByTestId("found-empty").innerText(), /zed/);
      assert.match(await page.locator(".found").innerText(), /line 3/i);
      // One lacks a value that its command needs.
      assert.match(await page.locator(".found h3").innerText(), /^1 server/);
      // Of a secret that was found nothing is on screen until it is asked for.
      assert.equal((await page.locator(".found").innerText()).includes("tk-2f81"), false);
      await page.getByLabel("FOLDER").fill("/papers");
      await page.locator(".found .end .primary").click();
      await page.getByTestId("servers-added").waitFor();
    }));

  it("are_offered_where_there_is_no_server_yet", () =>
    main(async (page) => {
      await page.evaluate(() => {
        for (const { id } of [...globalThis.fake.servers]) globalThis.fake.tell({ event: "server_gone", server: id });
      });
      await page.getByRole("button", { name: "Servers", exact: true }).click();
      await page.getByTestId("look-on-computer").click();
      await page.getByTestId("found-file").first().waitFor();
    }));
});

describe("a turn", () => {
  it("names_its_model_once", () =>
    main(async (page) => {
      await page.getByTestId("waiting-row").waitFor();
      await page.evaluate(() => {
        const { fake } = globalThis;
        const said = (text) => ({
          kind: "assistant",
          text,
          reasoning: "",
          model: "Rehearsal",
          scripted: true,
          state: "done",
        });
        const user = { kind: "user", text: "Again", attachments: [] };
        for (const [at, body] of [user, said("First."), said(""), said("Second.")].entries()) {
          const entry = { id: `turn-${at}`, chat: "oslo", position: 900 + at, at_ms: Date.now(), body };
          fake.tell({ event: "entry", entry, added: true });
        }
      });
      await page.getByText("Second.").waitFor();
      assert.equal(await page.getByText("scripted, not an AI").count(), 1);
      assert.equal(await page.locator("[data-testid=entry-assistant]").count(), 3, "an empty part has no row");
    }));
});
