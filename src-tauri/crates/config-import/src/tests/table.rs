//! Configurations in the shapes of many applications, each with what must come of it: `configs/*.txt`. A case begins
//! with `### ` and its title; `--->` separates the text that is pasted from what is read in it.

use std::fmt::Write as _;
use std::path::Path;

use vestibule_app_protocol::{EndpointDraft, FillIn, Omitted, ProgramDraft};

use super::*;

/// The fewest cases that the table must have.
const FEWEST: usize = 60;

#[test]
fn every_configuration_of_the_table_is_read_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/configs");
    let mut count = 0;
    let mut wrong = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for case in text.split("\n### ").map(|case| case.trim_start_matches("### ")) {
            count += 1;
            check(case, &mut wrong);
        }
    }
    assert!(count >= FEWEST, "{count} cases");
    assert!(wrong.is_empty(), "{wrong}");
}

fn check(case: &str, wrong: &mut String) {
    let (title, rest) = case.split_once('\n').expect(case);
    let (written, expected) = rest.split_once("\n--->").expect(title);
    let read = shown(written);
    if read.trim() != expected.trim() {
        let _ = writeln!(
            wrong,
            "### {title}\n{read}\n--- instead of\n{}\n",
            expected.trim()
        );
    }
}

/// Everything that is read in a text, one fact a line.
fn shown(text: &str) -> String {
    let parsed = match parse(text) {
        Ok(parsed) => parsed,
        Err(problem) => return format!("refused: {problem}"),
    };
    let mut lines: Vec<String> = parsed.servers.iter().flat_map(server).collect();
    for skipped in &parsed.skipped {
        lines.push(format!("skipped {}: {}", skipped.name, skipped.problem));
    }
    lines.extend(
        parsed
            .omitted
            .iter()
            .map(|group| format!("beside, {}", omitted(group))),
    );
    lines.extend(
        parsed
            .effects
            .iter()
            .map(|(name, effect)| format!("effect {name}: {effect:?}")),
    );
    lines.join("\n")
}

fn server(server: &ParsedServer) -> Vec<String> {
    let ticked = if server.chosen { "" } else { " (not chosen)" };
    let mut lines = vec![format!("server {}{ticked}", server.draft.name)];
    lines.extend(server.project.iter().map(|folder| format!("  project: {folder}")));
    lines.extend(match &server.draft.place {
        PlaceDraft::Here(draft) => program(draft),
        PlaceDraft::Address(draft) => address(draft),
    });
    lines.extend(
        server
            .bridge
            .iter()
            .map(|bridge| format!("  instead of {bridge}")),
    );
    lines.extend(server.fills.iter().map(fill));
    lines.extend(server.optional.iter().map(|words| {
        let fills = words.fills.join(", ");
        format!("  left out without {fills}: {} from {}", words.count, words.first)
    }));
    lines.extend(server.omitted.iter().map(|group| format!("  {}", omitted(group))));
    lines
}

fn program(draft: &ProgramDraft) -> Vec<String> {
    let words = std::iter::once(&draft.command).chain(&draft.args);
    let words: Vec<&str> = words.map(String::as_str).collect();
    let mut lines = vec![format!("  runs: {}", words.join(" | "))];
    lines.extend(draft.folder.iter().map(|folder| format!("  in: {folder}")));
    let variables = draft.env.iter();
    lines.extend(variables.map(|pair| format!("  env: {}={}", pair.name, pair.value)));
    lines
}

fn address(draft: &EndpointDraft) -> Vec<String> {
    let mut lines = vec![format!("  reaches: {} ({:?})", draft.url, draft.transport)];
    let headers = draft.headers.iter();
    lines.extend(headers.map(|pair| format!("  header: {}: {}", pair.name, pair.value)));
    lines
}

fn fill(fill: &FillIn) -> String {
    let mut line = format!(
        "  asks: {} ({:?}{}{})",
        fill.name,
        fill.kind,
        if fill.required { ", required" } else { "" },
        if fill.optional { ", optional" } else { "" }
    );
    if !fill.value.is_empty() {
        let _ = write!(line, " proposes {}", fill.value);
    }
    if !fill.choices.is_empty() {
        let _ = write!(line, " of {}", fill.choices.join(", "));
    }
    if let Some(hint) = &fill.hint {
        let _ = write!(line, " says {hint}");
    }
    line
}

fn omitted(group: &Omitted) -> String {
    format!("not taken over, {:?}: {}", group.reason, group.names.join(", "))
}
