// An authorization server that nobody here wrote: oidc-provider from npm, with the sign-in pages it brings, on a port of
// this computer. It signs in whoever comes, registers whoever asks and forgets whoever withdraws that, and gives access
// to one resource that is named later. Everything it gave out is kept, so that a test can ask whether it still counts and look for it where it must
// not be.
import { once } from "node:events";
import { createServer } from "node:http";
import { fromPeers } from "./peers.mjs";
import { portOf } from "./processes.mjs";

/** Whom the provider knows as the server that asks it about tokens. */
const INTROSPECTOR = { client_id: "notes-server", client_secret: "a-secret-of-the-notes-server" };
/** In seconds. */
const HOUR = 3600;
/** Everything that opens something, by the provider's own names. */
const KINDS = ["AccessToken", "RefreshToken", "AuthorizationCode", "RegistrationAccessToken"];

/**
 * Starts the provider. `scopes` are those of the resource. `life` gets the number of access tokens that were given out
 * before, and returns how many seconds the next one lives.
 */
export async function startProvider({ scopes, life }) {
  const { Provider } = await fromPeers("oidc-provider");
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${portOf(http)}`;
  const given = () => world.gaveOut.filter(({ kind }) => kind === "AccessToken").length;
  const provider = new Provider(
    issuer,
    configuration(scopes, () => life(given())),
  );
  const world = new World(provider, http, issuer);
  return world;
}

function configuration(scopes, life) {
  return {
    clients: [
      {
        ...INTROSPECTOR,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    cookies: { keys: ["a-key-of-this-test"] },
    ttl: { Grant: HOUR, Interaction: HOUR, RefreshToken: HOUR, Session: HOUR },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      introspection: { enabled: true },
      registration: { enabled: true },
      registrationManagement: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: scopes.join(" "),
          audience: resource,
          accessTokenTTL: life(),
          accessTokenFormat: "opaque",
        }),
      },
    },
  };
}

class World {
  #http;

  /** The requests it got, oldest first: `{ method, url }`. */
  reached = [];
  /** The grants it gave: "authorization_code", "refresh_token". */
  grants = [];
  /** The clients that registered and those that withdrew that, oldest first. */
  registered = [];
  withdrawn = [];
  /** Every access token, refresh token and code it gave out, oldest first: `{ kind, value, scopes }`. */
  gaveOut = [];

  constructor(provider, http, issuer) {
    this.#http = http;
    this.issuer = issuer;
    for (const kind of KINDS) {
      const event = kind.replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
      provider.on(`${event}.saved`, (it) => {
        if (!this.gaveOut.some(({ value }) => value === it.jti))
          this.gaveOut.push({ kind, value: it.jti, scopes: it.scope ?? "" });
      });
    }
    provider.on("grant.success", (context) => this.grants.push(context.oidc.params.grant_type));
    provider.on("registration_create.success", (_, { clientId }) => this.registered.push(clientId));
    provider.on("registration_delete.success", (_, { clientId }) => this.withdrawn.push(clientId));
    const answer = provider.callback();
    http.on("request", (request, response) => {
      this.reached.push({ method: request.method, url: request.url });
      return answer(request, response);
    });
  }

  /** How often a grant was given. */
  granted(kind) {
    return this.grants.filter((grant) => grant === kind).length;
  }

  /** What was asked of it that changes something there, or asks for a secret. */
  get posted() {
    return this.reached.filter(({ method, url }) => method === "POST" && !url.startsWith("/token/introspection"));
  }

  /** The latest thing of this kind that was given out. */
  latest(kind) {
    return this.gaveOut.findLast((it) => it.kind === kind);
  }

  /** What it says about a token to the server that has to accept it (RFC 7662). */
  async about(token) {
    const { client_id, client_secret } = INTROSPECTOR;
    const answer = await fetch(`${this.issuer}/token/introspection`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
      body: new URLSearchParams({ token }),
    });
    if (!answer.ok) throw new Error(`introspection: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async close() {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }
}
