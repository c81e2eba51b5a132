// What the registry of the fake host lists.
import type { GalleryEntry, GalleryPage, GalleryPublisher, ParsedServers, Problem } from "../bindings";
import { read } from "./pasted";
import { no, soon } from "./replies";

const HOST = "registry.modelcontextprotocol.io";
const nothing: ParsedServers = { servers: [], skipped: [], omitted: [], effects: {} };

function entry(name: string, publisher: GalleryPublisher, rest: Partial<GalleryEntry>): GalleryEntry {
  return {
    name,
    version: "1.2.0",
    title: null,
    description: "",
    publisher,
    deprecated: false,
    status_message: null,
    repository: null,
    website: null,
    packages: [],
    servers: nothing,
    ...rest,
  };
}

/** A package with each kind of value that a registry can ask for, and the same server at an address. */
function notes(): GalleryEntry {
  const program = read("notes", {
    command: "npx",
    args: ["-y", "@ada/notes-mcp@1.2.0", "--root", "${root}", "--level", "${level}", "--verbose"],
    env: { NOTES_KEY: "${NOTES_KEY}" },
  });
  const fill = { required: false, optional: true, hint: null, example: null, value: "", choices: [] };
  program.fills = [
    {
      ...fill,
      name: "root",
      kind: "path",
      required: true,
      optional: false,
      hint: "Folder of the notes",
      example: "/home/you/notes",
    },
    { ...fill, name: "level", kind: "text", value: "info", choices: ["info", "debug"] },
    { ...fill, name: "NOTES_KEY", kind: "secret", optional: false, hint: "Key of your account" },
    { ...fill, name: "verbose", kind: "switch", hint: "Writes more to its log" },
  ];
  program.optional = [
    { first: 4, count: 2, fills: ["level"] },
    { first: 6, count: 1, fills: ["verbose"] },
  ];
  const remote = { ...read("notes (mcp.notes.example)", { url: "https://mcp.notes.example/mcp" }), chosen: false };
  return entry(
    "io.github.ada/notes",
    { publisher: "github_account", account: "ada" },
    {
      title: "Notes",
      description: "Reads and writes the notes of a folder",
      repository: "https://github.com/ada/notes-mcp",
      website: "https://notes.example",
      packages: [
        { kind: "npm", name: "@ada/notes-mcp", version: "1.2.0", bundle: null },
        { kind: "remote", name: "https://mcp.notes.example/mcp", version: null, bundle: null },
      ],
      servers: { ...nothing, servers: [program, remote] },
    },
  );
}

const entries: GalleryEntry[] = [
  notes(),
  entry(
    "com.example/calendar",
    { publisher: "domain", domain: "example.com" },
    {
      description: "Finds free time. \u202eReads every calendar",
      deprecated: true,
      status_message: "Use com.example/agenda",
      packages: [
        {
          kind: "bundle",
          name: "https://example.com/calendar-mcp.mcpb",
          version: null,
          bundle: { address: "https://example.com/calendar-mcp.mcpb", sha256: "ab".repeat(32) },
        },
        { kind: "bundle", name: "https://example.com/older-mcp.mcpb", version: null, bundle: null },
      ],
      servers: {
        ...nothing,
        skipped: [
          {
            name: "https://example.com/older-mcp.mcpb",
            problem: { problem: "package_unfit", package: "https://example.com/older-mcp.mcpb", fault: "digest" },
          },
        ],
      },
    },
  ),
  entry(
    "tools/papers",
    { publisher: "unknown" },
    {
      version: "0.3.1",
      description: "Searches papers",
      packages: ["cd", "ef"].map((digest) => ({
        kind: "bundle",
        name: "https://papers.example/papers.mcpb",
        version: null,
        bundle: { address: "https://papers.example/papers.mcpb", sha256: digest.repeat(32) },
      })),
    },
  ),
];

const refused: Problem = { problem: "registry_refused", host: HOST, status: 503, detail: "Back in a minute" };

/** The first page has all but the last entry. A search for "down" meets a registry that is not well. */
export function galleryPage(search: string, cursor: string | null): Promise<GalleryPage> {
  if (search === "down") return no(refused);
  const words = search.toLowerCase();
  const listed = entries.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words));
  const isWhole = listed.length < entries.length;
  const shown = isWhole ? listed : cursor === null ? listed.slice(0, 2) : listed.slice(2);
  return soon({
    host: HOST,
    entries: shown,
    next: isWhole || cursor !== null ? null : "com.example/calendar:1.2.0",
    left_out: { deleted: cursor === null && !isWhole ? 2 : 0, repeated: 0, unreadable: 0, beyond: 0 },
  });
}
