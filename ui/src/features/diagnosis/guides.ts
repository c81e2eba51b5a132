// The texts that a diagnosis can show, each with commands to copy. The commands are ours: of a server's output they hold
// at most the number of a port.
import type { Guide } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { installCommands, launcherName, toolName, type SystemCommand } from "./tools";

interface GuideText {
  text: string;
  commands: SystemCommand[];
}

const OWNER = 'sudo chown -R "$(id -u):$(id -g)"';

/** A guide in words. */
export function guideText(guide: Guide): GuideText {
  switch (guide.guide) {
    case "install":
      return { text: m.guide_install({ tool: toolName(guide.tool) }), commands: installCommands(guide.tool) };
    case "cache_owner":
      return {
        text: m.guide_cache_owner({ tool: launcherName(guide.tool) }),
        commands: [{ system: "linux", command: `${OWNER} ${guide.tool === "uv" ? "~/.cache/uv" : "~/.npm"}` }],
      };
    case "modules":
      return {
        text: m.guide_modules(),
        commands: [
          {
            system: "linux",
            command: guide.tool === "python" ? "python3 -m pip install -r requirements.txt" : "npm install",
          },
        ],
      };
    case "build_tools":
      return {
        text: m.guide_build_tools(),
        commands: [
          { system: "debian", command: "sudo apt install build-essential python3-dev" },
          { system: "macos", command: "xcode-select --install" },
        ],
      };
    case "docker_start":
      return {
        text: m.guide_docker_start(),
        commands: [
          { system: "linux", command: "sudo systemctl start docker" },
          { system: "macos", command: "open -a Docker" },
        ],
      };
    case "docker_group":
      return {
        text: m.guide_docker_group(),
        commands: [{ system: "linux", command: 'sudo usermod -aG docker "$USER"' }],
      };
    case "port":
      return {
        text: m.guide_port(),
        commands: [
          { system: "linux", command: `ss -ltnp 'sport = :${String(guide.port)}'` },
          { system: "macos", command: `lsof -nP -iTCP:${String(guide.port)} -sTCP:LISTEN` },
        ],
      };
    default:
      return guide satisfies never;
  }
}

/** The name of a kind of system beside its command. */
export function systemName(system: SystemCommand["system"]): string {
  switch (system) {
    case "debian":
      return "Debian, Ubuntu";
    case "linux":
      return "Linux";
    case "homebrew":
      return "macOS (Homebrew)";
    case "macos":
      return "macOS";
    default:
      return system satisfies never;
  }
}
