// A server that asks: its one tool waits for a file where one is named, sends so many forms at once, and says what became
// of them. `node asking-server.mjs`; JSON-RPC over stdio, one message a line.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const TOOL = {
  name: "ask",
  inputSchema: {
    type: "object",
    properties: { count: { type: "integer" }, same: { type: "boolean" }, after: { type: "string" } },
    required: ["count"],
  },
};
const FORM = { type: "object", properties: { name: { type: "string", title: "Name" } } };

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let asked = 0;

function ask(message) {
  const id = `ask-${(asked += 1)}`;
  send({ id, method: "elicitation/create", params: { message, requestedSchema: FORM } });
  return new Promise((answered) => waiting.set(id, answered));
}

async function call({ count, same = false, after }) {
  while (after && !existsSync(after)) await new Promise((resume) => setTimeout(resume, 30));
  const messages = Array.from({ length: count }, (_, number) => (same ? "Prose of a server" : `Prose number ${number}`));
  const actions = (await Promise.all(messages.map(ask))).map((answer) => answer.result?.action ?? `error ${answer.error?.code}`);
  const counts = {};
  for (const action of actions) counts[action] = (counts[action] ?? 0) + 1;
  return JSON.stringify(counts);
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(rest);
    waiting.delete(id);
  } else if (method === "initialize") {
    const serverInfo = { name: "asking", version: "1" };
    send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools: [TOOL] } });
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: await call(params.arguments) }] } });
  else if (method === "ping") send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
});
