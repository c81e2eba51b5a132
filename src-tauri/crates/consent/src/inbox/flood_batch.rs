//! Many questions of one server and kind behind one card. The card says how many there are and what they ask; each of
//! them goes on waiting for its own answer and can be withdrawn for itself. What is beyond the caps is not taken in.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use vestibule_policy::{Digest, RequestKind, limit_for};
use vestibule_protocol::QuestionId;

use super::card::{click_delay, nonce};
use super::groups::groups;
use super::validate::invalid_answer;
use super::waiting::{KindOf, PendingQuestion, WaitingCards};
use super::{NotAsked, NotTaken};
use crate::{Flood, Question, QuestionBody};

/// The most questions behind one card.
pub(super) const MOST_BATCHED: usize = 64;

/// The card many questions wait behind.
pub(super) struct FloodBatch {
    pub(super) card: Arc<Question>,
    /// What the user has entered on it.
    pub(super) autosaved: Option<Map<String, Value>>,
}

/// What became of the card of a batch.
pub(super) enum BatchChange {
    Gone(QuestionId),
    /// It shows something else.
    Rebuilt {
        card: QuestionId,
        click_delay: Duration,
    },
}

impl WaitingCards {
    /// Whether a question waits behind a card with others: there is such a card, or there have been too many and
    /// others wait. One that comes alone stands alone, however many there were before.
    pub(super) fn belongs_to_batch(&self, pending: &PendingQuestion, often: Option<u32>) -> bool {
        let Some(kind) = pending.kind() else {
            return false;
        };
        let others_wait = || self.pending.values().any(|other| other.is_of_kind(kind));
        self.batches.contains_key(&kind) || often.is_some() && others_wait()
    }

    /// Puts a question behind the card of its kind, with those before it whose cards were never in front.
    pub(super) fn add_to_batch(
        &mut self,
        mut pending: PendingQuestion,
        often: Option<u32>,
    ) -> Result<Option<BatchChange>, NotAsked> {
        let Some(kind) = pending.kind() else {
            return Err(NotAsked::TooMany);
        };
        let batched = self.of_kind(kind, |pending| pending.batched).len();
        let full = batched >= MOST_BATCHED || !self.has_room(&pending);
        self.update_batch_counts(kind, often, u32::from(full));
        if full {
            return Err(NotAsked::TooMany);
        }
        for other in self.pending.values_mut() {
            other.batched = other.batched || other.is_of_kind(kind) && !other.seen;
        }
        pending.batched = true;
        self.pending.insert(pending.question.id, pending);
        Ok(self.rebuild_batch_card(kind, often))
    }

    /// Shows on the card of a batch how often it was asked and what was turned away.
    pub(super) fn update_batch_counts(&mut self, kind: KindOf, often: Option<u32>, turned_away: u32) {
        let Some(batch) = self.batches.get_mut(&kind) else {
            return;
        };
        let card = Arc::make_mut(&mut batch.card);
        if let QuestionBody::Flood(flood) = &mut card.about {
            flood.asked = often.unwrap_or(flood.asked);
            flood.turned_away = flood.turned_away.saturating_add(turned_away);
            card.often = Some(flood.asked);
        }
    }

    /// What is to be done after a question is gone.
    pub(super) fn refresh_batch(&mut self, gone: &PendingQuestion) -> Option<BatchChange> {
        let kind = gone.kind().filter(|_| gone.batched)?;
        self.rebuild_batch_card(kind, None)
    }

    /// Gives the first of what waits behind a card cards of their own.
    pub(super) fn split_batch(&mut self, card: &Question) -> Result<Option<BatchChange>, NotTaken> {
        let QuestionBody::Flood(Flood { asking, .. }) = card.about else {
            return invalid_answer("this card stands for one question");
        };
        let kind = (card.server.id, asking);
        let at_once = limit_for(asking).burst as usize;
        let batched = self.of_kind(kind, |pending| pending.batched);
        for id in batched.into_iter().take(at_once) {
            if let Some(pending) = self.pending.get_mut(&id) {
                // The user asked to look at it, so it is not taken away again.
                (pending.batched, pending.seen) = (false, true);
            }
        }
        Ok(self.rebuild_batch_card(kind, None))
    }

    /// Rebuilds the card after a question joined or left the batch; removes it when the batch is empty.
    fn rebuild_batch_card(&mut self, kind: KindOf, often: Option<u32>) -> Option<BatchChange> {
        let behind = |pending: &&PendingQuestion| pending.batched && pending.is_of_kind(kind);
        let waiting: Vec<&PendingQuestion> = self.pending.values().filter(behind).collect();
        if waiting.is_empty() {
            let gone = self.batches.remove(&kind)?;
            return Some(BatchChange::Gone(gone.card.id));
        }
        let before = self.batches.get(&kind).map(|batch| &*batch.card);
        let card = batch_card(kind.1, &waiting, before, often);
        let change = BatchChange::Rebuilt {
            card: card.id,
            click_delay: click_delay(&card),
        };
        let batch = FloodBatch {
            card: Arc::new(card),
            autosaved: None,
        };
        self.batches.insert(kind, batch);
        Some(change)
    }
}

/// The card of a flood. It keeps its name for as long as it stands; each time it is made it shows something else, and
/// has a nonce of its own.
fn batch_card(
    asking: RequestKind,
    waiting: &[&PendingQuestion],
    before: Option<&Question>,
    often: Option<u32>,
) -> Question {
    let first = &waiting[0].question;
    let told = before.and_then(|card| match &card.about {
        QuestionBody::Flood(flood) => Some((flood.asked, flood.turned_away)),
        _ => None,
    });
    let (asked, turned_away) = told.unwrap_or_default();
    let mut flood = uncounted_flood(asking, waiting);
    let cause = first.cause.clone().filter(|_| flood.alike.is_some());
    let scopes = if flood.alike.is_some() {
        first.scopes.clone()
    } else {
        vec![]
    };
    let behind: Vec<_> = waiting.iter().map(|pending| pending.question.digest).collect();
    let ids: Vec<_> = waiting.iter().map(|pending| pending.question.id).collect();
    // What moves on while the card is read is left out: a yes does not depend on it.
    let digest = Digest::of_question(&json!({
        "server": first.server, "cause": cause, "about": flood, "scopes": scopes, "behind": behind, "ids": ids,
    }));
    flood.asked = often.unwrap_or(asked);
    flood.turned_away = turned_away;
    Question {
        id: before.map_or_else(QuestionId::new, |card| card.id),
        server: first.server.clone(),
        cause,
        often: Some(flood.asked),
        denied: None,
        about: QuestionBody::Flood(flood),
        scopes,
        guard_ms: first.guard_ms,
        asked_ms: before.map_or(first.asked_ms, |card| card.asked_ms),
        nonce: nonce(),
        digest,
        same: digest,
    }
}

/// What many questions have in common, without how many there were before them.
fn uncounted_flood(asking: RequestKind, waiting: &[&PendingQuestion]) -> Flood {
    let first = &waiting[0].question;
    let alike = waiting.iter().all(|pending| pending.question.same == first.same);
    let abouts = waiting
        .iter()
        .map(|pending| (pending.question.same, &pending.question.about));
    Flood {
        asking,
        asked: 0,
        turned_away: 0,
        waiting: u32::try_from(waiting.len()).unwrap_or(u32::MAX),
        alike: alike.then(|| Box::new(first.about.clone())),
        groups: groups(abouts),
    }
}
