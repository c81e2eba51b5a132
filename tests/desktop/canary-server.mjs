// A server that spreads what it knows: `node canary-server.mjs TEXT`. Whatever it is asked, the text goes into lines that
// are no messages, into its error output, into log messages, into progress and into the result.
import { createInterface } from "node:readline";

const text = process.argv[2];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const notify = (method, params) => send({ method, params });

const answers = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: "canary", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }] }),
  "tools/call": ({ params }) => {
    spread(params._meta?.progressToken);
    return { content: [{ type: "text", text }] };
  },
};

function spread(progressToken) {
  process.stderr.write(`${text}\n`);
  process.stdout.write(`no message: ${text}\n{"jsonrpc":"2.0","id":"${text}","result":{}}\n{"${text}":\n`);
  notify("notifications/message", { level: "error", logger: text, data: { text } });
  notify(`notifications/${text}`, { text });
  if (progressToken !== undefined) notify("notifications/progress", { progressToken, progress: 1, message: text });
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  const answer = answers[message.method];
  if (answer) send({ id: message.id, result: answer(message) });
  else send({ id: message.id, error: { code: -32601, message: "Method not found" } });
});
