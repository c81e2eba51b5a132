// What is asked before signing in.
import type { QuestionBody, UrlInspection } from "../../bindings";

export function address(url: string): UrlInspection {
  const { hostname, origin } = new URL(url);
  const domain = hostname.split(".").slice(-2).join(".");
  const from = url.indexOf(domain);
  return {
    canonical: url,
    escaped: url,
    ascii_host: hostname,
    display_host: hostname,
    registrable_domain: domain,
    registrable_display: domain,
    emphasis: [from, from + domain.length],
    port: new URL(origin).port === "" ? null : Number(new URL(origin).port),
    warnings: [],
    verdict: "ok",
  };
}

/** Before the first request to a sign-in provider of another site, behind a proxy. */
export const LOOK_UP: QuestionBody = {
  kind: "look_up_issuer",
  issuer: address("https://login.example.net/tenant"),
  site: "other",
  proxy: "http://proxy.corp.example:3128",
};

export const SIGN_IN = {
  kind: "sign_in" as const,
  resource: "https://calendar.example.org/mcp",
  issuer: address("https://login.example.net/tenant"),
  site: "other" as const,
  history: { history: "first" as const },
  way: { way: "page" as const },
  page: address("https://login.example.net/tenant/authorize"),
  token_endpoint: address("https://login.example.net/tenant/token"),
  registration: address("https://login.example.net/tenant/register"),
  scopes: ["calendar.read", "offline_access"],
  new_scopes: ["calendar.read", "offline_access"],
  client: { client: "to_be_registered" as const },
  oddities: [],
  file: null,
  kept: true,
} satisfies QuestionBody;

/** The server wants more, from another provider than before, and one of its addresses is blocked. */
export const SIGN_IN_ODD: QuestionBody = {
  ...SIGN_IN,
  history: { history: "issuer_changed", before: "https://login.example.com" },
  token_endpoint: { ...address("https://tokens.example.com/token"), warnings: ["lookalike"], verdict: "block" },
  client: { client: "registered", id: "client-7f21" },
  oddities: [
    { oddity: "no_pkce" },
    { oddity: "other_origin", origin: "https://tokens.example.com" },
    { oddity: "wider" },
  ],
  kept: false,
};

export const SIGN_IN_MORE: QuestionBody = {
  ...SIGN_IN,
  site: "same",
  history: { history: "more_scopes" },
  scopes: ["calendar.read", "calendar.write"],
  new_scopes: ["calendar.write"],
  client: { client: "registered", id: "client-7f21" },
};

/** The page belongs to another owner than the issuer that names it (attack O4). */
export const SIGN_IN_ELSEWHERE: QuestionBody = {
  ...SIGN_IN,
  page: address("https://accounts.real-provider.com/authorize"),
  oddities: [{ oddity: "other_page", origin: "https://accounts.real-provider.com", confirmed: false }],
};

/** A token of the platform, read from a file. */
export const SIGN_IN_FILE: QuestionBody = {
  ...SIGN_IN,
  way: { way: "workload" },
  page: null,
  registration: null,
  client: { client: "unnamed" },
  file: { path: "/var/run/secrets/tokens/calendar\u202Etoken", bytes: 1184, to: "login.example.net" },
};
