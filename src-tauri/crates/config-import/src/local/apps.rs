//! Where other applications keep their configurations: one table of paths for all systems. Files of projects are not in
//! it, because a project's author writes those.

use super::folders::{AppSystem, FileBase};
use FileBase::{DotConfig, Home, LocalData, Moved, Settings, SharedData};
use SystemSet::{All, Linux, Mac, Unix, Windows};

/// The systems on which an application has a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SystemSet {
    All,
    Unix,
    Linux,
    Mac,
    Windows,
}

impl SystemSet {
    pub(super) fn has(self, system: AppSystem) -> bool {
        match self {
            Self::All => true,
            Self::Unix => system != AppSystem::Windows,
            Self::Linux => system == AppSystem::Linux,
            Self::Mac => system == AppSystem::Mac,
            Self::Windows => system == AppSystem::Windows,
        }
    }
}

/// A file that an application may have.
pub(super) struct AppFile {
    pub(super) app: &'static str,
    pub(super) systems: SystemSet,
    pub(super) base: FileBase,
    /// Below the base. One part of it may hold a `*`, which stands for any text.
    pub(super) path: &'static str,
}

const fn file(app: &'static str, systems: SystemSet, base: FileBase, path: &'static str) -> AppFile {
    AppFile {
        app,
        systems,
        base,
        path,
    }
}

const CLAUDE_DIR: FileBase = Moved("CLAUDE_CONFIG_DIR", "");
const CODEX_HOME: FileBase = Moved("CODEX_HOME", ".codex");
const COPILOT_HOME: FileBase = Moved("COPILOT_HOME", ".copilot");

/// Every file that is looked for, in the order in which it is shown.
#[rustfmt::skip]
pub(super) const FILES: &[AppFile] = &[
    file("Claude Desktop", All, Settings, "Claude/claude_desktop_config.json"),
    file("Claude Desktop", Linux, Settings, "claude/claude_desktop_config.json"),
    // The build of the Store has a folder of its own.
    file("Claude Desktop", Windows, LocalData, "Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json"),
    file("Claude Code", All, CLAUDE_DIR, ".claude.json"),
    file("Cursor", All, Home, ".cursor/mcp.json"),
    file("VS Code", All, Settings, "Code/User/mcp.json"),
    file("VS Code", All, Settings, "Code/User/settings.json"),
    file("VS Code", All, Settings, "Code/User/profiles/*/mcp.json"),
    file("VS Code Insiders", All, Settings, "Code - Insiders/User/mcp.json"),
    file("VS Code Insiders", All, Settings, "Code - Insiders/User/profiles/*/mcp.json"),
    file("VSCodium", All, Settings, "VSCodium/User/mcp.json"),
    file("VSCodium", All, Settings, "VSCodium/User/profiles/*/mcp.json"),
    file("Trae", All, Settings, "Trae/User/mcp.json"),
    file("GitHub Copilot", All, COPILOT_HOME, "mcp-config.json"),
    file("Windsurf", All, Home, ".codeium/windsurf/mcp_config.json"),
    file("Windsurf", All, Home, ".codeium/mcp_config.json"),
    file("Antigravity", All, Home, ".gemini/antigravity/mcp_config.json"),
    file("Zed", Unix, DotConfig, "zed/settings.json"),
    file("Zed", Windows, Settings, "Zed/settings.json"),
    file("Cline", All, Home, ".cline/data/settings/cline_mcp_settings.json"),
    file("Cline", All, Home, ".cline/mcp.json"),
    file("Cline", All, Settings, "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    file("Roo Code", All, Settings, "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
    file("Continue", All, Home, ".continue/config.yaml"),
    file("Continue", All, Home, ".continue/mcpServers/*.yaml"),
    file("Continue", All, Home, ".continue/mcpServers/*.yml"),
    file("Continue", All, Home, ".continue/mcpServers/*.json"),
    file("Goose", Unix, DotConfig, "goose/config.yaml"),
    file("Goose", Windows, Settings, "Block/goose/config/config.yaml"),
    file("LM Studio", All, Home, ".lmstudio/mcp.json"),
    file("LM Studio", All, Home, ".cache/lm-studio/mcp.json"),
    file("Jan", Linux, SharedData, "Jan/data/mcp_config.json"),
    file("Jan", Mac, Settings, "Jan/data/mcp_config.json"),
    file("Jan", Windows, Settings, "Jan/data/mcp_config.json"),
    file("Codex", All, CODEX_HOME, "config.toml"),
    file("Gemini CLI", All, Home, ".gemini/settings.json"),
    file("opencode", All, DotConfig, "opencode/opencode.json"),
    file("opencode", All, DotConfig, "opencode/opencode.jsonc"),
    file("Crush", Unix, DotConfig, "crush/crush.json"),
    file("Crush", Windows, LocalData, "crush/crush.json"),
    file("Amazon Q", All, Home, ".aws/amazonq/mcp.json"),
    file("Amazon Q", All, Home, ".aws/amazonq/cli-agents/*.json"),
    file("Kiro", All, Home, ".kiro/settings/mcp.json"),
    file("Junie", All, Home, ".junie/mcp/mcp.json"),
    file("Sema4.ai", All, Home, ".sema4ai/sema4ai-studio/mcp_servers.json"),
    file("Witsy", All, Settings, "Witsy/settings.json"),
    file("BoltAI", Mac, Home, ".boltai/mcp.json"),
    file("Tome", All, Home, ".tome/mcp_config.json"),
];

/// The applications of the table, each once.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let first = |index: usize| index == 0 || FILES[index - 1].app != FILES[index].app;
    (0..FILES.len())
        .filter(move |index| first(*index))
        .map(|index| FILES[index].app)
}
