// The scripted model has to be believed by the other tests, so it is shown to stream whole calls and to complain.
import assert from "node:assert/strict";
import test from "node:test";
import { asksFor, MODEL, says, startModelEndpoint, toolResults } from "./model-endpoint.mjs";

const TOOLS = [{ type: "function", function: { name: "everything__echo", parameters: {} } }];

async function withEndpoint(steps) {
  const endpoint = await startModelEndpoint();
  try {
    await steps(endpoint);
  } finally {
    await endpoint.close();
  }
}

function ask(endpoint, body) {
  return fetch(`${endpoint.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: MODEL, messages: [], ...body }),
  });
}

async function deltas(response) {
  const events = (await response.text()).split("\n\n").filter((event) => event && event !== "data: [DONE]");
  return events.map((event) => JSON.parse(event.slice("data: ".length)).choices[0]?.delta ?? {});
}

test("a queued call arrives in fragments that make one valid JSON", () =>
  withEndpoint(async (endpoint) => {
    const wanted = { message: "två ord, 两个词 🚪" };
    endpoint.queue(asksFor({ tool: /echo$/, arguments: wanted }));
    const parts = (await deltas(await ask(endpoint, { stream: true, tools: TOOLS }))).flatMap(
      (delta) => delta.tool_calls ?? [],
    );
    assert.equal(parts[0].function.name, "everything__echo");
    assert.ok(parts.length > 3, "the arguments come in several pieces");
    assert.deepEqual(JSON.parse(parts.map((part) => part.function.arguments).join("")), wanted);
  }));

test("a request is answered in one piece when it does not ask for a stream", () =>
  withEndpoint(async (endpoint) => {
    endpoint.queue(says("one ", "two"));
    const reply = await (await ask(endpoint, {})).json();
    assert.equal(reply.choices[0].message.content, "one two");
  }));

test("a tool the host did not offer and a request without a turn are complaints, not answers", () =>
  withEndpoint(async (endpoint) => {
    endpoint.queue(asksFor({ tool: /missing/, arguments: {} }));
    assert.equal((await ask(endpoint, { stream: true, tools: TOOLS })).status, 500);
    assert.equal((await ask(endpoint, { stream: true })).status, 500);
    assert.equal(endpoint.complaints.length, 2);
  }));

test("what the model was told is kept as it was sent", () =>
  withEndpoint(async (endpoint) => {
    endpoint.queue(says("ok"));
    const messages = [{ role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "denied: not today" }] }];
    await ask(endpoint, { messages });
    assert.deepEqual(toolResults(await endpoint.request(1)), ["denied: not today"]);
  }));
