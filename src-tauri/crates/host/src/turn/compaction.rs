//! Keeps a chat within what its model reads. Before a round that would pass a share of it, the model is asked for a
//! summary of the older part, which then stands in its place. Where there is none, the oldest results are left out of the
//! request, and the chat says so once.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use vestibule_store::StoreError;

use super::Turn;
use super::failure::TurnFailure;
use super::read_part::{ReadPart, entries_tokens, summary_message};
use super::request_size::message_tokens;
use super::round::Round;
use super::summary::{self, ReplyEnd, SummaryReply};
use crate::view::{ChatSummary, Compaction, EntryBody, EntryView, NoSummary};

/// Where the messages have no more room than this, in tokens, nothing that is left out helps.
const LEAST_ROOM: u64 = 256;
/// After an undone or failed summary another one is tried once the chat has grown by this part of the room.
const GROWN: u64 = 4;
/// Results are left out in steps of this part of the room.
const STEP: u64 = 8;

/// What a request may take, in tokens.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// All of the request, with instructions and definitions.
    pub(super) request: u64,
    /// The messages of the chat in it.
    pub(super) messages: u64,
}

/// What is done before a request that is too long.
enum CompactionStep<'a> {
    Summarize(ReadPart<'a>),
    /// Says that something is left out.
    Say,
    /// Nothing, since the chat says so already or nothing can be left out.
    GoOn,
}

/// Keeps the requests of one turn within what its model reads.
pub(super) struct Compactor<'a> {
    pub(super) turn: &'a Turn,
    pub(super) stop: &'a CancellationToken,
}

impl Compactor<'_> {
    /// The next round, made to fit what the model reads where that is known. `None` where it was stopped.
    pub(super) async fn fitting_round(&self) -> Result<Option<Round>, TurnFailure> {
        let turn = self.turn;
        let chosen = turn.result_choices.next_round(turn, self.stop).await;
        let Some(mut round) = chosen? else {
            return Ok(None);
        };
        let Some(room) = self.room(&round).await else {
            return Ok(Some(round));
        };
        match next_step(&round, room) {
            CompactionStep::Summarize(older) => {
                let ended = self.summarize(&round, older, room).await;
                if !ended? {
                    return Ok(None);
                }
                turn.check_budgets().await.map_err(TurnFailure::retryable)?;
                round = Round::next(turn).await?;
            }
            CompactionStep::Say => {
                let why = NoSummary::NotAsked;
                let said = EntryBody::Compaction(Compaction::Shortened { why });
                let added = turn.transcript.add(turn.chat, said).await;
                added?;
                round = Round::next(turn).await?;
            }
            CompactionStep::GoOn => {}
        }
        Ok(Some(round.fitting(room.request, room.messages / STEP)))
    }

    /// What a request may take; `None` where this one fits, or where that is not known or not wanted.
    async fn room(&self, round: &Round) -> Option<Room> {
        let share = u64::from(self.turn.compact_at?);
        let facts = self
            .stop
            .run_until_cancelled(self.turn.model.provider.facts())
            .await?;
        let context = u64::from(facts.context.or(self.turn.model.context)?);
        let request = context * share / 100;
        let messages = request.saturating_sub(round.fixed_tokens());
        (round.tokens() > request && messages >= LEAST_ROOM).then_some(Room { request, messages })
    }

    /// Asks the model for a summary, in an entry of its own. Returns `false` where it was stopped.
    async fn summarize(&self, round: &Round, older: ReadPart<'_>, room: Room) -> Result<bool, StoreError> {
        let Turn { transcript, chat, .. } = self.turn;
        let running = EntryBody::Compaction(Compaction::Running);
        let mut entry = transcript.add(*chat, running).await?;
        let end = match summary::request(older, room) {
            None => shortened(NoSummary::NotAsked),
            Some(request) => {
                let reply = SummaryReply::ask(self.turn, request, older.tokens(), self.stop).await?;
                match reply.end {
                    ReplyEnd::Stopped => Compaction::Stopped,
                    ReplyEnd::Failed(problem) => shortened(NoSummary::Failed { problem }),
                    ReplyEnd::TooLong => shortened(NoSummary::TooLong),
                    ReplyEnd::Whole => match written(reply.text.trim(), round, older, room) {
                        Ok(summary) => Compaction::Summarized(ChatSummary {
                            usage: reply.usage,
                            ..summary
                        }),
                        Err(why) => shortened(why),
                    },
                }
            }
        };
        let went_on = end != Compaction::Stopped;
        entry.body = EntryBody::Compaction(end);
        transcript.put(&mut entry).await?;
        Ok(went_on)
    }
}

fn shortened(why: NoSummary) -> Compaction {
    Compaction::Shortened { why }
}

/// A summary as the chat keeps it, or why it is of no use.
fn written(text: &str, round: &Round, older: ReadPart<'_>, room: Room) -> Result<ChatSummary, NoSummary> {
    let up_to = older.entries.last().map(|entry| entry.id);
    let Some(up_to) = up_to.filter(|_| !text.is_empty()) else {
        return Err(NoSummary::Empty);
    };
    let (before, replaced) = (round.tokens(), older.tokens());
    let after = message_tokens(&summary_message(text));
    if after >= replaced || after > room.messages / 2 {
        return Err(NoSummary::TooLong);
    }
    Ok(ChatSummary {
        summary: text.to_owned(),
        up_to,
        before_tokens: before,
        after_tokens: before.saturating_sub(replaced) + after,
        used: true,
        edited: false,
        usage: None,
    })
}

fn next_step(round: &Round, room: Room) -> CompactionStep<'_> {
    let unused = unused_since(&round.entries);
    let waits = unused.is_some_and(|since| {
        let grown = entries_tokens(since, &super::left_out::LeftOut::default());
        grown < room.messages / GROWN
    });
    if !waits && let Some(older) = ReadPart::of(&round.entries).older(room.messages) {
        return CompactionStep::Summarize(older);
    }
    let left_out = round.left_out(round.over(room.request), room.messages / STEP);
    match unused.is_none() && !left_out.is_empty() {
        true => CompactionStep::Say,
        false => CompactionStep::GoOn,
    }
}

/// What came after the newest compaction where that is undone or brought no summary. Stopped ones do not count.
fn unused_since(entries: &[Arc<EntryView>]) -> Option<&[Arc<EntryView>]> {
    let ended = entries
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, entry)| match &entry.body {
            EntryBody::Compaction(Compaction::Summarized(summary)) => Some((at, summary.used)),
            EntryBody::Compaction(Compaction::Shortened { .. }) => Some((at, false)),
            _ => None,
        });
    ended.filter(|(_, used)| !used).map(|(at, _)| &entries[at + 1..])
}
