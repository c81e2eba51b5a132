//! The rehearsal model (being written).

use async_trait::async_trait;

use crate::{FinishReason, ModelError, ModelEvent, ModelProvider, ModelRequest, ModelStream};

/// The scripted model.
pub struct Rehearsal {
    pause: std::time::Duration,
}

/// The scripted model, speaking at reading pace.
#[must_use]
pub fn rehearsal() -> Rehearsal {
    Rehearsal {
        pause: std::time::Duration::from_millis(12),
    }
}

/// The scripted model without pauses, for tests.
#[must_use]
pub fn rehearsal_without_pauses() -> Rehearsal {
    Rehearsal {
        pause: std::time::Duration::ZERO,
    }
}

#[async_trait]
impl ModelProvider for Rehearsal {
    fn label(&self) -> &str {
        "Rehearsal (scripted, not an AI)"
    }

    fn scripted(&self) -> bool {
        true
    }

    async fn stream(&self, _request: ModelRequest) -> Result<ModelStream, ModelError> {
        let _ = self.pause;
        Ok(Box::pin(futures::stream::iter([Ok(ModelEvent::Finished(
            FinishReason::Stop,
        ))])))
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        Ok(vec!["rehearsal".to_owned()])
    }
}
