//! Permission to call a tool.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use vestibule_policy::{
    Action, Because, ContentDigest, DefinitionState, Digest, Guardrail, Places, Request, Scope, Verdict,
};
use vestibule_protocol::{ChatId, QuestionId, WorkspaceId, json_length};

use super::ask::Questions;
use super::decide::DecisionRequest;
use super::exact_numbers::restore_numbers;
use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Denied, Gate, GateResult};
use crate::permit::{CallTool, Permit};
use crate::{
    ArgumentFindings, Call, Cause, Draft, PathFinding, QuestionBody, Raised, ServerSummary, Validate,
};

/// How often a call is decided again because its paths lead elsewhere than they did.
const MOST_MOVES: usize = 3;

/// What was found about the paths in the arguments of one call.
#[derive(Clone, Debug, Default)]
pub struct ArgumentPaths {
    /// Places outside of the folders shared with the server.
    pub outside: Vec<PathFinding>,
    pub findings: ArgumentFindings,
    pub places: Places,
}

/// Looks for the paths in arguments, at the moment it is called.
pub type FindPaths =
    Arc<dyn Fn(Map<String, Value>) -> Pin<Box<dyn Future<Output = ArgumentPaths> + Send>> + Send + Sync>;

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
    /// Finds that out again: before the call is allowed, and for arguments the user changed.
    pub find_paths: FindPaths,
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
        mut self,
        gate: &Gate,
        asked: impl FnMut(QuestionId),
        queued: impl FnOnce(&CallTool, &[Because]) -> T,
    ) -> Result<(Permit<CallTool>, T), Denied> {
        let mut effect = EffectRecord::for_request(&self.wanted((gate.clock)()), self.call.tool.name.clone());
        let shown = digest_of(&self.call.arguments);
        let details = LedgerBody::from(json!({})).with_digest("wanted", shown);
        let (wanted, mut approval) = self.decide(gate, &effect, &details, asked).await?;
        let DefinitionState::Accepted(accepted) = self.definition else {
            return Err(Denied::DefinitionChanged);
        };
        let edited = approval.arguments.take().map(|edited| self.exact(edited));
        if let Some(edited) = &edited {
            self.refuse_edited(gate, &wanted, edited, &effect, &details)
                .await?;
            effect = effect.with_mentions(&Value::Object(edited.clone()));
        }
        let digest = edited.as_ref().map(digest_of);
        let arguments = edited.unwrap_or(self.call.arguments);
        let what = CallTool {
            server: wanted.server,
            tool: self.call.tool.name,
            definition: accepted,
            arguments,
        };
        let details = facts(&what, digest.is_some()).with_digest("arguments", digest.unwrap_or(shown));
        let intent = gate.ledger.record_intent(effect, &approval, details);
        let queued = queued(&what, &approval.because);
        let permit = gate.mint_with_rule(&wanted, accepted, approval, intent, what);
        Ok((permit.await?, queued))
    }

    /// The decision, with the request as it was decided. A link can be moved while a question waits, so the paths are
    /// looked at once more before the call is allowed, and it is decided again where they lead elsewhere by then.
    async fn decide(
        &mut self,
        gate: &Gate,
        effect: &EffectRecord,
        details: &LedgerBody,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<(Request, Approval), Denied> {
        for _ in 0..MOST_MOVES {
            let (wanted, approval) = self.decide_as_found(gate, effect, details, &mut asked).await?;
            // The user's own arguments are looked at later, and what could not be found out was asked about as that.
            if approval.arguments.is_some() || self.places.unchecked {
                return Ok((wanted, approval));
            }
            let paths = (self.find_paths)(self.call.arguments.clone()).await;
            if paths.places == self.places {
                return Ok((wanted, approval));
            }
            self.show_paths(paths);
        }
        // What moves each time is asked about as what could not be found out.
        self.places.unchecked = true;
        self.call.findings.paths_unchecked = true;
        self.decide_as_found(gate, effect, details, asked).await
    }

    async fn decide_as_found(
        &self,
        gate: &Gate,
        effect: &EffectRecord,
        details: &LedgerBody,
        asked: impl FnMut(QuestionId),
    ) -> Result<(Request, Approval), Denied> {
        let wanted = self.wanted((gate.clock)());
        let asking = DecisionRequest {
            wanted: &wanted,
            find_paths: Some(&self.find_paths),
        };
        let draft = |verdict: &Verdict| self.draft(&gate.questions, verdict);
        let approval = gate
            .decide_with_paths(asking, effect, details, draft, asked)
            .await?;
        Ok((wanted, approval))
    }

    /// Puts what was found now in the place of what the card showed.
    fn show_paths(&mut self, paths: ArgumentPaths) {
        let shown = &mut self.call;
        shown.outside = paths.outside;
        shown.findings = ArgumentFindings {
            flow_unchecked: shown.findings.flow_unchecked,
            as_text: shown.findings.as_text,
            ..paths.findings
        };
        self.places = paths.places;
    }

    /// The arguments as the user left them, with the numbers that a window cannot send back exactly.
    fn exact(&self, mut edited: Map<String, Value>) -> Map<String, Value> {
        for (name, value) in &mut edited {
            if let Some(shown) = self.call.arguments.get(name) {
                restore_numbers(value, shown);
            }
        }
        edited
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
            places: (self.find_paths)(arguments.clone()).await.places,
            ..wanted.clone()
        };
        gate.refuse_denied(&edited, effect, details).await
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
    LedgerBody::from(facts)
}

fn digest_of(arguments: &Map<String, Value>) -> ContentDigest {
    Digest::of_arguments(&Value::Object(arguments.clone()))
}
