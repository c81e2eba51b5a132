//! The rehearsal: a scripted stand-in for a model, so that everything can be seen without a key and without a network.
//!
//! It picks tools by simple words and says so. It keeps no state: the same conversation always gets the same reply.
//! It does not pretend: its label and its lines say that it is a script. It never calls more than three times for one
//! message of the user.

mod cities;
mod lines;
mod script;
mod summary;

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;

use crate::{FinishReason, ModelError, ModelEvent, ModelProvider, ModelRequest, ModelStream};

/// How the rehearsal is stored as the kind of a model.
pub const REHEARSAL: &str = "rehearsal";
/// Characters that appear at once.
const PIECE: usize = 6;

/// The scripted model. Made by [`rehearsal`].
#[derive(Debug, Clone)]
pub struct Rehearsal {
    pause: Duration,
}

/// The scripted model, speaking a little faster than one reads.
#[must_use]
pub fn rehearsal() -> Rehearsal {
    Rehearsal {
        pause: Duration::from_millis(12),
    }
}

/// The scripted model without pauses, for tests.
#[must_use]
pub fn rehearsal_without_pauses() -> Rehearsal {
    Rehearsal {
        pause: Duration::ZERO,
    }
}

#[async_trait]
impl ModelProvider for Rehearsal {
    fn label(&self) -> &str {
        "Rehearsal"
    }

    fn scripted(&self) -> bool {
        true
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let events = events(&request);
        let pause = self.pause;
        Ok(Box::pin(futures::stream::unfold(
            events,
            move |mut events| async move {
                let event = events.pop_front()?;
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                Some((Ok(event), events))
            },
        )))
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        Ok(vec!["rehearsal".to_owned()])
    }
}

fn events(request: &ModelRequest) -> VecDeque<ModelEvent> {
    let turn = script::turn(request);
    let pieces = pieces(&turn.text);
    let allowed = request
        .max_tokens
        .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let cut = pieces.len() > allowed;
    let mut events: VecDeque<_> = pieces.into_iter().take(allowed).map(ModelEvent::Text).collect();
    let reason = match (cut, turn.calls.is_empty()) {
        (true, _) => FinishReason::Length,
        (false, true) => FinishReason::Stop,
        (false, false) => FinishReason::ToolCalls,
    };
    if !cut {
        events.extend(turn.calls.into_iter().map(ModelEvent::Call));
    }
    events.push_back(ModelEvent::Finished(reason));
    events
}

/// The text in pieces of a few characters, the way a model's tokens arrive.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(PIECE)
        .map(|piece| piece.iter().collect())
        .collect()
}
