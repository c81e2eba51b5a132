//! Permission to call a tool.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use vestibule_policy::{
    Action, Because, ContentDigest, Decision, DefinitionState, Digest, Guardrail, Places, Request, Scope,
    Verdict,
};
use vestibule_protocol::{ChatId, QuestionId, WorkspaceId, json_length};

use super::ask::Questions;
use super::decide::DecisionRequest;
use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Denied, Gate, GateResult};
use crate::permit::{CallTool, Permit};
use crate::{Call, Cause, Draft, QuestionBody, Raised, ServerSummary, Validate};

/// Finds out where the paths in arguments lead, at the moment it is called.
pub type FindPlaces =
    Arc<dyn Fn(Map<String, Value>) -> Pin<Box<dyn Future<Output = Places> + Send>> + Send + Sync>;

/// A tool that is to be called.
pub struct CallRequest {
    pub server: ServerSummary,
    pub cause: Option<Cause>,
    /// The workspace of the chat.
    pub workspace: WorkspaceId,
    /// What the card shows.
    pub call: Call,
    /// What is known of the tool's definition.
    pub definition: DefinitionState,
    /// Where the paths in the arguments lead, as the card shows it.
    pub places: Places,
    /// Finds that out again: for a rule that is made while the question waits, and for arguments the user changed.
    pub find_places: FindPlaces,
    /// Says what is wrong with arguments the user changed.
    pub validate: Validate,
}

impl CallRequest {
    /// Asks for permission to call a tool. `asked` is called when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<CallTool> {
        let approved = self.approve_in_order(gate, asked, |_, _| ()).await;
        approved.map(|(permit, ())| permit)
    }

    /// The same for one of several calls whose records have to stand in their order. `queued` is called when the intent
    /// stands in the queue of the store, with the call and the reasons why it is allowed: what it queues, and the intent
    /// of another call, come after it and can be written at once with it. Nothing may be sent before the permit is there.
    ///
    /// # Errors
    /// As [`CallRequest::approve`].
    pub async fn approve_in_order<T>(
        self,
        gate: &Gate,
        asked: impl FnMut(QuestionId),
        queued: impl FnOnce(&CallTool, &[Because]) -> T,
    ) -> Result<(Permit<CallTool>, T), Denied> {
        let wanted = self.wanted((gate.clock)());
        let mut effect = EffectRecord::for_request(&wanted, self.call.tool.name.clone());
        let details = LedgerBody::from(json!({})).with_digest("wanted", digest_of(&self.call.arguments));
        let asking = DecisionRequest {
            wanted: &wanted,
            find_places: Some(&self.find_places),
        };
        let draft = |verdict: &Verdict| self.draft(&gate.questions, verdict);
        let mut approval = gate
            .decide_with_places(asking, &effect, &details, draft, asked)
            .await?;
        let DefinitionState::Accepted(accepted) = self.definition else {
            return Err(Denied::DefinitionChanged);
        };
        let edited = approval.arguments.take();
        if let Some(edited) = &edited {
            self.refuse_edited(gate, &wanted, edited, &effect, &details)
                .await?;
            effect = effect.with_mentions(&Value::Object(edited.clone()));
        }
        let is_edited = edited.is_some();
        let arguments = edited.unwrap_or(self.call.arguments);
        let what = CallTool {
            server: wanted.server,
            tool: self.call.tool.name,
            definition: accepted,
            arguments,
        };
        let details = facts(&what, is_edited);
        let intent = gate.ledger.record_intent(effect, &approval, details);
        let queued = queued(&what, &approval.because);
        let permit = gate.mint_with_rule(&wanted, accepted, approval, intent, what);
        Ok((permit.await?, queued))
    }

    /// What the rules judge.
    pub(super) fn wanted(&self, now: Timestamp) -> Request {
        let action = Action::CallTool {
            tool: self.call.tool.name.clone(),
        };
        Request {
            claims_destructive: self.claims_destructive(),
            arguments: Some(Arc::new(Value::Object(self.call.arguments.clone()))),
            carries_values: !self.call.carried.is_empty(),
            flow_unchecked: self.call.findings.flow_unchecked,
            written_as_text: self.call.findings.as_text,
            places: self.places.clone(),
            chat: self.chat(),
            workspace: self.workspace,
            ..Request::new(self.server.id, action, self.definition, now)
        }
    }

    /// The card, which says why a rule that would allow it does not count.
    fn draft(&self, questions: &Questions, verdict: &Verdict) -> Draft {
        let raised = verdict.because.contains(&Because::Guardrail {
            guardrail: Guardrail::ClaimsDestructive,
        });
        let call = Call {
            raised: raised.then_some(Raised::ClaimsDestructive),
            ..self.call.clone()
        };
        Draft {
            scopes: call_scopes(self.chat(), self.claims_destructive()),
            validate: Some(self.validate.clone()),
            ..questions.draft(
                self.server.clone(),
                self.cause.clone(),
                QuestionBody::CallTool(call),
            )
        }
    }

    /// A refusal that speaks of arguments holds for the user's own as well.
    async fn refuse_edited(
        &self,
        gate: &Gate,
        wanted: &Request,
        arguments: &Map<String, Value>,
        effect: &EffectRecord,
        details: &LedgerBody,
    ) -> Result<(), Denied> {
        let edited = Request {
            arguments: Some(Arc::new(Value::Object(arguments.clone()))),
            places: (self.find_places)(arguments.clone()).await,
            ..wanted.clone()
        };
        let verdict = gate.rules.evaluate(&edited);
        match verdict.decision {
            Decision::Deny => Err(gate.deny_by_rule(effect, verdict, details).await),
            Decision::Ask | Decision::Allow => Ok(()),
        }
    }

    fn chat(&self) -> Option<ChatId> {
        self.cause.as_ref().map(|cause| cause.chat)
    }

    fn claims_destructive(&self) -> bool {
        self.call.tool.claims.destructive == Some(true)
    }
}

/// What a tool card offers. Effects that claim to destroy never get wider than the chat.
pub(super) fn call_scopes(chat: Option<ChatId>, claims_destructive: bool) -> Vec<Scope> {
    let mut scopes = vec![Scope::Once];
    if chat.is_some() {
        scopes.push(Scope::Chat);
    }
    if !claims_destructive {
        if chat.is_some() {
            scopes.push(Scope::Workspace);
        }
        scopes.push(Scope::Always);
    }
    scopes
}

/// What the ledger says of a call that was agreed to.
fn facts(call: &CallTool, is_edited: bool) -> LedgerBody {
    let facts = json!({
        "definition": call.definition,
        "bytes": json_length(&call.arguments),
        "edited": is_edited,
    });
    LedgerBody::from(facts).with_digest("arguments", digest_of(&call.arguments))
}

fn digest_of(arguments: &Map<String, Value>) -> ContentDigest {
    Digest::of_arguments(&Value::Object(arguments.clone()))
}
