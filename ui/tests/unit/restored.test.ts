// What is entered on a card of any kind is the same after it was taken out as JSON and put back on the same card.
import { describe, expect, it } from "vitest";
import type { QuestionBody, FieldKind, FormField, Question } from "../../src/host/bindings";
import type { CallDraft } from "../../src/questions/call_tool/draft.svelte";
import type { FormAnswers } from "../../src/questions/fill_form/draft.svelte";
import type { CardDraft, Entered } from "../../src/questions/frame/draft.svelte";
import { draftOf as draftOfQuestion } from "../../src/questions/registry";
import type { FoldersDraft } from "../../src/questions/share_folders/draft.svelte";
import type { PromptDraft, ReplyDraft } from "../../src/features/sampling/sampling.svelte";

const TEXT: FieldKind = { kind: "text", min_length: null, max_length: null, pattern: null, format: null, default: "x" };
const field = (name: string, kind: FieldKind, secret = false): FormField => ({
  name,
  title: null,
  description: null,
  required: false,
  secret,
  broken_default: null,
  kind,
});
const CLAIMS = { read_only: null, destructive: null, idempotent: null, open_world: null };
const DEFINITION = { inputSchema: { properties: { page: { type: "string" }, size: { type: "number" } } } };

const CARDS = {
  call: {
    kind: "call_tool",
    tool: { name: "t", title: null, description: null, claims: CLAIMS, definition: DEFINITION },
    arguments: { page: "a", size: 1 },
    last_arguments: null,
    raised: null,
    headers: [],
    carried: [],
    roots: [],
    outside: [],
    findings: { links: [], own_data: [], paths_unchecked: false, flow_unchecked: false },
  },
  prompt: {
    kind: "sample_prompt",
    system: "Be kind.",
    messages: [
      { role: "user", blocks: [{ block: "text", text: "Hello" }] },
      {
        role: "user",
        blocks: [{ block: "tool_result", id: "1", error: false, blocks: [{ block: "text", text: "6" }] }],
      },
    ],
    tools: [],
    models: [],
    picked: "m1",
    max_tokens: 100,
  } as unknown as QuestionBody,
  reply: {
    kind: "sample_reply",
    blocks: [
      { block: "text", text: "One" },
      { block: "text", text: "Two" },
    ],
  } as unknown as QuestionBody,
  folders: {
    kind: "share_folders",
    folders: [
      { path: "/a", picked: true },
      { path: "/b", picked: false },
    ],
  } as unknown as QuestionBody,
  form: {
    kind: "fill_form",
    message: "",
    fields: [
      field("name", TEXT),
      field("left", TEXT),
      field("emptied", TEXT),
      field("age", { kind: "number", integer: true, minimum: null, maximum: null, default: null }),
      field("agree", { kind: "boolean", default: null }),
      field("tags", { kind: "choices", options: [], min_items: null, max_items: null, default: [] }),
      field("password", TEXT, true),
    ],
  },
} satisfies Record<string, QuestionBody>;

const draftOf = (about: QuestionBody) => {
  const question = { about, scopes: ["once", "chat"] } as unknown as Question;
  return draftOfQuestion(question, () => Promise.resolve([]));
};

/** The same card in a window that was loaded anew. */
function again(about: QuestionBody, draft: CardDraft): CardDraft {
  const fresh = draftOf(about);
  fresh.restore(JSON.parse(JSON.stringify(draft.entered)) as Entered);
  return fresh;
}

const callOf = (draft: CardDraft) => draft.body as CallDraft;
const promptOf = (draft: CardDraft) => draft.body as PromptDraft;
const replyOf = (draft: CardDraft) => draft.body as ReplyDraft;
const foldersOf = (draft: CardDraft) => draft.body as FoldersDraft;
const answersOf = (draft: CardDraft) => draft.body as FormAnswers;

describe("what was entered on a card", () => {
  it("is_nothing_on_a_card_nobody_touched", () => {
    for (const about of Object.values(CARDS)) expect(draftOf(about).entered).toBeNull();
  });

  it("comes_back_in_edited_arguments_with_what_does_not_parse_yet", () => {
    const draft = draftOf(CARDS.call);
    callOf(draft).arguments.set(["page"], "b");
    callOf(draft).arguments.keep(["size"], "1e");
    const back = again(CARDS.call, draft);
    expect(back.body.changed).toEqual({ page: "b", size: 1 });
    expect(callOf(back).arguments.fit).toBe(false);
    callOf(draft).arguments.undoAll();
    callOf(draft).arguments.typeJson('{"page": ');
    const json = callOf(again(CARDS.call, draft)).arguments;
    expect([json.json, json.jsonBroken]).toEqual(['{"page": ', true]);
  });

  it("comes_back_in_what_a_model_is_told_and_in_what_it_said", () => {
    const draft = draftOf(CARDS.prompt);
    promptOf(draft).write([1, 0, 0], "7");
    promptOf(draft).set({ system: "Be brief.", max_tokens: NaN });
    const back = again(CARDS.prompt, draft);
    expect(promptOf(back).value).toEqual(promptOf(draft).value);
    expect(promptOf(back).fit).toBe(false);
    const said = draftOf(CARDS.reply);
    replyOf(said).write([0, 1], "Three");
    expect(again(CARDS.reply, said).body.changed).toEqual(said.body.changed);
  });

  it("comes_back_in_folders_that_were_picked", () => {
    const draft = draftOf(CARDS.folders);
    foldersOf(draft).set("/a", false);
    foldersOf(draft).set("/b", true);
    expect(again(CARDS.folders, draft).body.changed).toEqual({ folders: ["/b"] });
  });

  it("comes_back_in_a_form_without_what_looks_like_a_secret", () => {
    const draft = draftOf(CARDS.form);
    const values = { name: "Ada", emptied: undefined, age: "3x", agree: false, tags: ["a"], password: "hunter2" };
    for (const [name, value] of Object.entries(values)) {
      answersOf(draft).enter(CARDS.form.fields.find((each) => each.name === name) as FormField, value);
    }
    expect(JSON.stringify(draft.entered)).not.toContain("hunter2");
    const back = again(CARDS.form, draft);
    expect(answersOf(back).content).toEqual({ name: "Ada", left: "x", agree: false, tags: ["a"] });
    expect(answersOf(back).valueIn(CARDS.form.fields[3] as FormField)).toBe("3x");
    expect([back.restored, again(CARDS.form, back).restored]).toEqual(["part", "part"]);
  });

  it("comes_back_in_the_scope_the_reason_and_the_conditions", () => {
    const draft = draftOf(CARDS.call);
    draft.scope = "chat";
    draft.reason = "keep the letters";
    callOf(draft).limit([{ at: "/page", kind: "equals", text: "a" }]);
    const back = again(CARDS.call, draft);
    expect([back.scope, back.reason, back.reasonOpen, callOf(back).conditions]).toEqual([
      "chat",
      "keep the letters",
      true,
      callOf(draft).conditions,
    ]);
    expect(back.restored).toBe("whole");
  });
});
