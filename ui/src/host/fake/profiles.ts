// The profiles of tools of the fake host.
import type { ChatId, ChatView, ServerId, ToolOff, ToolProfile } from "../bindings";
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

/** Switches a server; in a chat with a profile it also joins or leaves the set. */
export function switchServer(world: World, id: ChatId, server: ServerId, on: boolean): void {
  const chat = world.chats.find((one) => one.id === id);
  const others = (servers: readonly ServerId[] = []) => servers.filter((one) => one !== server);
  const only = on ? [...others(chat?.servers_only), server] : others(chat?.servers_only);
  const servers_off = on ? others(chat?.servers_off) : [...others(chat?.servers_off), server];
  world.changeChat(id, { servers_off, ...(chat?.servers_only && { servers_only: only }) });
}

export function switchTool(world: World, id: ChatId, { server, tool }: ToolOff, on: boolean): void {
  const off = world.chats.find((one) => one.id === id)?.tools_off ?? [];
  const others = off.filter((one) => one.server !== server || one.tool !== tool);
  world.changeChat(id, { tools_off: on ? others : [...others, { server, tool }] });
}
