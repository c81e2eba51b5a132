// A configuration that is pasted, as the host would read it.
import type {
  EnvPair,
  FillIn,
  Omitted,
  ParsedServer,
  ParsedServers,
  PlaceDraft,
  PlaceView,
  Problem,
} from "../bindings";

interface PastedServer {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
  cwd?: string;
  disabled?: boolean;
  autoApprove?: string[];
  envFile?: string;
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

/** The values to fill in of a server: those in its command or address are needed. */
function asked(server: PastedServer): FillIn[] {
  const names = (texts: string[]) =>
    texts.flatMap((text) => [...text.matchAll(/\$\{([^}]+)\}/g)].map(([, name = ""]) => name));
  const needed = names([server.command ?? "", server.url ?? "", ...(server.args ?? [])]);
  const later = names([...Object.values(server.env ?? {}), ...Object.values(server.headers ?? {})]);
  return [...new Set([...needed, ...later])].map((name) => ({
    name,
    kind: later.includes(name) ? "secret" : "text",
    required: needed.includes(name),
    optional: false,
    hint: name === "FOLDER" ? "The notes that it may read" : null,
    example: null,
    value: "",
    choices: name === "REGION" ? ["eu", "us"] : [],
  }));
}

/** What is not taken over of a server. */
function omitted({ autoApprove, envFile, disabled }: PastedServer): Omitted[] {
  return [
    ...(autoApprove ? [{ reason: "permission" as const, names: ["autoApprove"] }] : []),
    ...(envFile ? [{ reason: "file" as const, names: ["envFile"] }] : []),
    ...(disabled ? [{ reason: "switched_off" as const, names: ["disabled"] }] : []),
  ];
}

/** The address that a bridge leads to; nothing for other programs. */
function bridged({ args = [] }: PastedServer): string | null {
  return args.includes("mcp-remote") ? (args.find((word) => word.includes("://")) ?? null) : null;
}

function placeOf(server: PastedServer): PlaceDraft {
  const { command = "", args = [], env, url, headers, cwd } = server;
  const address = url ?? bridged(server);
  if (address !== null) return { at: "address", url: address, transport: "auto", headers: pasted(headers) };
  return { at: "here", command, args, env: pasted(env), folder: cwd ?? null };
}

/** An entry of a configuration, as the host reads it. */
export function read(name: string, server: PastedServer): ParsedServer {
  return {
    draft: { name, era: "auto", place: placeOf(server) },
    fills: asked(server),
    optional: [],
    omitted: omitted(server),
    project: null,
    bridge: bridged(server) === null ? null : "mcp-remote",
    chosen: server.disabled !== true,
  };
}

/** Reads a pasted configuration: JSON, or a command line that begins with `npx`. */
export function parse(text: string): Promise<ParsedServers> {
  if (text.startsWith("npx ")) {
    const args = text.split(" ").slice(1);
    return Promise.resolve({
      servers: [read("server", { command: "npx", args })],
      skipped: [],
      omitted: [],
      effects: {},
    });
  }
  try {
    const file = JSON.parse(text) as { mcpServers?: Record<string, PastedServer>; sandbox?: unknown };
    if (!file.mcpServers) return Promise.reject({ problem: "json_without_servers" } satisfies Problem);
    const all = Object.entries(file.mcpServers);
    const effects: ParsedServers["effects"] = {};
    if (all.some(([, { env = {} }]) => "NODE_OPTIONS" in env)) effects["NODE_OPTIONS"] = "loads_code";
    return Promise.resolve({
      servers: all.filter(([, { command, url }]) => command ?? url).map(([name, server]) => read(name, server)),
      skipped: all
        .filter(([, { command, url }]) => !(command ?? url))
        .map(([name]) => ({ name, problem: { problem: "entry_foreign" as const, kind: "builtin" } })),
      omitted: file.sandbox ? [{ reason: "sandbox", names: ["sandbox"] }] : [],
      effects,
    });
  } catch {
    const lines = text.split("\n");
    const line = lines.length;
    const column = (lines.at(-1) ?? "").search(/\S|$/) + 1;
    return Promise.reject({ problem: "json_broken", line, column, detail: "expected a key" } satisfies Problem);
  }
}
