//! What the gate writes to the ledger: that something is about to happen, that it was refused, and how it ended.
//! The end of an effect is written by [`crate::effect`].

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_policy::{Because, Mention, Request, Scope, mentions};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{LedgerDraft, LedgerKind, Sidecar, Store, StoreError};

use super::ledger_body::LedgerBody;
use super::{Approval, Gate};
use crate::effect::Intent;

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
        let server = server.into();
        let object = object.into();
        let names = match action {
            "page.open" | "server.sign_in" => Mention::host(&object).into_iter().collect(),
            "server.start" | "server.connect" | "resource.read" | "resource.watch" => {
                mentions(&json!(object))
            }
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

/// Writes entries for callers that cannot wait for it.
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
                tracing::error!(%error, "failed to write an entry of the ledger");
            }
        };
        self.tasks.spawn_on(write.in_current_span(), &self.runtime);
    }
}

impl Gate {
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
    ) -> Result<Intent, StoreError> {
        let mut details = details.into();
        if let Some(shown) = approval.shown {
            details = details.with_digest("question", shown);
        }
        if let Some(waited) = approval.waited {
            details = details.with_fact("waited_ms", json!(super::milliseconds(waited)));
        }
        let because = json!(approval.because);
        let (draft, sidecar) =
            effect.ledger_entry(LedgerKind::Intent, DecisionWord::Allowed, because, details);
        // In a task of its own: a caller that is dropped while the intent is written leaves an intent behind, which
        // writes that the permit was not used. Otherwise nothing would say how the intent ended.
        let (give, given) = oneshot::channel();
        let (store, ledger_writer) = (self.store.clone(), Arc::clone(&self.ledger_writer));
        let write = async move {
            let intent = match store.append_with(draft, sidecar).await {
                Ok(written) => Ok(Intent::new(written, effect, ledger_writer)),
                Err(error) => Err(error),
            };
            drop(give.send(intent));
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
        said: DecisionWord,
        details: LedgerBody,
    ) -> Result<(), StoreError> {
        let because = json!([Because::Person { scope: Scope::Once }]);
        let (draft, sidecar) = effect.ledger_entry(LedgerKind::Decision, said, because, details);
        self.store.append_with(draft, sidecar).await.map(drop)
    }
}
