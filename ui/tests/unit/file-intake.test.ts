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
  let settled = 0;
  const files = new FileIntake({
    chat: () => Promise.resolve("chat"),
    attach: (chat, { id }) => void attached.push(`${chat} ${id}`),
    settle: () => Promise.resolve(void settled++),
  });
  return { files, attached, settled: () => settled };
}

it("attaches_what_could_be_read_and_says_what_could_not", async () => {
  const { files, attached } = intake();
  const refused = { problem: "file_not_regular", file: "pipe" } as const;
  const lost = { problem: "file_not_kept", file: "b", detail: "full" } as const;
  const taken = { attached: [file("a"), file("b")], refused: [refused], not_kept: [lost], folders: ["/f"] };
  await files.take(() => Promise.resolve(taken));
  expect(attached).toEqual(["chat a", "chat b"]);
  expect(files.refused).toEqual([refused, lost]);
  files.settle("/f");
  expect(files.folders).toEqual([]);
});

it("settles_the_chat_once_nothing_is_read_any_more", async () => {
  const { files, attached, settled } = intake();
  let done: (files: FilesAttached) => void = () => undefined;
  const slow = files.take(() => new Promise((resolve) => (done = resolve)));
  await files.take(() => Promise.resolve(NOTHING));
  expect(settled()).toBe(0);
  done({ ...NOTHING, attached: [file("a")] });
  await slow;
  expect(attached).toEqual(["chat a"]);
  expect(settled()).toBe(1);
  await files.take(() => Promise.reject(new Error("lost")));
  expect(settled()).toBe(2);
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
