// Ollama's SDK for JavaScript over Ollama's own interface.
const { Ollama } = require("ollama");
const { ADDING, all, QUESTION, ROOT, refusal, reply, resultOf, tell } = require("./said.cjs");

const client = new Ollama({ host: ROOT });
const ASKED = { model: "m", messages: [{ role: "user", content: QUESTION }] };
const TOOLS = { tools: [{ type: "function", function: { name: "add", description: "Adds", parameters: ADDING } }] };

/** What several records of a stream, or one whole answer, say together. It counts no cached tokens. */
function recordsReply(records) {
  const messages = records.map(({ message }) => message);
  const text = messages.map(({ content = "" }) => content).join("");
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  const thought = messages.map(({ thinking = "" }) => thinking).join("");
  const { prompt_eval_count, eval_count, done_reason } = records.at(-1);
  return reply(
    text,
    calls.map(({ function: { name, arguments: args } }) => [name, args]),
    [prompt_eval_count, null, eval_count],
    done_reason,
    thought ? [thought, null] : null,
  );
}

const plain = async (more) => recordsReply([await client.chat({ ...ASKED, ...more })]);
const streamed = async (more) => recordsReply(await all(await client.chat({ ...ASKED, ...more, stream: true })));

async function sentBack() {
  const { message } = await client.chat({ ...ASKED, ...TOOLS });
  const calls = message.tool_calls.map((call) => call.function);
  const results = calls.map(({ name, arguments: args }) => ({
    role: "tool",
    tool_name: name,
    content: resultOf(args),
  }));
  return plain({ ...TOOLS, messages: [...ASKED.messages, message, ...results] });
}

async function main() {
  const shown = await client.show({ model: "m" });
  tell({
    ollama: {
      plain: await plain({}),
      streamed: await streamed({}),
      plain_calls: await plain(TOOLS),
      streamed_calls: await streamed(TOOLS),
      sent_back: await sentBack(),
      refused: await refusal(
        () => plain({ model: "refused" }),
        ({ status_code }) => status_code,
      ),
      shown: [shown.model_info["llama.context_length"], shown.capabilities],
    },
  });
}

void main();
