// Files of chats: what a chosen file would add, and the chat that comes of it.
import type { MainHost } from "../../commands";
import type { ChatImportView } from "../../bindings";
import { chatOf } from "../data";
import { no, soon } from "../replies";
import type { World } from "../world";

const TITLES = ["Weather in Oslo", "Plan a trip to Bergen", "发票汇总", ""];
const CHOSEN: ChatImportView = {
  file: "conversations.json",
  source: "chat_gpt",
  chats: 128,
  messages: 2_416,
  calls: 57,
  titles: TITLES,
  left_out: [
    { chat: "Weather in Oslo", reason: "file_missing", count: 3, detail: "image_asset_pointer" },
    { chat: "Plan a trip to Bergen", reason: "parent_circle", count: 2, detail: "aaa2f0c1" },
    { chat: "", reason: "chat_unreadable", count: 1, detail: "missing field `mapping` at line 1 column 812" },
  ],
  left_out_more: 4,
};

export function chatFileCommands(world: World) {
  return {
    chatsExport: (chat, form) =>
      soon({
        path: `/home/ada/Documents/chats.${form === "markdown" ? "md" : "json"}`,
        count: chat === null ? world.chats.length : 1,
      }),
    chatMarkdown: (id) => {
      const title = world.chats.find((chat) => chat.id === id)?.title ?? "";
      const said = (world.entries.get(id) ?? []).flatMap(({ body }) => ("text" in body ? [body.text] : []));
      return soon([`# ${title}`, ...said].join("\n\n"));
    },
    chatsImportChoose: () => {
      world.chosenImport = CHOSEN;
      return soon(CHOSEN);
    },
    chatsImport: () => {
      if (world.chosenImport === null) return no({ problem: "gone" });
      world.chosenImport = null;
      const only = importOne(world);
      return soon({ chats: 1, only });
    },
    chatsImportDrop: () => soon(void (world.chosenImport = null)),
  } satisfies Partial<MainHost>;
}

/** Adds a chat with a call from a file. Returns its id. */
function importOne(world: World): string {
  const chat = world.nextId("c");
  world.putChat(
    chatOf({
      id: chat,
      title: "Weather in Oslo",
      updated_ms: Date.now(),
      imported: "chat_gpt",
    }),
  );
  world.entries.set(chat, [
    {
      id: `${chat}-1`,
      chat,
      position: 0,
      at_ms: Date.now(),
      body: { kind: "user", text: "How is it in Oslo?", attachments: [] },
    },
    {
      id: `${chat}-2`,
      chat,
      position: 1,
      at_ms: Date.now(),
      body: {
        kind: "call",
        call: "search",
        called_as: "web_search",
        server: "s-unknown",
        server_name: "ChatGPT",
        tool: "web.search",
        arguments: { query: "weather oslo" },
        edited: false,
        imported: true,
        because: [],
        state: "answered",
        elapsed_ms: 0,
        result: {
          content: [{ type: "text", text: "3 degrees, rain" }],
          structured: null,
          failed: false,
          misfits: [],
          unchecked: null,
          cut_bytes: 0,
          model_cut_bytes: 0,
        },
      },
    },
    {
      id: `${chat}-3`,
      chat,
      position: 2,
      at_ms: Date.now(),
      body: {
        kind: "assistant",
        text: "Cold and wet.",
        reasoning: "",
        model: "o3",
        scripted: false,
        state: "done",
      },
    },
  ]);
  return chat;
}
