//! An effect that was agreed to and has not ended yet. However it ends, also when nobody waits for it any more, the
//! ledger hears of it; only a crash leaves an intent without an outcome.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_consent::{EffectOutcome, Gate, Receipt};
use vestibule_policy::ContentDigest;

use super::Registry;

/// An effect under way. Dropped before its end, it writes the word it was made with.
pub(crate) struct UnderWay {
    /// `None` once the end is written.
    receipt: Option<Receipt>,
    gate: Arc<Gate>,
    tasks: TaskTracker,
    since: Instant,
    otherwise: &'static str,
}

impl UnderWay {
    /// The effect of `receipt`, from now on; `otherwise` is how it ended if nobody says.
    pub(crate) fn new(receipt: Receipt, registry: &Registry, otherwise: &'static str) -> Self {
        Self {
            receipt: Some(receipt),
            gate: registry.0.gate.clone(),
            tasks: registry.0.tasks.clone(),
            since: Instant::now(),
            otherwise,
        }
    }

    /// Writes how it ended.
    pub(crate) async fn end(&mut self, ended: &'static str, result: Option<ContentDigest>, bytes: usize) {
        if let Some(receipt) = self.receipt.take() {
            let outcome = self.outcome(ended, result, bytes);
            write(&self.gate, receipt, outcome).await;
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

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Some(receipt) = self.receipt.take() else {
            return;
        };
        let outcome = self.outcome(self.otherwise, None, 0);
        let gate = self.gate.clone();
        // Tracked, so that closing waits for it.
        self.tasks
            .spawn(async move { write(&gate, receipt, outcome).await }.in_current_span());
    }
}

async fn write(gate: &Gate, receipt: Receipt, outcome: EffectOutcome) {
    if let Err(error) = gate.record_outcome(receipt, outcome).await {
        tracing::error!(%error, "failed to record the end of an effect in the ledger");
    }
}
