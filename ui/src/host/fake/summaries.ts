// Summaries of chats of the fake host: changed, taken back and used again, and the answers that are not possible.
import type { ChatSummary } from "../bindings";
import type { World } from "./world";

/** Changes a summary; returns whether there is one. */
export function changeSummary(world: World, id: string, change: Partial<ChatSummary>): boolean {
  for (const [chat, entries] of world.entries) {
    const body = entries.find((entry) => entry.id === id)?.body;
    if (body?.kind !== "compaction" || body.state !== "summarized") continue;
    world.putEntry(chat, { ...body, ...change }, id);
    return true;
  }
  return false;
}
