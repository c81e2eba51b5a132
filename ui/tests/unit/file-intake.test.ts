// What becomes of files that the user attaches, as the host reads them.
import { expect, it } from "vitest";
import type { AttachmentView, FilesAttached } from "../../src/host/bindings";
import { FileReads } from "../../src/state/fileReads.svelte";
import { FileIntake } from "../../src/views/chat/fileIntake";

const NOTHING: FilesAttached = { attached: [], refused: [], not_kept: [], folders: [] };
const REFUSED = { problem: "file_not_regular", file: "pipe" } as const;
const LARGE = { problem: "file_too_large", file: "film", limit_kb: 1 } as const;
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
  let holds = 0;
  const reads = new FileReads();
  const files = new FileIntake("chat", reads, {
    get: () => Promise.resolve("chat"),
    attach: (chat, { id }) => void attached.push(`${chat} ${id}`),
    hold: () => void holds++,
    release: () => Promise.resolve(void holds--),
  });
  return { files, attached, reads, holds: () => holds, refused: () => reads.notes("chat").refused };
}

/** A reading that ends when it is let go. */
function slow() {
  let letGo: (files: FilesAttached) => void = () => undefined;
  const read = new Promise<FilesAttached>((resolve) => (letGo = resolve));
  return { read: () => read, letGo: (files: FilesAttached) => letGo(files) };
}

it("attaches_what_could_be_read_and_says_what_could_not", async () => {
  const { files, attached, reads, refused } = intake();
  const lost = { problem: "file_not_kept", file: "b", detail: "full" } as const;
  const taken = { attached: [file("a"), file("b")], refused: [REFUSED], not_kept: [lost], folders: ["/f"] };
  await files.take(() => Promise.resolve(taken));
  expect(attached).toEqual(["chat a", "chat b"]);
  expect(refused()).toEqual([REFUSED, lost]);
  reads.dismissFolder("chat", "/f");
  expect(reads.notes("chat").folders).toEqual([]);
});

it("holds_the_chat_and_the_message_while_anything_is_read", async () => {
  const { files, attached, reads, holds } = intake();
  const { read, letGo } = slow();
  const taken = files.take(read);
  await files.take(() => Promise.resolve(NOTHING));
  expect([holds(), reads.isReading("chat")]).toEqual([1, true]);
  letGo({ ...NOTHING, attached: [file("a")] });
  await taken;
  expect(attached).toEqual(["chat a"]);
  expect([holds(), reads.isReading("chat")]).toEqual([0, false]);
});

it("says_what_each_of_several_readings_refused", async () => {
  const { files, reads, refused } = intake();
  const { read, letGo } = slow();
  const taken = files.take(read);
  await files.take(() => Promise.resolve({ ...NOTHING, refused: [REFUSED], folders: ["/f"] }));
  letGo({ ...NOTHING, refused: [LARGE], folders: ["/f"] });
  await taken;
  expect(refused()).toEqual([REFUSED, LARGE]);
  expect(reads.notes("chat").folders).toEqual(["/f"]);
  await files.take(() => Promise.resolve(NOTHING));
  expect(refused()).toEqual([]);
});

it("says_when_the_host_does_not_answer_as_it_should", async () => {
  const { files, reads, holds, refused } = intake();
  await files.take(() => Promise.reject(new Error("lost")));
  expect(refused()).toEqual([{ problem: "unexpected", detail: "lost" }]);
  expect([holds(), reads.isReading("chat")]).toEqual([0, false]);
});
