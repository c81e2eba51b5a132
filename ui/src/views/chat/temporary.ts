// Temporary chats: begun at a click, and closed for good.
import type { ChatView } from "../../host/bindings";
import type { WindowState } from "../../state/window";
import { newChat } from "./newChat";

/** Shows a temporary chat in which nothing was said yet; makes one where there is none. */
export async function beginTemporary({ projection, navigation, notices }: WindowState): Promise<void> {
  const unused = projection.chats.find(({ temporary, title }) => temporary && title === "");
  if (unused) navigation.toChat(unused.id);
  else await notices.attempt(async () => navigation.toChat(await newChat(projection, navigation, true)));
}

/** Closes a temporary chat; asks first where something would be lost. */
export async function closeTemporary(state: WindowState, { id, title }: ChatView): Promise<void> {
  const { projection, navigation, notices, drafts, attachments } = state;
  if (title !== "" || drafts.of(id) !== "" || attachments.of(id).length > 0) {
    navigation.toChat(id);
    navigation.closing = id;
  } else await notices.attempt(() => projection.host.chatDelete(id));
}
