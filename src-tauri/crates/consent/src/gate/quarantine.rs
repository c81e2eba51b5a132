//! Rules that were changed outside Vestibule, taken back into force or removed by the user. A refusal is put back at
//! once; a permission is asked about like a new one.

use serde_json::{Value, json};
use vestibule_policy::{Decision, Rule};
use vestibule_protocol::QuestionId;
use vestibule_store::{LedgerDraft, LedgerKind, RowRef, StoreError};

use super::rule_summaries::bound_rules;
use super::rules::RuleBook;
use crate::{QuarantinedRule, QuestionBody, RuleBinding, RuleSet, ServerSummary};

impl RuleBook {
    /// The rules that do not match their signatures, oldest first.
    #[must_use]
    pub fn quarantined(&self) -> Vec<QuarantinedRule> {
        self.rules.quarantined()
    }

    /// Lets a quarantined rule hold: a refusal at once, a permission after a yes. The card shows what the permission is
    /// bound to; it ends no later than one that is given now. Says whether it holds.
    ///
    /// # Errors
    /// When it could not be written down; the rule then stays quarantined.
    pub async fn review_quarantined(
        &self,
        server: ServerSummary,
        name: &RowRef,
        binding: impl Fn(&Rule) -> Option<RuleBinding>,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let found = self.find_quarantined(name);
        let Some(rule) = found.as_ref().and_then(|found| found.reviewed().cloned()) else {
            return Ok(false);
        };
        let mut rule = Rule {
            expires: rule.end_if_given((self.questions.clock)()),
            ..rule
        };
        if rule.decision != Decision::Deny {
            let is_agreed = self.is_return_agreed(server, &rule, binding, asked).await?;
            // It may have been removed or reviewed meanwhile on another card.
            if !is_agreed || self.find_quarantined(name) != found {
                return Ok(false);
            }
            // It was given by this yes, whatever the file says.
            rule.made = (self.questions.clock)();
        }
        self.record_rule(&rule).await?;
        self.rules.restore_quarantined(rule).await?;
        Ok(true)
    }

    /// Whether the user agrees that a permission holds again.
    async fn is_return_agreed(
        &self,
        server: ServerSummary,
        rule: &Rule,
        binding: impl Fn(&Rule) -> Option<RuleBinding>,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let about = QuestionBody::KeepRules(RuleSet {
            outside: true,
            ..bound_rules(&self.store, std::slice::from_ref(rule), binding).await?
        });
        Ok(self.is_agreed(server, about, rule.reach.scope(), asked).await)
    }

    /// Deletes a quarantined rule. One that refuses stays: taking back a refusal is a decision of its own. Says
    /// whether it was deleted.
    ///
    /// # Errors
    /// When that could not be written down.
    pub async fn remove_quarantined(&self, name: &RowRef) -> Result<bool, StoreError> {
        let found = self.find_quarantined(name);
        let Some(found) = found.filter(|found| found.refusals().next().is_none()) else {
            return Ok(false);
        };
        let about = found.reviewed();
        let draft = LedgerDraft {
            kind: LedgerKind::Revoke,
            server: found.server(),
            chat: None,
            action: about.map_or("rule.remove", |rule| rule.action.name()).to_owned(),
            object: about.map_or("", |rule| rule.action.object()).to_owned(),
            decision: Some("ask".to_owned()),
            because: Value::Null,
            body: json!({ "rules": [name.id], "found": found.fault.as_str() }),
        };
        self.store.append(draft).await?;
        self.rules.discard(name).await?;
        Ok(true)
    }

    fn find_quarantined(&self, name: &RowRef) -> Option<QuarantinedRule> {
        self.rules
            .quarantined()
            .into_iter()
            .find(|found| found.name == *name)
    }
}
