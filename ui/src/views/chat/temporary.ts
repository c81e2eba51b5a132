// Temporary chats: begun at a click, and closed for good.
import type { ChatView } from "../../host/bindings";
import type { Projection } from "../../state/projection.svelte";
import type { WindowState } from "../../state/window";
import { newChat } from "./newChat";

/** Shows a temporary chat in which nothing was said yet; makes one where there is none. */
export async function beginTemporary({ projection, navigation, notices }: WindowState): Promise<void> {
  for (const chat of projection.chats) {
    if (!chat.temporary || (await isUsed(projection, chat))) continue;
    navigation.toChat(chat.id);
    return;
  }
  await notices.attempt(async () => navigation.toChat(await newChat(projection, navigation, true)));
}

/** Closes a temporary chat; asks first where something would be lost. */
export async function closeTemporary(state: WindowState, chat: ChatView): Promise<void> {
  const { projection, navigation, notices, drafts, attachments } = state;
  const { id } = chat;
  const isWritten = drafts.of(id) !== "" || attachments.of(id).length > 0;
  if (isWritten || (await isUsed(projection, chat))) {
    navigation.toChat(id);
    navigation.closing = id;
  } else await notices.attempt(() => projection.host.chatDelete(id));
}

/** Whether something was said in a chat. A message that is a file alone gives it no title. */
async function isUsed(projection: Projection, { id, title, busy, queue }: ChatView): Promise<boolean> {
  if (title !== "" || busy || queue.length > 0) return true;
  // The entries may be not loaded, or the event that tells of one may be on its way. What cannot be read may be there.
  return projection.host.chatEntries(id, { part: "newest" }).then(
    ({ entries }) => entries.length > 0,
    () => true,
  );
}
