//! The user's rules as the Rules screen needs them: all of them in a list, taken back one by one, given other
//! conditions, brought in from a file, and tried on the past. What narrows acts at once; what widens is asked first,
//! on a card that shows every rule it is about.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;
use vestibule_policy::{Action, Decision, Digest, Replay, Request, Rule, Scope, Verdict, replay};
use vestibule_protocol::{ChatId, QuestionId, RuleId, ServerId};
use vestibule_store::{LedgerKind, Store, StoreError};

use super::ask::Questions;
use super::connect::opening_request;
use super::launch_change;
use super::rule_summaries::{bound_rules, summaries};
use super::widen::WidenRequest;
use super::{Denied, LedgerWriter};
use crate::rules::Rules;
use crate::{EffectEnd, QuestionBody, RuleBinding, RuleSet, RuleSummary, ServerSummary, Widening};

/// The rules as the user keeps them.
pub struct RuleBook {
    pub(super) store: Store,
    pub(super) rules: Rules,
    pub(super) questions: Arc<Questions>,
    pub(super) ledger: Arc<LedgerWriter>,
    /// Held from finding a rule as it was shown until its new form holds.
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl RuleBook {
    pub(super) fn new(rules: Rules, questions: Arc<Questions>) -> Self {
        let ledger = Arc::clone(&questions.ledger);
        Self {
            store: ledger.store.clone(),
            rules,
            questions,
            ledger,
            changing: tokio::sync::Mutex::default(),
        }
    }

    /// What the rules say of a request now.
    pub(super) fn evaluate(&self, request: &Request) -> Verdict {
        self.rules.evaluate(request)
    }

    /// All rules, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Rule> {
        self.rules.all()
    }

    /// Tells when any rule is added, taken away or changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.rules.subscribe()
    }

    /// Whether a server may be started or connected to without a question, for exactly this record.
    #[must_use]
    pub fn may_open(&self, server: ServerId, action: Action, record: Digest) -> bool {
        let wanted = opening_request(server, action, record, (self.questions.clock)());
        self.rules.evaluate(&wanted).decision == Decision::Allow
    }

    /// Forgets what was allowed to start, of a server that is removed.
    ///
    /// # Errors
    /// When it may still be there.
    pub async fn forget_launch(&self, server: ServerId) -> Result<(), StoreError> {
        launch_change::forget_launch(&self.store, server).await
    }

    /// The rules of one server.
    #[must_use]
    pub fn of_server(&self, server: ServerId) -> Vec<Rule> {
        self.rules.of_server(server)
    }

    /// Takes back what a server was allowed because another program or another address stands in its place now. Denials
    /// stay, and so do permissions to start or to connect, which are bound to one program or one address.
    ///
    /// # Errors
    /// When a permission may still be on disk; none holds in this run all the same.
    pub async fn end_permissions(&self, server: ServerId) -> Result<(), StoreError> {
        let _one_at_a_time = self.changing.lock().await;
        let ends = |rule: &Rule| rule.server == server && rule.ends_with_place();
        self.rules.remove(ends).await.map(drop)
    }

    /// Forgets the rules of a chat that was deleted.
    pub fn forget_chat(&self, chat: ChatId) {
        self.rules.forget(Some(chat), None);
    }

    pub(super) fn forget_server(&self, server: ServerId) {
        self.rules.forget(None, Some(server));
    }

    /// Puts a changed rule in the place of the one it comes from. What only narrows holds at once; anything else is
    /// asked, and counts as made with the yes. Says whether the rule was changed.
    ///
    /// # Errors
    /// When it could not be written down; the rule then stays as it was.
    pub async fn change(
        &self,
        server: ServerSummary,
        mut after: Rule,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let before = self.rules.all().into_iter().find(|held| held.id == after.id);
        let Some(before) = before.filter(|_| after.check().is_ok()) else {
            return Ok(false);
        };
        if !after.narrows(&before) {
            if !self.is_change_agreed(server, &before, &after, asked).await? {
                return Ok(false);
            }
            after.made = (self.questions.clock)();
        }
        let _one_at_a_time = self.changing.lock().await;
        // Taken back or changed meanwhile: what was agreed to, or was narrower, started from something that is no more.
        if !self.holds_as_shown(&before) {
            return Ok(false);
        }
        self.record_rule(&after).await?;
        self.rules.replace(after).await
    }

    /// Whether a rule is still what a card showed of it.
    fn holds_as_shown(&self, rule: &Rule) -> bool {
        let shown = std::slice::from_ref(rule);
        self.rules.all().iter().any(|held| is_as_shown(held, shown))
    }

    async fn is_change_agreed(
        &self,
        server: ServerSummary,
        before: &Rule,
        after: &Rule,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let about = QuestionBody::KeepRules(RuleSet {
            rules: summaries(&self.store, std::slice::from_ref(after)).await?,
            before: summaries(&self.store, std::slice::from_ref(before)).await?.pop(),
            outside: false,
        });
        Ok(self.is_agreed(server, about, after.reach.scope(), asked).await)
    }

    /// Takes one rule back: what it decided is asked again. A permission is gone at once; a refusal only after a yes.
    /// Says whether the rule was taken back.
    ///
    /// # Errors
    /// When there was no yes, or it could not be written down; a permission is gone for this run all the same.
    pub async fn take_back(
        &self,
        server: ServerSummary,
        rule: RuleId,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, Denied> {
        let Some(found) = self.rules.all().into_iter().find(|held| held.id == rule) else {
            return Ok(false);
        };
        if found.decision != Decision::Allow {
            return self.drop_refusals(server, vec![found], asked).await;
        }
        let gone = self.rules.remove(|held| held.id == rule).await?;
        self.record_revocation(&found, json!({ "rules": gone })).await?;
        Ok(true)
    }

    /// Lets a tool be asked again: permissions for it are gone at once, refusals only after a yes. Says whether nothing
    /// is left of either.
    ///
    /// # Errors
    /// When there was no yes, or it could not be written down.
    pub async fn ask_again(
        &self,
        server: ServerSummary,
        tool: &str,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, Denied> {
        let action = Action::CallTool {
            tool: tool.to_owned(),
        };
        let of_tool = |rule: &Rule| rule.server == server.id && rule.action == action;
        let rules = self.rules.of_server(server.id).into_iter().filter(of_tool);
        let (permissions, refusals): (Vec<Rule>, Vec<Rule>) =
            rules.partition(|rule| rule.decision == Decision::Allow);
        if let Some(first) = permissions.first() {
            let is_permission = |rule: &Rule| of_tool(rule) && rule.decision == Decision::Allow;
            let gone = self.rules.remove(is_permission).await?;
            self.record_revocation(first, json!({ "rules": gone })).await?;
        }
        if refusals.is_empty() {
            return Ok(true);
        }
        self.drop_refusals(server, refusals, asked).await
    }

    /// Takes refusals of one server back after a yes, where they are still what was shown.
    async fn drop_refusals(
        &self,
        server: ServerSummary,
        refusals: Vec<Rule>,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, Denied> {
        let request = drop_request(server, summaries(&self.store, &refusals).await?);
        let effect = request.ask(&self.questions, asked).await?.begin();
        let _one_at_a_time = self.changing.lock().await;
        let gone = self.rules.remove(|held| is_as_shown(held, &refusals)).await?;
        let dropped = gone.len() == refusals.len();
        if let Some(first) = refusals.first().filter(|_| !gone.is_empty()) {
            self.record_revocation(first, json!({ "rules": gone })).await?;
        }
        let end = match dropped {
            true => EffectEnd::Changed,
            false => EffectEnd::Outdated,
        };
        effect.try_finish(end).await?;
        Ok(dropped)
    }

    async fn record_revocation(&self, rule: &Rule, body: Value) -> Result<(), StoreError> {
        let (action, object) = (rule.action.name(), rule.action.object());
        self.ledger
            .record_rule_change(LedgerKind::Revoke, rule.server, action, object, "ask", body)
            .await
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
            self.ledger
                .record_rule_change(LedgerKind::Revoke, server, "everything.stop", "", "ask", body)
                .await?;
        }
        Ok(count)
    }

    /// Lets rules of a file hold, all of one server. Refusals hold at once, permissions after a yes; the card shows what
    /// each is bound to. Says how many hold now.
    ///
    /// # Errors
    /// When one could not be written down; those before it hold.
    pub async fn import(
        &self,
        server: ServerSummary,
        rules: Vec<Rule>,
        binding: impl Fn(&Rule) -> Option<RuleBinding>,
        asked: impl FnMut(QuestionId),
    ) -> Result<usize, StoreError> {
        let (refusals, permissions): (Vec<Rule>, Vec<Rule>) = rules
            .into_iter()
            .partition(|rule| rule.decision == Decision::Deny);
        let mut kept = refusals.len();
        self.activate_all(refusals).await?;
        let about = QuestionBody::KeepRules(bound_rules(&self.store, &permissions, binding).await?);
        if !permissions.is_empty() && self.is_agreed(server, about, Scope::Always, asked).await {
            kept += permissions.len();
            self.activate_all(permissions).await?;
        }
        Ok(kept)
    }

    async fn activate_all(&self, rules: Vec<Rule>) -> Result<(), StoreError> {
        for rule in rules {
            self.activate(rule).await?;
        }
        Ok(())
    }

    /// What a draft would have done to requests of the past.
    #[must_use]
    pub fn try_rule(&self, draft: &Rule, past: &[Request]) -> Replay {
        replay(draft, &self.rules.all(), past)
    }

    /// Whether the user agrees to rules that a card shows.
    pub(super) async fn is_agreed(
        &self,
        server: ServerSummary,
        about: QuestionBody,
        scope: Scope,
        asked: impl FnMut(QuestionId),
    ) -> bool {
        let answer = self.questions.ask_alone(server, about, scope, asked).await;
        matches!(answer, Ok(Some(_)))
    }

    /// Writes a rule down and lets it hold.
    pub(super) async fn activate(&self, rule: Rule) -> Result<(), StoreError> {
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
        self.ledger
            .record_rule_change(kind, rule.server, action, object, decision, body)
            .await
    }
}

/// The question whether refusals may be taken back.
fn drop_request(server: ServerSummary, rules: Vec<RuleSummary>) -> WidenRequest {
    WidenRequest {
        server: Some(server),
        chat: None,
        widening: Widening::DropRefusals { rules },
    }
}

/// Whether a rule is still what a card showed of it as one of these.
fn is_as_shown(held: &Rule, rules: &[Rule]) -> bool {
    let as_it_was = |rule: &Rule| rule.id == held.id && RuleSummary::from(rule) == RuleSummary::from(held);
    rules.iter().any(as_it_was)
}
