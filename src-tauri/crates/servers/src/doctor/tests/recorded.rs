//! Output that was recorded: each line of the two tables is one failure with its diagnosis.

use serde::Deserialize;
use serde_json::{Value, json};
use vestibule_app_protocol::{Problem, ServerProblem};
use vestibule_protocol::TransportChoice;
use vestibule_store::{Endpoint, ServerPlace};

use super::{diagnosed, program};
use crate::doctor::{Evidence, diagnose};

const PROGRAMS: &str = include_str!("recorded.jsonl");
const ADDRESSES: &str = include_str!("recorded_addresses.jsonl");

#[derive(Deserialize)]
struct RecordedProgram {
    said_by: String,
    command: Vec<String>,
    env: Vec<String>,
    /// Nothing where the start took too long.
    exit: Option<String>,
    stderr: Vec<String>,
    stdout: Vec<String>,
    cause: Value,
    step: Value,
}

#[derive(Deserialize)]
struct RecordedAddress {
    said_by: String,
    url: String,
    transport: TransportChoice,
    headers: Vec<String>,
    problem: Problem,
    cause: Value,
    step: Value,
}

#[test]
fn recorded_output_of_programs_finds_its_sentence_and_button() {
    for line in PROGRAMS.lines() {
        let case: RecordedProgram = serde_json::from_str(line).expect(line);
        let command: Vec<&str> = case.command.iter().map(String::as_str).collect();
        let env: Vec<&str> = case.env.iter().map(String::as_str).collect();
        let problem = match case.exit {
            Some(exit) => ServerProblem::ServerEnded {
                exit: Some(exit),
                stderr: case.stderr,
            },
            None => ServerProblem::StartTimedOut {
                seconds: 60,
                stderr: case.stderr,
            },
        };
        let found = diagnosed(program(&command, &env), problem, case.stdout);
        let expected = json!({ "cause": case.cause, "step": case.step });
        assert_eq!(json!(found), expected, "{}", case.said_by);
    }
}

#[test]
fn recorded_answers_of_addresses_find_their_sentence_and_button() {
    for line in ADDRESSES.lines() {
        let case: RecordedAddress = serde_json::from_str(line).expect(line);
        let place = ServerPlace::Address(Endpoint {
            url: case.url,
            transport: case.transport,
            headers: case.headers,
            ..Endpoint::default()
        });
        let found = diagnose(&Evidence {
            place: &place,
            problem: &case.problem,
            skipped: vec![],
            has_package: false,
        });
        let expected = json!({ "cause": case.cause, "step": case.step });
        assert_eq!(json!(found), expected, "{}", case.said_by);
    }
}

#[test]
fn what_is_not_recognised_stays_what_it_is() {
    let problem = ServerProblem::ServerEnded {
        exit: Some("exit code 3".into()),
        stderr: vec!["no licence found".into()],
    };
    assert_eq!(diagnosed(program(&["/opt/notes"], &[]), problem, vec![]), None);
}
