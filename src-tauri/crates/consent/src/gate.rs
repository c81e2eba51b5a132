//! The gate: every effect comes here as a request and leaves as a permit or a refusal. It asks the engine, then
//! the person where the engine says so, writes the decision to the ledger, and only then makes the permit. It
//! never performs an effect itself.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use vestibule_policy::{Action, Because, Decision, Definition, Digest, Floor, Request, Scope, Verdict};
use vestibule_protocol::{ChatId, QuestionId, WorkspaceId};
use vestibule_store::{LedgerDraft, LedgerKind, Store, StoreError};

use crate::permit::{CallTool, Permit, Receipt, StartServer};
use crate::rules::Rules;
use crate::{About, Answer, Call, Cause, Draft, Fits, Inbox, Launch, Raised, ServerFace};

/// How long a yes stays inert on an ordinary card.
const GUARD: Duration = Duration::from_millis(500);
/// How long where code will run on this computer.
const GUARD_FOR_CODE: Duration = Duration::from_secs(3);

/// Where effects are agreed to.
pub struct Gate {
    store: Store,
    inbox: Inbox,
    rules: Rules,
    clock: fn() -> Timestamp,
}

/// A server that is to be started.
pub struct StartRequest {
    /// Who.
    pub server: ServerFace,
    /// What the card shows.
    pub launch: Launch,
    /// Of the launch record behind it.
    pub digest: Digest,
}

/// A tool that is to be called.
pub struct CallRequest {
    /// Whose.
    pub server: ServerFace,
    /// What caused it.
    pub cause: Option<Cause>,
    /// The workspace of the chat.
    pub workspace: WorkspaceId,
    /// What the card shows.
    pub call: Call,
    /// What is known of the tool's definition.
    pub definition: Definition,
    /// Says what is wrong with arguments the person changed.
    pub fits: Fits,
}

/// Why there is no permit.
#[derive(Debug, thiserror::Error)]
pub enum NoPermit {
    /// The person said no.
    #[error("the person refused")]
    Refused {
        /// In the person's words.
        reason: Option<String>,
    },
    /// The person did not decide.
    #[error("the person did not decide")]
    NotNow,
    /// A rule says no.
    #[error("a rule of the person refuses it")]
    Ruled(Vec<Because>),
    /// The definition changed and waits to be accepted.
    #[error("the definition changed and waits to be accepted")]
    Held,
    /// The decision could not be written down, so it does not count.
    #[error(transparent)]
    Ledger(#[from] StoreError),
}

/// How an effect ended, for the ledger.
#[derive(Debug)]
pub struct Outcome {
    /// In a word ("answered", "failed", "timed out").
    pub ended: &'static str,
    /// Of the result, where there is one.
    pub result: Option<Digest>,
    /// How large it was.
    pub bytes: usize,
    /// How long it took.
    pub took: Duration,
}

/// A yes, and how it came about.
struct Yes {
    scope: Scope,
    arguments: Option<Map<String, Value>>,
    because: Vec<Because>,
    shown: Option<Digest>,
}

impl Gate {
    /// A gate over the rules in `store`, asking through `inbox`.
    ///
    /// # Errors
    /// When the rules can not be read.
    pub async fn open(store: Store, inbox: Inbox, clock: fn() -> Timestamp) -> Result<Self, StoreError> {
        let rules = Rules::load(store.clone()).await?;
        Ok(Self {
            store,
            inbox,
            rules,
            clock,
        })
    }

    /// Asks for leave to start a server. `asked` is told when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn start_server(
        &self,
        request: StartRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<StartServer>, NoPermit> {
        let StartRequest {
            server: face,
            mut launch,
            digest,
        } = request;
        let server = face.id;
        launch.changed = self.rules.of(server).iter().any(|rule| {
            rule.action == Action::StartServer
                && rule.decision == Decision::Allow
                && rule.bound_to != Some(digest)
        });
        let object = launch.program.clone();
        let wanted = Request {
            server,
            action: Action::StartServer,
            definition: Definition::Accepted(digest),
            claims_destructive: false,
            chat: None,
            workspace: WorkspaceId::home(),
            now: (self.clock)(),
        };
        let draft = |_: &Verdict| Draft {
            server: face.clone(),
            cause: None,
            about: About::StartServer(launch.clone()),
            scopes: vec![Scope::Once, Scope::Always],
            guard: GUARD_FOR_CODE,
            asked_ms: (self.clock)().as_millisecond(),
            fits: None,
        };
        let details = json!({ "launch": digest });
        let yes = self.decide(&wanted, &object, &details, draft, asked).await?;
        let receipt = self.intend(&wanted, object, &yes, details).await?;
        self.remember(&wanted, digest, yes.scope).await?;
        Ok(Permit::mint(
            StartServer {
                server,
                launch: digest,
            },
            yes.because,
            receipt,
        ))
    }

    /// Asks for leave to call a tool. `asked` is told when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn call_tool(
        &self,
        request: CallRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<CallTool>, NoPermit> {
        let CallRequest {
            server: face,
            cause,
            workspace,
            call,
            definition,
            fits,
        } = request;
        let tool = call.tool.name.clone();
        let claims_destructive = call.tool.claims.destructive == Some(true);
        let chat = cause.as_ref().map(|cause| cause.chat);
        let wanted = Request {
            server: face.id,
            action: Action::CallTool { tool: tool.clone() },
            definition,
            claims_destructive,
            chat,
            workspace,
            now: (self.clock)(),
        };
        let draft = |verdict: &Verdict| {
            let raised = verdict
                .because
                .contains(&Because::Floor {
                    floor: Floor::ClaimsDestructive,
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
                guard: GUARD,
                asked_ms: (self.clock)().as_millisecond(),
                fits: Some(fits.clone()),
            }
        };
        let details = json!({ "wanted": digest_of(&call.arguments) });
        let yes = self.decide(&wanted, &tool, &details, draft, asked).await?;
        let Definition::Accepted(accepted) = definition else {
            return Err(NoPermit::Held);
        };
        let arguments = yes.arguments.clone().unwrap_or(call.arguments);
        let details = json!({
            "definition": accepted,
            "arguments": digest_of(&arguments),
            "bytes": Value::Object(arguments.clone()).to_string().len(),
            "edited": yes.arguments.is_some(),
        });
        let receipt = self.intend(&wanted, tool.clone(), &yes, details).await?;
        self.remember(&wanted, accepted, yes.scope).await?;
        let what = CallTool {
            server: wanted.server,
            tool,
            definition: accepted,
            arguments,
        };
        Ok(Permit::mint(what, yes.because, receipt))
    }

    /// Writes how a permitted effect ended.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn ended(&self, receipt: Receipt, outcome: Outcome) -> Result<(), StoreError> {
        let body = json!({
            "intent": receipt.intent.seq,
            "ended": outcome.ended,
            "result": outcome.result,
            "bytes": outcome.bytes,
            "took_ms": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        });
        let draft = LedgerDraft {
            kind: LedgerKind::Outcome,
            server: Some(receipt.server),
            chat: receipt.chat,
            action: receipt.action.to_owned(),
            object: receipt.object,
            decision: None,
            because: Value::Null,
            body,
        };
        self.store.append(draft).await.map(drop)
    }

    /// The decision, by rule or by person. A rule that is made while the question waits decides it too.
    async fn decide(
        &self,
        wanted: &Request,
        object: &str,
        details: &Value,
        draft: impl Fn(&Verdict) -> Draft,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Yes, NoPermit> {
        let mut changes = self.rules.changes();
        loop {
            changes.mark_unchanged();
            let verdict = self.rules.evaluate(&Request {
                now: (self.clock)(),
                ..wanted.clone()
            });
            match verdict.decision {
                Decision::Deny => return Err(self.denied(wanted, object, verdict, details).await),
                Decision::Allow => {
                    self.rules.used(&verdict.because, (self.clock)()).await?;
                    let because = verdict.because;
                    return Ok(Yes {
                        scope: Scope::Once,
                        arguments: None,
                        because,
                        shown: None,
                    });
                }
                Decision::Ask => {}
            }
            let Ok(mut waiting) = self.inbox.ask(draft(&verdict)) else {
                return Err(NoPermit::NotNow);
            };
            let shown = self
                .inbox
                .questions()
                .iter()
                .find(|q| q.id == waiting.id())
                .map(|q| q.digest);
            asked(waiting.id());
            let answer = loop {
                tokio::select! {
                    answer = waiting.answer() => break Some(answer),
                    Ok(()) = changes.changed() => {
                        let now = Request { now: (self.clock)(), ..wanted.clone() };
                        if self.rules.evaluate(&now).decision != Decision::Ask {
                            break None;
                        }
                    }
                }
            };
            let Some(answer) = answer else { continue };
            return self.answered(wanted, object, answer, shown, details).await;
        }
    }

    async fn answered(
        &self,
        wanted: &Request,
        object: &str,
        answer: Answer,
        shown: Option<Digest>,
        details: &Value,
    ) -> Result<Yes, NoPermit> {
        let (said, no) = match answer {
            Answer::Accept { scope, arguments } => {
                let because = vec![Because::Person { scope }];
                return Ok(Yes {
                    scope,
                    arguments,
                    because,
                    shown,
                });
            }
            Answer::Refuse { reason } => ("refused", NoPermit::Refused { reason }),
            Answer::Cancel => ("not now", NoPermit::NotNow),
        };
        let because = json!([Because::Person { scope: Scope::Once }]);
        self.store
            .append(entry(
                LedgerKind::Decision,
                wanted,
                object,
                said,
                because,
                details.clone(),
            ))
            .await?;
        Err(no)
    }

    async fn denied(&self, wanted: &Request, object: &str, verdict: Verdict, details: &Value) -> NoPermit {
        let because = json!(verdict.because);
        let note = entry(
            LedgerKind::Decision,
            wanted,
            object,
            "denied",
            because,
            details.clone(),
        );
        if let Err(error) = self.store.append(note).await {
            return NoPermit::Ledger(error);
        }
        if verdict.because.contains(&Because::Floor {
            floor: Floor::DefinitionChanged,
        }) {
            NoPermit::Held
        } else {
            NoPermit::Ruled(verdict.because)
        }
    }

    /// Writes what is about to happen. Nothing happens before this is on disk.
    async fn intend(
        &self,
        wanted: &Request,
        object: String,
        yes: &Yes,
        mut details: Value,
    ) -> Result<Receipt, StoreError> {
        details["question"] = json!(yes.shown);
        let because = json!(yes.because);
        let intent = self
            .store
            .append(entry(
                LedgerKind::Intent,
                wanted,
                &object,
                "allowed",
                because,
                details,
            ))
            .await?;
        let (server, chat, action) = (wanted.server, wanted.chat, wanted.action.name());
        Ok(Receipt {
            intent,
            server,
            chat,
            action,
            object,
        })
    }

    /// Writes the rule that a wider answer stands for.
    async fn remember(&self, wanted: &Request, digest: Digest, scope: Scope) -> Result<(), StoreError> {
        self.grant(
            wanted.server,
            wanted.action.clone(),
            digest,
            scope,
            wanted.chat,
            wanted.workspace,
        )
        .await
    }
}

/// What a tool card offers. Effects that claim to destroy never get wider than the chat.
fn call_scopes(chat: Option<ChatId>, claims_destructive: bool) -> Vec<Scope> {
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

fn digest_of(arguments: &Map<String, Value>) -> Digest {
    Digest::of_arguments(&Value::Object(arguments.clone()))
}

fn entry(
    kind: LedgerKind,
    wanted: &Request,
    object: &str,
    decision: &str,
    because: Value,
    body: Value,
) -> LedgerDraft {
    LedgerDraft {
        kind,
        server: Some(wanted.server),
        chat: wanted.chat,
        action: wanted.action.name().to_owned(),
        object: object.to_owned(),
        decision: Some(decision.to_owned()),
        because,
        body,
    }
}

mod standing;
#[cfg(test)]
mod tests;
