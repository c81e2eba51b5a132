// Anthropic's SDK for JavaScript.
const { Anthropic } = require("@anthropic-ai/sdk");
const { ADDING, QUESTION, ROOT, refusal, reply, resultOf, tell } = require("./said.cjs");

const client = new Anthropic({ baseURL: ROOT, apiKey: "k-1", maxRetries: 0 });
const ASKED = { model: "m", max_tokens: 100, messages: [{ role: "user", content: QUESTION }] };
const TOOLS = { tools: [{ name: "add", description: "Adds", input_schema: ADDING }] };

function messageReply({ content, stop_reason, usage }) {
  const ofKind = (kind) => content.filter(({ type }) => type === kind);
  const text = ofKind("text")
    .map(({ text }) => text)
    .join("");
  const calls = ofKind("tool_use").map(({ name, input }) => [name, input]);
  const [thought] = ofKind("thinking").map(({ thinking, signature }) => [thinking, signature]);
  const read = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return reply(text, calls, [read, usage.cache_read_input_tokens, usage.output_tokens], stop_reason, thought);
}

const plain = async (more) => messageReply(await client.messages.create({ ...ASKED, ...more }));
const streamed = async (more) => messageReply(await client.messages.stream({ ...ASKED, ...more }).finalMessage());

async function sentBack() {
  const { content } = await client.messages.create({ ...ASKED, ...TOOLS });
  const calls = content.filter(({ type }) => type === "tool_use");
  const results = calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: resultOf(input) }));
  const told = [
    { role: "assistant", content },
    { role: "user", content: results },
  ];
  return plain({ ...TOOLS, messages: [...ASKED.messages, ...told] });
}

async function main() {
  tell({
    anthropic: {
      plain: await plain({}),
      streamed: await streamed({}),
      plain_calls: await plain(TOOLS),
      streamed_calls: await streamed(TOOLS),
      sent_back: await sentBack(),
      refused: await refusal(() => plain({ model: "refused" })),
    },
  });
}

void main();
