// The servers and tools that the model of a chat is offered, and the profile that has just these.
import type { ChatView, ServerId, ServerView, ToolOff, ToolProfile } from "../../host/bindings";

type ToolSet = Pick<ChatView, "servers_off" | "servers_only" | "tools_off">;

/** Whether the tools of a server are offered in a chat, except those that are off by themselves. */
export function isOn(chat: ToolSet | undefined, server: ServerId): boolean {
  const only = chat?.servers_only;
  return !chat?.servers_off.includes(server) && (only === undefined || only.includes(server));
}

const key = ({ server, tool }: ToolOff) => `${server} ${tool}`;
const same = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one));

/** The name of the profile whose set a chat has; "" where it has everything, null where it has another set. */
export function profileOf(
  chat: ToolSet | undefined,
  servers: readonly ServerView[],
  profiles: readonly ToolProfile[],
): string | null {
  const only = chat?.servers_only;
  const off = chat?.tools_off ?? [];
  if (only === undefined) return (chat?.servers_off.length ?? 0) === 0 && off.length === 0 ? "" : null;
  const ids = servers.map(({ id }) => id);
  const on = ids.filter((id) => isOn(chat, id));
  const tools = off.filter(({ server }) => on.includes(server)).map(key);
  const found = profiles.find(
    (profile) =>
      same(
        ids.filter((id) => profile.servers.includes(id)),
        on,
      ) &&
      same(
        profile.tools_off.map((tool) => key(tool)),
        tools,
      ),
  );
  return found?.name ?? null;
}
