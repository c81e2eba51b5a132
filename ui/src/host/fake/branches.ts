// Branches of the chats of the fake host: the entries that are shown, and for each version that is not, what it brings.
import type { EntryView, VersionsView } from "../bindings";
import { answer } from "./turn";
import type { World } from "./world";

export class Branches {
  /** The versions of one entry, by each of them, in order. */
  readonly #groups = new Map<string, string[]>();
  /** A version that is not shown, with the entries after it. */
  readonly #kept = new Map<string, EntryView[]>();

  /** Makes one entry a version of another. */
  add(id: string, of: string): void {
    const group = this.#groups.get(of) ?? [of];
    group.push(id);
    for (const one of group) this.#groups.set(one, group);
  }

  keep(entries: EntryView[]): void {
    if (entries[0]) this.#kept.set(entries[0].id, entries);
  }

  /** What a version brings that is not shown. */
  take(id: string): EntryView[] {
    const entries = this.#kept.get(id) ?? [];
    this.#kept.delete(id);
    return entries;
  }

  group(id: string): string[] {
    return this.#groups.get(id) ?? [id];
  }

  /** The entry with its place among its versions. */
  placed(entry: EntryView): EntryView {
    const group = this.group(entry.id);
    if (group.length === 1) return entry;
    const at = group.indexOf(entry.id);
    const versions: VersionsView = {
      at: at + 1,
      of: group.length,
      before: group[at - 1] ?? null,
      after: group[at + 1] ?? null,
    };
    return { ...entry, versions };
  }
}

/** Ends what a chat shows before an entry and keeps the rest; returns the first that is shown no longer. */
function cut(world: World, chat: string, at: number): EntryView | undefined {
  const shown = world.entries.get(chat) ?? [];
  world.branches.keep(shown.slice(at));
  world.entries.set(chat, shown.slice(0, at));
  world.tell({ event: "branch", chat });
  return shown[at];
}

/** The chat that shows an entry, and where. */
function placeOf(world: World, id: string): { chat: string; at: number } | undefined {
  for (const [chat, entries] of world.entries) {
    const at = entries.findIndex((entry) => entry.id === id);
    if (at >= 0) return { chat, at };
  }
  return undefined;
}

export function editMessage(world: World, id: string, text: string): void {
  const place = placeOf(world, id);
  if (!place) return;
  cut(world, place.chat, place.at);
  const entry = world.nextId("e");
  world.branches.add(entry, id);
  world.putEntry(place.chat, { kind: "user", text, attachments: [] }, entry);
  answer(world, place.chat);
}

export function regenerate(world: World, id: string): void {
  const place = placeOf(world, id);
  if (!place) return;
  const shown = world.entries.get(place.chat) ?? [];
  const message = shown.slice(0, place.at + 1).findLastIndex(({ body }) => body.kind === "user");
  answer(world, place.chat, cut(world, place.chat, message + 1)?.id);
}

/** Deletes a message with its answer. */
export function deleteMessage(world: World, id: string): void {
  const place = placeOf(world, id);
  if (!place) return;
  const shown = world.entries.get(place.chat) ?? [];
  const length = shown.slice(place.at + 1).findIndex(({ body }) => body.kind === "user");
  const after = length < 0 ? shown.length : place.at + 1 + length;
  world.entries.set(place.chat, [...shown.slice(0, place.at), ...shown.slice(after)]);
  world.tell({ event: "branch", chat: place.chat });
}

export function showBranch(world: World, id: string): void {
  if (placeOf(world, id)) return;
  const shown = world.branches.group(id).flatMap((one) => placeOf(world, one) ?? [])[0];
  if (!shown) return;
  const brought = world.branches.take(id);
  cut(world, shown.chat, shown.at);
  world.entries.set(shown.chat, [...(world.entries.get(shown.chat) ?? []), ...brought]);
  world.tell({ event: "branch", chat: shown.chat });
}
