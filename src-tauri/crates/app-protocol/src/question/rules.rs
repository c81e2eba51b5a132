//! Rules as a card shows them. A card that lets rules hold shows every one of them, because the answer is to all of
//! them at once; nothing here says what a rule does, the engine does.

use serde::Serialize;
use serde_json::Value;
use vestibule_policy::{Action, Condition, Decision, Rule, Scope};

/// Rules of one server that would hold after a yes.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RuleSet {
    /// Every one of them.
    pub rules: Vec<RuleSummary>,
    /// The rule as it holds now, where one is to be changed. Without it they come from a file.
    pub before: Option<RuleSummary>,
    /// Whether these are rules whose rows were changed outside Vestibule, and which may hold again.
    pub outside: bool,
}

/// What a rule says.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RuleSummary {
    /// What it speaks of.
    pub action: Action,
    pub decision: Decision,
    /// What has to hold for the arguments as well; all of it.
    pub when: Vec<Condition>,
    /// How far it reaches.
    pub scope: Scope,
    /// The title of the chat or the name of the workspace in which it holds; missing where it holds everywhere, or
    /// where that is gone.
    pub place: Option<String>,
    /// When it ends at the latest, in milliseconds since 1970.
    #[ts(type = "number | null")]
    pub expires_ms: Option<i64>,
    /// What a permission of a file, or one that was changed outside Vestibule, is bound to.
    pub binding: Option<RuleBinding>,
}

/// What a permission that was not made here is bound to.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum RuleBinding {
    /// The definition of the tool that is accepted today.
    Definition { definition: Value },
    /// Another definition; it allows nothing as the tool is today.
    OtherDefinition,
    /// The start or connection as it would be today.
    Opening,
    /// Another start or connection; it allows nothing as the server is today.
    OtherOpening,
}

/// Without the name of the place, which only the store knows.
impl From<&Rule> for RuleSummary {
    fn from(rule: &Rule) -> Self {
        Self {
            action: rule.action.clone(),
            decision: rule.decision,
            when: rule.when.clone(),
            scope: rule.reach.scope(),
            place: None,
            expires_ms: rule.expires.map(|end| end.as_millisecond()),
            binding: None,
        }
    }
}
