//! Completing an argument of a prompt or a variable of a resource template while a user writes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::lenient;

/// The most values one answer may hold.
pub const MAX_COMPLETIONS: usize = 100;

/// What is being filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "type")]
pub enum CompletionTarget {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

/// A question for completions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionParams {
    /// What is being filled in.
    pub target: CompletionTarget,
    /// Which argument or variable of it.
    pub argument: String,
    /// What has been written so far.
    pub value: String,
    /// What was chosen for others already. Not sent to servers older than 2025-06-18.
    pub chosen: BTreeMap<String, String>,
}

/// What a server proposes. Text of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Completion {
    /// The proposals, best first; at most [`MAX_COMPLETIONS`], more are cut off.
    pub values: Vec<String>,
    /// How many there are in all, if the server says.
    #[serde(deserialize_with = "lenient::or_default")]
    pub total: Option<u64>,
    /// There are more than these.
    #[serde(deserialize_with = "lenient::or_default")]
    pub has_more: bool,
}

impl Completion {
    /// The same with at most [`MAX_COMPLETIONS`] values.
    #[must_use]
    pub fn cut(mut self) -> Self {
        if self.values.len() > MAX_COMPLETIONS {
            self.values.truncate(MAX_COMPLETIONS);
            self.has_more = true;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// CP-001, CP-004, CP-005.
    #[test]
    fn a_target_is_written_as_the_protocol_names_it_and_too_many_values_are_cut() {
        let target = CompletionTarget::Prompt { name: "a".into() };
        assert_eq!(
            serde_json::to_value(target).unwrap(),
            json!({"type": "ref/prompt", "name": "a"})
        );
        let read: Completion = serde_json::from_value(json!({"total": "many"})).unwrap();
        assert_eq!(read, Completion::default());
        let long: Completion = serde_json::from_value(json!({"values": vec!["x"; 101]})).unwrap();
        let cut = long.cut();
        assert_eq!((cut.values.len(), cut.has_more), (100, true));
    }
}
