import { expect, it } from "vitest";
import type { EntryBody } from "../../src/host/bindings";
import { headers } from "../../src/views/chat/headers";

const user: EntryBody = { kind: "user", text: "Hello", attachments: [] };
const answer = (model: string): EntryBody => ({
  kind: "assistant",
  text: "",
  reasoning: "",
  model,
  scripted: false,
  state: "done",
});
const marked = (...bodies: EntryBody[]) => [...headers(bodies.map((body, at) => ({ id: `${at}`, body })))];

it("names_the_model_once_a_turn", () => {
  expect(marked(user, answer("a"), answer("a"), user, answer("a"))).toEqual(["1", "4"]);
});

it("names_each_model_where_another_one_continues", () => {
  expect(marked(user, answer("a"), answer("b"), answer("b"), answer("a"))).toEqual(["1", "2", "4"]);
});
