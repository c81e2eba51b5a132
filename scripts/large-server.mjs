// An MCP server over stdio for measuring: one tool whose result is large, and as many others as are wanted.
//   node scripts/large-server.mjs SENT TOOLS BYTES; SENT is a file that gets the time at which the result was written
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [sent, tools, bytes] = process.argv.slice(2);
/** The tool with the large result. */
const READ_LOG = "read_log";
const LINE = "2026-07-02T12:04:09Z disk of backup-2 is 91 % full, 3 requests wait, none failed\n";

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "large", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [tool(READ_LOG), ...Array.from({ length: Number(tools) }, (_, at) => tool(`tool_${at}`))],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: LINE.repeat(Number(bytes) / LINE.length) }] }),
};

function tool(name) {
  const path = { type: "string", description: "A path in the folder" };
  return { name, description: `Does the work of ${name}.`, inputSchema: { type: "object", properties: { path } } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply = answer ? { result: answer(params) } : { error: { code: -32601, message: `no ${method} here` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`, () => {
    if (method === "tools/call") writeFileSync(sent, String(Date.now()));
  });
}
