// Chats: what is written in them, what is attached, and their turns.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import type {
  ChatFindHit,
  ChatFindPlace,
  ChatFindView,
  ChatHit,
  ChatView,
  EntriesPart,
  EntriesView,
  EntryView,
} from "../../bindings";
import { HOME } from "../data";
import { expanded, proposals, read } from "../offers";
import { changeQueue, sendNow, wait } from "../queue";
import { done, no, soon } from "../replies";
import { deleteMessage, editMessage, regenerate, showBranch } from "../branches";
import { answer, askAgain, goOn, reply, stopCall } from "../turn";

export function chatCommands(world: World) {
  return {
    chatCreate: () =>
      soon(
        world.putChat({
          id: world.nextId("c"),
          title: "",
          model: null,
          workspace: HOME,
          updated_ms: Date.now(),
          busy: false,
          servers_off: [],
          tools_off: [],
          queue: [],
          settings: {},
        }),
      ),
    chatRename: (id, title) => soon(void world.changeChat(id, { title })),
    chatDelete: (id) => {
      world.chats = world.chats.filter((chat) => chat.id !== id);
      world.tell({ event: "chat_gone", chat: id });
      return soon(undefined);
    },
    chatEntries: (id, part) => entriesOf(world, id, part),
    chatSend: (id, text) => (text === "fail" ? no({ problem: "chat_busy" }) : soon(reply(world, id, text))),
    queueAdd: (id, text) => (text === "fail" ? no({ problem: "chat_busy" }) : soon(wait(world, id, text))),
    queueEdit: (id, message, text) =>
      soon(changeQueue(world, id, (queue) => queue.map((one) => (one.id === message ? { ...one, text } : one)))),
    queueRemove: (id, message) => soon(changeQueue(world, id, (queue) => queue.filter((one) => one.id !== message))),
    queueSend: (id, message) => soon(sendNow(world, id, message)),
    callStop: (entry) => soon(stopCall(world, entry)),
    chatSearch: (words) => soon(found(words, world.chats, world.entries)),
    chatFind: (id, search) => soon(places(search, ordered(world, id))),
    chatTools: (id, tools_off) => soon(void world.changeChat(id, { tools_off })),
    chatServers: (id, servers_off) => soon(void world.changeChat(id, { servers_off })),
    draftSave: (chat, text) => {
      world.kept.push({ chat, text });
      world.drafts = [...world.drafts.filter((draft) => draft.chat !== chat), { chat, text }];
      sessionStorage.setItem("fake.drafts", JSON.stringify(world.drafts));
      return soon(undefined);
    },
    chatStop: (id) => soon(void world.stopped.add(id)),
    chatContinue: (id) => soon(goOn(world, id)),
    chatRetry: (id) => soon(answer(world, id)),
    messageEdit: (entry, text) =>
      text === "fail" ? no({ problem: "chat_busy" }) : soon(editMessage(world, entry, text)),
    answerRegenerate: (entry) => soon(regenerate(world, entry)),
    messageDelete: (entry) => soon(deleteMessage(world, entry)),
    branchShow: (entry) => soon(showBranch(world, entry)),
    callAskAgain: (entry, text) => soon(askAgain(world, entry, text)),
    chatWithoutTools: (id) => {
      world.sayWithoutTools(id);
      return soon(goOn(world, id));
    },
    chatSettings: (id, wanted) => soon(void world.changeChat(id, { settings: wanted })),
    chatModel: (id, model) => soon(done(world.changeChat(id, { model }))),
    chatWorkspace: (id, workspace) => soon(world.ask("q-move", () => world.changeChat(id, { workspace }))),
    resourceRead: (_, server, pick) =>
      soon(read(server, pick.pick === "listed" ? pick.uri : pick.pattern.replaceAll(/[{}]/g, ""))),
    promptGet: (_, server, name, args) => soon(expanded(server, name, args)),
    attachmentDrop: () => soon(undefined),
    complete: (_, { field, value }) => soon({ values: proposals(field, value), more: false }),
  } satisfies Partial<MainHost>;
}

/** The most entries of one part, as in the real host. */
const PART = 60;

const ordered = (world: World, chat: string) =>
  (world.entries.get(chat) ?? []).toSorted((a, b) => a.position - b.position);

function entriesOf(world: World, chat: string, part: EntriesPart): Promise<EntriesView> {
  const all = ordered(world, chat);
  const at = part.part === "around" ? all.findIndex(({ id }) => id === part.entry) : 0;
  if (at < 0) return no({ problem: "gone" });
  const before = (end: number, most: number) => all.slice(Math.max(0, end - most), Math.max(0, end));
  const after = (start: number, most: number) => all.slice(start, start + most);
  const index = (position: number) => all.filter((entry) => entry.position < position).length;
  const entries = {
    newest: () => before(all.length, PART),
    before: () => before(index(part.part === "before" ? part.position : 0), PART),
    after: () => after(index(part.part === "after" ? part.position + 1 : 0), PART),
    around: () => [...before(at, PART / 2), ...after(at, PART / 2)],
  }[part.part]();
  const [first, last] = [entries[0], entries.at(-1)];
  const [earlier, later] = [first !== undefined && first !== all[0], last !== undefined && last !== all.at(-1)];
  return soon({ seq: world.lastSeq, entries: entries.map((entry) => world.branches.placed(entry)), earlier, later });
}

/** The chats in which all words of a search were said. */
function found(search: string, chats: ChatView[], entries: Map<string, EntryView[]>): ChatHit[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return chats.flatMap(({ id }) => {
    const said = (entries.get(id) ?? []).toReversed().flatMap(({ id: entry, body }) => {
      const text = body.kind === "user" || body.kind === "assistant" ? body.text : "";
      return words.length > 0 && words.every((word) => text.toLowerCase().includes(word)) ? [{ entry, text }] : [];
    })[0];
    return said ? [{ chat: id, entry: said.entry, excerpt: said.text.replaceAll(/\s+/g, " ").slice(0, 90) }] : [];
  });
}

/** The places of a text in the entries of a chat. */
function places(search: string, entries: EntryView[]): ChatFindView {
  const wanted = search.trim().toLowerCase();
  const times = (text: string) => text.toLowerCase().split(wanted).length - 1;
  const once = (value: unknown) => Math.min(1, times(JSON.stringify(value)));
  const of = ({ id: entry, position, body }: EntryView): ChatFindHit[] => {
    const hit = (place: ChatFindPlace, count: number) => (count > 0 ? [{ entry, position, place, count }] : []);
    if (body.kind === "user") return hit("message", times(body.text));
    if (body.kind === "assistant")
      return [...hit("thoughts", once(body.reasoning)), ...hit("message", times(body.text))];
    if (body.kind !== "call") return [];
    const result = body.state === "answered" ? [body.result.content, body.result.structured ?? ""] : "";
    return [...hit("call", once([body.server_name, body.tool, body.arguments])), ...hit("result", once(result))];
  };
  return { hits: wanted === "" ? [] : entries.flatMap(of).slice(-1_000), complete: true };
}
