// OpenAI's SDK for JavaScript over Chat Completions, Responses and Azure's form of the first.
const { OpenAI, AzureOpenAI } = require("openai");
const { ADDING, QUESTION, ROOT, refusal, reply, resultOf, tell } = require("./said.cjs");

const FUNCTION = { name: "add", description: "Adds", parameters: ADDING };

function chatReply({ choices: [{ message, finish_reason }], usage }) {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => [name, JSON.parse(text)]);
  const counts = [usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens];
  return reply(message.content ?? "", calls, counts, finish_reason);
}

async function chat(client) {
  const { completions } = client.chat;
  const asked = { model: "m", messages: [{ role: "user", content: QUESTION }] };
  const tools = { tools: [{ type: "function", function: FUNCTION }] };
  const streamed = async (more) => {
    const events = completions.stream({ ...asked, ...more, stream_options: { include_usage: true } });
    return chatReply(await events.finalChatCompletion());
  };
  const sentBack = async () => {
    const [{ message }] = (await completions.create({ ...asked, ...tools })).choices;
    const results = message.tool_calls.map(({ id, function: { arguments: text } }) => ({
      role: "tool",
      tool_call_id: id,
      content: resultOf(JSON.parse(text)),
    }));
    const messages = [...asked.messages, message, ...results];
    return chatReply(await completions.create({ ...asked, messages, ...tools }));
  };
  return {
    plain: chatReply(await completions.create(asked)),
    streamed: await streamed({}),
    plain_calls: chatReply(await completions.create({ ...asked, ...tools })),
    streamed_calls: await streamed(tools),
    sent_back: await sentBack(),
    refused: await refusal(() => completions.create({ ...asked, model: "refused" })),
  };
}

function responsesReply({ output, output_text, status, usage }) {
  const ofKind = (kind) => output.filter(({ type }) => type === kind);
  const calls = ofKind("function_call").map(({ name, arguments: text }) => [name, JSON.parse(text)]);
  const [thought] = ofKind("reasoning").map(({ summary, encrypted_content }) => [summary[0].text, encrypted_content]);
  const counts = [usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens];
  return reply(output_text, calls, counts, status, thought);
}

async function responses(client) {
  const asked = { model: "m", input: QUESTION, store: false };
  const tools = { tools: [{ type: "function", strict: false, ...FUNCTION }] };
  const plain = async (more) => responsesReply(await client.responses.create({ ...asked, ...more }));
  const streamed = async (more) => responsesReply(await client.responses.stream({ ...asked, ...more }).finalResponse());
  const sentBack = async () => {
    const { output } = await client.responses.create({ ...asked, ...tools });
    const calls = output.filter(({ type }) => type === "function_call");
    const results = calls.map(({ call_id, arguments: text }) => ({
      type: "function_call_output",
      call_id,
      output: resultOf(JSON.parse(text)),
    }));
    return plain({ ...tools, input: [{ role: "user", content: QUESTION }, ...output, ...results] });
  };
  return {
    plain: await plain({}),
    streamed: await streamed({}),
    plain_calls: await plain(tools),
    streamed_calls: await streamed(tools),
    sent_back: await sentBack(),
    refused: await refusal(() => plain({ model: "refused" })),
  };
}

async function main() {
  const own = { apiKey: "k-1", maxRetries: 0 };
  const openai = new OpenAI({ baseURL: `${ROOT}/v1`, ...own });
  const azure = new AzureOpenAI({ endpoint: ROOT, apiVersion: "2024-10-21", ...own });
  tell({
    open_ai_compatible: await chat(openai),
    open_ai_responses: await responses(openai),
    azure_open_ai: await chat(azure),
  });
}

void main();
