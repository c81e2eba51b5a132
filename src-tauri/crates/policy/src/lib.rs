//! Rules in, verdict out. This crate decides whether an effect may happen, and does nothing else: no IO, no
//! clock, no memory between calls. Deny beats ask beats allow whatever the order of the rules, the rules that
//! decided are returned with the decision, and everything unknown is at least asked. [`inspect`] says of a URL what
//! a person or an HTTP client has to know before it is used.

mod canonical;
mod condition;
mod decision;
mod digest;
mod engine;
mod exchange;
mod flow;
pub mod inspect;
mod launch;
mod named;
mod pace;
mod places;
mod replay;
mod request;
mod rule;
mod variable;

pub use canonical::{canonical, write_string};
pub use condition::{Condition, NoCondition, Test};
pub use decision::{Because, Decision, Floor, Verdict};
pub use digest::{ContentDigest, Digest, NotADigest};
pub use engine::evaluate;
pub use exchange::{NotImported, Unreadable, export, import, read, write};
pub use flow::{Carried, Flow, Returned};
pub use launch::{BoundFile, FileRole, LAUNCH_VERSION, LaunchChange, LaunchPart, LaunchRecord};
pub use named::{Named, named};
pub use pace::{Asking, COUNTED, Limit, Muted, Pace, Paces, usual};
pub use places::Places;
pub use replay::{Replay, Replayed, replay};
pub use request::{Action, Definition, Request};
pub use rule::{Reach, Rule, Scope, Unenforceable};
pub use variable::{VariableEffect, variable_effect};
