// Pictures in a chat: opened in full size, measured, and saved by the host, which alone reads them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (act, view = {}) => visit("index.html", { scene: "chat", ...view }, EN, act);
const sheet = (page) => page.getByTestId("picture-sheet");
const closed = (page) => sheet(page).waitFor({ state: "detached" });
const facts = (page) => page.getByTestId("picture-facts");
const drawn = (page) => facts(page).filter({ hasText: "pixels" }).waitFor();

/** Puts a call with these parts as its result at the end of the chat and opens it; resolves to its entry. */
async function answered(page, content, structured = null) {
  await page.locator("[data-tool=get_forecast]").waitFor();
  const entry = await page.evaluate(
    ([content, structured]) => {
      const { fake } = globalThis;
      const like = fake.entries.get("oslo").find(({ body }) => body.tool === "get_forecast").body;
      const result = { ...like.result, content, structured };
      fake.putEntry("oslo", { ...like, tool: "draw", result });
      return fake.entries.get("oslo").at(-1).id;
    },
    [content, structured],
  );
  await page.locator("[data-tool=draw] .head").click();
  return entry;
}

/** A picture of this size. */
const picture = async (page, width, height) => {
  const address = await page.evaluate(
    ([width, height]) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      canvas.getContext("2d").fillRect(0, 0, width / 2, height);
      return canvas.toDataURL("image/png");
    },
    [width, height],
  );
  return { type: "image", mime: "image/png", base64: address.split(",")[1] };
};

describe("a picture in full size", () => {
  it("closes_with_Escape_and_leaves_the_model_at_work", () =>
    main(async (page) => {
      await page.getByTestId("stop").waitFor();
      await answered(page, [await picture(page, 40, 30)]);
      await page.getByTestId("open-picture").click();
      await drawn(page);
      await page.keyboard.press("Escape");
      await closed(page);
      assert.deepEqual(await page.evaluate(() => [...globalThis.fake.stopped]), []);
      // In the chat itself it stops the model.
      await page.getByTestId("open-picture").press("Escape");
      await page.waitForFunction(() => globalThis.fake.stopped.has("oslo"));
    }));

  it("opens_by_keyboard_keeps_the_focus_inside_and_gives_it_back", () =>
    main(async (page) => {
      await answered(page, [await picture(page, 40, 30)]);
      await page.getByTestId("open-picture").focus();
      await page.keyboard.press("Enter");
      await drawn(page);
      const seen = new Set();
      for (let press = 0; press < 12; press++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
          const it = document.activeElement;
          return it === document.body || it.closest("dialog") ? (it.dataset.testid ?? it.className ?? "") : "outside";
        });
        seen.add(at);
      }
      assert.ok(!seen.has("outside"), [...seen].join());
      for (const part of ["picture-fit", "save-picture"]) assert.ok(seen.has(part), [...seen].join());
      await page.keyboard.press("Escape");
      await closed(page);
      assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "open-picture");
    }));

  it("fits_into_the_window_or_has_its_own_size", () =>
    main(async (page) => {
      const large = await picture(page, 3000, 2000);
      await answered(page, [large]);
      await page.getByTestId("open-picture").click();
      await drawn(page);
      assert.match(await facts(page).innerText(), /^PNG, [\d.,]+\u00A0kB, 3,000 × 2,000 pixels$/);
      const image = sheet(page).locator("img");
      const box = () => image.evaluate((it) => [it.clientWidth, it.clientHeight]);
      const stage = await sheet(page)
        .locator(".stage")
        .evaluate((it) => [it.clientWidth, it.clientHeight]);
      const [width, height] = await box();
      assert.ok(width <= stage[0] && height <= stage[1], `${width} × ${height} in ${stage}`);
      assert.ok(Math.abs(width / height - 1.5) < 0.01, `${width} × ${height}`);
      await page.getByTestId("picture-actual").check();
      assert.deepEqual(await box(), [3000, 2000]);
      // Every edge can be scrolled to.
      const reach = await sheet(page)
        .locator(".stage")
        .evaluate((it) => [it.scrollWidth, it.scrollHeight]);
      assert.deepEqual(reach, [3000, 2000]);
    }));

  it("says_so_where_its_data_is_damaged", () =>
    main(async (page) => {
      await answered(page, [{ type: "image", mime: "image/png", base64: "iVBORw0KGgo" }]);
      await page.getByTestId("open-picture").click();
      await page.getByText("This picture cannot be shown. Its data is damaged.").waitFor();
    }));
});

describe("saving a picture", () => {
  it("names_its_place_to_the_host_and_says_where_it_is", () =>
    main(async (page) => {
      // The first part repeats what is structured, so it is not shown.
      const said = { type: "text", text: '{"drawn": true}' };
      const entry = await answered(page, [said, await picture(page, 40, 30)], { drawn: true });
      await page.getByTestId("open-picture").click();
      await page.getByTestId("save-picture").click();
      await page.getByText("Saved: /home/ada/Pictures/harbour.png").waitFor();
      const places = await page.evaluate(() => globalThis.fake.savedPictures);
      assert.deepEqual(places, [{ of: "result", entry, part: 1 }]);
    }));

  it("says_nothing_where_no_file_was_picked_and_stays_open_where_it_failed", () =>
    main(async (page) => {
      await answered(page, [await picture(page, 40, 30)]);
      await page.getByTestId("open-picture").click();
      await page.evaluate(() => (globalThis.fake.savePath = null));
      await page.getByTestId("save-picture").click();
      await page.waitForFunction(() => globalThis.fake.savedPictures.length === 1);
      await page.evaluate(() => {
        globalThis.fake.saveProblem = { problem: "not_exported", path: "/media/usb/a.png", detail: "read-only" };
      });
      await page.getByTestId("save-picture").click();
      await sheet(page).getByText("/media/usb/a.png could not be written.").waitFor();
      assert.equal(await page.getByTestId("picture-saved").innerText(), "");
    }));

  it("finds_a_picture_of_the_user_before_and_after_it_is_sent", () =>
    main(
      async (page) => {
        await page.getByTestId("attach-files").click();
        const chip = page.locator("[data-testid=attachment]", { hasText: "harbour.png" }).locator(".what");
        const save = async () => {
          await chip.click();
          await page.getByTestId("save-picture").click();
          await page.getByText("Saved:").waitFor();
          await page.keyboard.press("Escape");
          await closed(page);
        };
        await save();
        await page.getByTestId("composer").fill("Look");
        await page.keyboard.press("Enter");
        await page.locator(".composer [data-testid=attachment]").first().waitFor({ state: "detached" });
        await page.getByTestId("entry-user").locator("[data-testid=attachment]").first().waitFor();
        await save();
        const [waiting, sent] = await page.evaluate(() => globalThis.fake.savedPictures);
        const message = await page.evaluate((chat) => globalThis.fake.entries.get(chat)[0].id, waiting.chat);
        const { attachment } = waiting;
        assert.deepEqual(waiting, { of: "waiting", chat: waiting.chat, attachment, part: 0 });
        assert.deepEqual(sent, { of: "message", entry: message, attachment, part: 0 });
      },
      { scene: "first" },
    ));
});
