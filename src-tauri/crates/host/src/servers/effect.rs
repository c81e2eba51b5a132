//! An effect that was approved and has not ended yet. However it ends, also when the caller was dropped, its end is
//! written to the ledger; only a crash leaves an intent without an outcome.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_consent::{EffectOutcome, Gate, Receipt};
use vestibule_policy::ContentDigest;

/// Writes the ends of effects to the ledger. Cheap to clone.
#[derive(Clone)]
pub(crate) struct EffectWriter {
    gate: Arc<Gate>,
    /// Closing waits for what is still being written.
    tasks: TaskTracker,
}

/// An effect under way. Dropped before its end, it writes the word it was made with.
pub(crate) struct RunningEffect {
    /// `None` once the end is written.
    receipt: Option<Receipt>,
    writer: EffectWriter,
    since: Instant,
    if_dropped: &'static str,
}

impl EffectWriter {
    pub(crate) fn new(gate: Arc<Gate>, tasks: TaskTracker) -> Self {
        Self { gate, tasks }
    }

    /// Begins the effect of `receipt`; `if_dropped` is the ledger's word for its end unless [`RunningEffect::end`] is
    /// called.
    pub(crate) fn begin(&self, receipt: Receipt, if_dropped: &'static str) -> RunningEffect {
        RunningEffect {
            receipt: Some(receipt),
            writer: self.clone(),
            since: Instant::now(),
            if_dropped,
        }
    }

    async fn write(&self, receipt: Receipt, outcome: EffectOutcome) {
        if let Err(error) = self.gate.record_outcome(receipt, outcome).await {
            tracing::error!(%error, "failed to record the end of an effect in the ledger");
        }
    }
}

impl RunningEffect {
    /// Writes how it ended.
    pub(crate) async fn end(&mut self, ended: &'static str, result: Option<ContentDigest>, bytes: usize) {
        if let Some(receipt) = self.receipt.take() {
            let outcome = self.outcome(ended, result, bytes);
            self.writer.write(receipt, outcome).await;
        }
    }

    fn outcome(&self, ended: &'static str, result: Option<ContentDigest>, bytes: usize) -> EffectOutcome {
        EffectOutcome {
            ended,
            result,
            bytes,
            took: self.since.elapsed(),
        }
    }
}

impl Drop for RunningEffect {
    fn drop(&mut self) {
        let Some(receipt) = self.receipt.take() else {
            return;
        };
        let outcome = self.outcome(self.if_dropped, None, 0);
        let writer = self.writer.clone();
        self.writer
            .tasks
            .spawn(async move { writer.write(receipt, outcome).await }.in_current_span());
    }
}
