// Files that the user attaches: picked, dropped and pasted; seen before they are sent, and refused in words.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const main = (scene, act) => visit("index.html", { scene }, EN, act);
const chips = (page) => page.locator(".composer [data-testid=attachment]");
const names = (page) => chips(page).locator(".name").allInnerTexts();
const count = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelectorAll(".composer .chip").length === wanted, wanted);
const drag = (page, now) => page.evaluate((now) => globalThis.fake.tell({ event: "files_dragged", now }), now);
const pick = async (page) => {
  await page.getByTestId("attach-files").click();
  await count(page, 2);
};
const focused = (page) => page.waitForFunction(() => document.activeElement?.dataset.testid === "composer");

/** Pastes into the field; WebKitGTK tells the page nothing of a picture. Resolves to whether the page was to insert it. */
const paste = (page, text) =>
  page.getByTestId("composer").evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    if (text !== "") clipboardData.setData("text/plain", text);
    return field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);

const write = (page, text) => page.getByTestId("composer").fill(text);
const written = (page) => page.getByTestId("composer").inputValue();
const newChat = async (page) => {
  await page.getByRole("button", { name: /^New chat/ }).click();
  await page.getByRole("heading", { name: "New chat" }).waitFor();
};
const hold = (page, refused = false) =>
  page.evaluate((refused) => {
    globalThis.fake.filesRefused = refused;
    globalThis.fake.holdFiles();
  }, refused);
/** Drops files on the window, and waits until so many readings were asked for. */
const drop = async (page, readings) => {
  await drag(page, "dropped");
  await page.waitForFunction((readings) => globalThis.fake.fileReads.length === readings, readings);
};
/** Lets the readings end, and waits until the window has their results. */
const letGo = (page) =>
  page.evaluate(async () => {
    globalThis.fake.letFilesGo();
    await Promise.all(globalThis.fake.fileReads.map(({ done }) => done));
  });
const chats = (page) => page.evaluate(() => globalThis.fake.chats.map(({ id }) => id));

describe("files of the user", () => {
  it("are_shown_whole_before_they_are_sent_and_go_with_the_message", () =>
    main("chat", async (page) => {
      await pick(page);
      assert.deepEqual(await names(page), ["oslo.md", "harbour.png"]);
      await focused(page);
      await chips(page).nth(0).locator(".what").click();
      const text = await page.getByTestId("file-sheet").innerText();
      assert.ok(text.includes("Museums"), text);
      // What turns the direction of a text is named, as everywhere.
      assert.ok(!text.includes("\u{202E}"), text);
      await page.keyboard.press("Escape");
      await page.getByTestId("file-sheet").waitFor({ state: "detached" });
      await chips(page).nth(1).locator(".what").click();
      const picture = page.getByTestId("picture-sheet").locator("img");
      await page.waitForFunction(() => document.querySelector("[data-testid=picture-sheet] img")?.naturalWidth === 160);
      assert.equal(await picture.getAttribute("alt"), "harbour.png");
      await page.keyboard.press("Escape");
      await chips(page).nth(0).locator(".drop").click();
      await count(page, 1);
      await page.getByTestId("composer").fill("unseen");
      await page.keyboard.press("Enter");
      await page.getByText("The model of this chat does not see pictures.").waitFor();
      assert.deepEqual(await names(page), ["harbour.png"]);
    }));

  it("begin_a_chat_that_has_what_was_written", () =>
    main("first", async (page) => {
      await page.getByTestId("composer").fill("Look at this");
      await pick(page);
      await page.waitForFunction(() => document.querySelector("[data-testid=composer]")?.value === "Look at this");
      await focused(page);
      await page.keyboard.press("Enter");
      await count(page, 0);
      const sent = page.getByTestId("entry-user").locator("[data-testid=attachment]");
      await sent.nth(1).waitFor();
      assert.equal(await sent.nth(0).locator(".kind").innerText(), "Text, 186\u00A0B");
    }));

  it("that_an_earlier_run_left_are_there_with_their_text_before_they_are_sent", () =>
    main("chat", async (page) => {
      await page.evaluate(() => globalThis.fake.leaveFiles("invoices"));
      await page.locator("[data-chat=invoices]").click();
      await count(page, 2);
      assert.deepEqual(await names(page), ["oslo.md", "lease.pdf"]);
      await chips(page).nth(1).locator(".what").click();
      const text = await page.getByTestId("file-sheet").innerText();
      assert.ok(text.includes("The rent is due on the first."), text);
      await page.keyboard.press("Escape");
      await page.getByTestId("file-sheet").waitFor({ state: "detached" });
      await chips(page).nth(0).locator(".drop").click();
      await count(page, 1);
      await page.getByTestId("composer").fill("When is the rent due?");
      await page.keyboard.press("Enter");
      await count(page, 0);
      await page.getByTestId("entry-user").filter({ hasText: "When is the rent due?" }).waitFor();
      const sent = page.getByTestId("entry-user").last().locator("[data-testid=attachment] .name");
      assert.deepEqual(await sent.allInnerTexts(), ["lease.pdf"]);
    }));

  it("are_taken_from_a_drop_and_what_is_refused_is_said", () =>
    main("chat", async (page) => {
      await drag(page, "over");
      await page.getByTestId("drop-hint").waitFor();
      await drag(page, "dropped");
      await page.getByTestId("drop-hint").waitFor({ state: "detached" });
      await count(page, 2);
      await page.getByText("scan.pdf has no text that can be read.").waitFor();
      await page.getByText("film.mkv is too large.").waitFor();
      await page.getByText("pipe is not a regular file.").waitFor();
      await page.getByText("lease.pdf is attached, but it could not be saved.").waitFor();
      await page.getByText("the disk is full").waitFor();
      const folder = page.getByTestId("dropped-folder");
      assert.equal(await folder.innerText(), "/home/ada/Pictures/Oslo");
      await page.getByTestId("add-dropped-folder").click();
      await folder.waitFor({ state: "detached" });
      const paths = await page.evaluate(() => globalThis.fake.workspaces.flatMap(({ folders }) => folders));
      assert.ok(paths.some(({ path }) => path === "/home/ada/Pictures/Oslo"));
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByText("pipe is not a regular file.").waitFor({ state: "detached" });
      await focused(page);
    }));

  it("show_the_whole_text_of_a_pdf_and_say_that_it_is_no_more_than_that", () =>
    main("chat", async (page) => {
      await drag(page, "dropped");
      await count(page, 2);
      assert.equal(await chips(page).nth(1).locator(".kind").innerText(), "Text of a PDF, 48.2\u00A0kB, pages: 2");
      await chips(page).nth(1).locator(".what").click();
      const sheet = page.getByTestId("file-sheet");
      const words = await sheet.innerText();
      for (const part of ["The rent is due on the first.", "[page 2: no text]", "without pictures and layout"]) {
        assert.ok(words.includes(part), words);
      }
    }));

  it("are_pasted_where_the_clipboard_has_no_text", () =>
    main("chat", async (page) => {
      assert.equal(await paste(page, "words"), true);
      assert.equal(await paste(page, ""), false);
      await count(page, 1);
      assert.deepEqual(await names(page), ["Pasted picture"]);
    }));

  it("are_made_of_a_pasted_text_that_is_too_long_for_the_field", () =>
    main("chat", async (page) => {
      assert.equal(await paste(page, "a".repeat(10_000)), true);
      assert.equal(await paste(page, "The tram leaves at nine.\n".repeat(40_000)), false);
      await count(page, 1);
      assert.deepEqual(await names(page), ["Pasted text"]);
      assert.equal(await page.getByTestId("composer").inputValue(), "");
      await chips(page).nth(0).locator(".what").click();
      assert.match(await page.getByTestId("file-sheet").innerText(), /The tram leaves at nine/);
    }));
});

describe("files for a new chat", () => {
  it("that_are_refused_are_said_in_the_chat_that_begins_with_the_others", () =>
    main("first", async (page) => {
      await drag(page, "dropped");
      await count(page, 2);
      assert.equal((await chats(page)).length, 1);
      await page.getByText("film.mkv is too large.").waitFor();
      await page.getByTestId("dropped-folder").waitFor();
      await page.getByTestId("add-dropped-folder").click();
      await page.getByTestId("dropped-folder").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByText("film.mkv is too large.").waitFor({ state: "detached" });
    }));

  it("that_are_all_refused_are_said_also_when_the_first_message_is_sent", () =>
    main("first", async (page) => {
      await page.evaluate(() => (globalThis.fake.filesRefused = true));
      await drag(page, "dropped");
      await page.getByText("pipe is not a regular file.").waitFor();
      await write(page, "Without it, then");
      await page.keyboard.press("Enter");
      await page.getByTestId("entry-user").waitFor();
      await page.getByText("pipe is not a regular file.").waitFor();
      await newChat(page);
      assert.equal(await page.getByText("pipe is not a regular file.").count(), 0);
    }));

  it("hold_suggestions_back_until_they_are_read_and_go_with_the_one_that_is_pressed", () =>
    main("first", async (page) => {
      const suggestion = page.locator(".empty .chips button").first();
      await hold(page);
      await drop(page, 1);
      assert.equal(await suggestion.isDisabled(), true);
      // Another view and back: the same file is still read.
      await page.getByTestId("to-settings").click();
      await newChat(page);
      assert.equal(await suggestion.isDisabled(), true);
      await letGo(page);
      await count(page, 2);
      await suggestion.click();
      await page.getByTestId("entry-user").locator("[data-testid=attachment]").nth(1).waitFor();
      assert.equal((await chats(page)).length, 1);
    }));
});

describe("files that are read while the user goes to another chat", () => {
  it("hold_the_message_back_also_when_the_user_comes_back", () =>
    main("chat", async (page) => {
      await page.locator("[data-chat=invoices]").click();
      await write(page, "With the lease");
      await hold(page);
      await drop(page, 1);
      await page.locator("[data-chat=zh]").click();
      await page.locator("[data-chat=invoices]").click();
      assert.equal(await written(page), "With the lease");
      assert.equal(await page.getByTestId("send").isDisabled(), true);
      await letGo(page);
      await count(page, 2);
      await page.getByText("film.mkv is too large.").waitFor();
      assert.equal(await page.getByTestId("send").isDisabled(), false);
    }));

  it("delete_no_chat_when_they_are_refused", () =>
    main("chat", async (page) => {
      await page.getByTestId("entry-user").first().waitFor();
      const before = await chats(page);
      await hold(page, true);
      await drop(page, 1);
      await newChat(page);
      await letGo(page);
      assert.deepEqual(await chats(page), before);
      await page.locator("[data-chat=oslo]").click();
      await page.getByTestId("entry-user").first().waitFor();
    }));

  it("stay_in_their_chat_beside_its_draft", () =>
    main("chat", async (page) => {
      await write(page, "Half a thought");
      await hold(page);
      await drop(page, 1);
      await newChat(page);
      await write(page, "Something new");
      await letGo(page);
      assert.equal(await written(page), "Something new");
      assert.equal(await chips(page).count(), 0);
      await page.locator("[data-chat=oslo]").click();
      await count(page, 2);
      assert.equal(await written(page), "Half a thought");
    }));

  it("go_to_one_new_chat_however_many_are_dropped", () =>
    main("first", async (page) => {
      await write(page, "Look at these");
      await hold(page);
      await drop(page, 1);
      await drop(page, 2);
      await letGo(page);
      await count(page, 4);
      assert.equal((await chats(page)).length, 1);
      assert.equal(await written(page), "Look at these");
    }));
});
