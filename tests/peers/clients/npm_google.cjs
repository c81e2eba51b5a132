// Google's SDK for JavaScript over the Gemini API.
const { GoogleGenAI } = require("@google/genai");
const { ADDING, all, QUESTION, ROOT, refusal, reply, resultOf, tell } = require("./said.cjs");

const { models } = new GoogleGenAI({ apiKey: "k-1", httpOptions: { baseUrl: ROOT } });
const TOOLS = {
  config: { tools: [{ functionDeclarations: [{ name: "add", description: "Adds", parametersJsonSchema: ADDING }] }] },
};

/** What several pieces of a stream, or one whole answer, say together. */
function contentReply(pieces) {
  const parts = pieces.flatMap(({ candidates: [{ content }] }) => content.parts);
  const text = parts.filter(({ thought }) => !thought).map(({ text = "" }) => text);
  const calls = parts
    .filter(({ functionCall }) => functionCall)
    .map(({ functionCall: { name, args } }) => [name, args]);
  const thought = parts.find(({ thought }) => thought)?.text;
  const signature = parts.find(({ thoughtSignature }) => thoughtSignature)?.thoughtSignature;
  const { usageMetadata: usage, candidates } = pieces.at(-1);
  const counts = [usage.promptTokenCount, usage.cachedContentTokenCount, usage.candidatesTokenCount];
  return reply(text.join(""), calls, counts, candidates[0].finishReason, thought ? [thought, signature] : null);
}

const plain = async (more) => contentReply([await models.generateContent({ model: "m", contents: QUESTION, ...more })]);
const streamed = async (more) =>
  contentReply(await all(await models.generateContentStream({ model: "m", contents: QUESTION, ...more })));

async function sentBack() {
  const { candidates } = await models.generateContent({ model: "m", contents: QUESTION, ...TOOLS });
  const { content } = candidates[0];
  const calls = content.parts.flatMap(({ functionCall }) => functionCall ?? []);
  const results = calls.map(({ name, args }) => ({ functionResponse: { name, response: { result: resultOf(args) } } }));
  const contents = [{ role: "user", parts: [{ text: QUESTION }] }, content, { role: "user", parts: results }];
  return plain({ ...TOOLS, contents });
}

async function main() {
  tell({
    gemini: {
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
