//! Permits for changes of the main window that let more happen than today. No rule answers these: each is the user's,
//! and the permit covers exactly the change that was shown.

use serde_json::json;
use vestibule_policy::{Action, Decision, Digest, Rule, Scope};
use vestibule_protocol::{ChatId, QuestionId, RuleId};
use vestibule_store::{LedgerKind, StoreError};

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, CLICK_DELAY, Denied, Gate};
use crate::EffectEnd;
use crate::permit::{Permit, Widen};
use crate::{About, Answer, Draft, RuleFace, ServerFace, Widening};

/// A change that is wanted.
pub struct WidenRequest {
    /// The server it is about; `None` where it is about none.
    pub server: Option<ServerFace>,
    /// The chat it is about.
    pub chat: Option<ChatId>,
    pub widening: Widening,
}

impl Gate {
    /// Asks whether to make this change. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal; nothing may then be changed.
    pub async fn widen(
        &self,
        request: WidenRequest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<Widen>, Denied> {
        let WidenRequest {
            server,
            chat,
            widening,
        } = request;
        let mut effect = EffectRecord::new(
            server.as_ref().map(|server| server.id),
            chat,
            action(&widening),
            object(&widening),
        );
        if let Some(address) = widening.address() {
            effect = effect.with_mentions(&json!(address.canonical));
        }
        let facts = LedgerBody::from(json!({})).with_digest("shown", Digest::of_arguments(&json!(widening)));
        let draft = Draft {
            server: server.unwrap_or_else(ServerFace::vestibule),
            cause: None,
            about: About::Widen(widening.clone()),
            scopes: vec![Scope::Once],
            click_delay: CLICK_DELAY,
            asked_ms: (self.clock)().as_millisecond(),
            validate: None,
        };
        let mut waiting = self.ask_question(&effect, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        let Answer::Accept { .. } = answer else {
            return Err(self.deny_by_answer(&effect, answer, facts).await);
        };
        let approval = Approval::once(waiting.digest());
        let intent = self.record_intent(effect, &approval, facts).await?;
        Ok(Permit::mint(Widen { widening }, approval.because, intent))
    }

    /// Takes one rule back: what it decided is asked again. A permission is gone at once; a refusal only after a yes.
    /// Says whether the rule was taken back.
    ///
    /// # Errors
    /// When there was no yes, or it could not be written down; a permission is gone for this run all the same.
    pub async fn take_back(
        &self,
        server: ServerFace,
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
        server: ServerFace,
        tool: &str,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, Denied> {
        let action = Action::CallTool {
            tool: tool.to_owned(),
        };
        let of_tool = |rule: &Rule| rule.server == server.id && rule.action == action;
        let (permissions, refusals): (Vec<Rule>, Vec<Rule>) = self
            .rules
            .of_server(server.id)
            .into_iter()
            .filter(of_tool)
            .partition(|rule| rule.decision == Decision::Allow);
        if let Some(first) = permissions.first() {
            let gone = self
                .rules
                .remove(|rule| of_tool(rule) && rule.decision == Decision::Allow)
                .await?;
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
        server: ServerFace,
        refusals: Vec<Rule>,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, Denied> {
        let request = WidenRequest {
            server: Some(server),
            chat: None,
            widening: Widening::DropRefusals {
                rules: refusals.iter().map(RuleFace::from).collect(),
            },
        };
        let effect = self.widen(request, asked).await?.begin();
        let _one_at_a_time = self.changing.lock().await;
        let shown = |held: &Rule| {
            let as_it_was = |rule: &Rule| rule.id == held.id && RuleFace::from(rule) == RuleFace::from(held);
            refusals.iter().any(as_it_was)
        };
        let gone = self.rules.remove(shown).await?;
        let dropped = gone.len() == refusals.len();
        if let Some(first) = refusals.first().filter(|_| !gone.is_empty()) {
            self.record_revocation(first, json!({ "rules": gone })).await?;
        }
        let end = if dropped {
            EffectEnd::Changed
        } else {
            EffectEnd::Outdated
        };
        effect.try_finish(end).await?;
        Ok(dropped)
    }

    async fn record_revocation(&self, rule: &Rule, body: serde_json::Value) -> Result<(), StoreError> {
        let (action, object) = (rule.action.name(), rule.action.object());
        self.record_rule_change(LedgerKind::Revoke, rule.server, action, object, "ask", body)
            .await
    }
}

/// What is done, as the ledger names it.
fn action(widening: &Widening) -> &'static str {
    match widening {
        Widening::DropRefusals { .. } => "rule.take_back",
        Widening::MoveChats(_) => "chat.move",
        Widening::RaiseBudget { .. } => "sampling.budget",
        Widening::AcceptLedger(_) => "ledger.accept",
        Widening::SaveConnection { .. } => "connection.save",
        Widening::ChatModel { .. } => "chat.model",
    }
}

/// What the change is about, as the ledger names it. Titles and names stay in the chat and the card.
fn object(widening: &Widening) -> String {
    match widening {
        Widening::DropRefusals { rules } => rules
            .first()
            .map(|rule| rule.action.object().to_owned())
            .unwrap_or_default(),
        Widening::SaveConnection { .. } | Widening::ChatModel { .. } => widening
            .address()
            .and_then(|address| address.ascii_host.clone())
            .unwrap_or_default(),
        Widening::MoveChats(_) | Widening::RaiseBudget { .. } | Widening::AcceptLedger(_) => String::new(),
    }
}
