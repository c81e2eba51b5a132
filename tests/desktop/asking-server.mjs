// A server that asks. `ask` waits for a file where one is named, sends so many requests at once (forms, where nothing
// else of demands.mjs is named), and says what became of them; `send` sends any request at all, takes it back as soon as a file is there, and says what it was answered.
// `node asking-server.mjs`; JSON-RPC over stdio, one message a line.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { DEMANDS } from "./demands.mjs";

const TOOLS = [
  {
    name: "ask",
    inputSchema: {
      type: "object",
      properties: {
        count: { type: "integer" },
        same: { type: "boolean" },
        after: { type: "string" },
        what: { type: "string" },
        size: { type: "integer" },
      },
      required: ["count"],
    },
  },
  {
    name: "send",
    inputSchema: {
      type: "object",
      properties: { method: { type: "string" }, params: { type: "object" }, takenBack: { type: "string" } },
      required: ["method", "params"],
    },
  },
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let asked = 0;

function request(method, params) {
  const id = `ask-${(asked += 1)}`;
  send({ id, method, params });
  const answer = new Promise((answered) => waiting.set(id, answered));
  return { id, answer };
}

async function there(file) {
  while (!existsSync(file)) await new Promise((resume) => setTimeout(resume, 30));
}

/** `{ many: "text", times: 3 }` stands for what would be too long to write out in a call: so many times the text. */
function writtenOut(value) {
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.many === "string") return value.many.repeat(value.times);
  const parts = Object.entries(value).map(([name, part]) => [name, writtenOut(part)]);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

async function sendAny({ method, params, takenBack }) {
  const { id, answer } = request(method, writtenOut(params));
  if (takenBack) {
    await there(takenBack);
    send({ method: "notifications/cancelled", params: { requestId: id } });
    waiting.delete(id);
    return "taken back";
  }
  return JSON.stringify(await answer);
}

async function askMany({ count, same = false, after, what = "form", size = 0 }) {
  if (after) await there(after);
  const messages = Array.from({ length: count }, (_, number) =>
    same ? "Prose of a server" : `Prose number ${number}`,
  );
  const actions = (await Promise.all(messages.map((words) => request(...DEMANDS[what](words, size)).answer))).map(
    ({ result, error }) => result?.action ?? (error ? `error ${error.code}` : "answered"),
  );
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
  } else if (method === "tools/list") send({ id, result: { tools: TOOLS } });
  else if (method === "tools/call") {
    const call = params.name === "ask" ? askMany : sendAny;
    send({ id, result: { content: [{ type: "text", text: await call(params.arguments) }] } });
  } else if (method === "ping") send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
});
