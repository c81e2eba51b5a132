//! What holds for longer than one question: permissions and refusals for a tool, and accepted definitions. Each
//! widening is asked first; each narrowing acts at once.

use serde_json::{Value, json};
use vestibule_policy::{Action, Decision, Digest, Rule, Scope};
use vestibule_protocol::{ChatId, QuestionId, ServerId, WorkspaceId};
use vestibule_store::{ApprovedTool, LedgerDraft, LedgerKind, StoreError};

use super::{CLICK_DELAY, Gate};
use crate::{About, Answer, Change, Draft, NotAsked, ServerFace, Tool};

impl Gate {
    /// Shows how tools or the instructions of a server changed, and on a yes makes these definitions the accepted ones.
    ///
    /// # Errors
    /// When the decision could not be written down; the tool then stays held.
    pub async fn accept_change(
        &self,
        server: ServerFace,
        change: Change,
        now: &[ApprovedTool],
        mut asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let id = server.id;
        let about = About::ToolChanged(change);
        // Where the question could not be asked the user decided nothing, and nothing is written down.
        let Ok(answer) = self.try_ask_alone(server, about, Scope::Once, &mut asked).await else {
            return Ok(false);
        };
        let Some(scope) = answer else {
            for tool in now {
                let kind = LedgerKind::Decision;
                self.record_rule_change(kind, id, "tool.accept", &tool.name, "refused", json!({}))
                    .await?;
            }
            return Ok(false);
        };
        for tool in now {
            let body = json!({ "definition": tool.digest, "scope": scope });
            self.record_rule_change(LedgerKind::Grant, id, "tool.accept", &tool.name, "accepted", body)
                .await?;
        }
        self.store.approve_tools(now).await?;
        Ok(true)
    }

    /// Asks whether a tool may be called without a question from now on.
    ///
    /// # Errors
    /// When the decision could not be written down; nothing is then allowed.
    pub async fn allow_tool(
        &self,
        server: ServerFace,
        tool: Tool,
        definition: Digest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<bool, StoreError> {
        let id = server.id;
        let name = tool.name.clone();
        let Some(scope) = self
            .ask_alone(server, About::AllowTool(tool), Scope::Always, &mut asked)
            .await
        else {
            return Ok(false);
        };
        let action = Action::CallTool { tool: name };
        self.rules
            .remove(|rule| is_for_all_chats(rule, id, &action))
            .await?;
        self.grant(id, action, definition, scope, None, WorkspaceId::home())
            .await?;
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
        self.grant(
            server,
            Action::StartServer,
            launch,
            Scope::Always,
            None,
            WorkspaceId::home(),
        )
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
        self.record_rule_change(LedgerKind::Revoke, server, action.name(), tool, "ask", body)
            .await?;
        let rule = Rule::refusal(server, action, (self.clock)());
        let body = json!({ "rule": rule });
        self.record_rule_change(LedgerKind::Revoke, server, rule.action.name(), tool, "deny", body)
            .await?;
        self.rules.add(rule).await
    }

    /// What the rules that hold for all chats and all arguments say of a tool with this definition. A permission
    /// for another definition says nothing any more.
    #[must_use]
    pub fn tool_decision(&self, server: ServerId, tool: &str, definition: Digest) -> Decision {
        let now = (self.clock)();
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

    /// Forgets the rules of a chat that was deleted.
    pub fn chat_deleted(&self, chat: ChatId) {
        self.rules.forget(Some(chat), None);
    }

    /// Forgets the rules of a server that was removed.
    pub fn server_removed(self: &std::sync::Arc<Self>, server: ServerId) {
        self.rules.forget(None, Some(server));
        self.inbox.forget_server(server);
        self.keep_muted();
    }

    pub(super) async fn grant(
        &self,
        server: ServerId,
        action: Action,
        digest: Digest,
        scope: Scope,
        chat: Option<ChatId>,
        workspace: WorkspaceId,
    ) -> Result<(), StoreError> {
        let now = (self.clock)();
        let Some(rule) = Rule::permission(server, action, digest, scope, chat, workspace, now) else {
            return Ok(());
        };
        self.keep_rule(rule).await
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
        let body = json!({ "rule": rule });
        let object = rule.action.object();
        self.record_rule_change(
            LedgerKind::Grant,
            rule.server,
            rule.action.name(),
            object,
            "allow",
            body,
        )
        .await?;
        self.rules.add(rule).await
    }

    /// A question that no rule answers: yes or no, with a single scope.
    pub(super) async fn ask_alone(
        &self,
        server: ServerFace,
        about: About,
        scope: Scope,
        asked: &mut impl FnMut(QuestionId),
    ) -> Option<Scope> {
        let answer = self.try_ask_alone(server, about, scope, asked).await;
        answer.ok().flatten()
    }

    /// The same, with the reason where the question could not be asked.
    async fn try_ask_alone(
        &self,
        server: ServerFace,
        about: About,
        scope: Scope,
        asked: &mut impl FnMut(QuestionId),
    ) -> Result<Option<Scope>, NotAsked> {
        let asked_ms = (self.clock)().as_millisecond();
        let draft = Draft {
            server,
            cause: None,
            about,
            scopes: vec![scope],
            click_delay: CLICK_DELAY,
            asked_ms,
            validate: None,
        };
        let mut waiting = self.inbox.ask(draft)?;
        asked(waiting.id());
        Ok(match waiting.answer().await {
            Answer::Accept { scope, .. } => Some(scope),
            _ => None,
        })
    }

    pub(super) async fn record_rule_change(
        &self,
        kind: LedgerKind,
        server: ServerId,
        action: &str,
        object: &str,
        decision: &str,
        body: Value,
    ) -> Result<(), StoreError> {
        let draft = LedgerDraft {
            kind,
            server: Some(server),
            chat: None,
            action: action.to_owned(),
            object: object.to_owned(),
            decision: Some(decision.to_owned()),
            because: Value::Null,
            body,
        };
        self.store.append(draft).await.map(drop)
    }
}

fn is_for_all_chats(rule: &Rule, server: ServerId, action: &Action) -> bool {
    rule.server == server && rule.action == *action && rule.reach.scope() == Scope::Always
}
