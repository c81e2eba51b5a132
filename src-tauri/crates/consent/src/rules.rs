//! The person's standing rules: loaded once, kept in memory for the engine, written through to the store. A rule
//! that can not be read or kept to has no effect and is reported, so it can never allow by accident.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::watch;
use vestibule_policy::{Because, Reach, Request, Rule, Verdict, evaluate};
use vestibule_protocol::{ChatId, RuleId, ServerId};
use vestibule_store::{RuleRecord, Store, StoreError};

/// All rules, in memory and on disk.
pub(crate) struct Rules {
    store: Store,
    held: Mutex<Vec<Rule>>,
    changes: watch::Sender<u64>,
}

impl Rules {
    /// Loads the rules.
    pub(crate) async fn load(store: Store) -> Result<Self, StoreError> {
        let held = store.rules().await?.into_iter().filter_map(readable).collect();
        Ok(Self {
            store,
            held: Mutex::new(held),
            changes: watch::Sender::new(0),
        })
    }

    /// What the rules say now.
    pub(crate) fn evaluate(&self, request: &Request) -> Verdict {
        evaluate(request, self.held().iter())
    }

    /// Tells when any rule is added or taken away.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// All of them, oldest first.
    pub(crate) fn all(&self) -> Vec<Rule> {
        self.held().clone()
    }

    /// The rules of one server.
    pub(crate) fn of(&self, server: ServerId) -> Vec<Rule> {
        self.held()
            .iter()
            .filter(|rule| rule.server == server)
            .cloned()
            .collect()
    }

    /// Keeps a rule: on disk first.
    pub(crate) async fn add(&self, rule: Rule) -> Result<(), StoreError> {
        self.store.put_rule(&record(&rule)).await?;
        self.held().push(rule);
        self.changed();
        Ok(())
    }

    /// Puts a changed rule in the place of the one with its id: on disk first, and with no moment in which neither
    /// holds. Says whether there was one; a rule that was taken back meanwhile does not come back.
    pub(crate) async fn replace(&self, rule: Rule) -> Result<bool, StoreError> {
        let id = rule.id;
        self.store.put_rule(&record(&rule)).await?;
        let replaced = match self.held().iter_mut().find(|held| held.id == id) {
            Some(held) => {
                *held = rule;
                true
            }
            None => false,
        };
        if replaced {
            self.changed();
        } else {
            self.store.remove_rule(id).await?;
        }
        Ok(replaced)
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
        self.changed();
        for id in &ids {
            self.store.remove_rule(*id).await?;
        }
        Ok(ids)
    }

    /// Drops the rules of a chat or server that the store has already removed with it.
    pub(crate) fn forget(&self, chat: Option<ChatId>, server: Option<ServerId>) {
        self.held().retain(|rule| {
            chat.is_none_or(|chat| rule.reach != Reach::Chat(chat)) && Some(rule.server) != server
        });
        self.changed();
    }

    /// Notes that these reasons decided something, so that the rules among them do not expire as unused.
    pub(crate) async fn used(&self, because: &[Because], now: Timestamp) -> Result<(), StoreError> {
        for because in because {
            let Because::Rule { rule: id, .. } = because else {
                continue;
            };
            if let Some(rule) = self.held().iter_mut().find(|rule| rule.id == *id) {
                rule.last_used = Some(now);
            }
            self.store.touch_rule(*id, now).await?;
        }
        Ok(())
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn held(&self) -> MutexGuard<'_, Vec<Rule>> {
        // Each change is one push, retain or assignment, so a panic elsewhere leaves the list whole.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn readable(record: RuleRecord) -> Option<Rule> {
    let id = record.id;
    match vestibule_policy::read(record.body) {
        Ok(rule) => Some(Rule {
            last_used: record.last_used,
            ..rule
        }),
        Err(error) => {
            tracing::error!(rule = %id, %error, "a stored rule could not be read and has no effect");
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
        body: vestibule_policy::write(rule),
        created: rule.made,
        last_used: rule.last_used,
        expires: rule.expires,
    }
}
