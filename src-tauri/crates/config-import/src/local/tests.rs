//! What is found on a computer: the paths of each system, files that cannot be read, and how servers compare.

use std::path::{Path, PathBuf};

use vestibule_app_protocol::{DraftComparison, DraftPart, PlaceDraft, Problem, ServerDraft};
use vestibule_protocol::ServerId;

use super::*;

mod compared;
mod unreadable;

/// A home folder in which applications have files.
struct TestHome(tempfile::TempDir);

impl TestHome {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            home.write(path, text);
        }
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn folders(&self) -> AppFolders {
        AppFolders::new(AppSystem::Linux, self.0.path().to_owned(), |_| None)
    }

    fn found(&self, added: &[AddedServer]) -> Vec<AppConfigFile> {
        app_configs(&self.folders(), added, |_| Ok(())).files
    }
}

/// The path of each file of an application on a system.
fn paths(system: AppSystem, app: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let value = |name: &str| variables.iter().find(|(other, _)| *other == name);
    let folders = AppFolders::new(system, "/u".into(), |name| {
        value(name).map(|(_, value)| value.into())
    });
    let files = apps::FILES
        .iter()
        .filter(|file| file.app == app && file.systems.has(system));
    let path = |file: &apps::AppFile| folders.resolve(file.base).unwrap().join(file.path);
    files.map(|file| path(file).display().to_string()).collect()
}

#[test]
fn each_system_has_the_paths_that_its_applications_use() {
    use AppSystem::{Linux, Mac, Windows};
    for (system, app, path) in [
        (
            Linux,
            "Claude Desktop",
            "/u/.config/Claude/claude_desktop_config.json",
        ),
        (
            Mac,
            "Claude Desktop",
            "/u/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        (
            Windows,
            "Claude Desktop",
            "/u/AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        (Linux, "Claude Code", "/u/.claude.json"),
        (Windows, "Claude Code", "/u/.claude.json"),
        (Mac, "Cursor", "/u/.cursor/mcp.json"),
        (Linux, "VS Code", "/u/.config/Code/User/mcp.json"),
        (
            Mac,
            "VS Code",
            "/u/Library/Application Support/Code/User/mcp.json",
        ),
        (Windows, "VS Code", "/u/AppData/Roaming/Code/User/mcp.json"),
        (Linux, "Windsurf", "/u/.codeium/windsurf/mcp_config.json"),
        (Linux, "Zed", "/u/.config/zed/settings.json"),
        (Mac, "Zed", "/u/.config/zed/settings.json"),
        (Windows, "Zed", "/u/AppData/Roaming/Zed/settings.json"),
        (Mac, "Goose", "/u/.config/goose/config.yaml"),
        (
            Windows,
            "Goose",
            "/u/AppData/Roaming/Block/goose/config/config.yaml",
        ),
        (Linux, "LM Studio", "/u/.lmstudio/mcp.json"),
        (Linux, "Jan", "/u/.local/share/Jan/data/mcp_config.json"),
        (
            Mac,
            "Jan",
            "/u/Library/Application Support/Jan/data/mcp_config.json",
        ),
        (Windows, "Jan", "/u/AppData/Roaming/Jan/data/mcp_config.json"),
        (Linux, "Codex", "/u/.codex/config.toml"),
        (Windows, "Gemini CLI", "/u/.gemini/settings.json"),
        (Linux, "Continue", "/u/.continue/config.yaml"),
        (Mac, "opencode", "/u/.config/opencode/opencode.json"),
        (Windows, "Crush", "/u/AppData/Local/crush/crush.json"),
        (Linux, "Kiro", "/u/.kiro/settings/mcp.json"),
    ] {
        let paths = paths(system, app, &[]);
        assert!(paths.contains(&path.to_owned()), "{app} on {system:?}: {paths:?}");
    }
}

#[test]
fn variables_move_the_folders_and_relative_ones_do_not() {
    let config = [
        ("XDG_CONFIG_HOME", "/moved"),
        ("CODEX_HOME", "/c"),
        ("XDG_DATA_HOME", "data"),
    ];
    let moved = |app| paths(AppSystem::Linux, app, &config);
    assert_eq!(moved("Zed"), ["/moved/zed/settings.json"]);
    assert_eq!(moved("Codex"), ["/c/config.toml"]);
    assert_eq!(moved("Jan"), ["/u/.local/share/Jan/data/mcp_config.json"]);
    let claude = paths(AppSystem::Mac, "Claude Code", &[("CLAUDE_CONFIG_DIR", "/claude")]);
    assert_eq!(claude, ["/claude/.claude.json"]);
}

#[test]
fn the_table_names_each_application_once_and_stays_below_its_folders() {
    let names: Vec<&str> = apps::names().collect();
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len(), "{names:?}");
    for file in apps::FILES {
        let path = Path::new(file.path);
        assert!(path.is_relative() && !file.path.contains(".."), "{}", file.path);
        assert!(file.path.matches('*').count() <= 1, "{}", file.path);
    }
}

#[test]
fn nothing_is_found_without_a_home_folder() {
    let found = app_configs(&AppFolders::default(), &[], |_| Ok(()));
    assert_eq!(found.files, []);
    assert!(found.apps.contains(&"Cursor".to_owned()));
}

#[test]
fn every_format_is_read_and_the_files_of_a_pattern_too() {
    let home = TestHome::new(&[
        (".cursor/mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#),
        (
            ".config/zed/settings.json",
            "// mine\n{\"theme\": \"x\", \"context_servers\": {\"b\": {\"command\": \"b\", \"args\": []}},}",
        ),
        (
            ".codex/config.toml",
            "model = \"x\"\n[mcp_servers.c]\ncommand = \"c\"\n",
        ),
        (
            ".config/goose/config.yaml",
            "extensions:\n  d:\n    type: stdio\n    cmd: d\n    name: d\n",
        ),
        (
            ".config/Code/User/profiles/work/mcp.json",
            r#"{"servers": {"e": {"command": "e"}}}"#,
        ),
        (
            ".continue/mcpServers/one.yaml",
            "mcpServers:\n  - name: f\n    command: f\n",
        ),
        (".gemini/settings.json", r#"{"theme": "dark"}"#),
        (".kiro/settings/mcp.json", " \n"),
    ]);
    let mut names = vec![];
    let mut without = vec![];
    for file in home.found(&[]) {
        match file.content {
            AppConfigContent::Servers { parsed, .. } => {
                names.extend(
                    parsed
                        .servers
                        .into_iter()
                        .map(|server| (file.app.clone(), server.draft.name)),
                );
            }
            AppConfigContent::NoServers => without.push(file.app),
            AppConfigContent::Unreadable { problem } => panic!("{}: {problem:?}", file.path),
        }
    }
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(app, name)| (app.as_str(), name.as_str()))
        .collect();
    let expected = [
        ("Cursor", "a"),
        ("VS Code", "e"),
        ("Zed", "b"),
        ("Continue", "f"),
        ("Goose", "d"),
        ("Codex", "c"),
    ];
    assert_eq!(names, expected);
    assert_eq!(without, ["Gemini CLI", "Kiro"]);
}
