// What the palette can lead to and do. Everything that is done here is done somewhere else as well.
import { ruleSentence } from "../../features/rule/words";
import { isRemote } from "../../features/serverPlace";
import { shortState } from "../../features/serverState";
import { visible } from "../../features/text/escapes";
import { filled } from "../../features/text/rich";
import type { ChatHit, RuleView, ServerView, ToolView } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { isRunning } from "../../state/running.svelte";
import type { WindowState } from "../../state/window";
import { beginTemporary, closeTemporary } from "../chat/temporary";
import { SECTIONS, sectionName } from "../settings/sections";

/** How many messages are shown before the way to all of them. */
const MOST_MESSAGES = 5;

export interface PaletteEntry {
  id: string;
  label: string;
  note?: string | undefined;
  /** The server it belongs to, for its monogram. */
  server?: { id: string; name: string };
  act: () => void;
}

export function chatEntries({ projection, navigation }: WindowState): PaletteEntry[] {
  return [...projection.listed, ...projection.archived].map(({ id, title }) => ({
    id: `chat ${id}`,
    label: visible(title) || m.untitled_chat(),
    act: () => navigation.toChat(id),
  }));
}

export function messageEntries(
  { projection, navigation }: WindowState,
  hits: readonly ChatHit[],
  words: string,
): PaletteEntry[] {
  // One of each chat: the sheet of the search shows all of them.
  const newest = hits.filter(({ chat }, index) => hits.findIndex((hit) => hit.chat === chat) === index);
  const messages = newest.slice(0, MOST_MESSAGES).map(({ chat, entry, excerpt }) => ({
    id: `message ${entry}`,
    label: visible(excerpt.map(({ text }) => text).join("")),
    note: visible(projection.chat(chat)?.title ?? "") || m.untitled_chat(),
    act: () => navigation.toChat(chat, entry),
  }));
  if (hits.length <= messages.length) return messages;
  return [...messages, { id: "all messages", label: m.find_all(), act: () => (navigation.findingAll = words) }];
}

export function serverEntries({ projection, navigation }: WindowState): PaletteEntry[] {
  return projection.servers.map((server) => ({
    id: `server ${server.id}`,
    label: visible(server.name),
    note: shortState(server),
    server,
    act: () => navigation.toServer(server.id),
  }));
}

/** The tools of one server. */
export function toolEntries(
  { navigation }: WindowState,
  server: ServerView,
  tools: readonly ToolView[],
): PaletteEntry[] {
  return tools.map(({ name, title }) => ({
    id: `tool ${server.id} ${name}`,
    label: visible(name),
    note: [title, server.name]
      .filter((part) => part !== null && part !== name)
      .map((part) => visible(part ?? ""))
      .join(" · "),
    server,
    act: () => navigation.toServer(server.id, name),
  }));
}

export function ruleEntries({ navigation }: WindowState, rules: readonly RuleView[]): PaletteEntry[] {
  return rules.map(({ id, server, server_name, decision, action }) => {
    const { sentence, values } = ruleSentence(decision, action, server_name);
    const object = values[1] ?? server_name;
    return {
      id: `rule ${id}`,
      label: filled(sentence, values.map(visible)),
      server: { id: server, name: server_name },
      act: () => navigation.toRules(object),
    };
  });
}

export function actionEntries(state: WindowState): PaletteEntry[] {
  const { navigation, projection, running } = state;
  const shown = projection.chat(navigation.chat);
  return [
    { id: "new chat", label: m.new_chat(), note: "Ctrl N", act: () => navigation.toChat(null) },
    { id: "new temporary chat", label: m.new_temporary_chat(), act: () => void beginTemporary(state) },
    ...(navigation.view === "chat" && shown?.temporary
      ? [{ id: "close", label: m.close_temporary(), act: () => void closeTemporary(state, shown) }]
      : []),
    ...(navigation.view === "chat" && navigation.chat !== null
      ? [{ id: "find", label: m.find_in_chat(), note: "Ctrl F", act: () => navigation.findInChat() }]
      : []),
    { id: "find all", label: m.find_in_chats(), note: "Ctrl Shift F", act: () => (navigation.findingAll = "") },
    ...(projection.archived.length + projection.trash.length > 0
      ? [{ id: "stored", label: m.archive_and_trash(), act: () => navigation.toStoredChats() }]
      : []),
    { id: "add server", label: m.add_server(), act: () => navigation.toNewServer() },
    { id: "stop", label: m.stop_everything(), act: () => void running.stopEverything() },
    { id: "servers", label: m.servers(), act: () => navigation.toServer(null) },
    { id: "workspaces", label: m.workspaces(), act: () => navigation.toWorkspaces() },
    { id: "rules", label: m.rules(), act: () => navigation.toRules() },
    { id: "ledger", label: m.ledger(), act: () => navigation.toLedger() },
    ...SECTIONS.map((section) => ({
      id: `settings ${section}`,
      label: sectionName(section),
      note: m.settings(),
      act: () => navigation.toSettings(section),
    })),
    ...serverActions(state),
  ];
}

function serverActions({ projection, notices, sharing }: WindowState): PaletteEntry[] {
  const { host } = projection;
  return projection.servers.flatMap((server) => {
    const name = { server: visible(server.name) };
    const runs = isRunning(server);
    const words = runs ? m.stop_name(name) : isRemote(server) ? m.connect_name(name) : m.start_name(name);
    const turn = () => notices.attempt(() => (runs ? host.serverStop(server.id) : host.serverStart(server.id)));
    return [
      ...(runs || server.missing.length === 0
        ? [{ id: `turn ${server.id}`, label: words, server, act: () => void turn() }]
        : []),
      {
        id: `share ${server.id}`,
        label: m.share_folder_with(name),
        server,
        act: () => void sharing.choose(server.id),
      },
    ];
  });
}
