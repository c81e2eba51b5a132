//! A variable or header as a card shows it. Whether its value is shown depends on what the variable can do and on
//! where the value came from: the user has read nothing of what was pasted, and has typed the rest.

use std::fmt;

use serde::Serialize;
use vestibule_policy::VariableEffect;

/// A variable of a program or a header of an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct NamedValue {
    pub name: String,
    /// What a variable of this name can change; `None` for an ordinary one, and for a header.
    pub effect: Option<VariableEffect>,
    /// What the card shows of its value.
    pub value: ValueDisplay,
}

/// What is shown of a value.
#[derive(Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "display", rename_all = "snake_case")]
pub enum ValueDisplay {
    /// All of it, because it decides what runs.
    Shown { text: String },
    /// All of it when the user asks for it, because it came with a pasted configuration.
    Masked { text: String },
    /// Nothing, because the user typed it.
    Hidden,
}

/// Prints no value: each of them may be a secret.
impl fmt::Debug for ValueDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shown { .. } => "Shown(…)",
            Self::Masked { .. } => "Masked(…)",
            Self::Hidden => "Hidden",
        })
    }
}
