// A configuration that is pasted, as the host would read it.
import type { EnvPair, ParsedServers, PlaceDraft, PlaceView, Problem } from "../bindings";

interface PastedServer {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
}

function pasted(values: Record<string, string> = {}): EnvPair[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, pasted: true }));
}

/** The place of a server that was just added. */
export function placed(place: PlaceDraft): PlaceView {
  if (place.at === "here") {
    const { command, args, env, folder } = place;
    return { at: "here", command, args, variables: env.map(({ name }) => name), folder };
  }
  const { url, transport, headers } = place;
  return {
    at: "address",
    url,
    origin: new URL(url).origin,
    transport,
    headers: headers.map(({ name }) => name),
    proxy: null,
  };
}

/** Reads a pasted configuration. */
export function parse(text: string): Promise<ParsedServers> {
  try {
    const read = JSON.parse(text) as { mcpServers?: Record<string, PastedServer> };
    if (!read.mcpServers) return Promise.reject({ problem: "json_without_servers" } satisfies Problem);
    const all = Object.entries(read.mcpServers);
    const effects: ParsedServers["effects"] = {};
    if (all.some(([, { env = {} }]) => "NODE_OPTIONS" in env)) effects["NODE_OPTIONS"] = "loads_code";
    return Promise.resolve({
      servers: all
        .filter(([, { command, url }]) => command ?? url)
        .map(([name, { command, args = [], env, url = "", headers }]) => ({
          name,
          era: "auto" as const,
          place: command
            ? { at: "here" as const, command, args, env: pasted(env), folder: null }
            : { at: "address" as const, url, transport: "auto" as const, headers: pasted(headers) },
        })),
      skipped: all
        .filter(([, { command, url }]) => !(command ?? url))
        .map(([name]) => ({ name, problem: { problem: "command_missing" as const } })),
      effects,
    });
  } catch {
    return Promise.reject({
      problem: "json_broken",
      line: 3,
      column: 18,
      detail: "expected `,` or `}`",
    } satisfies Problem);
  }
}
