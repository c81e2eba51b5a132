//! The gate: every effect comes here as a request and leaves as a permit or a refusal. It asks the engine, then
//! the user where the engine says so, writes the decision to the ledger, and only then makes the permit. It
//! never performs an effect itself.

mod call;
mod connect;
mod feature_requests;
mod folders;
mod form;
mod ledger_body;
mod mute;
mod page;
mod quarantine;
mod read;
mod record;
mod rule_changes;
mod rules;
mod sampling;
mod sign_in;
mod widen;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use vestibule_policy::{Because, Condition, Decision, Digest, Guardrail, Request, Rule, Scope, Verdict};
use vestibule_protocol::QuestionId;
use vestibule_store::{LedgerKind, Store, StoreError};

use self::ledger_body::LedgerBody;
use crate::inbox::PendingAnswer;
use crate::rules::Rules;
use crate::{About, Answer, Cause, Draft, Inbox, ServerFace};
pub use call::{CallRequest, FindPlaces};
pub use connect::{ConnectRequest, RunApproval, StartRequest};
pub use form::FormRequest;
use mute::SuppressedCounter;
pub use page::{PageRequest, VisitReply};
pub use read::PickContext;
use record::DecisionWord;
pub(crate) use record::{EffectRecord, LedgerWriter};
pub use sampling::{ReplyRequest, SampleRequest};
pub use sign_in::{LookUpRequest, SignInRequest};
pub use widen::WidenRequest;

/// How long a yes stays inert on an ordinary card.
const CLICK_DELAY: Duration = Duration::from_millis(500);
/// How long where code will run on this computer.
const CLICK_DELAY_FOR_CODE: Duration = Duration::from_secs(3);

/// Where effects are agreed to.
pub struct Gate {
    store: Store,
    inbox: Inbox,
    rules: Rules,
    clock: fn() -> Timestamp,
    ledger_writer: Arc<LedgerWriter>,
    suppressed: SuppressedCounter,
    keeping: tokio::sync::Mutex<()>,
    /// Held from finding a rule as it was shown until its new form holds.
    changing: tokio::sync::Mutex<()>,
}

/// Why there is no permit.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// The user said no.
    #[error("the user refused")]
    ByUser {
        /// In the user's words.
        reason: Option<String>,
    },
    /// The user did not decide.
    #[error("the user did not decide")]
    Dismissed,
    /// Too many questions of the server wait already.
    #[error("the user was not asked, because too many questions of this server wait")]
    NotAsked,
    /// A rule says no.
    #[error("a rule of the user refuses it")]
    ByRule(Vec<Because>),
    /// The user does not want to hear such questions now.
    #[error("the user has muted questions of this kind")]
    Muted,
    /// The definition changed and waits to be accepted.
    #[error("the definition changed and waits to be accepted")]
    DefinitionChanged,
    /// The decision could not be written down, so it does not count.
    #[error(transparent)]
    LedgerFailed(#[from] StoreError),
}

/// A yes, and how it came about.
struct Approval {
    scope: Scope,
    arguments: Option<Map<String, Value>>,
    /// What a rule that comes of it asks of later arguments.
    when: Vec<Condition>,
    because: Vec<Because>,
    shown: Option<Digest>,
    /// How long the user took.
    waited: Option<Duration>,
}

impl Approval {
    /// The user's, this once, to a card with this digest.
    fn once(shown: Digest) -> Self {
        Self {
            scope: Scope::Once,
            arguments: None,
            when: vec![],
            because: vec![Because::Person { scope: Scope::Once }],
            shown: Some(shown),
            waited: None,
        }
    }
}

impl Gate {
    /// A gate over the rules in `store`, asking through `inbox`. Must be opened inside a runtime, which writes what
    /// is left to write when a permit is dropped.
    ///
    /// # Errors
    /// When the rules cannot be read.
    pub async fn open(store: Store, inbox: Inbox, clock: fn() -> Timestamp) -> Result<Self, StoreError> {
        let rules = Rules::load(store.clone()).await?;
        let ledger_writer = LedgerWriter {
            store: store.clone(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
        };
        let gate = Self {
            store,
            inbox,
            rules,
            clock,
            ledger_writer: Arc::new(ledger_writer),
            suppressed: SuppressedCounter::default(),
            keeping: tokio::sync::Mutex::default(),
            changing: tokio::sync::Mutex::default(),
        };
        gate.load_muted().await?;
        Ok(gate)
    }

    /// The decision, by rule or by person. A rule that is made while the question waits decides it too.
    #[tracing::instrument(name = "gate", skip_all, fields(server = %wanted.server))]
    async fn decide(
        &self,
        wanted: &Request,
        effect: &EffectRecord,
        details: &LedgerBody,
        draft: impl Fn(&Verdict) -> Draft,
        asked: impl FnMut(QuestionId),
    ) -> Result<Approval, Denied> {
        let asking = DecisionRequest {
            wanted,
            find_places: None,
        };
        self.decide_with_places(asking, effect, details, draft, asked)
            .await
    }

    /// The same for a request with paths in its arguments: a rule that is made while the question waits speaks of where
    /// they lead by then.
    async fn decide_with_places(
        &self,
        asking: DecisionRequest<'_>,
        effect: &EffectRecord,
        details: &LedgerBody,
        draft: impl Fn(&Verdict) -> Draft,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Approval, Denied> {
        let mut changes = self.rules.subscribe();
        let mut wanted = asking.wanted.clone();
        loop {
            changes.mark_unchanged();
            wanted.now = (self.clock)();
            let verdict = self.rules.evaluate(&wanted);
            match verdict.decision {
                Decision::Deny => return Err(self.deny_by_rule(effect, verdict, details).await),
                Decision::Allow => return self.allow_by_rule(verdict).await,
                Decision::Ask => {}
            }
            let mut waiting = self.ask_question(effect, draft(&verdict)).await?;
            asked(waiting.id());
            let began = Instant::now();
            let answer = self
                .answer_or_rule(&mut waiting, &asking, &mut changes, &mut wanted)
                .await;
            let Some(answer) = answer else { continue };
            return match answer {
                Answer::Accept {
                    scope,
                    arguments,
                    when,
                } => Ok(Approval {
                    scope,
                    arguments,
                    when,
                    because: vec![Because::Person { scope }],
                    shown: Some(waiting.digest()),
                    waited: Some(began.elapsed()),
                }),
                other => {
                    let waited = json!(milliseconds(began.elapsed()));
                    let details = details.clone().with_fact("waited_ms", waited);
                    Err(self.deny_by_answer(effect, other, details).await)
                }
            };
        }
    }

    /// Waits for the answer of the user. `None` where a rule that was made meanwhile decides; `wanted` is then the request as
    /// it was judged. A rule that was noticed is looked at to its end before any answer.
    async fn answer_or_rule(
        &self,
        waiting: &mut PendingAnswer,
        asking: &DecisionRequest<'_>,
        changes: &mut watch::Receiver<u64>,
        wanted: &mut Request,
    ) -> Option<Answer> {
        loop {
            tokio::select! {
                answer = waiting.answer() => return Some(answer),
                Ok(()) = changes.changed() => {}
            }
            *wanted = asking.current((self.clock)()).await;
            if self.rules.evaluate(wanted).decision != Decision::Ask {
                return None;
            }
        }
    }

    async fn allow_by_rule(&self, verdict: Verdict) -> Result<Approval, Denied> {
        self.rules.mark_used(&verdict.because, (self.clock)()).await?;
        Ok(Approval {
            scope: Scope::Once,
            arguments: None,
            when: vec![],
            because: verdict.because,
            shown: None,
            waited: None,
        })
    }

    /// Asks what no rule answers, and waits for what the user says; with the digest of what was shown.
    ///
    /// # Errors
    /// [`Denied::NotAsked`] where too many questions wait.
    #[tracing::instrument(name = "gate", skip_all, fields(server = %server.id))]
    async fn ask_user(
        &self,
        effect: &EffectRecord,
        server: ServerFace,
        cause: Option<Cause>,
        about: About,
        asked: &mut impl FnMut(QuestionId),
    ) -> Result<(Answer, Digest), Denied> {
        let draft = Draft {
            server,
            cause,
            about,
            scopes: vec![],
            click_delay: CLICK_DELAY,
            asked_ms: (self.clock)().as_millisecond(),
            validate: None,
        };
        let mut waiting = self.ask_question(effect, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        Ok((answer, waiting.digest()))
    }

    /// Writes down an answer that is no yes. An answer that does not belong to the card is one too.
    async fn deny_by_answer(
        &self,
        effect: &EffectRecord,
        answer: Answer,
        details: impl Into<LedgerBody>,
    ) -> Denied {
        let (said, no) = match answer {
            Answer::Refuse { reason } => (DecisionWord::Refused, Denied::ByUser { reason }),
            Answer::Mute { .. } => (DecisionWord::Muted, Denied::Muted),
            _ => (DecisionWord::NotNow, Denied::Dismissed),
        };
        match self.record_denial(effect, said, details.into()).await {
            Ok(()) => no,
            Err(error) => Denied::LedgerFailed(error),
        }
    }

    async fn deny_by_rule(&self, effect: &EffectRecord, verdict: Verdict, details: &LedgerBody) -> Denied {
        let because = json!(verdict.because);
        let (note, sidecar) = effect.ledger_entry(
            LedgerKind::Decision,
            DecisionWord::Denied,
            because,
            details.clone(),
        );
        if let Err(error) = self.store.append_with(note, sidecar).await {
            return Denied::LedgerFailed(error);
        }
        if verdict.because.contains(&Because::Guardrail {
            guardrail: Guardrail::DefinitionChanged,
        }) {
            Denied::DefinitionChanged
        } else {
            Denied::ByRule(verdict.because)
        }
    }

    /// Writes the rule that a wider answer stands for.
    async fn store_rule(
        &self,
        wanted: &Request,
        digest: Digest,
        approval: &Approval,
    ) -> Result<(), StoreError> {
        let rule = Rule::permission(
            wanted.server,
            wanted.action.clone(),
            digest,
            approval.scope,
            wanted.chat,
            wanted.workspace,
            (self.clock)(),
        );
        let Some(rule) = rule else { return Ok(()) };
        self.keep_rule(Rule {
            when: approval.when.clone(),
            ..rule
        })
        .await
    }
}

/// A request that is being decided.
struct DecisionRequest<'a> {
    wanted: &'a Request,
    find_places: Option<&'a FindPlaces>,
}

impl DecisionRequest<'_> {
    /// The request as it is now: where its paths lead may have changed.
    async fn current(&self, now: Timestamp) -> Request {
        let arguments = self.wanted.arguments.as_deref().and_then(Value::as_object);
        let places = match (self.find_places, arguments) {
            (Some(find_places), Some(arguments)) => find_places(arguments.clone()).await,
            _ => self.wanted.places.clone(),
        };
        Request {
            now,
            places,
            ..self.wanted.clone()
        }
    }
}

/// A span of time as the ledger writes it.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
