// Temporary chats: which one is unused, and which one is closed without a question.
import { expect, it } from "vitest";
import type { ChatView } from "../../src/host/bindings";
import type { WindowState } from "../../src/state/window";
import { beginTemporary, closeTemporary } from "../../src/views/chat/temporary";

/** A temporary chat "t" without a title, with so many entries; null where they cannot be read. */
function scene(entries: number | null, part: Partial<ChatView> = {}) {
  const chat = { id: "t", temporary: true, title: "", busy: false, queue: [], ...part } as unknown as ChatView;
  const deleted: string[] = [];
  const shown: (string | null)[] = [];
  const host = {
    chatEntries: () =>
      entries === null
        ? Promise.reject(new Error("not read"))
        : Promise.resolve({
            seq: 1,
            entries: Array.from({ length: entries }, () => ({})),
            earlier: false,
            later: false,
          }),
    chatDelete: (id: string) => Promise.resolve(void deleted.push(id)),
    chatCreate: () => Promise.resolve({ id: "new" }),
  };
  const projection = { chats: [chat], host, expect: () => undefined, load: () => Promise.resolve() };
  const navigation = { closing: null, newProfile: null, toChat: (id: string | null) => void shown.push(id) };
  const state = {
    projection,
    navigation,
    notices: { attempt: (act: () => Promise<unknown>) => act() },
    drafts: { of: () => "" },
    attachments: { of: () => [] },
  } as unknown as WindowState;
  return { state, chat, deleted, shown, navigation };
}

const SAID: [string, number | null, Partial<ChatView>][] = [
  ["a file alone was sent", 1, {}],
  ["the model is at work", 0, { busy: true }],
  ["a message waits", 0, { queue: [{ id: "q", text: "", attachments: 1 }] }],
  ["its entries cannot be read", null, {}],
];

for (const [what, entries, part] of SAID)
  it(`a_temporary_chat_is_not_deleted_without_a_question_nor_used_again_where ${what}`, async () => {
    const { state, chat, deleted, shown, navigation } = scene(entries, part);
    await closeTemporary(state, chat);
    expect([deleted, navigation.closing]).toEqual([[], "t"]);
    await beginTemporary(state);
    expect(shown.at(-1)).toBe("new");
  });

it("a_temporary_chat_in_which_nothing_was_said_is_used_again_and_closes_at_once", async () => {
  const { state, chat, deleted, shown, navigation } = scene(0);
  await beginTemporary(state);
  expect(shown).toEqual(["t"]);
  await closeTemporary(state, chat);
  expect([deleted, navigation.closing]).toEqual([["t"], null]);
});
