//! An effect from its intent to its end. However it ends, also where the caller was dropped, its end is written to the
//! ledger once. Only a crash leaves an intent without an end.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use vestibule_policy::{ContentDigest, Digest};
use vestibule_protocol::json_length;
use vestibule_store::{LedgerDraft, LedgerKind, LedgerReceipt, Sidecar, StoreError};

use crate::gate::{EffectRecord, LedgerWriter};

/// How an effect ended. The ledger keeps its word for good, so no word changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectEnd {
    Answered,
    BecameTask,
    Cancelled,
    Changed,
    Downloaded,
    EndedByItself,
    EndedWhileConnecting,
    EndedWhileStarting,
    Failed,
    Gone,
    LeftRunning,
    NotConnected,
    NotOpened,
    NotSent,
    NotSignedIn,
    NotStarted,
    /// The permit was dropped before its effect began.
    NotUsed,
    Opened,
    Outdated,
    PageNotVisited,
    Sent,
    ServerEnded,
    SignInNeeded,
    SignedIn,
    Stopped,
    TimedOut,
}

impl EffectEnd {
    /// The word in the ledger.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::BecameTask => "became a task",
            Self::Cancelled => "cancelled",
            Self::Changed => "changed",
            Self::Downloaded => "downloaded",
            Self::EndedByItself => "ended by itself",
            Self::EndedWhileConnecting => "ended while connecting",
            Self::EndedWhileStarting => "ended while starting",
            Self::Failed => "failed",
            Self::Gone => "gone",
            Self::LeftRunning => "left running",
            Self::NotConnected => "not connected",
            Self::NotOpened => "not opened",
            Self::NotSent => "not sent",
            Self::NotSignedIn => "not signed in",
            Self::NotStarted => "not started",
            Self::NotUsed => "not used",
            Self::Opened => "opened",
            Self::Outdated => "outdated",
            Self::PageNotVisited => "page not visited",
            Self::Sent => "sent",
            Self::ServerEnded => "server ended",
            Self::SignInNeeded => "sign-in needed",
            Self::SignedIn => "signed in",
            Self::Stopped => "stopped",
            Self::TimedOut => "timed out",
        }
    }
}

/// What the ledger keeps of a result. All of the result is read for it.
#[derive(Clone, Debug)]
pub struct ResultFacts {
    digest: ContentDigest,
    /// As JSON without spaces.
    bytes: usize,
}

impl ResultFacts {
    #[must_use]
    pub fn of(result: &Value) -> Self {
        Self {
            digest: Digest::of_result(result),
            bytes: json_length(result),
        }
    }
}

/// The effect of a permit under way. Dropped before its end, it writes that it was cancelled.
#[derive(Debug)]
#[must_use = "an effect that is dropped was cancelled"]
pub struct Effect<T = ()> {
    what: T,
    intent: Intent,
}

impl<T> Effect<T> {
    pub(crate) fn begin(what: T, mut intent: Intent) -> Self {
        intent.if_dropped = EffectEnd::Cancelled;
        if let Some(open) = &mut intent.open {
            open.since = Instant::now();
        }
        Self { what, intent }
    }

    /// The approved object of the effect, such as a call with its arguments.
    pub fn what(&self) -> &T {
        &self.what
    }

    /// The same effect with another end where it is dropped.
    pub fn if_dropped(mut self, end: EffectEnd) -> Self {
        self.intent.if_dropped = end;
        self
    }

    /// What was approved apart from the effect, for a caller that does it in parts.
    pub fn split(self) -> (T, Effect) {
        let effect = Effect {
            what: (),
            intent: self.intent,
        };
        (self.what, effect)
    }

    /// Writes how it ended.
    pub async fn finish(self, end: EffectEnd) {
        self.finish_of_size(end, 0).await;
    }

    /// The same for something of so many bytes.
    pub async fn finish_of_size(self, end: EffectEnd, bytes: usize) {
        report(self.intent.close(end, None, bytes).await);
    }

    /// The same with a result, of which the ledger keeps digest and size.
    pub async fn finish_with(self, end: EffectEnd, result: ResultFacts) {
        let ResultFacts { digest, bytes } = result;
        report(self.intent.close(end, Some(digest), bytes).await);
    }

    /// The same without waiting for the disk: what its caller writes afterwards is not on it before this end is.
    pub fn queue_finish_with(self, end: EffectEnd, result: ResultFacts) {
        let ResultFacts { digest, bytes } = result;
        let (written, ledger_writer) = self.intent.queue_end(end, Some(digest), bytes);
        ledger_writer.spawn(async move { report(written.await) });
    }

    /// The same for a caller whose own work fails where the end cannot be written.
    pub(crate) async fn try_finish(self, end: EffectEnd) -> Result<(), StoreError> {
        self.intent.close(end, None, 0).await
    }
}

fn report(written: Result<(), StoreError>) {
    if let Err(error) = written {
        tracing::error!(%error, "failed to record the end of an effect in the ledger");
    }
}

/// An intent that is on disk and has no end yet. Dropped, it writes one.
#[derive(Debug)]
pub(crate) struct Intent {
    /// `None` once the end is written.
    open: Option<OpenIntent>,
    if_dropped: EffectEnd,
}

#[derive(Debug)]
struct OpenIntent {
    seq: i64,
    record: EffectRecord,
    since: Instant,
    ledger_writer: Arc<LedgerWriter>,
}

impl Intent {
    pub(crate) fn new(
        written: LedgerReceipt,
        record: EffectRecord,
        ledger_writer: Arc<LedgerWriter>,
    ) -> Self {
        let open = OpenIntent {
            seq: written.seq,
            record,
            since: Instant::now(),
            ledger_writer,
        };
        Self {
            open: Some(open),
            if_dropped: EffectEnd::NotUsed,
        }
    }

    async fn close(
        self,
        end: EffectEnd,
        result: Option<ContentDigest>,
        bytes: usize,
    ) -> Result<(), StoreError> {
        let (written, _) = self.queue_end(end, result, bytes);
        written.await
    }

    /// Its end stands in the queue of the store when this returns. A caller that does not wait lets the returned writer
    /// do so.
    fn queue_end(
        mut self,
        end: EffectEnd,
        result: Option<ContentDigest>,
        bytes: usize,
    ) -> (
        impl Future<Output = Result<(), StoreError>> + Send + use<>,
        Arc<LedgerWriter>,
    ) {
        let open = self.open.take().expect("only this and dropping take it");
        let sidecar = Sidecar {
            content_digests: result.map(|digest| ("result", digest)).into_iter().collect(),
            ..Sidecar::default()
        };
        let entry = open.entry(end, bytes);
        let written = open.ledger_writer.store.queue_append(entry, sidecar);
        (async move { written.await.map(drop) }, open.ledger_writer)
    }
}

impl Drop for Intent {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            open.ledger_writer.write(open.entry(self.if_dropped, 0));
        }
    }
}

impl OpenIntent {
    /// The end of the effect, without the digest of its result.
    fn entry(&self, end: EffectEnd, bytes: usize) -> LedgerDraft {
        let body = json!({
            "intent": self.seq,
            "ended": end.word(),
            "result": null,
            "bytes": bytes,
            "took_ms": u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
        self.record.draft(LedgerKind::Outcome, None, Value::Null, body)
    }
}
