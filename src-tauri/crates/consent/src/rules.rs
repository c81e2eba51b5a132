//! The user's standing rules: loaded once, kept in memory for the engine, written through to the store. A rule
//! that cannot be read or kept to, or does not match its signature, is quarantined: it never allows, and is shown.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use vestibule_policy::{Because, Reach, Request, Rule, Verdict, evaluate};
use vestibule_protocol::{ChatId, RuleId, ServerId};
use vestibule_store::{CheckedRow, RowFault, RowRef, RuleRecord, Store, StoreError};

use crate::QuarantinedRule;

/// How far the time of use on disk may be behind: rules end months after it, and writing it signs the list of all rows.
const USE_BEHIND: SignedDuration = SignedDuration::from_secs(60);

/// All rules, in memory and on disk.
pub(crate) struct Rules {
    store: Store,
    held: Mutex<Vec<Rule>>,
    /// The times of use that were written in this run.
    uses_written: Mutex<HashMap<RuleId, Timestamp>>,
    quarantined: Mutex<Vec<QuarantinedRule>>,
    changes: watch::Sender<u64>,
}

impl Rules {
    /// Loads the rules. Of rows that do not match their signature only refusals hold: as they are in the file, and as
    /// they were signed.
    pub(crate) async fn load(store: Store) -> Result<Self, StoreError> {
        let (mut held, mut quarantined) = (vec![], vec![]);
        for row in store.checked_rules().await? {
            match sorted(row) {
                Ok(rule) => held.push(rule),
                Err(found) => {
                    held.extend(found.refusals().cloned());
                    quarantined.push(*found);
                }
            }
        }
        Ok(Self {
            store,
            held: Mutex::new(held),
            uses_written: Mutex::default(),
            quarantined: Mutex::new(quarantined),
            changes: watch::Sender::new(0),
        })
    }

    /// What the rules say now.
    pub(crate) fn evaluate(&self, request: &Request) -> Verdict {
        evaluate(request, self.held().iter())
    }

    /// Tells when any rule is added or taken away.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// All of them, oldest first.
    pub(crate) fn all(&self) -> Vec<Rule> {
        self.held().clone()
    }

    /// The rules of one server.
    pub(crate) fn of_server(&self, server: ServerId) -> Vec<Rule> {
        self.held()
            .iter()
            .filter(|rule| rule.server == server)
            .cloned()
            .collect()
    }

    /// The rows that do not match their signature, oldest first.
    pub(crate) fn quarantined(&self) -> Vec<QuarantinedRule> {
        self.quarantine().clone()
    }

    /// Lets a quarantined rule hold in this form: signed on disk first.
    pub(crate) async fn restore_quarantined(&self, rule: Rule) -> Result<(), StoreError> {
        self.persist(&rule).await?;
        self.leave_quarantine(rule.id);
        let mut held = self.held();
        held.retain(|old| old.id != rule.id);
        held.push(rule);
        drop(held);
        self.notify_changed();
        Ok(())
    }

    /// Deletes a quarantined row and what is known of it.
    pub(crate) async fn discard(&self, name: &RowRef) -> Result<(), StoreError> {
        self.store.delete_row(name.clone()).await?;
        self.quarantine().retain(|found| found.name != *name);
        self.notify_changed();
        Ok(())
    }

    /// Keeps a rule: on disk first.
    pub(crate) async fn add(&self, rule: Rule) -> Result<(), StoreError> {
        self.persist(&rule).await?;
        self.leave_quarantine(rule.id);
        self.held().push(rule);
        self.notify_changed();
        Ok(())
    }

    /// Puts a changed rule in the place of the one with its id: on disk first, and with no moment in which neither
    /// holds. Says whether there was one; a rule that was taken back meanwhile does not come back.
    pub(crate) async fn replace(&self, rule: Rule) -> Result<bool, StoreError> {
        let id = rule.id;
        self.persist(&rule).await?;
        self.leave_quarantine(id);
        let replaced = self.exchange(rule);
        if replaced {
            self.notify_changed();
        } else {
            self.store.remove_rule(id).await?;
        }
        Ok(replaced)
    }

    /// Puts a rule in memory in the place of the one with its id, and in the order of when they were made, as on disk.
    fn exchange(&self, rule: Rule) -> bool {
        let mut held = self.held();
        let Some(place) = held.iter_mut().find(|held| held.id == rule.id) else {
            return false;
        };
        *place = rule;
        held.sort_by_key(|rule| rule.made);
        true
    }

    /// Takes every rule away that `gone` picks. In memory first, so that it stops deciding at once.
    pub(crate) async fn remove(&self, gone: impl Fn(&Rule) -> bool) -> Result<Vec<RuleId>, StoreError> {
        let ids: Vec<RuleId> = {
            let mut held = self.held();
            let ids = held
                .iter()
                .filter(|rule| gone(rule))
                .map(|rule| rule.id)
                .collect();
            held.retain(|rule| !gone(rule));
            ids
        };
        self.notify_changed();
        for id in &ids {
            self.store.remove_rule(*id).await?;
            self.leave_quarantine(*id);
        }
        Ok(ids)
    }

    /// Drops the rules of a chat or server that the store has already removed with it.
    pub(crate) fn forget(&self, chat: Option<ChatId>, server: Option<ServerId>) {
        self.held().retain(|rule| {
            chat.is_none_or(|chat| rule.reach != Reach::Chat(chat)) && Some(rule.server) != server
        });
        self.quarantine()
            .retain(|found| server.is_none() || found.server() != server);
        self.notify_changed();
    }

    /// Notes that these reasons decided something, so that the rules among them do not expire as unused.
    pub(crate) async fn mark_used(&self, because: &[Because], now: Timestamp) -> Result<(), StoreError> {
        for because in because {
            let Because::Rule { rule: id, .. } = because else {
                continue;
            };
            if self.note_use(*id, now) {
                self.store.touch_rule(*id, now).await?;
            }
        }
        Ok(())
    }

    /// Notes in memory that a rule is used now. Returns whether the time on disk is too far behind.
    fn note_use(&self, id: RuleId, now: Timestamp) -> bool {
        let mut held = self.held();
        let loaded = held
            .iter_mut()
            .find(|rule| rule.id == id)
            .and_then(|rule| rule.last_used.replace(now));
        let mut written = self.uses_written.lock().unwrap_or_else(PoisonError::into_inner);
        let on_disk = written.get(&id).copied().or(loaded);
        let is_behind = on_disk.is_none_or(|then| now.duration_since(then) >= USE_BEHIND);
        if is_behind {
            written.insert(id, now);
        }
        is_behind
    }

    /// Writes a rule to the store, except one that ends with a temporary chat.
    async fn persist(&self, rule: &Rule) -> Result<(), StoreError> {
        if matches!(rule.reach, Reach::Chat(chat) if chat.is_temporary()) {
            return Ok(());
        }
        self.store.put_rule(&record(rule)).await
    }

    fn notify_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn leave_quarantine(&self, id: RuleId) {
        let id = id.to_string();
        self.quarantine().retain(|found| found.name.id != id);
    }

    fn quarantine(&self) -> MutexGuard<'_, Vec<QuarantinedRule>> {
        self.quarantined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> MutexGuard<'_, Vec<Rule>> {
        // Each change is one push, retain, sort or assignment, so a panic elsewhere leaves the list whole.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rule of a row that is as it was signed, or what was found instead.
fn sorted(checked: CheckedRow<RuleRecord>) -> Result<Rule, Box<QuarantinedRule>> {
    let kept = checked
        .kept_rule()
        .and_then(|(server, body)| readable(server, body));
    let kept = kept.filter(|rule| rule.id.to_string() == checked.name.id);
    let rule = checked.row.and_then(|record| {
        let (id, last_used) = (record.id, record.last_used);
        let rule = readable(record.server, record.body)?;
        (rule.id == id).then_some(Rule { last_used, ..rule })
    });
    match (checked.fault, rule) {
        (None, Some(rule)) => Ok(rule),
        (fault, rule) => Err(Box::new(QuarantinedRule {
            name: checked.name,
            fault: fault.unwrap_or(RowFault::Unreadable),
            rule,
            kept,
        })),
    }
}

fn readable(server: ServerId, body: serde_json::Value) -> Option<Rule> {
    match vestibule_policy::read_rule(body) {
        Ok(rule) => (rule.server == server).then_some(rule),
        Err(error) => {
            tracing::error!(%server, %error, "failed to read a stored rule; it has no effect");
            None
        }
    }
}

fn record(rule: &Rule) -> RuleRecord {
    let chat = match rule.reach {
        Reach::Chat(chat) => Some(chat),
        Reach::Workspace(_) | Reach::Everywhere => None,
    };
    RuleRecord {
        id: rule.id,
        server: rule.server,
        chat,
        body: vestibule_policy::write_rule(rule),
        created: rule.made,
        last_used: rule.last_used,
        expires: rule.expires,
    }
}
