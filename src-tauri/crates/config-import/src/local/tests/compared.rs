//! How a server that was found compares with those that are added and with those found before it.

use super::*;

/// The comparison of each server of a Cursor configuration.
fn compared(servers: &str, added: &[AddedServer]) -> Vec<DraftComparison> {
    let text = format!(r#"{{"mcpServers": {servers}}}"#);
    comparisons(&TestHome::new(&[(".cursor/mcp.json", &text)]), added)
}

fn comparisons(home: &TestHome, added: &[AddedServer]) -> Vec<DraftComparison> {
    let of_file = |file: AppConfigFile| match file.content {
        AppConfigContent::Servers { comparisons, .. } => comparisons,
        other => panic!("{other:?}"),
    };
    home.found(added).into_iter().flat_map(of_file).collect()
}

/// A server as it is added: read from the same form, without the values of its variables.
fn added(name: &str, entry: &str) -> AddedServer {
    let text = format!(r#"{{"mcpServers": {{"{name}": {entry}}}}}"#);
    let parsed = crate::parse(&text, |_| Ok(())).unwrap().servers.remove(0);
    let mut draft: ServerDraft = parsed.draft;
    let pairs = match &mut draft.place {
        PlaceDraft::Here(program) => &mut program.env,
        PlaceDraft::Address(endpoint) => &mut endpoint.headers,
    };
    for pair in pairs {
        pair.value.clear();
        pair.pasted = false;
    }
    let id = ServerId::new();
    AddedServer { id, draft }
}

fn differs(found: &str, from: &str) -> Vec<DraftPart> {
    let added = [added("files", from)];
    match compared(&format!(r#"{{"files": {found}}}"#), &added).remove(0) {
        DraftComparison::Added {
            server,
            name,
            differences,
        } => {
            assert_eq!((server, name.as_str()), (added[0].id, "files"));
            differences
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_of_the_same_name_is_compared_part_by_part() {
    use DraftPart::{Address, Arguments, Command, Folder, Headers, Place, Transport, Variables};
    let program = r#"{"command": "npx", "args": ["-y", "x"], "env": {"B": "secret", "A": "2"}}"#;
    let remote = r#"{"url": "https://a.example/mcp", "headers": {"X-Key": "k"}}"#;
    for (found, from, expected) in [
        (program, program, &[][..]),
        (
            r#"{"command": "npx", "args": ["-y", "x"], "env": {"A": "3", "B": "1"}}"#,
            program,
            &[],
        ),
        (
            r#"{"command": "npx", "args": ["-y", "x@2"], "env": {"A": "3", "B": "1"}}"#,
            program,
            &[Arguments],
        ),
        (
            r#"{"command": "uvx", "args": ["-y", "x"], "cwd": "/x"}"#,
            program,
            &[Command, Variables, Folder],
        ),
        (remote, remote, &[]),
        (
            r#"{"url": "https://a.example/mcp", "headers": {"x-key": ""}}"#,
            remote,
            &[],
        ),
        (
            r#"{"url": "https://b.example/mcp", "type": "sse"}"#,
            remote,
            &[Address, Transport, Headers],
        ),
        (remote, program, &[Place]),
    ] {
        assert_eq!(differs(found, from), expected, "{found} and {from}");
    }
}

#[test]
fn values_that_were_filled_in_are_no_difference() {
    let found = r#"{"command": "npx", "args": ["--dir=${DIR}/notes", "${TOKEN}x"], "cwd": "${WHERE}"}"#;
    let added = r#"{"command": "npx", "args": ["--dir=/home/ada/notes", "abcx"]}"#;
    assert_eq!(differs(found, added), []);
    let other = r#"{"command": "npx", "args": ["--dir=/home/ada/other", "abcx"]}"#;
    assert_eq!(differs(found, other), [DraftPart::Arguments]);
}

#[test]
fn the_same_program_is_known_under_another_name_and_in_another_application() {
    let entry = r#"{"command": "npx", "args": ["x"]}"#;
    let known = [added("mine", entry)];
    let same = DraftComparison::Added {
        server: known[0].id,
        name: "mine".into(),
        differences: vec![],
    };
    assert_eq!(compared(&format!(r#"{{"files": {entry}}}"#), &known), [same]);

    let servers = format!(r#"{{"mcpServers": {{"files": {entry}, "new": {{"command": "y"}}}}}}"#);
    let home = TestHome::new(&[(".cursor/mcp.json", &servers), (".lmstudio/mcp.json", &servers)]);
    let repeated = DraftComparison::Repeated { app: "Cursor".into() };
    let expected = [
        DraftComparison::New,
        DraftComparison::New,
        repeated.clone(),
        repeated,
    ];
    assert_eq!(comparisons(&home, &[]), expected);
}
