// A call in the chat: what its line says, and what it says once it is opened.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, framesPass, visit } from "./look.mjs";

const main = (act, view = {}) => visit("index.html", { scene: "chat", ...view }, EN, act);
const forecast = (page) => page.locator("[data-tool=get_forecast]");

/** Puts a call like that of the forecast at the end of the chat, with these differences. */
const put = (page, rest) =>
  page.evaluate((rest) => {
    const { fake } = globalThis;
    const like = fake.entries.get("oslo").find(({ body }) => body.tool === "get_forecast").body;
    fake.putEntry("oslo", { ...like, tool: "put_here", ...rest });
  }, rest);
const made = (page) => page.locator("[data-tool=put_here]");

describe("the line of a call", () => {
  it("names_its_arguments_and_cuts_off_neither_them_nor_its_state", () =>
    main(async (page) => {
      await forecast(page).waitFor();
      assert.equal(await forecast(page).locator(".summary").innerText(), "city: Oslo, days: 3");
      for (const part of [".summary", ".state .words"]) {
        const cut = await forecast(page)
          .locator(part)
          .evaluate((it) => it.scrollWidth - it.clientWidth);
        assert.ok(cut <= 1, `${part}: ${cut}`);
      }
    }));

  it("says_of_a_stopped_call_whether_it_was_sent", () =>
    main(async (page) => {
      await forecast(page).waitFor();
      await put(page, { state: "cancelled", sent: false });
      assert.match(await made(page).innerText(), /Stopped, not sent/);
      await made(page).locator(".head").click();
      await made(page).getByText("This call was stopped before it was sent. Nothing happened.").waitFor();
    }));
});

describe("an opened call", () => {
  it("keeps_the_copy_button_of_long_arguments_at_the_upper_edge_of_the_chat", () =>
    main(async (page) => {
      await forecast(page).waitFor();
      const days = Array.from({ length: 80 }, (_, day) => [`day ${day}`, day]);
      await put(page, { arguments: Object.fromEntries(days) });
      await made(page).locator(".head").click();
      const long = made(page).locator(".json").first();
      await long.evaluate((it) => {
        const flow = it.closest(".flow");
        flow.scrollTop += it.getBoundingClientRect().top - flow.getBoundingClientRect().top + 200;
      });
      await framesPass(page);
      const gap = await long.evaluate((it) => {
        const edge = it.closest(".flow").getBoundingClientRect().top;
        return it.querySelector(".head").getBoundingClientRect().top - edge;
      });
      assert.ok(Math.abs(gap) <= 1, `${gap} px`);
    }));
});

describe("an opened result", () => {
  it("says_how_much_of_it_the_model_did_not_get", () =>
    main(async (page) => {
      await forecast(page).waitFor();
      await page.evaluate(() => {
        const entry = globalThis.fake.entries.get("oslo").find(({ body }) => body.tool === "get_forecast");
        const result = { ...entry.body.result, model_cut_bytes: 3_989_504 };
        globalThis.fake.putEntry("oslo", { ...entry.body, tool: "put_here", result });
      });
      await made(page).locator(".head").click();
      await made(page)
        .getByText(/The model got the beginning and the end of this result, without 4\u00A0MB between them/)
        .waitFor();
    }));

  it("shows_the_first_lines_and_the_rest_on_demand", () =>
    main(async (page) => {
      await forecast(page).waitFor();
      const long = Array.from({ length: 400 }, (_, line) => `line ${line}`).join("\n");
      const result = { content: [{ type: "text", text: long }], structured: null, failed: false, misfits: [] };
      await put(page, { result: { ...result, unchecked: null, cut_bytes: 0, model_cut_bytes: 0 } });
      await made(page).locator(".head").click();
      const all = made(page).getByRole("button", { name: /^Show all 400 lines/ });
      await all.waitFor();
      assert.ok((await made(page).boundingBox()).height < 620);
      await all.click();
      await made(page).getByText("line 399").waitFor();
    }));
});
