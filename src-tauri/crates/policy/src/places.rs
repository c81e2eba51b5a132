//! Where the texts of arguments lead as paths on this computer. The caller looks at the disk at the moment of the
//! request and hands in what it found; this crate reads no disk.

use std::collections::BTreeMap;

use serde_json::Value;

/// What was found about the texts of one request. The default knows of none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Absolute paths among the texts, by the text, with where they lead: every link followed, and what does not exist
    /// yet as it is written. A text whose place could not be found out is left out.
    pub resolved: BTreeMap<String, String>,
    /// Whether one of the texts leads into Vestibule's own data or configuration.
    pub own_data: bool,
    /// Whether not all texts could be looked at.
    pub unchecked: bool,
}

impl Places {
    /// Takes every text for the place it names. For comparing conditions with a call that is shown, never for deciding
    /// one.
    #[must_use]
    pub fn as_written(arguments: &Value) -> Self {
        let mut places = Self::default();
        places.add_texts(arguments);
        places
    }

    fn add_texts(&mut self, value: &Value) {
        match value {
            Value::String(text) => drop(self.resolved.insert(text.clone(), text.clone())),
            Value::Array(items) => items.iter().for_each(|item| self.add_texts(item)),
            Value::Object(members) => members.values().for_each(|member| self.add_texts(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
