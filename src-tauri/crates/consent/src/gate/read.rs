//! Leave to read a resource or to expand a prompt. Nobody but the person picks one, in the window, for one chat: that
//! pick is the yes, so no card asks a second time, and the ledger says that it was a pick. A rule that denies still
//! denies. The model has no way to come here.

use std::collections::BTreeMap;

use serde_json::json;
use vestibule_policy::{Action, Because, Decision, DefinitionState, Digest, Places, Request, Scope};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};
use vestibule_store::StoreError;

use super::details::Details;
use super::written::Deed;
use super::{Gate, NoPermit, Yes};
use crate::permit::{GetPrompt, Permit, ReadResource, Receipt};

/// Where a person picked something.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    pub server: ServerId,
    /// The only chat it is for.
    pub chat: ChatId,
    /// The workspace of that chat.
    pub workspace: WorkspaceId,
}

impl Gate {
    /// Leave to read a resource the person picked.
    ///
    /// # Errors
    /// The refusal by a rule, or that it could not be written down.
    pub async fn read_resource(&self, pick: Pick, uri: String) -> Result<Permit<ReadResource>, NoPermit> {
        let action = Action::ReadResource { uri: uri.clone() };
        let (because, receipt) = self.picked(pick, action, json!({}).into()).await?;
        let what = ReadResource {
            server: pick.server,
            chat: pick.chat,
            uri,
        };
        Ok(Permit::mint(what, because, receipt))
    }

    /// Leave to have a prompt the person picked expanded with what they wrote.
    ///
    /// # Errors
    /// As [`read_resource`](Self::read_resource).
    pub async fn get_prompt(
        &self,
        pick: Pick,
        prompt: String,
        arguments: BTreeMap<String, String>,
    ) -> Result<Permit<GetPrompt>, NoPermit> {
        let action = Action::GetPrompt {
            prompt: prompt.clone(),
        };
        let sent = json!(arguments);
        let bytes = json!({ "bytes": sent.to_string().len() });
        let details = Details::from(bytes).said("arguments", Digest::of_arguments(&sent));
        let (because, receipt) = self.picked(pick, action, details).await?;
        let what = GetPrompt {
            server: pick.server,
            chat: pick.chat,
            prompt,
            arguments,
        };
        Ok(Permit::mint(what, because, receipt))
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
    ) -> Result<Receipt, StoreError> {
        let deed = Deed::new(server, Some(chat), "task.follow", tool);
        self.intend(deed, &by_person(), json!({})).await
    }

    async fn picked(
        &self,
        pick: Pick,
        action: Action,
        details: Details,
    ) -> Result<(Vec<Because>, Receipt), NoPermit> {
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
            places: Places::default(),
            chat: Some(pick.chat),
            workspace: pick.workspace,
            now: (self.clock)(),
        };
        let deed = Deed::of(&wanted, object);
        let verdict = self.rules.evaluate(&wanted);
        if verdict.decision == Decision::Deny {
            return Err(self.denied(&deed, verdict, &details).await);
        }
        let yes = by_person();
        let details = details.fact("picked", json!(true));
        let receipt = self.intend(deed, &yes, details).await?;
        Ok((yes.because, receipt))
    }
}

/// The person's own doing, without a card.
fn by_person() -> Yes {
    Yes {
        scope: Scope::Once,
        arguments: None,
        when: vec![],
        because: vec![Because::Person { scope: Scope::Once }],
        shown: None,
        waited: None,
    }
}
