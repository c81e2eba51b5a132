//! The user's rules as the Rules screen shows them, and what a draft would have done.

use serde::{Deserialize, Serialize};
use vestibule_policy::{Action, Condition, Decision, Reach, Scope};
use vestibule_protocol::{ChatId, RuleId, ServerId};

/// A standing permission or refusal.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RuleView {
    /// Our name for it.
    pub id: RuleId,
    /// The server it speaks of.
    pub server: ServerId,
    /// The user's name for it.
    pub server_name: String,
    /// What it speaks of.
    pub action: Action,
    pub decision: Decision,
    /// What has to hold for the arguments as well; all of it.
    pub when: Vec<Condition>,
    pub reach: Reach,
    /// How far that is.
    pub scope: Scope,
    /// The chat it holds in, where it holds in one.
    pub chat: Option<ChatId>,
    /// The chat in which it was made, which may be gone.
    pub made_in: Option<ChatId>,
    /// When it was made, in milliseconds since 1970, as are the next two.
    #[ts(type = "number")]
    pub made_ms: i64,
    /// When it ends at the latest.
    #[ts(type = "number | null")]
    pub expires_ms: Option<i64>,
    /// When it last decided something.
    #[ts(type = "number | null")]
    pub last_used_ms: Option<i64>,
    /// Whether it has ended already and decides nothing any more.
    pub ended: bool,
    /// Whether the tool it was given for is another today, so that it lets nothing through.
    pub outdated: bool,
}

/// Other conditions for a rule, before they hold.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct RuleDraft {
    pub rule: RuleId,
    /// The conditions it would have.
    pub when: Vec<Condition>,
    /// Where it would hold; `None` where that stays.
    pub reach: Option<Reach>,
    /// When it would end, in milliseconds since 1970, but never later than a permission that is given now; `None` where
    /// that stays.
    #[ts(type = "number | null")]
    pub expires_ms: Option<i64>,
}

/// What became of a changed rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleChange {
    /// It only narrows and holds already.
    Holds,
    /// It widens: the consent window asks.
    Asked,
}

/// What a draft would have done.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RuleTrial {
    /// How many requests it would have let through.
    pub allowed: u32,
    /// How many would have been asked.
    pub asked: u32,
    /// How many would have been refused.
    pub denied: u32,
    /// How many of all there is only a digest of any more, so that conditions on them could not be judged.
    pub without_arguments: u32,
    /// The newest of them, newest first.
    pub requests: Vec<TrialRequest>,
}

/// One request of the past.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct TrialRequest {
    /// When it was made, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// The title of its chat, where that still exists.
    pub chat_title: Option<String>,
    /// Its arguments, where the chat still has them.
    #[ts(type = "Record<string, unknown> | null")]
    pub arguments: Option<serde_json::Map<String, serde_json::Value>>,
    /// What the rules of today say of it.
    pub before: Decision,
    /// What they would say with the draft.
    pub after: Decision,
}

/// What became of a file of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct RulesImported {
    /// Refusals, which hold already.
    pub refusals: u32,
    /// Permissions, about which the consent window asks.
    pub permissions: u32,
    /// Rules for chats that are gone, which were left out.
    pub left_out: u32,
    /// Permissions for other definitions of tools than the accepted ones, which were left out.
    pub outdated: u32,
}
