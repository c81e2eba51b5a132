//! What a request to a model took. A server counts at the end of a reply, and some never do. Where the model has a price,
//! what such a request took is estimated from what was sent and received, so that budgets count it.

use vestibule_chat_tools::estimate::tokens;
use vestibule_model_setup::usage_view;
use vestibule_models::{ModelError, ModelEvent, ModelRequest, Usage};
use vestibule_store::StoreError;

use super::Turn;
use super::request_size::{call_tokens, request_tokens};
use crate::view::UsageView;

/// What one request of a turn takes, from its beginning to its end.
pub(super) struct RequestUsage<'a> {
    turn: &'a Turn,
    counted: Option<Usage>,
    /// `None` where nothing is estimated, because the model has no price.
    estimated: Option<Usage>,
}

impl<'a> RequestUsage<'a> {
    pub(super) fn of(turn: &'a Turn, request: &ModelRequest) -> Self {
        let has_cost = turn.model.prices.has_cost();
        let estimated = has_cost.then(|| Usage {
            input: request_tokens(request),
            ..Usage::default()
        });
        Self {
            turn,
            counted: None,
            estimated,
        }
    }

    /// What the model's server counted so far.
    pub(super) fn counted(&self) -> Option<Usage> {
        self.counted
    }

    pub(super) fn take(&mut self, event: &ModelEvent) {
        if let ModelEvent::Usage(usage) = event {
            self.counted = Some(*usage);
        }
        if let Some(estimated) = &mut self.estimated {
            estimated.output = estimated.output.saturating_add(received_tokens(event));
        }
    }

    /// Notes what the request took once it ended, `failed` being the error that ended it. `None` where it took nothing,
    /// or nothing that is known.
    pub(super) async fn note(self, failed: Option<&ModelError>) -> Result<Option<UsageView>, StoreError> {
        let estimated = self.estimated.filter(|usage| may_have_cost(*usage, failed));
        let Some(usage) = self.counted.or(estimated) else {
            return Ok(None);
        };
        let taken = self.turn.model.prices.price(usage);
        let Turn {
            models, chat, model, ..
        } = self.turn;
        models.note_round(*chat, model.id, taken).await?;
        Ok(Some(UsageView {
            estimated: self.counted.is_none(),
            ..usage_view(taken)
        }))
    }
}

/// A request that failed before the model said anything costs nothing where its server did not take it.
fn may_have_cost(usage: Usage, failed: Option<&ModelError>) -> bool {
    usage.output > 0 || failed.is_none_or(ModelError::may_have_cost)
}

/// The tokens of a piece of a reply, which most servers send token by token.
fn received_tokens(event: &ModelEvent) -> u64 {
    match event {
        ModelEvent::Text(text) | ModelEvent::Reasoning(text) => tokens(text),
        ModelEvent::Call(call) => call_tokens(call),
        ModelEvent::Native(_) | ModelEvent::Usage(_) | ModelEvent::Finished(_) => 0,
    }
}
