//! Permission to call a tool.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use vestibule_policy::{
    Action, Because, ContentDigest, Decision, DefinitionState, Digest, Guardrail, Places, Request, Scope,
    Verdict,
};
use vestibule_protocol::{ChatId, QuestionId, WorkspaceId};

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{CLICK_DELAY, DecisionRequest, Denied, Gate};
use crate::permit::{CallTool, Permit};
use crate::{About, Call, Cause, Draft, Raised, ServerFace, Validate};

/// Finds out where the paths in arguments lead, at the moment it is called.
pub type FindPlaces =
    Arc<dyn Fn(Map<String, Value>) -> Pin<Box<dyn Future<Output = Places> + Send>> + Send + Sync>;

/// A tool that is to be called.
pub struct CallRequest {
    pub server: ServerFace,
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

impl Gate {
    /// Asks for permission to call a tool. `asked` is called when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn call_tool(
        &self,
        request: CallRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<CallTool>, Denied> {
        let CallRequest {
            server: face,
            cause,
            workspace,
            call,
            definition,
            places,
            find_places,
            validate,
        } = request;
        let tool = call.tool.name.clone();
        let claims_destructive = call.tool.claims.destructive == Some(true);
        let chat = cause.as_ref().map(|cause| cause.chat);
        let wanted = Request {
            server: face.id,
            action: Action::CallTool { tool: tool.clone() },
            definition,
            claims_destructive,
            arguments: Some(Arc::new(Value::Object(call.arguments.clone()))),
            carries_values: !call.carried.is_empty(),
            flow_unchecked: call.findings.flow_unchecked,
            written_as_text: call.findings.as_text,
            places,
            chat,
            workspace,
            now: (self.clock)(),
        };
        let draft = |verdict: &Verdict| {
            let raised = verdict
                .because
                .contains(&Because::Guardrail {
                    guardrail: Guardrail::ClaimsDestructive,
                })
                .then_some(Raised::ClaimsDestructive);
            Draft {
                server: face.clone(),
                cause: cause.clone(),
                about: About::CallTool(Call {
                    raised,
                    ..call.clone()
                }),
                scopes: call_scopes(chat, claims_destructive),
                click_delay: CLICK_DELAY,
                asked_ms: (self.clock)().as_millisecond(),
                validate: Some(validate.clone()),
            }
        };
        let details = LedgerBody::from(json!({})).with_digest("wanted", digest_of(&call.arguments));
        let effect = EffectRecord::for_request(&wanted, tool.clone());
        let approval = {
            let asking = DecisionRequest {
                wanted: &wanted,
                find_places: Some(&find_places),
            };
            self.decide_with_places(asking, &effect, &details, draft, asked)
                .await?
        };
        let DefinitionState::Accepted(accepted) = definition else {
            return Err(Denied::DefinitionChanged);
        };
        let arguments = approval.arguments.clone().unwrap_or(call.arguments);
        if approval.arguments.is_some() {
            let edited = Request {
                arguments: Some(Arc::new(Value::Object(arguments.clone()))),
                places: find_places(arguments.clone()).await,
                ..wanted.clone()
            };
            self.refuse_edited(&edited, &effect, &details).await?;
        }
        let effect = if approval.arguments.is_some() {
            effect.with_mentions(&Value::Object(arguments.clone()))
        } else {
            effect
        };
        let details = LedgerBody::from(json!({
            "definition": accepted,
            "bytes": Value::Object(arguments.clone()).to_string().len(),
            "edited": approval.arguments.is_some(),
        }))
        .with_digest("arguments", digest_of(&arguments));
        let intent = self.record_intent(effect, &approval, details).await?;
        self.store_rule(&wanted, accepted, &approval).await?;
        let what = CallTool {
            server: wanted.server,
            tool,
            definition: accepted,
            arguments,
        };
        Ok(Permit::mint(what, approval.because, intent))
    }
}

impl Gate {
    /// A refusal that speaks of arguments holds for the user's own as well.
    async fn refuse_edited(
        &self,
        edited: &Request,
        effect: &EffectRecord,
        details: &LedgerBody,
    ) -> Result<(), Denied> {
        let verdict = self.rules.evaluate(edited);
        match verdict.decision {
            Decision::Deny => Err(self.deny_by_rule(effect, verdict, details).await),
            Decision::Ask | Decision::Allow => Ok(()),
        }
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

fn digest_of(arguments: &Map<String, Value>) -> ContentDigest {
    Digest::of_arguments(&Value::Object(arguments.clone()))
}
