import { describe, expect, it, vi } from "vitest";
import type { EntriesView, Envelope, HostEvent, Snapshot } from "../../src/host/bindings";
import type { MainHost } from "../../src/host";
import { MOST_LOADED } from "../../src/state/loadedChats";
import { Projection } from "../../src/state/projection.svelte";
import { MessageSource } from "./messageSource";

const SNAPSHOT: Snapshot = {
  seq: 10,
  ledger: { state: "continues" },
  ledger_check: null,
  rows: { protection: { state: "signed" }, unproven_tools: 0, list_changed: false, findings: [] },
  connections: [],
  chats: [
    {
      id: "c",
      title: "Chat",
      model: null,
      workspace: "w",
      updated_ms: 1,
      temporary: false,
      busy: false,
      servers_off: [],
      tools_off: [],
      queue: [],
      settings: {},
      pinned: false,
      archived: false,
      trashed_ms: null,
    },
  ],
  servers: [],
  workspaces: [],
  models: [],
  settings: {
    appearance: "system",
    language: "en",
    default_model: "m",
    max_rounds: 1,
    call_timeout_s: 5,
    notify: true,
    zoom: 100,
    tool_discovery: "automatic",
    large_results: "part",
    compact: true,
    compact_at: 80,
    title_chats: false,
    day_budget: null,
    currency: "USD",
    budget: null,
    server_order: [],
    picture_edge: 1568,
    pictures_sent: 4,
    gallery_address: "https://registry.modelcontextprotocol.io",
  },
  costs: { day: [], month: [] },
  secrets: { state: "keychain" },
  waiting: [],
  muted: [],
  profiles: [],
  drafts: [],
  version: "0",
  data_folder: "/",
  log_folder: "/home/ada/logs",
};

const said = (text: string) => ({
  id: "e",
  chat: "c",
  position: 0,
  at_ms: 0,
  body: { kind: "assistant" as const, text, reasoning: "", model: "m", scripted: false, state: "streaming" as const },
});

/** A host whose events the test decides. */
function scripted(entries: () => Promise<EntriesView>) {
  const events = new MessageSource<Envelope>();
  let opened = 0;
  let last = 0;
  const host = {
    open: () => Promise.resolve({ ...SNAPSHOT, seq: 10 * ++opened }),
    events: () => events.next(),
    lastEvent: () => Promise.resolve({ seq: last }),
    chatEntries: entries,
  } as unknown as MainHost;
  const tell = (seq: number, event: HostEvent) => events.send({ seq, event });
  return { projection: new Projection(host), tell, opened: () => opened, ended: (seq: number) => (last = seq) };
}

const words = (text: string): HostEvent => ({ event: "words", chat: "c", entry: "e", text, reasoning: "" });
const textOf = (projection: Projection) => {
  const body = projection.transcript("c")?.cells[0]?.body;
  return body?.kind === "assistant" ? body.text : undefined;
};

describe("the projection", () => {
  it("adds_streaming_words_once_whether_they_come_before_or_after_the_entries_are_read", async () => {
    let answer: (view: EntriesView) => void = () => undefined;
    const { projection, tell } = scripted(() => new Promise((done) => (answer = done)));
    await projection.open();
    const loading = projection.load("c");
    await tell(11, words("b"));
    await tell(12, words("c"));
    await projection.catchUp();
    answer({ seq: 11, entries: [said("ab")], earlier: false, later: false });
    await loading;
    expect(textOf(projection)).toBe("abc");
    await tell(13, words("d"));
    await projection.catchUp();
    expect(textOf(projection)).toBe("abcd");
  });

  it("opens_again_after_a_lost_event_and_listens_to_the_new_subscription_only", async () => {
    const { projection, tell, opened } = scripted(() =>
      Promise.resolve({ seq: 10, entries: [], earlier: false, later: false }),
    );
    await projection.open();
    await tell(12, { event: "chat_gone", chat: "c" });
    await expect.poll(opened).toBe(2);
    await expect.poll(() => projection.chats.length).toBe(1);
    await tell(21, { event: "chat_gone", chat: "c" });
    await projection.catchUp();
    expect(projection.chats).toEqual([]);
  });

  it("knows_what_a_command_did_whose_events_come_after_its_reply", async () => {
    const { projection, tell, ended } = scripted(() =>
      Promise.resolve({ seq: 10, entries: [], earlier: false, later: false }),
    );
    await projection.open();
    ended(12);
    let isCaughtUp = false;
    const catchingUp = projection.catchUp().then(() => (isCaughtUp = true));
    await tell(11, { event: "settings", settings: { ...SNAPSHOT.settings, zoom: 90 } });
    expect(isCaughtUp).toBe(false);
    await tell(12, { event: "settings", settings: { ...SNAPSHOT.settings, zoom: 80 } });
    await catchingUp;
    expect(projection.settings.zoom).toBe(80);
  });

  it("waits_for_no_event_where_the_host_cannot_be_reached", async () => {
    const gone = { problem: "unexpected", detail: "it ended" };
    const host = {
      open: () => Promise.resolve(SNAPSHOT),
      events: () => Promise.reject(gone),
      lastEvent: () => Promise.resolve({ seq: 99 }),
    } as unknown as MainHost;
    const projection = new Projection(host);
    await projection.open();
    await projection.catchUp();
    expect(projection.trouble).toEqual(gone);
    host.lastEvent = () => Promise.reject(gone);
    await projection.catchUp();
  });

  it("keeps_the_newest_chat_first", async () => {
    const { projection, tell } = scripted(() =>
      Promise.resolve({ seq: 10, entries: [], earlier: false, later: false }),
    );
    await projection.open();
    await tell(11, {
      event: "chat",
      chat: {
        id: "d",
        title: "",
        model: null,
        workspace: "w",
        updated_ms: 9,
        temporary: false,
        busy: true,
        servers_off: [],
        tools_off: [],
        queue: [],
        settings: {},
        pinned: false,
        archived: false,
        trashed_ms: null,
      },
    });
    await projection.catchUp();
    expect(projection.chats.map(({ id }) => id)).toEqual(["d", "c"]);
  });

  it("keeps_the_chats_that_were_shown_last_and_reads_an_earlier_one_again", async () => {
    let readings = 0;
    const { projection } = scripted(() => {
      readings += 1;
      return Promise.resolve({ seq: 10, entries: [], earlier: false, later: false });
    });
    await projection.open();
    const chats = Array.from({ length: MOST_LOADED + 1 }, (_, index) => `chat ${index}`);
    const loaded = () => chats.filter((chat) => projection.transcript(chat)?.loaded);
    for (const chat of chats.slice(0, -1)) await projection.show(chat);
    expect(loaded()).toEqual(chats.slice(0, -1));
    await projection.show("chat 0");
    expect(readings).toBe(MOST_LOADED);
    await projection.show(`chat ${MOST_LOADED}`);
    expect(loaded()).toEqual(chats.filter((chat) => chat !== "chat 1"));
    await projection.show("chat 1");
    expect(readings).toBe(MOST_LOADED + 2);
    expect(loaded()).toEqual(chats.filter((chat) => chat !== "chat 2"));
  });

  it("opens_again_where_the_host_says_that_events_were_lost", async () => {
    const replies = [null, new Promise<never>(() => undefined)];
    let opened = 0;
    const host = {
      open: () => Promise.resolve({ ...SNAPSHOT, seq: 10 * ++opened }),
      events: () => Promise.resolve(replies.shift()),
    } as unknown as MainHost;
    await new Projection(host).open();
    await expect.poll(() => opened).toBe(2);
    await expect.poll(() => replies.length).toBe(0);
  });

  it("says_that_events_are_lost_only_where_that_happens_again_and_again", async () => {
    const now = vi.spyOn(performance, "now");
    let opened = 0;
    const host = {
      open: () => Promise.resolve({ ...SNAPSHOT, seq: 10 * ++opened }),
      events: () => Promise.resolve(null),
    } as unknown as MainHost;
    const projection = new Projection(host);
    let at = 0;
    now.mockImplementation(() => (opened < 20 ? (at += 20_000) : at));
    await projection.open();
    for (let step = 0; step < 1_000 && projection.trouble === null; step += 1) await Promise.resolve();
    now.mockRestore();
    expect(projection.trouble).toEqual({ problem: "unexpected", detail: "events were lost" });
    // The last three before the clock stops count too.
    expect(opened).toBe(22);
  });

  it("says_why_the_host_could_not_be_reached", async () => {
    const host = { open: () => Promise.reject({ problem: "disk_full" }) } as unknown as MainHost;
    const projection = new Projection(host);
    await projection.open();
    expect(projection.trouble).toEqual({ problem: "disk_full" });
    expect(projection.ready).toBe(false);
  });
});
