import { describe, expect, it } from "vitest";
import type { EntryBody, TextState } from "../../src/host/bindings";
import { m } from "../../src/paraglide/messages";
import { announcement } from "../../src/views/chat/ending";

const said = (body: EntryBody) => announcement({ position: 0, body });
const answer = (state: TextState): EntryBody => ({
  kind: "assistant",
  text: "Once upon a time",
  reasoning: "",
  model: "a",
  scripted: false,
  state,
});

describe("what a screen reader says of the last entry", () => {
  it.each<[TextState, string]>([
    ["streaming", ""],
    ["done", m.announce_done()],
    ["stopped", m.stopped_by_you()],
    ["interrupted", m.interrupted()],
    ["length", m.ended_by_length()],
  ])("names_how_an_answer_ended: %s", (state, words) => expect(said(answer(state))).toBe(words));

  it("says_why_a_turn_failed", () => {
    const problem = { problem: "model_unreachable", endpoint: "https://models.example", detail: "refused" } as const;
    expect(said({ kind: "failure", problem, retryable: true })).toBe(
      m.problem_model_unreachable({ endpoint: "https://models.example" }),
    );
  });

  it("is_nothing_of_a_message_of_the_user_and_of_no_entry", () => {
    expect(said({ kind: "user", text: "Hello", attachments: [] })).toBe("");
    expect(announcement(undefined)).toBe("");
  });
});
