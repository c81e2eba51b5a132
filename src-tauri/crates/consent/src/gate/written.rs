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

use super::details::Details;
use super::{Gate, Yes};
use crate::permit::Receipt;

/// How an effect ended, for the ledger.
#[derive(Debug)]
pub struct Outcome {
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
pub(crate) struct Deed {
    /// `None` for what concerns no server.
    pub(crate) server: Option<ServerId>,
    pub(crate) chat: Option<ChatId>,
    pub(crate) action: &'static str,
    pub(crate) object: String,
    /// The files and hosts it names, which the ledger can be searched for.
    pub(super) names: BTreeSet<Mention>,
}

impl Deed {
    /// What the object of these actions names is known by the action; what others name is said with [`Deed::naming`].
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

    pub(super) fn of(wanted: &Request, object: String) -> Self {
        let deed = Self::new(wanted.server, wanted.chat, wanted.action.name(), object);
        match wanted.arguments.as_deref() {
            Some(arguments) => deed.naming(arguments),
            None => deed,
        }
    }

    /// Names what stands in `value` as well.
    pub(super) fn naming(mut self, value: &Value) -> Self {
        self.names.extend(mentions(value));
        self
    }

    pub(crate) fn entry(
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
    pub(super) fn told(
        &self,
        kind: LedgerKind,
        decision: &str,
        because: Value,
        details: Details,
    ) -> (LedgerDraft, Sidecar) {
        let beside = Sidecar {
            names: self.names.clone(),
            said: details.said,
        };
        (self.entry(kind, Some(decision), because, details.facts), beside)
    }

    /// How an effect ended, without the digest of its result.
    pub(crate) fn outcome(&self, intent: i64, outcome: &Outcome) -> LedgerDraft {
        let body = json!({
            "intent": intent,
            "ended": outcome.ended,
            "result": null,
            "bytes": outcome.bytes,
            "took_ms": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        });
        self.entry(LedgerKind::Outcome, None, Value::Null, body)
    }
}

/// Writes the end of what nobody ended.
#[derive(Debug)]
pub(crate) struct Closer {
    pub(crate) store: Store,
    pub(crate) tasks: TaskTracker,
    pub(crate) runtime: Handle,
}

impl Closer {
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
    pub async fn ended(&self, receipt: Receipt, outcome: Outcome) -> Result<(), StoreError> {
        let result = outcome.result.map(|digest| ("result", digest));
        let beside = Sidecar {
            said: result.into_iter().collect(),
            ..Sidecar::default()
        };
        let draft = receipt.close(&outcome);
        self.store.append_with(draft, beside).await.map(drop)
    }

    /// Waits until everything that is still to be written is written. Permits that are given up later are not
    /// waited for.
    pub async fn close(&self) {
        self.write_unasked();
        self.closer.tasks.close();
        self.closer.tasks.wait().await;
    }

    /// Writes what is about to happen. Nothing happens before this is on disk.
    pub(super) async fn intend(
        &self,
        deed: Deed,
        yes: &Yes,
        details: impl Into<Details>,
    ) -> Result<Receipt, StoreError> {
        let mut details = details.into();
        if let Some(shown) = yes.shown {
            details = details.said("question", shown);
        }
        if let Some(waited) = yes.waited {
            details = details.fact("waited_ms", json!(super::milliseconds(waited)));
        }
        let because = json!(yes.because);
        let (draft, beside) = deed.told(LedgerKind::Intent, "allowed", because, details);
        // In a task of its own: a caller that is dropped while the intent is written leaves a receipt behind, which
        // writes that the permit was not used. Otherwise nothing would say how the intent ended.
        let (give, given) = oneshot::channel();
        let (store, closer) = (self.store.clone(), Arc::clone(&self.closer));
        let write = async move {
            let receipt = match store.append_with(draft, beside).await {
                Ok(intent) => Ok(Receipt::new(intent, deed, closer)),
                Err(error) => Err(error),
            };
            drop(give.send(receipt));
        };
        self.closer
            .tasks
            .spawn_on(write.in_current_span(), &self.closer.runtime);
        given.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Writes that the person did not allow something.
    pub(super) async fn refused(&self, deed: &Deed, said: &str, details: Details) -> Result<(), StoreError> {
        let because = json!([Because::Person { scope: Scope::Once }]);
        let (draft, beside) = deed.told(LedgerKind::Decision, said, because, details);
        self.store.append_with(draft, beside).await.map(drop)
    }
}
