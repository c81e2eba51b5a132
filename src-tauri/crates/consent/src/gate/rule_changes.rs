//! Changes of what holds for longer than one question: permissions and refusals for a tool, and the definitions of tools
//! that the user accepted. Each widening is asked first; each narrowing acts at once.

use serde_json::json;
use vestibule_policy::{Action, Decision, Digest, Rule, Scope};
use vestibule_protocol::{QuestionId, ServerId, WorkspaceId};
use vestibule_store::{ApprovedTool, LedgerKind, StoreError};

use super::rules::RuleBook;
use crate::{Change, QuestionBody, ServerSummary, Tool};

impl RuleBook {
    /// Shows how tools or the instructions of a server changed, and on a yes makes these definitions the accepted ones.
    ///
    /// # Errors
    /// When the decision could not be written down; the tool then stays held.
    pub async fn accept_change(
        &self,
        server: ServerSummary,
        change: Change,
        now: &[ApprovedTool],
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let id = server.id;
        let about = QuestionBody::ToolChanged(change);
        // Where the question could not be asked the user decided nothing, and nothing is written down.
        let Ok(answer) = self.questions.ask_alone(server, about, Scope::Once, asked).await else {
            return Ok(false);
        };
        for tool in now {
            self.record_definition(id, tool, answer).await?;
        }
        if answer.is_some() {
            self.store.approve_tools(now).await?;
        }
        Ok(answer.is_some())
    }

    /// Writes down that a definition was accepted, and how far, or refused.
    async fn record_definition(
        &self,
        server: ServerId,
        tool: &ApprovedTool,
        answer: Option<Scope>,
    ) -> Result<(), StoreError> {
        let (kind, decision, body) = match answer {
            Some(scope) => {
                let body = json!({ "definition": tool.digest, "scope": scope });
                (LedgerKind::Grant, "accepted", body)
            }
            None => (LedgerKind::Decision, "refused", json!({})),
        };
        self.ledger
            .record_rule_change(kind, server, "tool.accept", &tool.name, decision, body)
            .await
    }

    /// Asks whether a tool may be called without a question from now on.
    ///
    /// # Errors
    /// When the decision could not be written down; nothing is then allowed.
    pub async fn allow_tool(
        &self,
        server: ServerSummary,
        tool: Tool,
        definition: Digest,
        asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let id = server.id;
        let name = tool.name.clone();
        let about = QuestionBody::AllowTool(tool);
        let asking = self.questions.ask_alone(server, about, Scope::Always, asked);
        let Ok(Some(scope)) = asking.await else {
            return Ok(false);
        };
        let action = Action::CallTool { tool: name };
        // A refusal with conditions is not on the card, so it stays.
        let is_replaced = |rule: &Rule| rule.decision != Decision::Deny || rule.when.is_empty();
        self.rules
            .remove(|rule| is_for_all_chats(rule, id, &action) && is_replaced(rule))
            .await?;
        self.grant(id, action, definition, scope).await?;
        Ok(true)
    }

    /// Lets a server start without a question because its program is this very application, which the user has
    /// started already. For nothing else.
    ///
    /// # Errors
    /// When the permission could not be written down; the start is then asked.
    pub async fn vouch_for_own_program(&self, server: ServerId, launch: Digest) -> Result<(), StoreError> {
        if self.may_open(server, Action::StartServer, launch) {
            return Ok(());
        }
        self.grant(server, Action::StartServer, launch, Scope::Always)
            .await
    }

    /// Refuses a tool from now on.
    ///
    /// # Errors
    /// When that could not be written down.
    pub async fn refuse_tool(&self, server: ServerId, tool: &str) -> Result<(), StoreError> {
        let action = Action::CallTool {
            tool: tool.to_owned(),
        };
        let gone = self
            .rules
            .remove(|rule| rule.server == server && rule.action == action)
            .await?;
        let body = json!({ "rules": gone });
        self.ledger
            .record_rule_change(LedgerKind::Revoke, server, action.name(), tool, "ask", body)
            .await?;
        let rule = Rule::refusal(server, action, (self.questions.clock)());
        self.activate(rule).await
    }

    /// What the rules that hold for all chats and all arguments say of a tool with this definition. A permission
    /// for another definition says nothing any more.
    #[must_use]
    pub fn tool_decision(&self, server: ServerId, tool: &str, definition: Digest) -> Decision {
        let now = (self.questions.clock)();
        let action = Action::CallTool {
            tool: tool.to_owned(),
        };
        self.rules
            .of_server(server)
            .iter()
            .filter(|rule| {
                is_for_all_chats(rule, server, &action) && rule.when.is_empty() && rule.holds_at(now)
            })
            .filter(|rule| rule.decision != Decision::Allow || rule.bound_to == Some(definition))
            .map(|rule| rule.decision)
            .max()
            .unwrap_or(Decision::Ask)
    }

    async fn grant(
        &self,
        server: ServerId,
        action: Action,
        digest: Digest,
        scope: Scope,
    ) -> Result<(), StoreError> {
        let (now, home) = ((self.questions.clock)(), WorkspaceId::home());
        match Rule::permission(server, action, digest, scope, None, home, now) {
            Some(rule) => self.keep_rule(rule).await,
            None => Ok(()),
        }
    }

    /// Makes a rule hold that the user agreed to.
    pub(super) async fn keep_rule(&self, rule: Rule) -> Result<(), StoreError> {
        // An older permission for something else in the same place is over; one for other arguments is not.
        self.rules
            .remove(|old| {
                let same_place =
                    old.server == rule.server && old.action == rule.action && old.reach == rule.reach;
                let replaced = rule.when.is_empty() || old.when == rule.when || old.bound_to != rule.bound_to;
                old.id == rule.id || (same_place && replaced && old.decision == Decision::Allow)
            })
            .await?;
        self.activate(rule).await
    }
}

fn is_for_all_chats(rule: &Rule, server: ServerId, action: &Action) -> bool {
    rule.server == server && rule.action == *action && rule.reach.scope() == Scope::Always
}
