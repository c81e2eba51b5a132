//! Begins, stops and tries again the turns of chats: the work of the model on one message. `turn` runs them.

use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};
use vestibule_protocol::{AttachmentId, ChatId, EntryId};
use vestibule_store::StoreError;

use super::Host;
use super::files::FileEffect;
use crate::transcript;
use crate::turn::title_from;
use crate::view::{
    AttachmentView, CallBody, CallState, EntriesPart, EntryBody, EntryView, HostEvent, InputProblem, Problem,
    RefusedBy, RetryView, TextState,
};

/// The longest message, in bytes.
const MESSAGE: usize = 1024 * 1024;

/// A turn that goes on in a chat.
pub(super) struct RunningTurn {
    stop: CancellationToken,
    /// Set while the model's server is to be asked again.
    pub(super) retry: Option<RetryView>,
    /// Whether what waits in the chat is sent although the turn was stopped.
    then_send: bool,
}

impl RunningTurn {
    /// Stops the turn. What waits in the chat goes on waiting.
    pub(super) fn stop(&mut self) {
        self.then_send = false;
        self.stop.cancel();
    }

    /// Stops the turn; then the first message that waits is sent.
    pub(super) fn stop_to_send(&mut self) {
        self.then_send = true;
        self.stop.cancel();
    }
}

impl Host {
    /// Says something in a chat: on disk, then the model's turn begins.
    ///
    /// # Errors
    /// When the chat is busy or gone, or the message could not be kept; nothing is then lost, because nothing was
    /// taken.
    pub async fn chat_send(
        &self,
        chat: ChatId,
        text: String,
        attached: Vec<AttachmentId>,
    ) -> Result<(), Problem> {
        check_length(&text)?;
        let attachments = self.0.attachments.find(chat, &attached)?;
        self.check_pictures(chat, &attachments).await?;
        let stop = self.occupy(chat)?;
        let begun = self.begin(chat, text, attachments).await;
        match begun {
            Ok(()) => {
                self.forget_sent(attached).await;
                self.turn(chat, None, stop);
                Ok(())
            }
            Err(problem) => {
                self.vacate(chat).await;
                Err(problem)
            }
        }
    }

    /// Asks once more about a call that the user denied or skipped, with the arguments it had; `text` is the user's
    /// message that says so. The call is decided as if the model had made it now, then the model goes on.
    ///
    /// # Errors
    /// When there is no such call, the chat is busy, or the message could not be kept.
    pub async fn call_ask_again(&self, entry: EntryId, text: String) -> Result<(), Problem> {
        check_length(&text)?;
        let record = self.0.store.entry(entry).await?;
        let Some((chat, call)) = record.and_then(transcript::view).and_then(refused_by_user) else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        let stop = self.occupy(chat)?;
        match self.begin(chat, text, vec![]).await {
            Ok(()) => {
                self.turn(chat, Some(call), stop);
                Ok(())
            }
            Err(problem) => {
                self.vacate(chat).await;
                Err(problem)
            }
        }
    }

    pub(super) async fn begin(
        &self,
        chat: ChatId,
        text: String,
        attachments: Vec<AttachmentView>,
    ) -> Result<(), Problem> {
        let files = self.record_files(chat, &attachments).await?;
        let title = title_from(&text);
        let message = EntryBody::User { text, attachments };
        let added = self.0.transcript.add_message(chat, message, title).await;
        added.map_err(|error| match error {
            StoreError::Unknown { .. } => Problem::Input(InputProblem::Gone),
            error => error.into(),
        })?;
        FileEffect::finish_all(files).await;
        self.tell_of_chat(chat).await
    }

    /// Stops the model's turn in a chat.
    pub fn chat_stop(&self, chat: ChatId) {
        if let Some(turn) = self.turns().get_mut(&chat) {
            turn.stop();
        }
    }

    /// Stops one call; the turn goes on and its model reads that the call was stopped.
    ///
    /// # Errors
    /// When the call is not under way any more.
    pub fn call_stop(&self, entry: EntryId) -> Result<(), Problem> {
        let stopped = self.0.calls.stop(entry) || self.0.followed.cancel(entry);
        stopped.then_some(()).ok_or(Problem::Input(InputProblem::Gone))
    }

    /// Gives up the task a call became.
    ///
    /// # Errors
    /// When there is none any more.
    pub fn task_cancel(&self, entry: EntryId) -> Result<(), Problem> {
        self.0
            .followed
            .cancel(entry)
            .then_some(())
            .ok_or(Problem::Input(InputProblem::Gone))
    }

    /// Lets the model try again after a failure.
    ///
    /// # Errors
    /// When the chat is busy or gone.
    pub async fn chat_retry(&self, chat: ChatId) -> Result<(), Problem> {
        let stop = self.occupy(chat)?;
        match self.leave_out_answer(chat).await {
            Ok(()) => {
                self.turn(chat, None, stop);
                Ok(())
            }
            Err(problem) => {
                self.vacate(chat).await;
                Err(problem)
            }
        }
    }

    /// Lets the model continue an answer that a limit of tokens ended.
    ///
    /// # Errors
    /// When the chat is busy or gone, or does not end with such an answer.
    pub async fn chat_continue(&self, chat: ChatId) -> Result<(), Problem> {
        let stop = self.occupy(chat)?;
        match self.open_answer(chat).await {
            Ok(Some(_)) => {
                self.turn(chat, None, stop);
                Ok(())
            }
            ended => {
                self.vacate(chat).await;
                Err(ended.err().unwrap_or(Problem::Input(InputProblem::Gone)))
            }
        }
    }

    /// Lets the model try again without tools, after it refused them. From then on none are offered to it, as the user's
    /// word on the model, which the settings show and take back.
    ///
    /// # Errors
    /// When the chat is busy or gone, or the model is not one that the user set up.
    pub async fn chat_without_tools(&self, chat: ChatId) -> Result<(), Problem> {
        let record = self.chat_record(chat).await?;
        let model = record.model.unwrap_or(self.settings().default_model);
        self.say_without_tools(model).await?;
        self.chat_retry(chat).await
    }

    /// The answer a chat ends with where a limit of tokens ended it, without what says why no other came after it.
    async fn open_answer(&self, chat: ChatId) -> Result<Option<EntryView>, Problem> {
        let newest = self.0.transcript.page(chat, EntriesPart::Newest).await?;
        let mut entries = newest.entries;
        entries.retain(|entry| !matches!(entry.body, EntryBody::Failure { .. } | EntryBody::Compaction(_)));
        let last = entries.pop().filter(|entry| is_open(&entry.body));
        if last.is_some() {
            self.remove_failures(chat).await?;
        }
        Ok(last)
    }

    /// Removes the failures a chat ends with. An answer that a limit of tokens ended stays on screen, and the model does
    /// not read it when it tries again.
    async fn leave_out_answer(&self, chat: ChatId) -> Result<(), Problem> {
        if let Some(mut entry) = self.open_answer(chat).await?
            && let EntryBody::Assistant { state, .. } = &mut entry.body
        {
            *state = TextState::Interrupted;
            self.0.transcript.put(&mut entry).await?;
        }
        self.remove_failures(chat).await
    }

    async fn remove_failures(&self, chat: ChatId) -> Result<(), Problem> {
        let entries = self.0.transcript.page(chat, EntriesPart::Newest).await?.entries;
        for entry in entries.iter().rev() {
            if !matches!(entry.body, EntryBody::Failure { .. }) {
                break;
            }
            self.0.store.remove_entry(entry.id).await?;
            self.0.events.tell(HostEvent::EntryGone {
                chat,
                entry: entry.id,
            });
        }
        self.tell_of_chat(chat).await
    }

    /// Marks a chat as busy.
    pub(super) fn occupy(&self, chat: ChatId) -> Result<CancellationToken, Problem> {
        let mut turns = self.turns();
        if turns.contains_key(&chat) {
            return Err(Problem::Input(InputProblem::ChatBusy));
        }
        let stop = CancellationToken::new();
        let turn = RunningTurn {
            stop: stop.clone(),
            retry: None,
            then_send: false,
        };
        turns.insert(chat, turn);
        Ok(stop)
    }

    /// Marks a chat as idle. Returns whether a message that waits is to be sent now.
    pub(super) async fn vacate(&self, chat: ChatId) -> bool {
        // Before the chat counts as idle, since nothing else may change its branch meanwhile.
        if let Err(error) = self.0.transcript.resume_branch(chat).await {
            tracing::error!(%error, "failed to show the branch of a chat again");
        }
        let turn = self.turns().remove(&chat);
        if let Err(problem) = self.tell_of_chat(chat).await {
            tracing::debug!(%problem, "chat deleted during a turn");
        }
        turn.is_some_and(|turn| turn.then_send)
    }

    /// Begins the turn of an occupied chat. Where it ends well, what waits is sent, each message as a turn.
    pub(super) fn turn(&self, chat: ChatId, again: Option<CallBody>, stop: CancellationToken) {
        let host = self.clone();
        let work = async move {
            let mut again = again;
            let ended_well = loop {
                if !host.run_turn(chat, again.take(), &stop).await || stop.is_cancelled() {
                    break false;
                }
                if !host.say_queued(chat).await {
                    break true;
                }
            };
            // What was added since the queue was found empty did not see an idle chat.
            if host.vacate(chat).await || ended_well {
                host.send_queued(chat).await;
            }
            if !stop.is_cancelled() {
                host.tell_of_finished(chat, ended_well);
            }
        };
        self.0.tasks.spawn(work.instrument(info_span!("chat", %chat)));
    }

    /// Runs one turn to its end. Returns whether nothing went wrong.
    async fn run_turn(&self, chat: ChatId, again: Option<CallBody>, stop: &CancellationToken) -> bool {
        // A local model may have to be started and loaded first.
        match stop.run_until_cancelled(self.turn_of(chat)).await {
            None => false,
            Some(Ok(turn)) => {
                let ended_well = turn.run(again, stop.clone()).await;
                if ended_well && !stop.is_cancelled() && self.settings().title_chats {
                    self.title_by_model(turn);
                }
                ended_well
            }
            Some(Err(problem)) => {
                let failure = EntryBody::Failure {
                    problem,
                    retryable: true,
                };
                if let Err(error) = self.0.transcript.add(chat, failure).await {
                    tracing::error!(%error, "failed to persist a turn failure");
                }
                false
            }
        }
    }
}

pub(super) fn check_length(text: &str) -> Result<(), Problem> {
    if text.len() <= MESSAGE {
        return Ok(());
    }
    Err(Problem::Input(InputProblem::TooLong {
        limit_kb: (MESSAGE / 1024) as u32,
    }))
}

/// The call of an entry and its chat, where the user denied or skipped it here.
fn refused_by_user(entry: EntryView) -> Option<(ChatId, CallBody)> {
    match entry.body {
        EntryBody::Call(call) if !call.imported => match call.state {
            CallState::Refused {
                by: RefusedBy::Person | RefusedBy::NotNow,
                ..
            } => Some((entry.chat, call)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an entry is an answer that the model can continue.
fn is_open(body: &EntryBody) -> bool {
    matches!(
        body,
        EntryBody::Assistant {
            state: TextState::Length,
            ..
        }
    )
}
