//! Titles that models write for new chats, where the user wants that.

use std::mem;
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::Host;
use crate::turn::{FirstExchange, Turn};
use crate::view::Problem;

/// Stops the requests for titles that are under way.
#[derive(Default)]
pub(super) struct TitleRequests(Mutex<CancellationToken>);

impl TitleRequests {
    fn token(&self) -> CancellationToken {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Later requests are not stopped.
    pub(super) fn stop(&self) {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).cancel();
    }
}

impl Host {
    /// Has the model of a turn that ended write the title of its chat, beside what the user does next.
    pub(super) fn title_by_model(&self, turn: Turn) {
        let host = self.clone();
        let stop = self.0.titles.token();
        let work = async move {
            if let Some(Err(problem)) = stop.run_until_cancelled(host.title(turn)).await {
                tracing::info!(%problem, "kept the title of a chat");
            }
        };
        self.0.tasks.spawn(work.in_current_span());
    }

    /// Gives the chat of a turn its title. One that has more than its first exchange, or that the user renamed, keeps the
    /// title it has.
    async fn title(&self, turn: Turn) -> Result<(), Problem> {
        let chat = turn.chat;
        let Some(exchange) = FirstExchange::only(&self.0.transcript.entries(chat).await?) else {
            return Ok(());
        };
        let from = exchange.plain_title();
        if self.chat_record(chat).await?.title != from {
            return Ok(());
        }
        if let Some(title) = exchange.title_by(&turn).await?
            && self.0.store.rename_chat_from(chat, &from, &title).await?
        {
            self.tell_of_chat(chat).await?;
        }
        Ok(())
    }
}
