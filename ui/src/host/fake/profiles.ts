// The profiles of tools of the fake host.
import type { ChatId, ChatView, ServerId, ToolProfile } from "../bindings";
import { no, soon } from "./replies";
import type { World } from "./world";

const MOST = 50;
const isCalled = (profile: ToolProfile, name: string) => profile.name.toLowerCase() === name.trim().toLowerCase();

export const without = (world: World, name: string) => world.profiles.filter((one) => !isCalled(one, name));

export function putProfiles(world: World, profiles: ToolProfile[]): void {
  world.profiles = profiles.toSorted((a, b) => a.name.localeCompare(b.name));
  world.tell({ event: "profiles", profiles: world.profiles });
}

export function saveProfile(world: World, id: ChatId, name: string): Promise<void> {
  const chat = world.chats.find((one) => one.id === id);
  if (!chat) return no({ problem: "gone" });
  const others = without(world, name);
  if (others.length >= MOST) return no({ problem: "profiles_too_many", limit: MOST });
  const only = chat.servers_only;
  const servers = world.servers
    .map((server) => server.id)
    .filter((server) => !chat.servers_off.includes(server) && (only?.includes(server) ?? true));
  const tools_off = chat.tools_off.filter(({ server }) => servers.includes(server));
  putProfiles(world, [...others, { name: name.trim(), servers, tools_off }]);
  return soon(undefined);
}

export function useProfile(world: World, id: ChatId, name: string | null): Promise<void> {
  const chat = world.chats.find((one) => one.id === id);
  const profile = name === null ? undefined : world.profiles.find((one) => isCalled(one, name));
  if (!chat || (name !== null && !profile)) return no({ problem: "gone" });
  const changed: ChatView = { ...chat, servers_off: [], tools_off: profile?.tools_off ?? [] };
  delete changed.servers_only;
  if (profile) changed.servers_only = profile.servers;
  world.putChat(changed);
  return soon(undefined);
}

/** Sets the servers that are off; in a chat with a profile all others are on. */
export function switchServers(world: World, id: ChatId, servers_off: ServerId[]): void {
  const has = world.chats.find((one) => one.id === id)?.servers_only;
  const on = world.servers.map((server) => server.id).filter((server) => !servers_off.includes(server));
  world.changeChat(id, { servers_off, ...(has && { servers_only: on }) });
}
