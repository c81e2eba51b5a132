//! The form in which problems are stored in chats and sent to the windows.

use std::collections::BTreeSet;

use super::*;
use crate::EntryBody;

/// One entry of each kind of problem, as version 0.1.0 wrote them into its database.
const STORED: &str = include_str!("stored_failures.jsonl");

/// Chats that were written before are read, and other versions read what is written now.
#[test]
fn every_stored_problem_is_read_and_written_as_it_was() {
    for line in STORED.lines() {
        let body: EntryBody = serde_json::from_str(line).expect(line);
        assert_eq!(serde_json::to_string(&body).unwrap(), line);
    }
}

#[test]
fn no_problem_is_missing_among_the_stored_ones() {
    let stored: BTreeSet<String> = STORED.lines().map(name_of).collect();
    let groups = [
        known::<ServerProblem>(),
        known::<CallProblem>(),
        known::<ModelProblem>(),
        known::<StoreProblem>(),
        known::<InputProblem>(),
        known::<QuestionProblem>(),
        known::<GalleryProblem>(),
        known::<BundleProblem>(),
    ];
    let known: Vec<String> = groups.concat();
    assert_eq!(stored.len(), known.len(), "no name is in two groups");
    assert_eq!(stored, known.into_iter().collect());
}

fn name_of(line: &str) -> String {
    let entry: serde_json::Value = serde_json::from_str(line).unwrap();
    entry["problem"]["problem"].as_str().unwrap().to_owned()
}

/// The names in the type that the windows are compiled against.
fn known<Group: ts_rs::TS>() -> Vec<String> {
    let declared = Group::inline(&ts_rs::Config::default());
    let names = declared.split("\"problem\": \"").skip(1);
    names
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}
