// What the next request of a chat of the fake host takes, as far as a page can tell.
import type { ChatId, MeterView } from "../bindings";
import type { World } from "./world";

/** What a model reads whose facts say how much, in tokens: little enough to fill. */
const CONTEXT = 32_768;
/** What one tool takes. */
const TOOL = 190;

export function meterOf(world: World, id: ChatId): MeterView {
  const chat = world.chats.find((one) => one.id === id);
  const wanted = chat?.model ?? world.settings.default_model;
  const facts = world.models.find((model) => model.id === wanted)?.facts;
  const context = facts?.context === undefined ? null : CONTEXT;
  const on = world.servers.filter(
    ({ id: server, state }) => state.state === "ready" && !chat?.servers_off.includes(server),
  );
  const tools = on.map(({ id: server, name, tool_count }) => ({
    server,
    server_name: name,
    count: tool_count,
    tokens: tool_count * TOOL,
  }));
  const parts = { instructions: 412, results: 9_480, talk: 3_125, pictures: 2_048 };
  const definitions = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const said = parts.instructions + parts.results + parts.talk + parts.pictures;
  return { context, ...parts, tools, total: said + definitions, reported: chat?.usage ? 16_204 : null };
}
