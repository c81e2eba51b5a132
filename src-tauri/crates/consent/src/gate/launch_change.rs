//! How a launch differs from the one that was allowed for longer. The record of that start is in the settings and is
//! believed only where a permission is bound to its digest.

use serde_json::json;
use vestibule_policy::{Action, Decision, Digest, LaunchChange, LaunchRecord, Rule};
use vestibule_protocol::ServerId;
use vestibule_store::{Store, StoreError};

use super::rules::RuleBook;

/// What changed since a start was allowed for longer; `None` where that permission holds or there is none. `former` is
/// the digest of the same launch as version 1 of the record had it.
pub(super) async fn launch_change(
    rules: &RuleBook,
    server: ServerId,
    record: &LaunchRecord,
    former: Digest,
) -> Result<Option<LaunchChange>, StoreError> {
    if !is_ended_by_change(rules, server, &Action::StartServer, record.digest()) {
        return Ok(None);
    }
    if may_start(rules, server, former) {
        return Ok(Some(LaunchChange::BindsMore));
    }
    let known = rules.store.setting(&launch_setting(server)).await?;
    let before = known
        .and_then(|known| serde_json::from_value::<LaunchRecord>(known).ok())
        .filter(|before| may_start(rules, server, before.digest()));
    Ok(Some(match before {
        Some(before) => record.change_since(&before),
        None => LaunchChange::Changed { parts: vec![] },
    }))
}

/// Whether a permission to start is bound to this record.
fn may_start(rules: &RuleBook, server: ServerId, record: Digest) -> bool {
    permissions(rules, server, &Action::StartServer).any(|rule| rule.bound_to == Some(record))
}

/// Whether a permission exists that was given for another record.
pub(super) fn is_ended_by_change(
    rules: &RuleBook,
    server: ServerId,
    action: &Action,
    record: Digest,
) -> bool {
    permissions(rules, server, action).any(|rule| rule.bound_to != Some(record))
}

/// Keeps what was allowed to start for longer.
pub(super) async fn remember_launch(
    store: &Store,
    server: ServerId,
    record: &LaunchRecord,
) -> Result<(), StoreError> {
    store.put_setting(&launch_setting(server), json!(record)).await
}

pub(super) async fn forget_launch(store: &Store, server: ServerId) -> Result<(), StoreError> {
    store.remove_setting(&launch_setting(server)).await
}

fn permissions(rules: &RuleBook, server: ServerId, action: &Action) -> impl Iterator<Item = Rule> {
    let all = rules.rules.of_server(server).into_iter();
    all.filter(move |rule| rule.action == *action && rule.decision == Decision::Allow)
}

/// The setting that keeps the record of the start that was last allowed for longer.
fn launch_setting(server: ServerId) -> String {
    format!("launch/{server}")
}
