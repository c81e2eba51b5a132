// A server at an address that wants a sign-in, and who gives it: both on one loopback port each, keeping what reached
// them. It is as strict as a story needs; the Rust tests have the strict one.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const json = (response, status, value, headers = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
};

async function listen(serve) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    serve(new URL(request.url, `http://${request.headers.host}`), body, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Starts both. `visit(page)` signs in as a person in a browser would. */
export async function startProtected() {
  const world = { reached: [], tokens: new Set() };
  const codes = new Map();
  let made = 0;

  const members = await listen((url, body, request, response) => {
    world.reached.push({ at: "server", path: url.pathname });
    if (url.pathname === "/.well-known/oauth-protected-resource/mcp")
      return json(response, 200, { resource: `${members.origin}/mcp`, authorization_servers: [issuer.origin] });
    if (url.pathname !== "/mcp") return json(response, 404, {});
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (!world.tokens.has(token)) {
      const description = `${members.origin}/.well-known/oauth-protected-resource/mcp`;
      const challenge = `Bearer resource_metadata="${description}", scope="calendar.read"`;
      return json(response, 401, {}, { "www-authenticate": challenge });
    }
    const { id, method } = JSON.parse(body || "{}");
    const results = {
      "server/discover": {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "members", version: "1" } },
      },
      "tools/list": { tools: [{ name: "read", inputSchema: { type: "object" } }] },
    };
    if (method in results) return json(response, 200, { jsonrpc: "2.0", id, result: { resultType: "complete", ...results[method] } });
    json(response, 200, { jsonrpc: "2.0", id, error: { code: -32601, message: "not here" } });
  });

  const issuer = await listen((url, body, _request, response) => {
    world.reached.push({ at: "issuer", path: url.pathname });
    const at = (path) => `${issuer.origin}/${path}`;
    switch (url.pathname) {
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, {
          issuer: issuer.origin,
          authorization_endpoint: at("authorize"),
          token_endpoint: at("token"),
          registration_endpoint: at("register"),
          revocation_endpoint: at("revoke"),
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register":
        return json(response, 201, { ...JSON.parse(body), client_id: "client-1" });
      case "/authorize": {
        const code = `code-${++made}`;
        codes.set(code, url.searchParams);
        const back = new URL(url.searchParams.get("redirect_uri"));
        back.search = new URLSearchParams({ code, state: url.searchParams.get("state") }).toString();
        response.writeHead(302, { location: back.href });
        return response.end();
      }
      case "/token": {
        const form = new URLSearchParams(body);
        const asked = codes.get(form.get("code"));
        const proof = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
        if (asked?.get("code_challenge") !== proof) return json(response, 400, { error: "invalid_grant" });
        const token = `access-${++made}`;
        world.tokens.add(token);
        return json(response, 200, { access_token: token, token_type: "Bearer", expires_in: 3600, refresh_token: `refresh-${made}` });
      }
      case "/revoke":
        world.tokens.delete(new URLSearchParams(body).get("token"));
        return json(response, 200, {});
      default:
        return json(response, 404, {});
    }
  });

  return Object.assign(world, {
    url: `${members.origin}/mcp`,
    issuer: issuer.origin,
    visit: async (page) => (await fetch(page)).text(),
    times: (path) => world.reached.filter((it) => it.path === path).length,
    close: () => {
      for (const { server } of [members, issuer]) {
        server.closeAllConnections();
        server.close();
      }
    },
  });
}
