// The tools that servers need, by the names their makers use, and the commands that install them. The names and the
// commands are the same in every language.
import type { RuntimeTool } from "../../host/bindings";

/** A command for one kind of system. */
export interface SystemCommand {
  system: "debian" | "linux" | "homebrew" | "macos";
  command: string;
}

interface ToolFacts {
  name: string;
  apt: string;
  brew: string;
}

const TOOLS: Record<RuntimeTool, ToolFacts> = {
  node: { name: "Node.js", apt: "sudo apt install nodejs npm", brew: "brew install node" },
  python: { name: "Python", apt: "sudo apt install python3 python3-venv", brew: "brew install python" },
  uv: { name: "uv", apt: "sudo apt install pipx && pipx install uv", brew: "brew install uv" },
  docker: { name: "Docker", apt: "sudo apt install docker.io", brew: "brew install --cask docker" },
  podman: { name: "Podman", apt: "sudo apt install podman", brew: "brew install podman" },
  deno: { name: "Deno", apt: "npm install --global deno", brew: "brew install deno" },
  bun: { name: "Bun", apt: "npm install --global bun", brew: "brew install oven-sh/bun/bun" },
  java: { name: "Java", apt: "sudo apt install default-jre", brew: "brew install openjdk" },
  dotnet: { name: ".NET", apt: "sudo apt install dotnet-sdk-8.0", brew: "brew install dotnet" },
  go: { name: "Go", apt: "sudo apt install golang", brew: "brew install go" },
  rust: { name: "Rust", apt: "sudo apt install cargo", brew: "brew install rust" },
  git: { name: "Git", apt: "sudo apt install git", brew: "brew install git" },
};

export const toolName = (tool: RuntimeTool) => TOOLS[tool].name;

/** The name of the program that downloads packages. */
export const launcherName = (tool: RuntimeTool) => (tool === "node" ? "npm" : toolName(tool));

/** How a tool is installed on each kind of system. */
export function installCommands(tool: RuntimeTool): SystemCommand[] {
  const { apt, brew } = TOOLS[tool];
  return [
    { system: "debian", command: apt },
    { system: "homebrew", command: brew },
  ];
}
