//! What the gate writes to the ledger: that something is about to happen, that it was refused, and how it ended.
//! The end of an effect is written by [`crate::effect`].

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_policy::{Because, Mention, Request, mentions};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{LedgerDraft, LedgerKind, Sidecar, Store, StoreError};

use super::Approval;
use super::ledger_body::LedgerBody;
use crate::effect::Intent;
use crate::permit::Permit;

/// What was decided. The ledger keeps its word for good, so no word changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DecisionWord {
    Allow,
    Allowed,
    Ask,
    Denied,
    HeardAgain,
    Muted,
    NotNow,
    Refused,
    TooMany,
}

impl DecisionWord {
    fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Allowed => "allowed",
            Self::Ask => "ask",
            Self::Denied => "denied",
            Self::HeardAgain => "heard again",
            Self::Muted => "muted",
            Self::NotNow => "not now",
            Self::Refused => "refused",
            Self::TooMany => "too many",
        }
    }
}

/// What is done to what, as the ledger names it.
#[derive(Clone, Debug)]
pub(crate) struct EffectRecord {
    /// `None` for what concerns no server.
    pub(crate) server: Option<ServerId>,
    pub(crate) chat: Option<ChatId>,
    pub(crate) action: &'static str,
    pub(crate) object: String,
    /// The files and hosts it names, which the ledger can be searched for.
    pub(super) names: BTreeSet<Mention>,
}

impl EffectRecord {
    /// What the object of these actions names is known by the action; what others name is said with [`EffectRecord::with_mentions`].
    pub(super) fn new(
        server: impl Into<Option<ServerId>>,
        chat: Option<ChatId>,
        action: &'static str,
        object: impl Into<String>,
    ) -> Self {
        let object = object.into();
        Self {
            server: server.into(),
            chat,
            action,
            names: named_by_object(action, &object),
            object,
        }
    }

    pub(super) fn for_request(wanted: &Request, object: String) -> Self {
        let effect = Self::new(wanted.server, wanted.chat, wanted.action.name(), object);
        match wanted.arguments.as_deref() {
            Some(arguments) => effect.with_mentions(arguments),
            None => effect,
        }
    }

    /// Names what stands in `value` as well.
    pub(super) fn with_mentions(mut self, value: &Value) -> Self {
        self.names.extend(mentions(value));
        self
    }

    pub(crate) fn draft(
        &self,
        kind: LedgerKind,
        decision: Option<DecisionWord>,
        because: Value,
        body: Value,
    ) -> LedgerDraft {
        LedgerDraft {
            kind,
            server: self.server,
            chat: self.chat,
            action: self.action.to_owned(),
            object: self.object.clone(),
            decision: decision.map(|decision| decision.word().to_owned()),
            because,
            body,
        }
    }

    /// A record with what stands beside it.
    pub(super) fn ledger_entry(
        &self,
        kind: LedgerKind,
        decision: DecisionWord,
        because: Value,
        details: LedgerBody,
    ) -> (LedgerDraft, Sidecar) {
        let sidecar = Sidecar {
            names: self.names.clone(),
            content_digests: details.content_digests,
        };
        (self.draft(kind, Some(decision), because, details.facts), sidecar)
    }
}

/// The files and hosts that the object of an action names.
fn named_by_object(action: &str, object: &str) -> BTreeSet<Mention> {
    match action {
        "page.open" | "server.sign_in" => Mention::host(object).into_iter().collect(),
        "server.start" | "model.start" | "server.connect" | "resource.read" | "resource.watch" => {
            mentions(&json!(object))
        }
        _ => BTreeSet::new(),
    }
}

/// What the ledger keeps of an approval besides its reasons.
fn with_answer(mut details: LedgerBody, approval: &Approval) -> LedgerBody {
    if let Some(shown) = approval.shown {
        details = details.with_digest("question", shown);
    }
    if let Some(waited) = approval.waited {
        details = details.with_fact("waited_ms", json!(super::milliseconds(waited)));
    }
    details
}

/// Writes entries of the ledger, also for callers that cannot wait for it.
#[derive(Debug)]
pub(crate) struct LedgerWriter {
    pub(crate) store: Store,
    tasks: TaskTracker,
    runtime: Handle,
}

impl LedgerWriter {
    /// Must be called inside a runtime, which writes what is left to write when a permit is dropped.
    pub(super) fn new(store: Store) -> Self {
        Self {
            store,
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
        }
    }

    pub(crate) fn write(&self, draft: LedgerDraft) {
        let store = self.store.clone();
        self.spawn(async move {
            if let Err(error) = store.append(draft).await {
                tracing::error!(%error, "failed to write an entry of the ledger");
            }
        });
    }

    /// Runs a write that its caller does not wait for.
    pub(crate) fn spawn(&self, write: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(write.in_current_span(), &self.runtime);
    }

    /// Waits until everything that is still to be written is written. Permits that are given up later are not
    /// waited for.
    pub(super) async fn close(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Writes what is about to happen. Nothing happens before the future says that this is on disk. Intents stand in the
    /// order of the calls.
    pub(super) fn record_intent<D: Into<LedgerBody>>(
        self: &Arc<Self>,
        effect: EffectRecord,
        approval: &Approval,
        details: D,
    ) -> impl Future<Output = Result<Intent, StoreError>> + Send + use<D> {
        let details = with_answer(details.into(), approval);
        let because = json!(approval.because);
        let (draft, sidecar) =
            effect.ledger_entry(LedgerKind::Intent, DecisionWord::Allowed, because, details);
        // In a task of its own: a caller that is dropped while the intent is written leaves an intent behind, which
        // writes that the permit was not used. Otherwise nothing would say how the intent ended.
        let (give, given) = oneshot::channel();
        let writer = Arc::clone(self);
        let written = self.store.queue_append(draft, sidecar);
        self.spawn(async move {
            let written = written.await;
            drop(give.send(written.map(|written| Intent::new(written, effect, writer))));
        });
        async move { given.await.unwrap_or(Err(StoreError::Closed)) }
    }

    /// Writes what is about to happen and makes its permit. There is no permit without this.
    pub(super) async fn mint<T>(
        self: &Arc<Self>,
        effect: EffectRecord,
        approval: Approval,
        details: impl Into<LedgerBody>,
        what: T,
    ) -> Result<Permit<T>, StoreError> {
        let intent = self.record_intent(effect, &approval, details).await?;
        Ok(Permit::mint(what, approval.because, intent))
    }

    /// Writes a decision that is no yes.
    pub(super) async fn record_denial(
        &self,
        effect: &EffectRecord,
        said: DecisionWord,
        because: &[Because],
        details: LedgerBody,
    ) -> Result<(), StoreError> {
        let (draft, sidecar) = effect.ledger_entry(LedgerKind::Decision, said, json!(because), details);
        self.store.append_with(draft, sidecar).await.map(drop)
    }

    /// Writes that a rule was made or taken back.
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
