//! Permission to read a resource or to expand a prompt. Only the user picks one, in the window, for one chat: that
//! pick is the yes, so no card asks a second time, and the ledger says that it was a pick. A rule that denies still
//! denies. The model has no way to come here.

use std::collections::BTreeMap;

use serde_json::json;
use vestibule_policy::{Action, Because, Decision, DefinitionState, Digest, Places, Request, Scope};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};
use vestibule_store::StoreError;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Denied, Gate};
use crate::effect::{Effect, Intent};
use crate::permit::{GetPrompt, Permit, ReadResource};

/// Where a user picked something.
#[derive(Clone, Copy, Debug)]
pub struct PickContext {
    pub server: ServerId,
    /// The only chat it is for.
    pub chat: ChatId,
    /// The workspace of that chat.
    pub workspace: WorkspaceId,
}

impl Gate {
    /// Permission to read a resource the user picked.
    ///
    /// # Errors
    /// The refusal by a rule, or that it could not be written down.
    pub async fn read_resource(
        &self,
        pick: PickContext,
        uri: String,
    ) -> Result<Permit<ReadResource>, Denied> {
        let action = Action::ReadResource { uri: uri.clone() };
        let (because, intent) = self.record_pick(pick, action, json!({}).into()).await?;
        let what = ReadResource {
            server: pick.server,
            chat: pick.chat,
            uri,
        };
        Ok(Permit::mint(what, because, intent))
    }

    /// Leave to have a prompt the user picked expanded with what they wrote.
    ///
    /// # Errors
    /// As [`read_resource`](Self::read_resource).
    pub async fn get_prompt(
        &self,
        pick: PickContext,
        prompt: String,
        arguments: BTreeMap<String, String>,
    ) -> Result<Permit<GetPrompt>, Denied> {
        let action = Action::GetPrompt {
            prompt: prompt.clone(),
        };
        let sent = json!(arguments);
        let bytes = json!({ "bytes": sent.to_string().len() });
        let details = LedgerBody::from(bytes).with_digest("arguments", Digest::of_arguments(&sent));
        let (because, intent) = self.record_pick(pick, action, details).await?;
        let what = GetPrompt {
            server: pick.server,
            chat: pick.chat,
            prompt,
            arguments,
        };
        Ok(Permit::mint(what, because, intent))
    }

    /// Writes that a task of a tool that was called is followed from now on: again, where an earlier run of the
    /// application left it. The call had its own leave; following changes nothing at the server.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn follow_task(
        &self,
        server: ServerId,
        chat: ChatId,
        tool: String,
    ) -> Result<Effect, StoreError> {
        let effect = EffectRecord::new(server, Some(chat), "task.follow", tool);
        let intent = self.record_intent(effect, &by_person(), json!({})).await?;
        Ok(Effect::begin((), intent))
    }

    async fn record_pick(
        &self,
        pick: PickContext,
        action: Action,
        details: LedgerBody,
    ) -> Result<(Vec<Because>, Intent), Denied> {
        let object = action.object().to_owned();
        let wanted = Request {
            server: pick.server,
            // What is picked has no definition that was accepted before: it is what its name says at this moment.
            definition: DefinitionState::Accepted(Digest::of_name(&object)),
            action,
            claims_destructive: false,
            arguments: None,
            carries_values: false,
            flow_unchecked: false,
            written_as_text: false,
            places: Places::default(),
            chat: Some(pick.chat),
            workspace: pick.workspace,
            now: (self.clock)(),
        };
        let effect = EffectRecord::for_request(&wanted, object);
        let verdict = self.rules.evaluate(&wanted);
        if verdict.decision == Decision::Deny {
            return Err(self.deny_by_rule(&effect, verdict, &details).await);
        }
        let approval = by_person();
        let details = details.with_fact("picked", json!(true));
        let intent = self.record_intent(effect, &approval, details).await?;
        Ok((approval.because, intent))
    }
}

/// The user's own doing, without a card.
pub(super) fn by_person() -> Approval {
    Approval {
        scope: Scope::Once,
        arguments: None,
        when: vec![],
        because: vec![Because::Person { scope: Scope::Once }],
        shown: None,
        waited: None,
    }
}
