// The chat that the attachments of a composer go to, also where the user goes to another chat while a file is read.
import { expect, it } from "vitest";
import type { MainHost } from "../../src/host";
import type { AttachmentView } from "../../src/host/bindings";
import { Attachments } from "../../src/state/attachments.svelte";
import { Drafts } from "../../src/state/drafts.svelte";
import { FileReads } from "../../src/state/fileReads.svelte";
import { Navigation } from "../../src/state/navigation.svelte";
import { Projection } from "../../src/state/projection.svelte";
import { ComposerChat } from "../../src/views/chat/composerChat";

const file = (id: string): AttachmentView => ({
  id,
  server: null,
  server_name: "",
  from: { from: "file", name: id, bytes: 1, pages: null },
  parts: [],
  cut_bytes: 0,
  changed: false,
});

/** The window while a chat is shown, or a new one. */
function shown(chat: string | null) {
  const made: string[] = [];
  const deleted: string[] = [];
  const host = {
    chatCreate: () => {
      made.push(`made-${made.length}`);
      return Promise.resolve({ id: made.at(-1) });
    },
    chatProfile: () => Promise.resolve(),
    chatDelete: (id: string) => Promise.resolve(void deleted.push(id)),
    chatEntries: () => Promise.resolve({ seq: 0, entries: [], earlier: false, later: false }),
    draftSave: () => Promise.resolve(),
  } as unknown as MainHost;
  const projection = new Projection(host);
  const navigation = new Navigation();
  navigation.toChat(chat);
  const [drafts, attachments, fileReads] = [new Drafts(host), new Attachments(host), new FileReads()];
  const state = { projection, navigation, drafts, attachments, fileReads };
  const composer = new ComposerChat(chat, state);
  return { ...state, made, deleted, composer };
}

const REFUSED = { problem: "file_not_regular", file: "pipe" } as const;

it("never_deletes_the_chat_that_the_composer_was_made_for", async () => {
  const { composer, navigation, made, deleted } = shown("a");
  composer.hold();
  expect(await composer.get()).toBe("a");
  navigation.toChat(null);
  await composer.release();
  expect([made, deleted]).toEqual([[], []]);
});

it("leaves_the_new_chat_and_its_draft_alone_when_a_file_of_another_chat_is_read", async () => {
  const { composer, navigation, drafts, attachments } = shown("a");
  drafts.write("a", "old");
  navigation.toChat(null);
  drafts.write(null, "new");
  composer.hold();
  composer.attach(await composer.get(), file("f"));
  await composer.release();
  expect(navigation.chat).toBeNull();
  expect([drafts.of("a"), drafts.of(null)]).toEqual(["old", "new"]);
  expect(attachments.of("a")).toHaveLength(1);
});

it("makes_one_chat_for_everything_and_shows_it_with_what_was_written", async () => {
  const { composer, navigation, drafts, attachments, made, deleted } = shown(null);
  drafts.write(null, "Look at this");
  composer.hold();
  const [one, other] = await Promise.all([composer.get(), composer.get()]);
  expect(one).toBe(other);
  composer.attach(one, file("f"));
  composer.attach(other, file("g"));
  await composer.release();
  expect([made, deleted]).toEqual([["made-0"], []]);
  expect(navigation.chat).toBe("made-0");
  expect([drafts.of("made-0"), drafts.of(null)]).toEqual(["Look at this", ""]);
  expect(attachments.of("made-0")).toHaveLength(2);
});

it("does_not_take_the_user_away_from_where_they_went", async () => {
  const { composer, navigation, drafts } = shown(null);
  drafts.write(null, "Look at this");
  composer.hold();
  composer.attach(await composer.get(), file("f"));
  navigation.toChat("a");
  await composer.release();
  expect(navigation.chat).toBe("a");
  expect([drafts.of("made-0"), drafts.of("a")]).toEqual(["Look at this", ""]);
});

it("shows_a_made_chat_without_leaving_the_settings", async () => {
  const { composer, navigation } = shown(null);
  composer.hold();
  composer.attach(await composer.get(), file("f"));
  navigation.toSettings();
  await composer.release();
  expect([navigation.view, navigation.chat]).toEqual(["settings", "made-0"]);
});

it("deletes_a_chat_that_was_made_for_nothing_and_gives_its_profile_back", async () => {
  const { composer, navigation, made, deleted } = shown(null);
  navigation.newProfile = "Reading";
  composer.hold();
  await composer.get();
  expect(navigation.newProfile).toBeNull();
  await composer.release();
  expect(deleted).toEqual(["made-0"]);
  expect(navigation.newProfile).toBe("Reading");
  await composer.get();
  expect(made).toEqual(["made-0", "made-1"]);
});

it("deletes_no_made_chat_that_the_user_has_begun_to_use", async () => {
  for (const use of ["shown", "written"]) {
    const { composer, navigation, drafts, deleted } = shown(null);
    composer.hold();
    const made = await composer.get();
    if (use === "shown") navigation.toChat(made);
    if (use === "written") drafts.write(made, "Hello");
    await composer.release();
    expect(deleted).toEqual([]);
  }
});

it("keeps_a_made_chat_until_everything_that_was_begun_for_it_has_ended", async () => {
  const { composer, navigation, deleted } = shown(null);
  composer.hold();
  composer.hold();
  composer.attach(await composer.get(), file("f"));
  await composer.release();
  expect([navigation.chat, deleted]).toEqual([null, []]);
  await composer.release();
  expect([navigation.chat, deleted]).toEqual(["made-0", []]);
});

it("deletes_a_chat_that_was_still_being_made_when_nothing_is_wanted_of_it_any_more", async () => {
  const { composer, made, deleted } = shown(null);
  composer.hold();
  const making = composer.get();
  await composer.release();
  await making;
  expect([made, deleted]).toEqual([["made-0"], ["made-0"]]);
});

it("says_in_the_made_chat_which_files_were_refused", async () => {
  for (const use of ["attached", "shown"]) {
    const { composer, navigation, fileReads } = shown(null);
    composer.hold();
    const made = await composer.get();
    if (use === "attached") composer.attach(made, file("f"));
    else navigation.toChat(made);
    fileReads.note(null, [REFUSED], ["/f"]);
    await composer.release();
    expect(fileReads.notes(made)).toEqual({ refused: [REFUSED], folders: ["/f"] });
    expect(fileReads.notes(null)).toEqual({ refused: [], folders: [] });
  }
});

it("says_in_the_new_chat_that_everything_was_refused", async () => {
  const { composer, fileReads, deleted } = shown(null);
  composer.hold();
  await composer.get();
  fileReads.note(null, [REFUSED]);
  await composer.release();
  expect(deleted).toEqual(["made-0"]);
  expect(fileReads.notes(null).refused).toEqual([REFUSED]);
});
