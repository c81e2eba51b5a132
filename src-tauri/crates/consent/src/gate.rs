//! The gate: every effect comes here as a request and leaves as a permit or a refusal. It asks the engine, then
//! the person where the engine says so, writes the decision to the ledger, and only then makes the permit. It
//! never performs an effect itself.

mod call;
mod connect;
mod details;
mod folders;
mod form;
mod page;
mod quarantine;
mod quiet;
mod read;
mod rules;
mod sampling;
mod sign_in;
mod standing;
mod widen;
mod written;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use vestibule_policy::{Because, Condition, Decision, Digest, Guardrail, Request, Rule, Scope, Verdict};
use vestibule_protocol::QuestionId;
use vestibule_store::{LedgerKind, Store, StoreError};

use self::details::Details;
use crate::rules::Rules;
use crate::{About, Answer, Cause, Draft, Inbox, ServerFace};
pub use call::{CallRequest, FindPlaces};
pub use connect::{Agreed, ConnectRequest, StartRequest};
pub use form::FormRequest;
pub use page::{PageRequest, Visited};
use quiet::Unasked;
pub use read::Pick;
pub use sampling::{ReplyRequest, SampleRequest};
pub use sign_in::SignInRequest;
pub use widen::WidenRequest;
pub use written::Outcome;
pub(crate) use written::{Closer, Deed};

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
    closer: Arc<Closer>,
    unasked: Unasked,
    keeping: tokio::sync::Mutex<()>,
    /// Held from finding a rule as it was shown until its new form holds.
    changing: tokio::sync::Mutex<()>,
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
    /// The person does not want to hear such questions now.
    #[error("the person has muted questions of this kind")]
    Muted,
    /// The definition changed and waits to be accepted.
    #[error("the definition changed and waits to be accepted")]
    Held,
    /// The decision could not be written down, so it does not count.
    #[error(transparent)]
    Ledger(#[from] StoreError),
}

/// A yes, and how it came about.
struct Yes {
    scope: Scope,
    arguments: Option<Map<String, Value>>,
    /// What a rule that comes of it asks of later arguments.
    when: Vec<Condition>,
    because: Vec<Because>,
    shown: Option<Digest>,
    /// How long the person took.
    waited: Option<Duration>,
}

impl Yes {
    /// The person's, this once, to a card with this digest.
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
    /// When the rules can not be read.
    pub async fn open(store: Store, inbox: Inbox, clock: fn() -> Timestamp) -> Result<Self, StoreError> {
        let rules = Rules::load(store.clone()).await?;
        let closer = Closer {
            store: store.clone(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
        };
        let gate = Self {
            store,
            inbox,
            rules,
            clock,
            closer: Arc::new(closer),
            unasked: Unasked::default(),
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
        deed: &Deed,
        details: &Details,
        draft: impl Fn(&Verdict) -> Draft,
        asked: impl FnMut(QuestionId),
    ) -> Result<Yes, NoPermit> {
        let asking = Asking {
            wanted,
            find_places: None,
        };
        self.decide_as(asking, deed, details, draft, asked).await
    }

    /// The same for a request with paths in its arguments: a rule that is made while the question waits speaks of where
    /// they lead by then.
    async fn decide_as(
        &self,
        asking: Asking<'_>,
        deed: &Deed,
        details: &Details,
        draft: impl Fn(&Verdict) -> Draft,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Yes, NoPermit> {
        let mut changes = self.rules.changes();
        let mut wanted = asking.wanted.clone();
        loop {
            changes.mark_unchanged();
            wanted.now = (self.clock)();
            let verdict = self.rules.evaluate(&wanted);
            match verdict.decision {
                Decision::Deny => return Err(self.denied(deed, verdict, details).await),
                Decision::Allow => {
                    self.rules.used(&verdict.because, (self.clock)()).await?;
                    let because = verdict.because;
                    return Ok(Yes {
                        scope: Scope::Once,
                        arguments: None,
                        when: vec![],
                        because,
                        shown: None,
                        waited: None,
                    });
                }
                Decision::Ask => {}
            }
            let mut waiting = self.park(deed, draft(&verdict)).await?;
            asked(waiting.id());
            let began = Instant::now();
            let answer = loop {
                tokio::select! {
                    answer = waiting.answer() => break Some(answer),
                    Ok(()) = changes.changed() => {
                        wanted = asking.again((self.clock)()).await;
                        if self.rules.evaluate(&wanted).decision != Decision::Ask {
                            break None;
                        }
                    }
                }
            };
            let Some(answer) = answer else { continue };
            return match answer {
                Answer::Accept {
                    scope,
                    arguments,
                    when,
                } => Ok(Yes {
                    scope,
                    arguments,
                    when,
                    because: vec![Because::Person { scope }],
                    shown: Some(waiting.digest()),
                    waited: Some(began.elapsed()),
                }),
                other => {
                    let waited = json!(milliseconds(began.elapsed()));
                    let details = details.clone().fact("waited_ms", waited);
                    Err(self.no(deed, other, details).await)
                }
            };
        }
    }

    /// Asks what no rule answers, and waits for what the person says; with the digest of what was shown.
    ///
    /// # Errors
    /// [`NoPermit::NotNow`] where no question could be asked.
    #[tracing::instrument(name = "gate", skip_all, fields(server = %server.id))]
    async fn ask_person(
        &self,
        deed: &Deed,
        server: ServerFace,
        cause: Option<Cause>,
        about: About,
        asked: &mut impl FnMut(QuestionId),
    ) -> Result<(Answer, Digest), NoPermit> {
        let draft = Draft {
            server,
            cause,
            about,
            scopes: vec![],
            guard: GUARD,
            asked_ms: (self.clock)().as_millisecond(),
            fits: None,
        };
        let mut waiting = self.park(deed, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        Ok((answer, waiting.digest()))
    }

    /// Writes down an answer that is no yes. An answer that does not belong to the card is one too.
    async fn no(&self, deed: &Deed, answer: Answer, details: impl Into<Details>) -> NoPermit {
        let (said, no) = match answer {
            Answer::Refuse { reason } => ("refused", NoPermit::Refused { reason }),
            Answer::Mute { .. } => ("muted", NoPermit::Muted),
            _ => ("not now", NoPermit::NotNow),
        };
        match self.refused(deed, said, details.into()).await {
            Ok(()) => no,
            Err(error) => NoPermit::Ledger(error),
        }
    }

    async fn denied(&self, deed: &Deed, verdict: Verdict, details: &Details) -> NoPermit {
        let because = json!(verdict.because);
        let (note, beside) = deed.told(LedgerKind::Decision, "denied", because, details.clone());
        if let Err(error) = self.store.append_with(note, beside).await {
            return NoPermit::Ledger(error);
        }
        if verdict.because.contains(&Because::Guardrail {
            guardrail: Guardrail::DefinitionChanged,
        }) {
            NoPermit::Held
        } else {
            NoPermit::Ruled(verdict.because)
        }
    }

    /// Writes the rule that a wider answer stands for.
    async fn remember(&self, wanted: &Request, digest: Digest, yes: &Yes) -> Result<(), StoreError> {
        let rule = Rule::permission(
            wanted.server,
            wanted.action.clone(),
            digest,
            yes.scope,
            wanted.chat,
            wanted.workspace,
            (self.clock)(),
        );
        let Some(rule) = rule else { return Ok(()) };
        self.keep(Rule {
            when: yes.when.clone(),
            ..rule
        })
        .await
    }
}

/// A request that is being decided.
struct Asking<'a> {
    wanted: &'a Request,
    find_places: Option<&'a FindPlaces>,
}

impl Asking<'_> {
    /// The request as it is now: where its paths lead may have changed.
    async fn again(&self, now: Timestamp) -> Request {
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
