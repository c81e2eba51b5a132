//! The user's rules as the Rules screen needs them: all of them in a list, taken back one by one, given other
//! conditions, brought in from a file, and tried on the past. What narrows acts at once; what widens is asked first,
//! on a card that shows every rule it is about.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;
use tokio::sync::watch;
use vestibule_policy::{Decision, Replay, Request, Rule, Scope, replay};
use vestibule_protocol::{QuestionId, RuleId, ServerId};
use vestibule_store::{LedgerKind, StoreError};

use super::Gate;
use crate::{About, RuleBinding, RuleFace, RuleSet, ServerFace};

impl Gate {
    /// All rules, oldest first.
    #[must_use]
    pub fn rules(&self) -> Vec<Rule> {
        self.rules.all()
    }

    /// Tells when any rule is added, taken away or changed.
    #[must_use]
    pub fn rules_changes(&self) -> watch::Receiver<u64> {
        self.rules.subscribe()
    }

    /// Puts a changed rule in the place of the one it comes from. What only narrows holds at once; anything else is
    /// asked. Says whether the rule was changed.
    ///
    /// # Errors
    /// When it could not be written down; the rule then stays as it was.
    pub async fn change_rule(
        &self,
        server: ServerFace,
        after: Rule,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let Some(before) = self.rules.all().into_iter().find(|held| held.id == after.id) else {
            return Ok(false);
        };
        if after.check().is_err() {
            return Ok(false);
        }
        if !after.narrows(&before) {
            let about = About::KeepRules(RuleSet {
                rules: vec![RuleFace::from(&after)],
                before: Some(RuleFace::from(&before)),
                outside: false,
            });
            let scope = after.reach.scope();
            if self.ask_alone(server, about, scope, &mut asked).await.is_none() {
                return Ok(false);
            }
        }
        let _one_at_a_time = self.changing.lock().await;
        // Taken back or changed meanwhile: what was agreed to, or was narrower, started from something that is no more.
        let shown = RuleFace::from(&before);
        let as_shown = |held: &Rule| held.id == after.id && RuleFace::from(held) == shown;
        if !self.rules.all().iter().any(as_shown) {
            return Ok(false);
        }
        self.record_rule(&after).await?;
        self.rules.replace(after).await
    }

    /// Takes back every permission that was given since `since`. Refusals stay. Says how many there were.
    ///
    /// # Errors
    /// When that could not be written down; it holds for this run all the same.
    pub async fn take_back_since(&self, since: Timestamp) -> Result<usize, StoreError> {
        let given = |rule: &Rule| rule.decision == Decision::Allow && rule.made >= since;
        let mut by_server: BTreeMap<ServerId, Vec<Rule>> = BTreeMap::new();
        for rule in self.rules.all().into_iter().filter(given) {
            by_server.entry(rule.server).or_default().push(rule);
        }
        self.rules.remove(given).await?;
        let mut count = 0;
        for (server, rules) in by_server {
            count += rules.len();
            let ids: Vec<RuleId> = rules.iter().map(|rule| rule.id).collect();
            let body = json!({ "rules": ids });
            self.record_rule_change(LedgerKind::Revoke, server, "everything.stop", "", "ask", body)
                .await?;
        }
        Ok(count)
    }

    /// Lets rules of a file hold, all of one server. Refusals hold at once, permissions after a yes; the card shows what
    /// each is bound to. Says how many hold now.
    ///
    /// # Errors
    /// When one could not be written down; those before it hold.
    pub async fn import_rules(
        &self,
        server: ServerFace,
        rules: Vec<Rule>,
        binding: impl Fn(&Rule) -> Option<RuleBinding>,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<usize, StoreError> {
        let (refusals, permissions): (Vec<Rule>, Vec<Rule>) = rules
            .into_iter()
            .partition(|rule| rule.decision == Decision::Deny);
        let mut kept = refusals.len();
        for rule in refusals {
            self.activate_rule(rule).await?;
        }
        if permissions.is_empty() {
            return Ok(kept);
        }
        let face = |rule: &Rule| RuleFace {
            binding: binding(rule),
            ..RuleFace::from(rule)
        };
        let about = About::KeepRules(RuleSet {
            rules: permissions.iter().map(face).collect(),
            before: None,
            outside: false,
        });
        if self
            .ask_alone(server, about, Scope::Always, &mut asked)
            .await
            .is_some()
        {
            kept += permissions.len();
            for rule in permissions {
                self.activate_rule(rule).await?;
            }
        }
        Ok(kept)
    }

    /// What a draft would have done to requests of the past.
    #[must_use]
    pub fn try_rule(&self, draft: &Rule, past: &[Request]) -> Replay {
        replay(draft, &self.rules.all(), past)
    }

    /// Writes a rule down and lets it hold.
    async fn activate_rule(&self, rule: Rule) -> Result<(), StoreError> {
        self.record_rule(&rule).await?;
        self.rules.add(rule).await
    }

    pub(super) async fn record_rule(&self, rule: &Rule) -> Result<(), StoreError> {
        let (kind, decision) = match rule.decision {
            Decision::Deny => (LedgerKind::Revoke, "deny"),
            Decision::Ask | Decision::Allow => (LedgerKind::Grant, "allow"),
        };
        let body = json!({ "rule": rule });
        let (action, object) = (rule.action.name(), rule.action.object());
        self.record_rule_change(kind, rule.server, action, object, decision, body)
            .await
    }
}
