//! The shapes of a pasted configuration, and what is said of what cannot be read.

use vestibule_app_protocol::Problem;
use vestibule_protocol::TransportChoice;
use vestibule_servers::config::connection;

use super::*;

mod hostile;
mod table;

fn parse(text: &str) -> Result<ParsedServers, InputProblem> {
    super::parse(text, |url| connection::address(url).map(drop))
}

fn names(text: &str) -> Vec<String> {
    parse(text)
        .unwrap()
        .servers
        .into_iter()
        .map(|server| server.draft.name)
        .collect()
}

#[test]
fn every_known_shape_is_understood() {
    for text in [
        r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"]}}}"#,
        r#"{"servers": {"files": {"type": "stdio", "command": "npx"}}}"#,
        r#"{"mcp": {"servers": {"files": {"command": "npx"}}}}"#,
        r#"{"context_servers": {"files": {"command": {"path": "npx", "args": ["x"]}}}}"#,
        r#""mcpServers": {"files": {"command": "npx"}}"#,
        r#"{"files": {"command": "npx"}}"#,
        r#""files": {"command": "npx"}"#,
        r#"{"name": "files", "command": "npx"}"#,
        "\u{feff}{\"servers\": { // mine\n \"files\": {\"command\": \"npx\", /* all\nof it */ \"args\": [\"//x\",], }, } }",
    ] {
        assert_eq!(names(text), ["files"], "{text}");
    }
}

/// What is copied out of the middle of a page.
#[test]
fn an_indented_list_is_read_and_errors_count_blank_lines() {
    let text = "\n\n  - name: files\n    command: npx\n    args: [x]\n  - name: notes\n    command: npx\n";
    assert_eq!(names(text), ["files", "notes"]);
    let broken = parse("\n\n{\"mcpServers\": }").unwrap_err();
    assert!(
        matches!(
            broken,
            InputProblem::JsonBroken {
                line: 3,
                column: 16,
                ..
            }
        ),
        "{broken:?}"
    );
}

#[test]
fn arguments_and_variables_come_through_to_the_letter() {
    let text = r#"{"mcpServers": {"a": {"command": "run", "args": ["--x=//y", "a b", 3], "cwd": "/tmp",
        "env": {"TOKEN": "s,}cret", "PORT": 80, "ASK": "${input:token}"}}}}"#;
    let PlaceDraft::Here(server) = parse(text).unwrap().servers.remove(0).draft.place else {
        panic!("not here")
    };
    assert_eq!(server.args, ["--x=//y", "a b", "3"]);
    assert_eq!(server.folder.as_deref(), Some("/tmp"));
    let env: Vec<_> = server
        .env
        .iter()
        .map(|v| (v.name.as_str(), v.value.as_str()))
        .collect();
    assert_eq!(env, [("TOKEN", "s,}cret"), ("PORT", "80"), ("ASK", "${token}")]);
    assert!(server.env.iter().all(|pair| pair.pasted));
}

#[test]
fn addresses_come_through_in_every_spelling() {
    use TransportChoice::{Auto, Sse, Streamable};
    let address = "https://mcp.example.com/mcp";
    for (entry, expected) in [
        (format!(r#""url": "{address}""#), Auto),
        (format!(r#""serverUrl": "{address}""#), Auto),
        (format!(r#""type": "http", "url": "{address}""#), Auto),
        (format!(r#""type": "sse", "url": "{address}""#), Sse),
        (
            format!(r#""type": "streamable-http", "url": "{address}""#),
            Streamable,
        ),
        (
            format!(r#""type": "streamableHttp", "url": "{address}""#),
            Streamable,
        ),
        (format!(r#""transport": "sse", "url": "{address}""#), Sse),
        (format!(r#""httpUrl": "{address}""#), Streamable),
    ] {
        let text = format!(
            r#"{{"mcpServers": {{"web": {{{entry}, "headers": {{"X-Key": "k", "Y": "${{input:y}}"}}}}}}}}"#
        );
        let PlaceDraft::Address(draft) = parse(&text).unwrap().servers.remove(0).draft.place else {
            panic!("{text}")
        };
        assert_eq!(
            (draft.url.as_str(), draft.transport),
            (address, expected),
            "{text}"
        );
        let headers: Vec<_> = draft
            .headers
            .iter()
            .map(|h| (h.name.as_str(), h.value.as_str()))
            .collect();
        assert_eq!(headers, [("X-Key", "k"), ("Y", "${y}")]);
    }
}

#[test]
fn what_a_variable_can_do_is_said_beside_the_preview() {
    let text = r#"{"mcpServers": {"a": {"command": "npx", "env": {"NODE_OPTIONS": "--import x", "TOKEN": "t"}},
        "b": {"url": "https://mcp.example.com", "headers": {"NODE_OPTIONS": "x"}}}}"#;
    let effects = parse(text).unwrap().effects;
    let expected = [("NODE_OPTIONS".to_owned(), VariableEffect::LoadsCode)];
    assert_eq!(effects.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn broken_text_says_where_it_breaks() {
    let problem = parse("{\n  \"mcpServers\": {\n    \"a\": oops\n  }\n}").unwrap_err();
    assert!(
        matches!(
            problem,
            InputProblem::JsonBroken {
                line: 3,
                column: 10,
                ..
            }
        ),
        "{problem:?}"
    );
}

#[test]
fn what_can_not_be_added_is_named_with_the_reason() {
    let text = r#"{"mcpServers": {"web": {"url": "http://mcp.example.com"}, "odd": {"command": 3}, "ok": {"command": "x"}}}"#;
    let parsed = parse(text).unwrap();
    assert_eq!(parsed.servers.len(), 1);
    let web = parsed
        .skipped
        .iter()
        .find(|skipped| skipped.name == "web")
        .unwrap();
    assert!(
        matches!(&web.problem, Problem::Input(InputProblem::AddressInvalid { detail, .. }) if detail.contains("https"))
    );
    let odd = parsed
        .skipped
        .iter()
        .find(|skipped| skipped.name == "odd")
        .unwrap();
    assert_eq!(odd.problem, InputProblem::CommandMissing.into());
}

#[test]
fn text_without_servers_is_said_to_be_that() {
    for text in [
        "{}",
        "[]",
        r#"{"mcpServers": {}}"#,
        r#"{"theme": "dark"}"#,
        "theme: dark",
        "theme = \"dark\"",
    ] {
        assert_eq!(parse(text), Err(InputProblem::JsonWithoutServers), "{text}");
    }
}
