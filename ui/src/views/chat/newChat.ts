// Makes the chat that the first message or attachment goes to.
import type { ChatId } from "../../host/bindings";
import type { Navigation } from "../../state/navigation.svelte";
import type { Projection } from "../../state/projection.svelte";

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
  projection.expect(id);
  // What is said in it need not wait for this.
  void projection.load(id);
  return id;
}
