//! What the ledger proves about rows that were never signed. It counts as far as it is intact, not older than the
//! keychain remembers, and signed: what was written after its last checkpoint may be an edit.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use vestibule_policy::{Decision, Digest, Rule};
use vestibule_protocol::{RuleId, ServerId};
use vestibule_store::{
    ApprovedTool, LedgerFilter, LedgerKind, LedgerRecord, RuleRecord, Store, StoreError, UnsignedRow,
};

use crate::audit::checked;
use crate::host::checkpoints::CheckpointKey;
use crate::view::{HeadState, LedgerCheck, Problem};
use vestibule_servers::config::secrets::Secrets;
use vestibule_servers::is_nothing;

/// What the ledger says of rules, servers and tools.
#[derive(Default)]
pub(super) struct Proof {
    permissions: HashMap<RuleId, Rule>,
    started: HashSet<ServerId>,
    accepted: HashMap<(ServerId, String), String>,
    unproven_tools: Arc<AtomicU32>,
}

impl Proof {
    /// Reads what the ledger says, up to where it can be trusted.
    pub(super) async fn load(
        store: &Store,
        secrets: &dyn Secrets,
        head: &HeadState,
    ) -> Result<Self, Problem> {
        let mut proof = Self::default();
        let Some(last) = trusted_through(store, secrets, head).await? else {
            return Ok(proof);
        };
        let mut after = 0;
        loop {
            let filter = LedgerFilter {
                after: Some(after),
                kinds: vec![LedgerKind::Grant, LedgerKind::Revoke],
                limit: 1000,
                ..LedgerFilter::default()
            };
            let page = store.ledger(filter).await?;
            let Some(newest) = page.last() else { break };
            after = newest.seq;
            page.iter().for_each(|record| proof.add_record(record, last));
        }
        for server in store
            .checked_servers()
            .await?
            .into_iter()
            .filter_map(|checked| checked.row)
        {
            if was_started(store, server.id, last).await? {
                proof.started.insert(server.id);
            }
        }
        Ok(proof)
    }

    /// How many accepted tools were covered without a record of their acceptance.
    pub(super) fn unproven_tools(&self) -> Arc<AtomicU32> {
        self.unproven_tools.clone()
    }

    /// Whether the row may be signed. A refusal always may. The first definition of a tool was never recorded, so it
    /// is taken as it is, and counted.
    pub(super) fn covers(&self, row: &UnsignedRow) -> bool {
        match row {
            UnsignedRow::Rule(rule) => self.covers_rule(rule),
            UnsignedRow::Server(server) => !server.wanted || self.started.contains(&server.id),
            UnsignedRow::Tool(tool) => self.covers_tool(tool),
        }
    }

    fn covers_rule(&self, record: &RuleRecord) -> bool {
        let Ok(rule) = vestibule_policy::read_rule(record.body.clone()) else {
            return false;
        };
        let of_row = rule.id == record.id && rule.server == record.server;
        let is_granted = || {
            let granted = self.permissions.get(&rule.id);
            granted.is_some_and(|granted| unused(granted.clone()) == unused(rule.clone()))
        };
        of_row && (rule.decision == Decision::Deny || is_granted())
    }

    fn covers_tool(&self, tool: &ApprovedTool) -> bool {
        if Digest::of_tool(&tool.definition).to_string() != tool.digest {
            return false;
        }
        match self.accepted.get(&(tool.server, tool.name.clone())) {
            Some(accepted) => *accepted == tool.digest,
            // It says that nothing is accepted yet.
            None if is_nothing(&tool.definition) => true,
            None => {
                self.unproven_tools.fetch_add(1, Ordering::Relaxed);
                true
            }
        }
    }

    /// A record after `last` proves nothing. That something was taken back counts wherever it stands.
    fn add_record(&mut self, record: &LedgerRecord, last: i64) {
        if record.kind == LedgerKind::Revoke {
            let gone = record.body["rules"].as_array().into_iter().flatten();
            for id in gone.filter_map(|id| id.as_str()?.parse::<RuleId>().ok()) {
                self.permissions.remove(&id);
            }
            return;
        }
        if record.seq > last {
            return;
        }
        if record.action == "tool.accept" {
            let digest = record.body["definition"].as_str();
            if let (Some(server), Some(digest)) = (record.server, digest) {
                self.accepted
                    .insert((server, record.object.clone()), digest.to_owned());
            }
        } else if let Ok(rule) = serde_json::from_value::<Rule>(record.body["rule"].clone()) {
            self.permissions.insert(rule.id, rule);
        }
    }
}

fn unused(rule: Rule) -> Rule {
    Rule {
        last_used: None,
        ..rule
    }
}

/// The last record that proves something, if any does.
async fn trusted_through(
    store: &Store,
    secrets: &dyn Secrets,
    head: &HeadState,
) -> Result<Option<i64>, Problem> {
    if matches!(head, HeadState::Older { .. } | HeadState::Rewritten { .. }) {
        return Ok(None);
    }
    let Ok(key) = CheckpointKey::load(secrets).await else {
        return Ok(None);
    };
    let found = store.verify(|_, _| {}).await?;
    let check = checked(
        found,
        &store.checkpoints().await?,
        key.as_ref(),
        std::time::Duration::ZERO,
    );
    Ok(match check {
        LedgerCheck::Broken { .. } => None,
        // A ledger from before there was a keychain is intact and unsigned.
        LedgerCheck::Intact { records, .. } if key.is_none() => Some(records),
        LedgerCheck::Intact { signed, .. } => signed.through,
    })
}

async fn was_started(store: &Store, server: ServerId, last: i64) -> Result<bool, StoreError> {
    for action in ["server.start", "server.connect"] {
        let filter = LedgerFilter {
            before: last.checked_add(1),
            server: Some(server),
            action: Some(action.to_owned()),
            kinds: vec![LedgerKind::Intent],
            limit: 1,
            ..LedgerFilter::default()
        };
        if !store.ledger(filter).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
