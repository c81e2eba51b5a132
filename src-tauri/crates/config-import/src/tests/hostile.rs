//! Input that is broken, too large, or made to harm: refused or shown as what it is, in words.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::*;

/// Reading hostile text must not take longer than this, also on a slow machine without optimisation.
const LONGEST_READ: Duration = Duration::from_secs(20);

fn problem_of(text: &str) -> InputProblem {
    let start = Instant::now();
    let problem = parse(text).expect_err("it is refused");
    assert!(start.elapsed() < LONGEST_READ);
    problem
}

#[test]
fn ten_megabytes_are_refused_unread() {
    let text = format!(
        "{{\"mcpServers\": {{\"a\": {{\"command\": \"{}\"}}}}}}",
        "x".repeat(10 << 20)
    );
    assert_eq!(problem_of(&text), InputProblem::ConfigTooLong { limit_kb: 1024 });
}

#[test]
fn a_thousand_servers_are_refused_with_their_number() {
    let entries: Vec<String> = (0..1000)
        .map(|n| format!("\"s{n}\": {{\"command\": \"x\"}}"))
        .collect();
    let text = format!("{{\"mcpServers\": {{{}}}}}", entries.join(","));
    let expected = InputProblem::ServersTooMany {
        found: 1000,
        limit: 200,
    };
    assert_eq!(problem_of(&text), expected);
}

#[test]
fn servers_of_one_name_are_all_shown() {
    let text =
        r#"{"mcpServers": {"a": {"command": "one"}, "a": {"command": "two"}, " a ": {"command": "three"}}}"#;
    assert_eq!(names(text), ["a", "a", "a"]);
}

#[test]
fn a_member_that_stands_twice_refuses_its_entry_and_no_other() {
    let text = r#"{"mcpServers": {"a": {"command": "shown", "command": "run"}, "b": {"command": "x"}}}"#;
    let parsed = parse(text).unwrap();
    let doubled = InputProblem::EntryDoubled {
        name: "command".into(),
    };
    assert_eq!(parsed.skipped[0].problem, doubled.into());
    assert_eq!(parsed.servers[0].draft.name, "b");
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let before = format!("*a{}", n - 1);
        let _ = writeln!(text, "a{n}: &a{n} [{}]", vec![before; 9].join(", "));
    }
    let detail = "its aliases stand for too much text";
    assert!(matches!(problem_of(&text), InputProblem::ConfigBroken { detail: found, .. } if found == detail));
}

#[test]
fn an_alias_inside_its_own_value_is_refused() {
    let problem = problem_of("a: &a\n  b: *a\n");
    assert!(
        matches!(problem, InputProblem::ConfigBroken { .. }),
        "{problem:?}"
    );
}

#[test]
fn nesting_without_end_is_refused_in_every_format() {
    let deep = 100_000;
    for text in [
        format!("{{\"mcpServers\": {}", "{\"a\":".repeat(deep)),
        format!("mcpServers: {}", "[".repeat(deep)),
        format!("mcp_servers = {}", "[".repeat(deep)),
        format!("mcp_servers = {}", "{a=".repeat(deep)),
        format!("[mcp_servers{}]", ".a".repeat(deep)),
        (0..400).fold(String::new(), |text, n| text + &" ".repeat(n) + "a:\n"),
    ] {
        let problem = problem_of(&text);
        let broken = matches!(
            problem,
            InputProblem::ConfigBroken { .. }
                | InputProblem::JsonBroken { .. }
                | InputProblem::JsonWithoutServers
        );
        assert!(broken, "{problem:?}");
    }
}

#[test]
fn placeholders_without_end_cost_no_more_than_their_length() {
    for piece in ["${", "<", "${{", "{env:", "%A", "${A:-"] {
        let text = format!(
            "{{\"command\": \"x\", \"args\": [\"{}\"]}}",
            piece.repeat(100_000)
        );
        let start = Instant::now();
        assert_eq!(parse(&text).unwrap().servers.len(), 1, "{piece}");
        assert!(start.elapsed() < LONGEST_READ, "{piece}");
    }
}

#[test]
fn hidden_characters_come_through_so_that_they_can_be_shown() {
    let text =
        "{\"mcpServers\": {\"a\\u202e\\u200b\": {\"command\": \"x\", \"args\": [\"a\\t\\tb\\u2066\"]}}}";
    let draft = parse(text).unwrap().servers.remove(0).draft;
    assert_eq!(draft.name, "a\u{202e}\u{200b}");
    let PlaceDraft::Here(program) = draft.place else {
        panic!("not here")
    };
    assert_eq!(program.args, ["a\t\tb\u{2066}"]);
}

#[test]
fn broken_yaml_and_toml_say_where_they_break() {
    let yaml = problem_of("extensions:\n  a: [b\n  c: d\n");
    assert!(
        matches!(&yaml, InputProblem::ConfigBroken { format, line: 2..=4, .. } if format == "YAML"),
        "{yaml:?}"
    );
    let toml = problem_of("[mcp_servers.a]\ncommand = \n");
    assert!(
        matches!(&toml, InputProblem::ConfigBroken { format, line: 2, .. } if format == "TOML"),
        "{toml:?}"
    );
}

#[test]
fn a_member_list_that_nobody_could_read_refuses_its_entry() {
    let members: Vec<String> = (0..100).map(|n| format!("\"m{n}\": 1")).collect();
    let text = format!(
        "{{\"mcpServers\": {{\"a\": {{\"command\": \"x\", {}}}}}}}",
        members.join(",")
    );
    let parsed = parse(&text).unwrap();
    assert_eq!((parsed.servers.len(), parsed.skipped.len()), (0, 1));
}

#[test]
fn no_approval_of_another_application_becomes_anything_but_a_name() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "alwaysAllow": ["rm"], "autoApprove": ["*"], "trust": true}}}"#;
    let with = parse(text).unwrap().servers.remove(0);
    let without = parse(r#"{"mcpServers": {"a": {"command": "x"}}}"#)
        .unwrap()
        .servers
        .remove(0);
    assert_eq!(with.draft, without.draft);
    assert_eq!(with.omitted[0].names, ["alwaysAllow", "autoApprove", "trust"]);
}

/// The only reason why nothing of a text can be added.
fn skipped(text: &str) -> String {
    let start = Instant::now();
    let parsed = parse(text).unwrap();
    assert!(start.elapsed() < LONGEST_READ);
    assert!(parsed.servers.is_empty(), "{}", parsed.servers.len());
    parsed.skipped[0].problem.to_string()
}

#[test]
fn values_that_could_not_be_reviewed_refuse_their_entry() {
    let asking = |count: usize| {
        let words: Vec<String> = (0..count).map(|n| format!("\"${{a{n}}}\"")).collect();
        format!("{{\"command\": \"x\", \"args\": [{}]}}", words.join(","))
    };
    assert_eq!(parse(&asking(200)).unwrap().servers[0].fills.len(), 200);
    for count in [201, 60_000] {
        let reason = skipped(&asking(count));
        assert!(reason.contains("too many values"), "{reason}");
    }
    // A registry numbers values of one name.
    let described = |count: usize| {
        let variables = vec!["{\"name\": \"A\"}"; count].join(",");
        format!(
            "{{\"name\": \"io.example/a\", \"packages\": [{{\"registryType\": \"npm\", \"identifier\": \"a\", \
             \"version\": \"1.0.0\", \"environmentVariables\": [{variables}]}}]}}"
        )
    };
    for count in [201, 40_000] {
        let reason = skipped(&described(count));
        assert!(reason.contains("too many values"), "{reason}");
    }
}

#[test]
fn wide_entries_cost_no_more_than_their_length() {
    let members: Vec<String> = (0..80_000).map(|n| format!("\"m{n}\":1")).collect();
    let reason = skipped(&format!("{{\"command\": \"x\", {}}}", members.join(",")));
    assert!(reason.contains("80000 members"), "{reason}");
    let reason = skipped(&format!(
        "{{\"command\": \"x\", \"env\": {{{}}}}}",
        members.join(",")
    ));
    assert!(reason.contains("env has 80000 members"), "{reason}");
    let names: Vec<String> = (0..80_000).map(|n| format!("\"m{n}\"")).collect();
    let reason = skipped(&format!(
        "{{\"command\": \"x\", \"env_vars\": [{}]}}",
        names.join(",")
    ));
    assert!(reason.contains("too long"), "{reason}");
}

#[test]
fn what_all_servers_ask_for_is_not_copied_to_more_servers_than_are_read() {
    let servers: Vec<String> = (0..8000).map(|n| format!("\"s{n}\":{{}}")).collect();
    let inputs: Vec<String> = (0..25_000).map(|n| format!("{{\"id\":\"a{n}\"}}")).collect();
    let text = format!(
        "{{\"servers\": {{{}}}, \"inputs\": [{}]}}",
        servers.join(","),
        inputs.join(",")
    );
    let expected = InputProblem::ServersTooMany {
        found: 8000,
        limit: 200,
    };
    assert_eq!(problem_of(&text), expected);
}

/// The variables of a bridge are put into its headers here.
#[test]
fn a_bridge_whose_header_would_have_no_end_stays_a_program() {
    let text = format!(
        "{{\"command\": \"npx\", \"args\": [\"mcp-remote\", \"https://a.example.com\", \"--header\", \"A: {}\"], \
         \"env\": {{\"V\": \"{}\"}}}}",
        "${V}".repeat(2000),
        "x".repeat(1000)
    );
    let server = parse(&text).unwrap().servers.remove(0);
    assert_eq!(server.bridge, None);
    let PlaceDraft::Here(program) = server.draft.place else {
        panic!("not here")
    };
    assert_eq!(program.command, "npx");
}
