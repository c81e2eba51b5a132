// Makes the chat that the first message or attachment goes to, with the profile that was chosen for it.
import type { ChatId } from "../../host/bindings";
import type { Navigation } from "../../state/navigation.svelte";
import type { Projection } from "../../state/projection.svelte";

/** A new chat that begins with this message. */
export async function beginChat(projection: Projection, navigation: Navigation, text: string): Promise<ChatId> {
  const { id } = await projection.host.chatBegin(text, navigation.newProfile);
  navigation.newProfile = null;
  show(projection, id);
  return id;
}

/** A new chat with the profile that was chosen for it. Where that fails there is none, since it would have all tools. */
export async function newChat(projection: Projection, navigation: Navigation, temporary = false): Promise<ChatId> {
  const { host } = projection;
  const { id } = await host.chatCreate(temporary);
  const profile = navigation.newProfile;
  navigation.newProfile = null;
  if (profile !== null)
    await host.chatProfile(id, profile).catch(async (error: unknown) => {
      await host.chatDelete(id);
      throw error;
    });
  show(projection, id);
  return id;
}

/** Reads a chat that was made just now. Nothing waits for it. */
function show(projection: Projection, chat: ChatId): void {
  projection.expect(chat);
  void projection.load(chat);
}
