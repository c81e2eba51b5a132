import { describe, expect, it } from "vitest";
import type { ConsentHost } from "../../src/host";
import type { InboxMessage, Problem, Question, Reply, Settings } from "../../src/host/bindings";
import type { CallDraft } from "../../src/questions/call_tool/draft.svelte";
import type { CardDraft } from "../../src/questions/frame/draft.svelte";
import { Inbox } from "../../src/state/inbox.svelte";
import { MessageSource } from "./messageSource";

const SETTINGS: Settings = {
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
};

const argumentsOf = (draft: CardDraft) => (draft.body as CallDraft).arguments;

const question = (id: string): Question => ({
  id,
  server: { id: "s", name: "notes", provenance: "npx notes" },
  cause: null,
  about: {
    kind: "call_tool",
    tool: {
      name: "t",
      title: null,
      description: null,
      claims: { read_only: null, destructive: null, idempotent: null, open_world: null },
      definition: {},
    },
    arguments: { page: id },
    last_arguments: null,
    raised: null,
    headers: [],
    carried: [],
    roots: [],
    outside: [],
    findings: { links: [], own_data: [], paths_unchecked: false, flow_unchecked: false },
  },
  scopes: ["once", "chat"],
  guard_ms: 500,
  asked_ms: 0,
  often: null,
  denied: null,
  nonce: `n-${id}`,
  digest: `d-${id}`,
  same: `s-${id}`,
});

function opened() {
  const messages = new MessageSource<InboxMessage>();
  const replies: Reply[] = [];
  const refusals: Problem[] = [];
  const kept: unknown[] = [];
  const host: ConsentHost = {
    open: () => Promise.resolve(),
    messages: () => messages.next(),
    present: () => Promise.resolve(),
    check: () => Promise.resolve([]),
    unmute: () => Promise.resolve(),
    hide: () => Promise.resolve(),
    keep: (...message) => {
      kept.push(message);
      return Promise.resolve();
    },
    answer: (reply) => {
      replies.push(reply);
      const refusal = refusals.shift();
      // Commands reject with a Problem, which is no Error.
      return refusal ? Promise.reject(refusal) : Promise.resolve();
    },
  };
  const inbox = new Inbox(host);
  void inbox.follow();
  const hear = (message: InboxMessage) => messages.send(message);
  const state = (...ids: string[]) =>
    hear({ message: "state", questions: ids.map(question), muted: [], settings: SETTINGS });
  return { inbox, state, hear, replies, refusals, kept };
}

describe("the inbox", () => {
  it("answers_with_the_nonce_and_digest_of_what_was_shown", async () => {
    const { inbox, state, replies } = opened();
    await state("a", "b");
    const front = inbox.question as Question;
    await inbox.answer(front, { answer: "accept", scope: "once", arguments: null, when: [] });
    expect(replies).toEqual([
      {
        question: "a",
        nonce: "n-a",
        digest: "d-a",
        answer: { answer: "accept", scope: "once", arguments: null, when: [] },
        also: [],
      },
    ]);
  });

  it("answers_no_more_of_the_same_than_there_were_when_the_user_ticked_it", async () => {
    const { inbox, hear } = opened();
    const alike = (...ids: string[]) => {
      const questions = ids.map((id) => ({ ...question(id), same: "s" }));
      return hear({ message: "state", questions, muted: [], settings: SETTINGS });
    };
    await alike("a", "b", "c");
    const front = inbox.question as Question;
    inbox.draftOf(front).also = true;
    await alike("a", "b");
    expect(inbox.draftOf(front).also).toBe(true);
    await alike("a", "b", "d");
    expect(inbox.draftOf(front).also).toBe(false);
  });

  it("keeps_what_was_typed_while_another_card_is_in_front", async () => {
    const { inbox, state } = opened();
    await state("a", "b");
    argumentsOf(inbox.draftOf(question("a"))).set(["page"], "mine");
    inbox.pick("b");
    expect(inbox.question?.id).toBe("b");
    inbox.pick("a");
    expect(argumentsOf(inbox.draftOf(question("a"))).value).toEqual({ page: "mine" });
  });

  it("has_what_is_entered_kept_with_the_nonce_of_its_card", async () => {
    const { inbox, state, kept } = opened();
    await state("a");
    inbox.keep(question("a"));
    expect(kept).toEqual([]);
    argumentsOf(inbox.draftOf(question("a"))).set(["page"], "mine");
    inbox.keep(question("a"));
    inbox.keep(question("a"));
    await Promise.resolve();
    expect(kept).toEqual([
      ["a", "n-a", { content: { value: { page: "mine" }, json: null, unparsed: [], view: "form" } }],
    ]);
  });

  it("presents_the_card_again_and_starts_no_guard_by_itself_after_it_was_hidden", async () => {
    const { inbox, state, hear } = opened();
    await state("a");
    await hear({ message: "guard", question: "a", ms: 500 });
    expect(inbox.guard.phase).toBe("running");
    await hear({ message: "hidden" });
    expect([inbox.guard.phase, inbox.shows, inbox.question?.id]).toEqual(["waiting", 1, "a"]);
  });

  it("presents_the_card_again_where_an_answer_came_too_soon", async () => {
    const { inbox, state, refusals } = opened();
    await state("a");
    refusals.push({ problem: "answer_too_soon" });
    await inbox.answer(question("a"), { answer: "accept", scope: "once", arguments: null, when: [] });
    expect([inbox.guard.phase, inbox.shows, inbox.trouble?.problem]).toEqual(["waiting", 1, "answer_too_soon"]);
  });

  it("starts_with_what_was_entered_on_this_very_card_and_on_no_other", async () => {
    const { inbox, state, hear } = opened();
    const content = { value: { page: "mine" }, json: null, unparsed: [], view: "form" };
    const kept = (id: string, nonce: string) => ({ question: id, nonce, entered: { scope: "chat", content } });
    await hear({ message: "kept", kept: [kept("a", "n-a"), kept("b", "n-of-what-b-was-before"), kept("gone", "n-c")] });
    await state("a", "b", "c");
    const draft = inbox.draftOf(question("a"));
    expect(draft.restored).toBe("whole");
    expect([draft.scope, draft.body.changed]).toEqual(["chat", { page: "mine" }]);
    for (const other of ["b", "c"].map((id) => inbox.draftOf(question(id)))) {
      expect([other.restored, other.scope, other.body.changed]).toEqual([null, "once", null]);
    }
  });

  it("does_not_change_the_front_card_when_another_question_arrives", async () => {
    const { inbox, state } = opened();
    await state("b");
    await state("b", "c");
    expect(inbox.question?.id).toBe("b");
  });

  it("takes_no_guard_for_a_card_that_is_not_in_front", async () => {
    const { inbox, state, hear } = opened();
    await state("a", "b");
    await hear({ message: "guard", question: "b", ms: 1 });
    expect(inbox.guard.phase).toBe("waiting");
    await hear({ message: "guard", question: "a", ms: 60_000 });
    expect(inbox.guard.phase).toBe("running");
    inbox.pick("b");
    expect(inbox.guard.phase).toBe("waiting");
  });

  it("says_so_when_a_question_is_withdrawn_but_not_after_an_answer", async () => {
    const { inbox, state } = opened();
    await state("a", "b");
    await state("b");
    expect(inbox.left?.id).toBe("a");
    inbox.pick("b");
    expect(inbox.left).toBeNull();
    await inbox.answer(question("b"), { answer: "cancel" });
    await state();
    expect(inbox.left).toBeNull();
  });

  it("keeps_the_card_and_says_why_when_an_answer_is_refused", async () => {
    const { inbox, state, refusals } = opened();
    await state("a");
    refusals.push({ problem: "answer_too_soon" });
    await inbox.answer(question("a"), { answer: "accept", scope: "once", arguments: null, when: [] });
    expect(inbox.trouble).toEqual({ problem: "answer_too_soon" });
    expect(inbox.question?.id).toBe("a");
    expect(inbox.answering).toBe(false);
  });

  it("shows_the_questions_after_one_that_cannot_be_shown", async () => {
    const { inbox, state, hear } = opened();
    const unknown = { ...question("x"), about: { kind: "unknown" } } as unknown as Question;
    await hear({ message: "state", questions: [unknown], muted: [], settings: SETTINGS });
    expect(inbox.trouble).not.toBeNull();
    await state("a");
    expect(inbox.question?.id).toBe("a");
  });

  it("comes_to_a_question_the_host_wants_to_show", async () => {
    const { inbox, state, hear } = opened();
    await state("a", "b");
    await hear({ message: "show", question: "b" });
    expect(inbox.question?.id).toBe("b");
  });
});
