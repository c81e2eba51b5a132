//! What the gate writes to the ledger: that something is about to happen, that it was refused, and how it ended.
//! An intent whose permit is dropped unused gets its end all the same, written by the receipt itself.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_policy::{Because, ContentDigest, Mention, Request, Scope, mentions};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{LedgerDraft, LedgerKind, Sidecar, Store, StoreError};

use super::ledger_body::LedgerBody;
use super::{Approval, Gate};
use crate::permit::Receipt;

/// How an effect ended, for the ledger.
#[derive(Debug)]
pub struct EffectOutcome {
    /// In a word ("answered", "failed", "timed out").
    pub ended: &'static str,
    /// Of the result, where there is one.
    pub result: Option<ContentDigest>,
    /// How large it was.
    pub bytes: usize,
    /// How long it took.
    pub took: Duration,
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
        let server = server.into();
        let object = object.into();
        let names = match action {
            "page.open" | "server.sign_in" => Mention::host(&object).into_iter().collect(),
            "server.start" | "server.connect" | "resource.read" => mentions(&json!(object)),
            _ => BTreeSet::new(),
        };
        Self {
            server,
            chat,
            action,
            object,
            names,
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
        decision: Option<&str>,
        because: Value,
        body: Value,
    ) -> LedgerDraft {
        LedgerDraft {
            kind,
            server: self.server,
            chat: self.chat,
            action: self.action.to_owned(),
            object: self.object.clone(),
            decision: decision.map(str::to_owned),
            because,
            body,
        }
    }

    /// A record with what stands beside it.
    pub(super) fn ledger_entry(
        &self,
        kind: LedgerKind,
        decision: &str,
        because: Value,
        details: LedgerBody,
    ) -> (LedgerDraft, Sidecar) {
        let sidecar = Sidecar {
            names: self.names.clone(),
            content_digests: details.content_digests,
        };
        (self.draft(kind, Some(decision), because, details.facts), sidecar)
    }

    /// How an effect ended, without the digest of its result.
    pub(crate) fn outcome_draft(&self, intent: i64, outcome: &EffectOutcome) -> LedgerDraft {
        let body = json!({
            "intent": intent,
            "ended": outcome.ended,
            "result": null,
            "bytes": outcome.bytes,
            "took_ms": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        });
        self.draft(LedgerKind::Outcome, None, Value::Null, body)
    }
}

/// Writes the outcome of an effect that was dropped without one.
#[derive(Debug)]
pub(crate) struct LedgerWriter {
    pub(crate) store: Store,
    pub(crate) tasks: TaskTracker,
    pub(crate) runtime: Handle,
}

impl LedgerWriter {
    pub(crate) fn write(&self, draft: LedgerDraft) {
        let store = self.store.clone();
        let write = async move {
            if let Err(error) = store.append(draft).await {
                tracing::error!(%error, "failed to record an unused permit in the ledger");
            }
        };
        self.tasks.spawn_on(write, &self.runtime);
    }
}

impl Gate {
    /// Writes how a permitted effect ended.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn record_outcome(&self, receipt: Receipt, outcome: EffectOutcome) -> Result<(), StoreError> {
        let result = outcome.result.map(|digest| ("result", digest));
        let sidecar = Sidecar {
            content_digests: result.into_iter().collect(),
            ..Sidecar::default()
        };
        let draft = receipt.close(&outcome);
        self.store.append_with(draft, sidecar).await.map(drop)
    }

    /// Waits until everything that is still to be written is written. Permits that are given up later are not
    /// waited for.
    pub async fn close(&self) {
        self.write_suppressed();
        self.ledger_writer.tasks.close();
        self.ledger_writer.tasks.wait().await;
    }

    /// Writes what is about to happen. Nothing happens before this is on disk.
    pub(super) async fn record_intent(
        &self,
        effect: EffectRecord,
        approval: &Approval,
        details: impl Into<LedgerBody>,
    ) -> Result<Receipt, StoreError> {
        let mut details = details.into();
        if let Some(shown) = approval.shown {
            details = details.with_digest("question", shown);
        }
        if let Some(waited) = approval.waited {
            details = details.with_fact("waited_ms", json!(super::milliseconds(waited)));
        }
        let because = json!(approval.because);
        let (draft, sidecar) = effect.ledger_entry(LedgerKind::Intent, "allowed", because, details);
        // In a task of its own: a caller that is dropped while the intent is written leaves a receipt behind, which
        // writes that the permit was not used. Otherwise nothing would say how the intent ended.
        let (give, given) = oneshot::channel();
        let (store, ledger_writer) = (self.store.clone(), Arc::clone(&self.ledger_writer));
        let write = async move {
            let receipt = match store.append_with(draft, sidecar).await {
                Ok(intent) => Ok(Receipt::new(intent, effect, ledger_writer)),
                Err(error) => Err(error),
            };
            drop(give.send(receipt));
        };
        self.ledger_writer
            .tasks
            .spawn_on(write.in_current_span(), &self.ledger_writer.runtime);
        given.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Writes that the user did not allow something.
    pub(super) async fn record_denial(
        &self,
        effect: &EffectRecord,
        said: &str,
        details: LedgerBody,
    ) -> Result<(), StoreError> {
        let because = json!([Because::Person { scope: Scope::Once }]);
        let (draft, sidecar) = effect.ledger_entry(LedgerKind::Decision, said, because, details);
        self.store.append_with(draft, sidecar).await.map(drop)
    }
}
