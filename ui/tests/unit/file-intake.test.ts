// What becomes of files that the user attaches, as the host reads them.
import { expect, it } from "vitest";
import type { AttachmentView, FilesAttached } from "../../src/host/bindings";
import { FileIntake } from "../../src/views/chat/fileIntake.svelte";

const NOTHING: FilesAttached = { attached: [], refused: [], not_kept: [], folders: [] };
const file = (id: string): AttachmentView => ({
  id,
  server: null,
  server_name: "",
  from: { from: "file", name: `${id}.txt`, bytes: 1, pages: null },
  parts: [],
  cut_bytes: 0,
  changed: false,
});

function intake() {
  const attached: string[] = [];
  const unmade: string[] = [];
  const files = new FileIntake({
    chat: () => Promise.resolve("chat"),
    attach: (chat, { id }) => void attached.push(`${chat} ${id}`),
    unmake: (chat) => Promise.resolve(void unmade.push(chat)),
  });
  return { files, attached, unmade };
}

it("attaches_what_could_be_read_and_says_what_could_not", async () => {
  const { files, attached, unmade } = intake();
  const refused = { problem: "file_not_regular", file: "pipe" } as const;
  const lost = { problem: "file_not_kept", file: "b", detail: "full" } as const;
  const taken = { attached: [file("a"), file("b")], refused: [refused], not_kept: [lost], folders: ["/f"] };
  await files.take(() => Promise.resolve(taken));
  expect(attached).toEqual(["chat a", "chat b"]);
  expect(files.refused).toEqual([refused, lost]);
  expect(unmade).toEqual([]);
  files.settle("/f");
  expect(files.folders).toEqual([]);
});

it("takes_back_a_chat_that_was_made_for_nothing", async () => {
  const { files, unmade } = intake();
  await files.take(() => Promise.resolve(NOTHING));
  expect(unmade).toEqual(["chat"]);
});

it("holds_the_message_back_until_its_files_are_read", async () => {
  const { files } = intake();
  let done: (files: FilesAttached) => void = () => undefined;
  const read = new Promise<FilesAttached>((resolve) => (done = resolve));
  const taken = files.take(() => read);
  expect(files.reading).toBe(true);
  done(NOTHING);
  await taken;
  expect(files.reading).toBe(false);
});

it("says_when_the_host_does_not_answer_as_it_should", async () => {
  const { files } = intake();
  await files.take(() => Promise.reject(new Error("lost")));
  expect(files.refused).toEqual([{ problem: "unexpected", detail: "lost" }]);
  expect(files.reading).toBe(false);
});
