//! The Rules screen: every standing permission and refusal, taken back, changed, tried on the past, carried to a file
//! and back. What widens is asked in the consent window; everything here that acts at once only narrows.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use vestibule_consent::Denied;
use vestibule_policy::{Action, Decision, Reach, Rule, Scope, Unenforceable};
use vestibule_protocol::{RuleId, ServerId};
use vestibule_store::ApprovedTool;

use super::Host;
use super::rule_trial::claims_destructive;
use super::widen::refused;
use crate::view::{
    ChangeEnd, ChangeOutcome, HostEvent, InputProblem, Problem, QuestionProblem, RuleChange, RuleDraft,
    RuleView,
};
use vestibule_servers::gone;

impl Host {
    /// Every rule, newest first.
    ///
    /// # Errors
    /// When the accepted tools cannot be read.
    pub async fn rules(&self) -> Result<Vec<RuleView>, Problem> {
        let mut accepted: HashMap<ServerId, BTreeMap<String, String>> = HashMap::new();
        let mut views = vec![];
        for rule in self.0.gate.rules().all().into_iter().rev() {
            let Ok(server) = self.0.servers.get(rule.server) else {
                continue;
            };
            let tools = match accepted.entry(rule.server) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let tools = self.0.store.approved_tools(rule.server).await?;
                    unknown.insert(tools.into_iter().map(|tool| (tool.name, tool.digest)).collect())
                }
            };
            let today = tools.get(rule.action.object());
            views.push(view(&rule, server.name(), today));
        }
        Ok(views)
    }

    /// Takes a rule back: what it decided is asked again. A permission is gone at once; before a refusal is, the
    /// consent window asks.
    ///
    /// # Errors
    /// When the rule is gone, or that could not be kept; a permission is gone for this run all the same.
    pub async fn rule_take_back(&self, rule: RuleId) -> Result<ChangeOutcome, Problem> {
        let held = self.0.gate.rules().all().into_iter().find(|held| held.id == rule);
        let server = held.ok_or_else(gone)?.server;
        let face = self.0.servers.get(server)?.face();
        let host = self.clone();
        self.change_or_ask(move |asking| async move {
            let gate = &host.0.gate;
            let end = taken_back(gate.rules().take_back(face, rule, |id| asking.asked(id)).await);
            host.tool_rules_changed(server);
            end
        })
        .await
    }

    /// Lets a tool be asked again. Permissions for it are gone at once; before a refusal is, the consent window asks.
    pub(super) async fn tool_ask_again(
        &self,
        server: ServerId,
        tool: &str,
    ) -> Result<ChangeOutcome, Problem> {
        let face = self.0.servers.get(server)?.face();
        let (host, tool) = (self.clone(), tool.to_owned());
        self.change_or_ask(move |asking| async move {
            let gate = &host.0.gate;
            let end = taken_back(gate.rules().ask_again(face, &tool, |id| asking.asked(id)).await);
            host.tool_rules_changed(server);
            end
        })
        .await
    }

    /// Gives a rule other conditions: at once where that only narrows, else after a question in the consent window.
    ///
    /// # Errors
    /// When the rule is gone, it cannot be enforced, it could not be stored, or its question could not be asked.
    pub async fn rule_change(&self, draft: RuleDraft) -> Result<RuleChange, Problem> {
        let changed = self.drafted(&draft).await?;
        let (server, rule) = (changed.server, changed.id);
        let face = self.0.servers.get(server)?.face();
        let (tell, told) = tokio::sync::oneshot::channel();
        let host = self.clone();
        self.0.tasks.spawn(async move {
            let mut tell = Some(tell);
            let asked = |_| {
                if let Some(tell) = tell.take() {
                    // The window that asked may be gone; the question stands all the same.
                    let _ = tell.send(Ok(RuleChange::Asked));
                }
            };
            let changed = host.0.gate.rules().change(face, changed, asked).await;
            if let Err(error) = &changed {
                tracing::error!(%error, "failed to persist a changed rule");
            }
            host.tool_rules_changed(server);
            if let Some(tell) = tell {
                let _ = tell.send(match changed {
                    Ok(true) => Ok(RuleChange::Holds),
                    Ok(false) if host.has_rule(rule) => Err(Problem::Question(QuestionProblem::NotAsked)),
                    Ok(false) => Err(gone()),
                    Err(error) => Err(error.into()),
                });
            }
        });
        told.await.unwrap_or_else(|_| Err(gone()))
    }

    fn has_rule(&self, rule: RuleId) -> bool {
        self.0.gate.rules().all().iter().any(|held| held.id == rule)
    }

    /// Tells the main window whenever the rules change.
    pub(super) fn tell_of_rules(&self) {
        let host = self.clone();
        let mut changes = self.0.gate.rules().changes();
        let closing = self.0.servers.closing();
        tokio::spawn(async move {
            while let Some(Ok(())) = closing.run_until_cancelled(changes.changed()).await {
                host.0.events.tell(HostEvent::Rules);
            }
        });
    }

    /// The rule as the draft would have it. What the draft does not speak of stays.
    pub(super) async fn drafted(&self, draft: &RuleDraft) -> Result<Rule, Problem> {
        let held = self
            .0
            .gate
            .rules()
            .all()
            .into_iter()
            .find(|held| held.id == draft.rule);
        let held = held.ok_or_else(gone)?;
        let reach = draft.reach.unwrap_or(held.reach);
        let rule = Rule {
            when: draft.when.clone(),
            reach,
            expires: new_end(&held, reach, draft.expires_ms, Timestamp::now()),
            ..held
        };
        let unkeepable = |detail: String| Problem::Input(InputProblem::RuleUnkeepable { detail });
        rule.check().map_err(|error| unkeepable(error.to_string()))?;
        if rule.decision == Decision::Allow && rule.reach.scope() > self.widest(&rule).await? {
            return Err(unkeepable(Unenforceable::TooWide.to_string()));
        }
        Ok(rule)
    }

    /// How far a permission for what the rule speaks of may reach: what claims to destroy, no further than a chat.
    async fn widest(&self, rule: &Rule) -> Result<Scope, Problem> {
        let Action::CallTool { tool } = &rule.action else {
            return Ok(rule.action.widest());
        };
        let accepted = self.0.store.approved_tools(rule.server).await?;
        let destructive = accepted
            .iter()
            .any(|accepted| accepted.name == *tool && claims_destructive(accepted));
        Ok(if destructive {
            Scope::Chat
        } else {
            rule.action.widest()
        })
    }
}

fn taken_back(done: Result<bool, Denied>) -> ChangeEnd {
    match done {
        Ok(true) => ChangeEnd::Done,
        Ok(false) => ChangeEnd::Outdated,
        Err(no) => refused(no),
    }
}

/// When a changed permission ends: when the draft says, and never later than one that is given now. A refusal has no
/// end.
fn new_end(held: &Rule, reach: Reach, wanted_ms: Option<i64>, now: Timestamp) -> Option<Timestamp> {
    if held.decision != Decision::Allow {
        return held.expires;
    }
    let wanted = wanted_ms.and_then(|end| Timestamp::from_millisecond(end).ok());
    let kept = wanted.or(held.expires.filter(|_| reach.scope() <= held.reach.scope()));
    let latest = Rule::latest_end(&held.action, reach, now);
    kept.into_iter().chain(latest).min()
}

pub(super) fn view(rule: &Rule, server_name: String, accepted: Option<&String>) -> RuleView {
    let ms = Timestamp::as_millisecond;
    let is_tool = matches!(rule.action, Action::CallTool { .. });
    RuleView {
        id: rule.id,
        server: rule.server,
        server_name,
        action: rule.action.clone(),
        decision: rule.decision,
        when: rule.when.clone(),
        reach: rule.reach,
        scope: rule.reach.scope(),
        chat: match rule.reach {
            Reach::Chat(chat) => Some(chat),
            Reach::Workspace(_) | Reach::Everywhere => None,
        },
        made_in: rule.made_in,
        made_ms: ms(rule.made),
        expires_ms: rule.expires.map(ms),
        last_used_ms: rule.last_used.map(ms),
        ended: !rule.holds_at(Timestamp::now()),
        outdated: is_tool
            && rule.decision == Decision::Allow
            && accepted.map(String::as_str) != rule.bound_to.map(|digest| digest.to_string()).as_deref(),
    }
}

pub(super) fn is_bound_to(rule: &Rule, accepted: &ApprovedTool) -> bool {
    rule.bound_to
        .is_some_and(|digest| digest.to_string() == accepted.digest)
}
