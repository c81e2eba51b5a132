//! Servers of other applications on this computer: found at the user's word, added as they are, and never started.

use std::fs;
use std::path::Path;

use vestibule_host::view::{AppConfigContent, DraftComparison, ParsedServer, PlaceDraft, ServerState};
use vestibule_tests::{Opening, Scene};

/// A value that no file of the application may hold.
const SECRET: &str = "imported-secret-5c1f0e9a";

fn write(home: &Path, path: &str, text: &str) {
    let path = home.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The files of five applications, each in the form of its own. Every server would leave a file behind.
fn write_apps(home: &Path) {
    let touch = |name: &str| format!(r#""command": "touch", "args": ["{}"]"#, home.join(name).display());
    let claude = format!(
        r#"{{"mcpServers": {{"one": {{{}, "env": {{"TOKEN": "{SECRET}", "NODE_OPTIONS": "--no-warnings"}}, "alwaysAllow": ["x"]}}}}}}"#,
        touch("one")
    );
    write(home, ".config/Claude/claude_desktop_config.json", &claude);
    let cursor = format!(
        r#"{{"mcpServers": {{"two": {{"url": "https://mcp.example.com/mcp", "headers": {{"X-Key": "{SECRET}"}}}}}}}}"#
    );
    write(home, ".cursor/mcp.json", &cursor);
    let code = format!(
        r#"{{ // mine
        "inputs": [{{"id": "key", "type": "promptString", "password": true, "description": "The key"}}],
        "servers": {{"three": {{{}, "env": {{"KEY": "${{input:key}}"}}}}}} }}"#,
        touch("three")
    );
    write(home, ".config/Code/User/mcp.json", &code);
    let codex = format!(
        "[mcp_servers.four]\ncommand = \"touch\"\nargs = [\"{}\"]\n",
        home.join("four").display()
    );
    write(home, ".codex/config.toml", &codex);
    let goose = format!(
        "extensions:\n  five:\n    type: stdio\n    cmd: touch\n    args: [\"{}\"]\n    envs:\n      TOKEN: {SECRET}\n",
        home.join("five").display()
    );
    write(home, ".config/goose/config.yaml", &goose);
}

/// The servers that were found, with how they compare.
async fn found(scene: &Scene) -> Vec<(ParsedServer, DraftComparison)> {
    let mut servers = vec![];
    for file in scene.host.app_configs().await.files {
        match file.content {
            AppConfigContent::Servers { parsed, comparisons } => {
                servers.extend(parsed.servers.into_iter().zip(comparisons));
            }
            other => panic!("{}: {other:?}", file.path),
        }
    }
    servers
}

/// The files below a folder that hold a text, but for the home folder of the scene.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut holding = vec![];
    for path in entries.filter(|path| !path.ends_with("home")) {
        if path.is_dir() {
            holding.extend(self::holding(&path, text));
        } else if fs::read(&path).is_ok_and(|bytes| memchr::memmem::find(&bytes, text.as_bytes()).is_some()) {
            holding.push(path.display().to_string());
        }
    }
    holding
}

#[tokio::test]
async fn servers_of_five_applications_are_added_and_none_is_started() {
    let opening = Opening::default();
    let home = opening.home();
    write_apps(&home);
    let scene = opening.open().await;
    let servers = found(&scene).await;
    let names: Vec<&str> = servers
        .iter()
        .map(|(server, _)| server.draft.name.as_str())
        .collect();
    assert_eq!(names, ["one", "two", "three", "five", "four"]);
    assert!(
        servers
            .iter()
            .all(|(_, comparison)| *comparison == DraftComparison::New)
    );
    let fills: Vec<&str> = servers
        .iter()
        .flat_map(|(server, _)| &server.fills)
        .map(|fill| fill.name.as_str())
        .collect();
    assert_eq!(fills, ["key"]);
    assert_eq!(servers[0].0.omitted[0].names, ["alwaysAllow"]);

    for (server, _) in servers {
        let mut draft = server.draft;
        // As the window does where a value was not filled in.
        if let PlaceDraft::Here(program) = &mut draft.place {
            for pair in program.env.iter_mut().filter(|pair| pair.value == "${key}") {
                pair.value.clear();
            }
        }
        scene.host.server_add(draft).await.unwrap();
    }
    scene.window.catch_up(&scene.host).await;
    let now = scene.window.now();
    assert_eq!(now.servers.len(), 5);
    assert!(
        now.servers
            .values()
            .all(|server| server.state == ServerState::Stopped)
    );
    let missing: Vec<&String> = now.servers.values().flat_map(|server| &server.missing).collect();
    assert_eq!(missing, ["KEY"]);
    assert_eq!(scene.store.rules().await.unwrap(), []);
    assert_eq!(scene.person.shown().len(), 0);

    let again = found(&scene).await;
    let same = |comparison: &DraftComparison| matches!(comparison, DraftComparison::Added { differences, .. } if differences.is_empty());
    assert!(again.iter().all(|(_, comparison)| same(comparison)), "{again:?}");

    let opening = scene.close().await;
    assert_eq!(holding(opening.folder(), SECRET), Vec::<String>::new());
    for name in ["one", "three", "four", "five"] {
        assert!(!home.join(name).exists(), "{name} was started");
    }
}
