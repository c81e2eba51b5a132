// An MCP server that wants a sign-in, made of the TypeScript SDK's own parts: its bearer check, its metadata document, its
// demand for more access. Whether a token counts it asks the authorization server each time. `read` needs the access
// everybody is asked for first, `write` needs more.
import { once } from "node:events";
import { createServer } from "node:http";
import { fromPeers } from "./peers.mjs";
import { portOf } from "./processes.mjs";

/** What access there is. */
export const SCOPES = ["notes:read", "notes:write"];

/** Starts it; `provider` is who signs people in. */
export async function startNotesServer(provider) {
  const sdk = await fromPeers("@modelcontextprotocol/server");
  const { toWebRequest } = await fromPeers("@modelcontextprotocol/node");
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = new URL(`http://127.0.0.1:${portOf(http)}/mcp`);
  const serve = await handler(sdk, url, provider);
  const notes = new Notes(http, url.href);
  http.on("request", (request, response) => void notes.answer(serve, toWebRequest, request, response));
  return notes;
}

/** The whole server as one function from request to response. */
async function handler(sdk, url, provider) {
  const metadata = {
    oauthMetadata: await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json(),
    resourceServerUrl: url,
    scopesSupported: SCOPES,
  };
  const gate = sdk.requireBearerAuth({
    verifier: { verifyAccessToken: (token) => verified(sdk, provider, token) },
    requiredScopes: [SCOPES[0]],
    resourceMetadataUrl: sdk.getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
  });
  const mcp = sdk.createMcpHandler(() => tools(sdk));
  return async (request) => {
    const document = sdk.oauthMetadataResponse(request, metadata);
    if (document) return document;
    if (new URL(request.url).pathname !== url.pathname) return new Response(null, { status: 404 });
    const auth = await gate(request);
    return auth instanceof Response ? auth : mcp.fetch(request, { authInfo: auth });
  };
}

async function verified(sdk, provider, token) {
  const { active, client_id, scope, exp, aud } = await provider.about(token);
  if (!active) throw new sdk.OAuthError(sdk.OAuthErrorCode.InvalidToken, "it does not count");
  return { token, clientId: client_id, scopes: (scope ?? "").split(" "), expiresAt: exp, resource: new URL(aud) };
}

function tools(sdk) {
  const text = (text) => ({ content: [{ type: "text", text }] });
  const server = new sdk.McpServer({ name: "notes", version: "1" });
  server.registerTool("read", { description: "Reads the note" }, () => text("Buy milk."));
  const scopeChallenge = sdk.requireScopes(...SCOPES);
  server.registerTool("write", { description: "Writes the note", scopeChallenge }, () => text("Written."));
  return server;
}

class Notes {
  #http;

  /** What was answered, oldest first: `{ method, status, token, body }`; `token` is what came as a bearer token. */
  answers = [];

  constructor(http, url) {
    this.#http = http;
    this.url = url;
  }

  async answer(serve, toWebRequest, incoming, response) {
    const request = await toWebRequest(incoming);
    const body = await request.clone().text();
    const answer = await serve(request);
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1];
    this.answers.push({ method: incoming.method, status: answer.status, token, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  }

  /** How often a tool was called and answered with this status. */
  called(tool, status) {
    return this.answers.filter(
      (it) => it.status === status && it.body.includes(`"tools/call"`) && it.body.includes(`"${tool}"`),
    ).length;
  }

  async close() {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }
}
