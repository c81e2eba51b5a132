// What is asked before a server is started or connected to.
import type { About } from "../../bindings";

export const START: About = {
  kind: "start_server",
  program: "/usr/local/bin/node",
  command: "npx",
  args: [
    "-y",
    "@acme/notes-mcp",
    "--store",
    "/home/ada/Notes and \u202Elists",
    "-e",
    "require('./x').run(process.env)",
  ],
  folder: "/home/ada/.local/share/vestibule/servers/notes",
  variables: ["NOTES_TOKEN", "NOTES_REGION"],
  risks: ["inline_code", "unpinned_package", "hidden_characters"],
  changed: true,
};

export const CONNECT: About = {
  kind: "connect_server",
  inspection: {
    canonical: "http://127.0.0.1:3001/mcp?team=harbour",
    escaped: "http://127.0.0.1:3001/mcp?team=harbour",
    ascii_host: "127.0.0.1",
    display_host: "127.0.0.1",
    registrable_domain: null,
    registrable_display: null,
    emphasis: [7, 16],
    port: 3001,
    warnings: ["loopback", "insecure-http", "ip-literal", "nonstandard-port"],
    verdict: "warn",
  },
  origin: "http://127.0.0.1:3001",
  transport: "auto",
  headers: ["Authorization", "X-Team"],
  proxy: null,
  carries_values: true,
  changed: true,
};
