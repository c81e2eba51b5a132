//! Permission to read a resource or to expand a prompt. Only the user picks one, in the window, for one chat: that
//! pick is the yes, so no card asks a second time, and the ledger says that it was a pick. A rule that denies still
//! denies. The model has no way to come here.

use std::collections::BTreeMap;

use serde_json::json;
use vestibule_policy::{Action, DefinitionState, Digest, Request, Scope};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId, json_length};

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Gate, GateResult};
use crate::permit::{GetPrompt, ReadResource};

/// Where a user picked something.
#[derive(Clone, Copy, Debug)]
pub struct PickContext {
    pub server: ServerId,
    /// The only chat it is for.
    pub chat: ChatId,
    /// The workspace of that chat.
    pub workspace: WorkspaceId,
}

impl PickContext {
    /// Permission to read a resource the user picked.
    ///
    /// # Errors
    /// The refusal by a rule, or that it could not be written down.
    pub async fn approve_resource(self, gate: &Gate, uri: String) -> GateResult<ReadResource> {
        let action = Action::ReadResource { uri: uri.clone() };
        let what = ReadResource {
            server: self.server,
            chat: self.chat,
            uri,
        };
        self.approve(gate, action, json!({}).into(), what).await
    }

    /// Leave to have a prompt the user picked expanded with what they wrote.
    ///
    /// # Errors
    /// As [`approve_resource`](Self::approve_resource).
    pub async fn approve_prompt(
        self,
        gate: &Gate,
        prompt: String,
        arguments: BTreeMap<String, String>,
    ) -> GateResult<GetPrompt> {
        let action = Action::GetPrompt {
            prompt: prompt.clone(),
        };
        let sent = json!(arguments);
        let bytes = json!({ "bytes": json_length(&sent) });
        let details = LedgerBody::from(bytes).with_digest("arguments", Digest::of_arguments(&sent));
        let what = GetPrompt {
            server: self.server,
            chat: self.chat,
            prompt,
            arguments,
        };
        self.approve(gate, action, details, what).await
    }

    async fn approve<T>(self, gate: &Gate, action: Action, details: LedgerBody, what: T) -> GateResult<T> {
        let object = action.object().to_owned();
        // What is picked has no definition that was accepted before: it is what its name says at this moment.
        let definition = DefinitionState::Accepted(Digest::of_name(&object));
        let wanted = Request {
            chat: Some(self.chat),
            workspace: self.workspace,
            ..Request::new(self.server, action, definition, (gate.clock)())
        };
        let effect = EffectRecord::for_request(&wanted, object);
        gate.refuse_denied(&wanted, &effect, &details).await?;
        let approval = Approval::without_card(Scope::Once);
        let details = details.with_fact("picked", json!(true));
        Ok(gate.ledger.mint(effect, approval, details, what).await?)
    }
}
