//! The questions that wait, each on a card of its own or with others like it behind one (`flood_batch.rs`). Nothing here
//! knows which card is in front, or counts what was asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use vestibule_policy::{Digest, RequestKind};
use vestibule_protocol::{QuestionId, ServerId};

use super::NotAsked;
use super::card::Validate;
use super::flood_batch::FloodBatch;
use crate::{Answer, Question, SavedInput};

/// How many cards of one server may wait at once.
pub(super) const MOST_A_SERVER: usize = 32;

/// How many bytes they and what waits behind them may hold; all of it is sent to a window.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A server and a kind of its questions.
pub(super) type KindOf = (ServerId, RequestKind);

#[derive(Default)]
pub(super) struct WaitingCards {
    /// In the order in which they were asked.
    pub(super) pending: BTreeMap<QuestionId, PendingQuestion>,
    /// What waits behind one card instead of on cards of their own.
    pub(super) batches: HashMap<KindOf, FloodBatch>,
}

pub(super) struct PendingQuestion {
    pub(super) question: Arc<Question>,
    pub(super) validate: Option<Validate>,
    pub(super) answer: oneshot::Sender<DeliveredAnswer>,
    /// About how much memory it takes.
    pub(super) bytes: usize,
    /// Whether it waits behind the card of a flood.
    pub(super) batched: bool,
    /// Whether its card was in front once.
    pub(super) seen: bool,
    /// What the user has entered on its card.
    pub(super) autosaved: Option<Map<String, Value>>,
}

/// An answer, and the digest of the card it was given to.
pub(super) struct DeliveredAnswer {
    pub(super) answer: Answer,
    pub(super) shown: Digest,
}

impl PendingQuestion {
    pub(super) fn server(&self) -> ServerId {
        self.question.server.id
    }

    pub(super) fn is_of_kind(&self, kind: KindOf) -> bool {
        self.kind() == Some(kind)
    }

    /// What it is counted and batched by; `None` for what the user began.
    pub(super) fn kind(&self) -> Option<KindOf> {
        kind_of(&self.question)
    }

    /// The caller may have been dropped in this very moment; then the answer is dropped too.
    pub(super) fn deliver(self, answer: Answer, shown: Digest) {
        let _ = self.answer.send(DeliveredAnswer { answer, shown });
    }
}

pub(super) fn kind_of(question: &Question) -> Option<KindOf> {
    Some((question.server.id, question.about.request_kind()?))
}

impl WaitingCards {
    /// Gives a question a card of its own.
    pub(super) fn add(&mut self, pending: PendingQuestion) -> Result<(), NotAsked> {
        let own = |one: &&PendingQuestion| !one.batched && one.server() == pending.server();
        if self.pending.values().filter(own).count() >= MOST_A_SERVER || !self.has_room(&pending) {
            return Err(NotAsked::TooMany);
        }
        self.pending.insert(pending.question.id, pending);
        Ok(())
    }

    /// Whether a question fits in beside what waits of this server already. The first always does.
    pub(super) fn has_room(&self, pending: &PendingQuestion) -> bool {
        let of = |one: &&PendingQuestion| one.server() == pending.server();
        let known: usize = self.pending.values().filter(of).map(|one| one.bytes).sum();
        known == 0 || known + pending.bytes <= MOST_BYTES
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Question>> {
        let own = self.pending.values().filter(|pending| !pending.batched);
        let batches = self.batches.values().map(|batch| &batch.card);
        own.map(|pending| &pending.question).chain(batches)
    }

    /// A card, by its name.
    pub(super) fn get(&self, id: QuestionId) -> Option<&Arc<Question>> {
        self.iter().find(|card| card.id == id)
    }

    /// The card a question stands on.
    pub(super) fn card_of(&self, question: QuestionId) -> Option<QuestionId> {
        match self.pending.get(&question) {
            Some(pending) if pending.batched => Some(self.batches.get(&pending.kind()?)?.card.id),
            Some(_) => Some(question),
            None => self.get(question).map(|card| card.id),
        }
    }

    /// The questions of a server and kind, oldest first.
    pub(super) fn of_kind(&self, kind: KindOf, only: impl Fn(&PendingQuestion) -> bool) -> Vec<QuestionId> {
        let of_kind = self
            .pending
            .iter()
            .filter(|(_, pending)| pending.is_of_kind(kind));
        of_kind
            .filter(|(_, pending)| only(pending))
            .map(|(id, _)| *id)
            .collect()
    }

    /// The nonce of a card and the place for what is entered on it.
    pub(super) fn card_with_autosave(
        &mut self,
        id: QuestionId,
    ) -> Option<(&str, &mut Option<Map<String, Value>>)> {
        if let Some(pending) = self.pending.get_mut(&id).filter(|pending| !pending.batched) {
            return Some((&pending.question.nonce, &mut pending.autosaved));
        }
        let batch = self.batches.values_mut().find(|batch| batch.card.id == id)?;
        Some((&batch.card.nonce, &mut batch.autosaved))
    }

    pub(super) fn autosaved(&self) -> impl Iterator<Item = SavedInput> {
        let own = self.pending.values().filter(|pending| !pending.batched);
        let own = own.map(|pending| (&pending.question, &pending.autosaved));
        let batches = self.batches.values().map(|batch| (&batch.card, &batch.autosaved));
        own.chain(batches).filter_map(|(card, autosaved)| {
            Some(SavedInput {
                question: card.id,
                nonce: card.nonce.clone(),
                entered: autosaved.clone()?,
            })
        })
    }
}
