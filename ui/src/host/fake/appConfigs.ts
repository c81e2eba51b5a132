// The configurations of other applications that the fake host finds on its computer.
import type { AppConfigFile, AppConfigs, DraftComparison, ParsedServers } from "../bindings";
import { read } from "./pasted";

type Found = Parameters<typeof read>[1];

function file(
  app: string,
  path: string,
  servers: [name: string, server: Found, comparison: DraftComparison][],
  rest: Partial<ParsedServers> = {},
): AppConfigFile {
  const parsed = {
    servers: servers.map(([name, server]) => read(name, server)),
    skipped: [],
    omitted: [],
    effects: {},
  };
  const comparisons = servers.map(([, , comparison]) => comparison);
  return { app, path, content: { content: "servers", parsed: { ...parsed, ...rest }, comparisons } };
}

const tickets: Found = { url: "https://mcp.tickets.example/mcp", headers: { Authorization: "Bearer tk-2f81" } };
const isNew: DraftComparison = { comparison: "new" };

export const appConfigs: AppConfigs = {
  files: [
    file("Claude Desktop", "/home/ada/.config/Claude/claude_desktop_config.json", [
      ["board", tickets, isNew],
      [
        "weather",
        { command: "uvx", args: ["weather-mcp==0.3.1"] },
        { comparison: "added", server: "s-weather", name: "weather", differences: [] },
      ],
    ]),
    file(
      "VS Code",
      "/home/ada/.config/Code/User/mcp.json",
      [
        [
          "notes",
          { command: "npx", args: ["-y", "@acme/notes-mcp@2.0.0"], env: { NOTES_TOKEN: "${NOTES_TOKEN}" } },
          { comparison: "added", server: "s-notes", name: "notes", differences: ["arguments", "variables"] },
        ],
        ["papers", { command: "npx", args: ["papers-mcp@1.0.0", "--dir=${FOLDER}"], autoApprove: ["search"] }, isNew],
      ],
      { skipped: [{ name: "copilot", problem: { problem: "entry_foreign", kind: "builtin" } }] },
    ),
    file("Codex", "/home/ada/.codex/config.toml", [
      ["board", tickets, { comparison: "repeated", app: "Claude Desktop" }],
    ]),
    {
      app: "Cursor",
      path: "/home/ada/.cursor/mcp.json",
      content: {
        content: "unreadable",
        problem: { problem: "json_broken", line: 3, column: 18, detail: "expected `,` or `}`" },
      },
    },
    { app: "Zed", path: "/home/ada/.config/zed/settings.json", content: { content: "no_servers" } },
  ],
  apps: ["Claude Desktop", "Claude Code", "Cursor", "VS Code", "Windsurf", "Zed", "Goose", "Codex"],
};
