//! What a request to a model costs in the budgets of the user. It counts once, however the request ends: a reply that fails
//! or is withdrawn before its end costs what was sent and received, as estimated.

use std::sync::Arc;

use vestibule_models::{ModelError, ModelEvent};
use vestibule_protocol::ModelId;

use super::budget::{self, Prices};
use super::listen::{TokensTaken, count};
use super::run::UserModels;

/// The cost of a request under way. Dropped before it is counted, it counts by itself.
pub(super) struct Charge {
    models: Arc<dyn UserModels>,
    model: ModelId,
    prices: Prices,
    /// `None` where nothing was taken, or it is counted.
    taken: Option<TokensTaken>,
}

impl Charge {
    /// Begins with a request of so many tokens, as estimated.
    pub(super) fn begin(models: Arc<dyn UserModels>, model: ModelId, prices: Prices, input: u32) -> Self {
        Self {
            models,
            model,
            prices,
            taken: Some(TokensTaken {
                read: input,
                written: 0,
                estimated: true,
            }),
        }
    }

    /// Adds a piece of the reply, as estimated.
    pub(super) fn take(&mut self, event: &ModelEvent) {
        let written = match event {
            ModelEvent::Text(text) | ModelEvent::Reasoning(text) => budget::words(text),
            _ => 0,
        };
        if let Some(taken) = &mut self.taken {
            taken.written = taken.written.saturating_add(count(written));
        }
    }

    /// Notes the error that ended the request. It costs nothing where the model's server did not take it.
    pub(super) fn fail(&mut self, error: &ModelError) {
        let is_unanswered = self.taken.as_ref().is_some_and(|taken| taken.written == 0);
        if is_unanswered && !error.may_have_cost() {
            self.taken = None;
        }
    }

    /// Counts what is known of a request that ended: `exact`, or else the estimate.
    pub(super) async fn count(mut self, exact: Option<&TokensTaken>) {
        let estimated = self.taken.take();
        if let Some(taken) = exact.or(estimated.as_ref()) {
            self.models.spent(self.model, self.cost(taken)).await;
        }
    }

    fn cost(&self, taken: &TokensTaken) -> u64 {
        self.prices.cost(taken.read, taken.written).unwrap_or(0)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let Some(taken) = self.taken.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (models, model, cost) = (self.models.clone(), self.model, self.cost(&taken));
        runtime.spawn(async move { models.spent(model, cost).await });
    }
}
