// What happens in a chat of the fake host: a scripted answer that streams, a call that is stopped or asked again.
import type { AttachmentView, EntryView, ResultShare } from "../bindings";
import { sendFirst } from "./queue";
import type { World } from "./world";

const REPLY = `Hello. I am the **rehearsal**: a script, not an AI. I pick tools by simple words, so that you can see how Vestibule asks you before anything happens.

| Write | You will see |
|---|---|
| \`remember the milk\` | one call after another |
| \`slow\` | progress, log lines and Stop |

Nothing runs before you allow it, and you may just as well *deny* it.`;

/** A part of the answer; the rehearsal says it. */
function spoken(text: string, state: "streaming" | "stopped" | "done"): EntryView["body"] {
  return { kind: "assistant", text, reasoning: "", model: "Rehearsal", scripted: true, state };
}

/** Puts a message of the user into a chat and answers it. */
export function reply(world: World, chat: string, text: string, attachments: AttachmentView[] = []): void {
  world.putEntry(chat, { kind: "user", text, attachments });
  if (!world.chats.find(({ id }) => id === chat)?.title) world.changeChat(chat, { title: text.slice(0, 40) });
  answer(world, chat);
}

/** Begins an answer in a chat, as a version of another one where that is named. */
export function answer(world: World, chat: string, of?: string): void {
  world.stopped.delete(chat);
  world.changeChat(chat, { busy: true });
  setTimeout(() => {
    const id = world.nextId("e");
    if (of !== undefined) world.branches.add(id, of);
    speak(world, chat, world.putEntry(chat, spoken("", "streaming"), id).id, 0);
  }, 250);
}

function speak(world: World, chat: string, entry: string, from: number): void {
  const stop = world.stopped.has(chat);
  if (world.wordsHeld && !stop) {
    setTimeout(() => speak(world, chat, entry, from), 12);
    return;
  }
  if (from >= REPLY.length || stop) {
    world.putEntry(chat, spoken(REPLY.slice(0, from), stop ? "stopped" : "done"), entry);
    world.changeChat(chat, { busy: false });
    if (!stop || world.sendAfterStop.delete(chat)) sendFirst(world, chat);
    return;
  }
  world.tell({ event: "words", chat, entry, text: REPLY.slice(from, from + 6), reasoning: "" });
  setTimeout(() => speak(world, chat, entry, Math.min(REPLY.length, from + 6)), 12);
}

/** Continues an answer that a limit ended; the failures after it go. */
export function goOn(world: World, chat: string): void {
  for (const { id, body } of (world.entries.get(chat) ?? []).toReversed()) {
    if (body.kind !== "failure") break;
    world.dropEntry(chat, id);
  }
  answer(world, chat);
}

/** Stops one call; it was sent. */
export function stopCall(world: World, id: string): void {
  for (const [chat, entries] of world.entries) {
    const entry = entries.find((one) => one.id === id);
    if (entry?.body.kind !== "call") continue;
    const { call, called_as, server, server_name, tool, arguments: given, edited, because } = entry.body;
    const body = { call, called_as, server, server_name, tool, arguments: given, edited, because };
    world.putEntry(chat, { kind: "call", ...body, state: "cancelled", sent: true }, id);
  }
}

/** Makes a choice about a long result and lets the model go on; returns whether one was open. */
export function shareResult(world: World, id: string, share: ResultShare): boolean {
  for (const [chat, entries] of world.entries) {
    const body = entries.find((entry) => entry.id === id)?.body;
    if (body?.kind !== "call" || body.state !== "answered" || body.result.choice?.choice !== "asked") continue;
    const result = { ...body.result, choice: { choice: "made", share } as const };
    world.putEntry(chat, { ...body, result }, id);
    answer(world, chat);
    return true;
  }
  return false;
}

/** Says in the chat that a call is to be asked again, and asks it. */
export function askAgain(world: World, id: string, text: string): void {
  for (const [chat, entries] of world.entries) {
    const body = entries.find((entry) => entry.id === id)?.body;
    if (body?.kind !== "call") continue;
    world.putEntry(chat, { kind: "user", text, attachments: [] });
    world.changeChat(chat, { busy: true });
    const waits = { call: "again", state: "waiting", question: "q-again" } as const;
    const entry = world.putEntry(chat, { ...body, ...waits } as EntryView["body"]);
    world.addWaiting("q-again", body.server ?? "", entry.id);
    return;
  }
}
