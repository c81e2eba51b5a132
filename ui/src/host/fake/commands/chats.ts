// Chats: what is written in them, what is attached, and their turns.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import type {
  ChatFindHit,
  ChatFindPlace,
  ChatFindView,
  ChatHit,
  ChatSearch,
  EntriesPart,
  EntriesView,
  EntryBody,
  EntryView,
  ExcerptPart,
  HitSpeaker,
  Problem,
} from "../../bindings";
import { chatOf } from "../data";
import { attached, dropped, note, pastedText, picture } from "../files";
import { meterOf } from "../meter";
import { expanded, proposals, read } from "../offers";
import { putProfiles, saveProfile, switchServer, switchTool, useProfile, without } from "../profiles";
import { storedPieces } from "../media";
import { changeQueue, sendNow, wait } from "../queue";
import { done, no, soon } from "../replies";
import { deleteMessage, editMessage, regenerate, showBranch } from "../branches";
import { changeSummary } from "../summaries";
import { answer, askAgain, goOn, reply, shareResult, stopCall } from "../turn";

export function chatCommands(world: World) {
  const create = (temporary: boolean) =>
    world.putChat(chatOf({ id: world.nextId("c"), temporary, title: "", updated_ms: Date.now() }));
  /** Why a message is refused, where it says so. */
  const refused = (text: string): Problem | null => {
    if (text === "fail") return { problem: "chat_busy" };
    return text === "unseen" ? { problem: "model_without_pictures" } : null;
  };
  return {
    chatBegin: async (text, profile) => {
      const problem = refused(text);
      if (problem) return no(problem);
      const chat = create(false);
      if (profile !== null)
        await useProfile(world, chat.id, profile).catch((error: unknown) => {
          world.dropChat(chat.id);
          throw error;
        });
      reply(world, chat.id, text, []);
      return soon(chat);
    },
    chatCreate: (temporary) => soon(create(temporary)),
    chatPrepare: () => soon(undefined),
    chatRename: (id, title) => soon(void world.changeChat(id, { title })),
    chatPin: (id, pinned) => soon(void world.changeChat(id, { pinned })),
    chatArchive: (id, archived) => soon(void world.changeChat(id, { archived })),
    chatTrash: (id, trashed) => soon(void world.changeChat(id, { trashed_ms: trashed ? Date.now() : null })),
    trashEmpty: () => {
      for (const { id } of world.chats.filter(({ trashed_ms }) => trashed_ms !== null)) world.dropChat(id);
      return soon(undefined);
    },
    chatDelete: (id) => {
      world.dropChat(id);
      return soon(undefined);
    },
    chatEntries: (id, part) => entriesOf(world, id, part),
    chatSend: (id, text, named) => {
      const problem = refused(text);
      if (problem) return no(problem);
      return soon(reply(world, id, text, world.takeFiles(named)));
    },
    queueAdd: (id, text, named) => {
      const problem = refused(text);
      if (problem) return no(problem);
      return soon(wait(world, id, text, world.takeFiles(named).length));
    },
    queueEdit: (id, message, text) =>
      soon(changeQueue(world, id, (queue) => queue.map((one) => (one.id === message ? { ...one, text } : one)))),
    queueRemove: (id, message) => soon(changeQueue(world, id, (queue) => queue.filter((one) => one.id !== message))),
    queueSend: (id, message) => soon(sendNow(world, id, message)),
    storedPieces: (entry, number, first) => {
      const pieces = storedPieces(world.entries.values(), entry, number, first);
      return pieces ? soon(pieces) : no({ problem: "gone" });
    },
    resultShare: (entry, share) => (shareResult(world, entry, share) ? soon(undefined) : no({ problem: "gone" })),
    callStop: (entry) => soon(stopCall(world, entry)),
    chatSearch: (words) => soon(found(words, world)),
    chatFind: (id, search) => soon(places(search, ordered(world, id))),
    chatMeter: (id) => soon(meterOf(world, id)),
    chatToolSwitch: (id, tool, on) => soon(switchTool(world, id, tool, on)),
    chatServerSwitch: (id, server, on) => soon(switchServer(world, id, server, on)),
    profileSave: (id, name) => saveProfile(world, id, name),
    profileRemove: (name) => soon(putProfiles(world, without(world, name))),
    chatProfile: (id, name) => useProfile(world, id, name),
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
    summaryEdit: (entry, summary) =>
      summary !== "fail" && changeSummary(world, entry, { summary, edited: true })
        ? soon(undefined)
        : no({ problem: "chat_busy" }),
    summaryUse: (entry, used) => (changeSummary(world, entry, { used }) ? soon(undefined) : no({ problem: "gone" })),
    branchShow: (entry) => soon(showBranch(world, entry)),
    callAskAgain: (entry, text) => soon(askAgain(world, entry, text)),
    chatWithoutTools: (id) => {
      world.sayWithoutTools(id);
      return soon(goOn(world, id));
    },
    chatSettings: (id, wanted) => soon(void world.changeChat(id, { settings: wanted })),
    chatModel: (id, model) => soon(done(world.changeChat(id, { model }))),
    chatWorkspace: (id, workspace) => soon(world.ask("q-move", () => world.changeChat(id, { workspace }))),
    resourceRead: (_, server, pick) => {
      const uri = pick.pick === "listed" ? pick.uri : pick.pattern.replaceAll(/[{}]/g, "");
      return world.fetch(uri, () => read(server, uri));
    },
    promptGet: (_, server, name, args) => world.fetch(name, () => expanded(server, name, args)),
    filesChoose: (id) => world.readFiles(id, () => attached(world, id, [note(), picture()])),
    filesDropped: (id) => world.readFiles(id, () => dropped(world, id)),
    picturePaste: (id) => soon(attached(world, id, [picture("Pasted picture")])),
    textPaste: (id, text) => soon(attached(world, id, [pastedText(text)])),
    attachmentsWaiting: (id) => soon(id === world.waitingFiles?.chat ? world.waitingFiles.files : []),
    attachmentDrop: (id) => soon(void world.droppedAttachments.push(id)),
    pictureSave: (place) => {
      world.savedPictures.push(place);
      return world.saveProblem ? no(world.saveProblem) : soon(world.savePath);
    },
    linkOpen: (chat, entry, address) => {
      world.clickedLinks.push({ chat, entry, address });
      return soon(world.ask(world.nextId("q"), () => undefined));
    },
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

/** The entries in which all words of a search were said, the newest first. */
function found(search: string, world: World): ChatSearch {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const listed = new Set(world.chats.flatMap(({ id, trashed_ms }) => (trashed_ms === null ? [id] : [])));
  const all = [...world.entries.values()].flat().filter(({ chat }) => listed.has(chat));
  const hits = all.flatMap(({ id, chat, at_ms, body }): ChatHit[] => {
    const [speaker, text] = said(body);
    const isHit = speaker !== null && words.length > 0 && words.every((word) => text.toLowerCase().includes(word));
    return isHit ? [{ chat, entry: id, at_ms, speaker, excerpt: excerpt(text, words) }] : [];
  });
  const newest = hits.toSorted((a, b) => b.at_ms - a.at_ms).slice(0, MOST_HITS);
  return { hits: newest, more: hits.length > MOST_HITS, unindexed: words.includes("earlier") ? 1280 : 0 };
}

/** The most entries of one search, as in the real host. */
const MOST_HITS = 60;

function said(body: EntryBody): [HitSpeaker | null, string] {
  switch (body.kind) {
    case "user":
      return [{ who: "user" }, body.text];
    case "assistant":
      return [{ who: "model" }, plain(body.text)];
    case "call": {
      const parts = body.state === "answered" ? body.result.content : [];
      const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return [{ who: "tool", name: body.tool }, [...Object.values(body.arguments).map(String), ...texts].join("\n")];
    }
    default:
      return [null, ""];
  }
}

/** An answer nearly as it is read, without its marks. */
const plain = (text: string) => text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[*`]/g, "");

/** One line around the first hit, with every hit as a part of its own. */
function excerpt(text: string, words: string[]): ExcerptPart[] {
  const line = text.replaceAll(/\s+/g, " ");
  const escaped = words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  const hit = new RegExp(`(${escaped.join("|")})`, "i");
  const at = Math.max(0, line.search(hit) - 40);
  const parts = line.slice(at, at + 200).split(new RegExp(hit, "gi"));
  return parts.map((part, index) => ({ text: part, hit: index % 2 === 1 })).filter((part) => part.text !== "");
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
