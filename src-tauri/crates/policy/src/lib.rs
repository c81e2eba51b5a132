//! Evaluates rules, and holds what a decision needs: digests, launch records, conditions, rate limits, values that were
//! seen. No IO and no clock; what lasts between calls is in values of the caller. Deny beats ask beats allow whatever the order of the rules, the rules that
//! decided are returned with the decision, and everything unknown is at least asked. [`inspect`] says of a URL what
//! a user or an HTTP client has to know before it is used.

mod canonical;
mod condition;
mod data_flow;
mod decision;
mod digest;
mod engine;
mod home;
pub mod inspect;
mod launch;
mod mentions;
mod places;
mod rate_limit;
mod replay;
mod request;
mod rule;
mod rule_file;
mod variable;

pub use canonical::{canonical, write_string};
pub use condition::{Condition, NoCondition, Test};
pub use data_flow::{DataFlow, TaintIndex, TaintedValue};
pub use decision::{Because, Decision, Guardrail, Verdict};
pub use digest::{ContentDigest, Digest, NotADigest};
pub use engine::evaluate;
pub use home::in_home;
pub use launch::{BoundFile, BoundPackage, FileRole, LAUNCH_VERSION, LaunchChange, LaunchPart, LaunchRecord};
pub use mentions::{Mention, mentions};
pub use places::Places;
pub use rate_limit::{COUNTED, Muted, RateLimit, RateLimiter, RateVerdict, RequestKind, limit_for};
pub use replay::{Replay, Replayed, replay};
pub use request::{Action, DefinitionState, Request};
pub use rule::{Reach, Rule, Scope, Unenforceable};
pub use rule_file::{RuleFileError, UnreadableRule, export_rules, import_rules, read_rule, write_rule};
pub use variable::{VariableEffect, variable_effect};
