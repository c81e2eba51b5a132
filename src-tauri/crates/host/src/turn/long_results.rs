//! Long results about which the user is asked. A turn makes no request while such a choice is open in the branch of its
//! chat, so that the model reads nothing of a result before the user has chosen.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use vestibule_chat_tools::for_model;
use vestibule_model_setup::{load_settings, settings_of};
use vestibule_protocol::ChatId;
use vestibule_store::{Store, StoreError};

use super::Turn;
use super::round::Round;
use crate::view::{CallState, EntryBody, EntryView, LargeResults, ResultChoice};

/// A result has room where it takes at most this part of what the model reads.
const ROOM: u32 = 2;

/// Wakes the turns that wait for a choice. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct ResultChoices(Arc<Notify>);

impl ResultChoices {
    /// To be called once a choice is on disk.
    pub(crate) fn made(&self) {
        self.0.notify_waiters();
    }

    /// The next round of a turn, once no choice about a result of its chat is open. `None` where the turn was stopped
    /// before.
    pub(super) async fn next_round(
        &self,
        turn: &Turn,
        stop: &CancellationToken,
    ) -> Result<Option<Round>, StoreError> {
        loop {
            let made = self.0.notified();
            tokio::pin!(made);
            // Registered before the entries are read, so that no choice is missed.
            made.as_mut().enable();
            let round = Round::next(turn).await?;
            if !round.entries.iter().any(|entry| is_open(entry)) {
                return Ok(Some(round));
            }
            if stop.run_until_cancelled(made).await.is_none() {
                return Ok(None);
            }
        }
    }
}

/// The end of a call of a turn, with the user asked about a long result where they want to be.
pub(super) async fn with_choice(turn: &Turn, state: CallState) -> CallState {
    if turn.large_results != LargeResults::Ask {
        return state;
    }
    let facts = turn.model.provider.facts().await;
    asked(state, facts.context.or(turn.model.context))
}

/// The end of a call that outlived its turn, with the user asked where they want to be.
pub(crate) async fn with_stored_choice(store: &Store, chat: ChatId, state: CallState) -> CallState {
    let record = store.chat(chat).await.ok().flatten();
    let of_chat = record.and_then(|record| settings_of(&record).large_results);
    let of_user = load_settings(store).await.map(|settings| settings.large_results);
    match of_chat.or(of_user.ok()) {
        Some(LargeResults::Ask) => asked(state, None),
        Some(LargeResults::Part) | None => state,
    }
}

fn asked(mut state: CallState, context: Option<u32>) -> CallState {
    if let CallState::Answered { result, .. } = &mut state {
        for_model::ask(result, context.map(|tokens| u64::from(tokens / ROOM)));
    }
    state
}

/// Whether an entry waits for the user's choice.
fn is_open(entry: &EntryView) -> bool {
    let EntryBody::Call(call) = &entry.body else {
        return false;
    };
    match &call.state {
        CallState::Answered { result, .. } => matches!(result.choice, Some(ResultChoice::Asked { .. })),
        _ => false,
    }
}
