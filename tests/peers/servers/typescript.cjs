// A server made with the TypeScript SDK. It speaks both eras, over stdio or (with "http") on a free port of 127.0.0.1.
const { createServer } = require("node:http");
const { randomUUID } = require("node:crypto");
const { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } = require("@modelcontextprotocol/node");
const sdk = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { z } = require("zod");

const text = (text) => ({ content: [{ type: "text", text }] });
const cities = ["Oslo", "Osaka", "Rome"];

// Tells whoever watches the note.
let touched = (server) => server.server.sendResourceUpdated({ uri: "note://one" });

function peer() {
  const capabilities = { resources: { subscribe: true } };
  const server = new sdk.McpServer({ name: "typescript-peer", version: "1" }, { capabilities });
  server.registerTool(
    "add",
    {
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool("greet", {}, (context) => {
    const person = sdk.acceptedContent(context.mcpReq.inputResponses, "who");
    if (person) return text(`Hello, ${person.name}.`);
    const requestedSchema = z.object({ name: z.string() });
    const who = sdk.inputRequired.elicit({ message: "What is your name?", requestedSchema });
    return sdk.inputRequired({ inputRequests: { who } });
  });
  server.registerTool("folder", {}, (context) => {
    const folders = context.mcpReq.inputResponses?.where;
    if (folders) return text(folders.roots[0].uri);
    return sdk.inputRequired({ inputRequests: { where: sdk.inputRequired.listRoots() } });
  });
  server.registerTool("count", {}, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      const params = { progressToken, progress, total: 3 };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    return text("counted");
  });
  server.registerTool("touch", {}, async () => {
    await touched(server);
    return text("touched");
  });
  server.registerResource("note", "note://one", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  const city = sdk.completable(z.string(), (start) => cities.filter((city) => city.startsWith(start)));
  server.registerPrompt("plan", { argsSchema: z.object({ city }) }, ({ city }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Plan a day in ${city}.` } }],
  }));
  return server;
}

const sessions = new Map();

// The SDK serves the older era without sessions unless it is wired by hand; then nothing could be asked back.
async function ofSession(id) {
  if (sessions.has(id)) return sessions.get(id);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await peer().connect(transport);
  return transport;
}

if (process.argv.includes("http")) {
  const handler = sdk.createMcpHandler(peer, { legacy: "reject" });
  const modern = toNodeHandler(handler);
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const message = parts.length ? JSON.parse(Buffer.concat(parts).toString()) : undefined;
    if (await sdk.isLegacyRequest(await toWebRequest(request, message), message)) {
      const transport = await ofSession(request.headers["mcp-session-id"]);
      return transport.handleRequest(request, response, message);
    }
    return modern(request, response, message);
  });
  touched = () => handler.notify.resourceUpdated("note://one");
  server.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${server.address().port}/mcp`));
} else {
  serveStdio(peer);
}
