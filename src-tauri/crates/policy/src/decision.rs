//! What came out: a decision, and why. The order of the three decisions is the whole conflict rule: the largest
//! one wins.

use serde::{Deserialize, Serialize};
use vestibule_protocol::RuleId;

use crate::Scope;

/// Whether something may happen. Ordered: of several decisions the largest holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It happens without a question.
    Allow,
    /// The user is asked.
    Ask,
    /// It does not happen.
    Deny,
}

/// A decision with everything that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    /// The reasons for exactly this decision; never empty.
    pub because: Vec<Because>,
}

/// One reason for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Because {
    /// A standing rule of the user matched.
    Rule {
        rule: RuleId,
        /// How far it reaches.
        scope: Scope,
    },
    /// A condition that no rule can lift.
    #[serde(rename = "floor")]
    Guardrail {
        #[serde(rename = "floor")]
        guardrail: Guardrail,
    },
    /// No rule speaks of this, and effects are asked.
    Unruled,
    /// The user was asked and answered.
    Person {
        /// How far the answer reaches.
        scope: Scope,
    },
}

/// What holds whatever the rules say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "Floor")]
pub enum Guardrail {
    /// The tool's definition is not the one that was accepted.
    DefinitionChanged,
    /// The tool says of itself that it destroys things: a permission wider than one chat does not cover it.
    ClaimsDestructive,
    /// Its arguments carry what another server returned in this chat: that is asked whatever was allowed.
    CarriesValues,
    /// There was too much to compare with what other servers returned: that is asked whatever was allowed.
    TooMuchToCheck,
    /// A path in its arguments leads into Vestibule's own data or configuration: that is asked whatever was allowed.
    OwnData,
    /// Where the paths in its arguments lead could not be found out: that is asked whatever was allowed.
    PathsUnchecked,
    /// The model wrote the call as text, which a quoted example may look like: that is asked whatever was allowed.
    WrittenAsText,
}
