//! What a person has entered on a card so far, kept beside its question so that the window may be loaded anew in the
//! middle of it. It is in memory alone, bounded, and gone with its question. It belongs to the nonce it was entered
//! under: a card that has become another one never starts with it. Nothing here reads it, and no answer is made of it.

use serde_json::{Map, Value};
use vestibule_protocol::QuestionId;

use super::{Desk, Inbox};
use crate::Kept;

/// The most that is kept of one card, in bytes of JSON.
const MOST_BYTES: usize = 256 * 1024;

impl Inbox {
    /// Keeps what was entered on a card in place of what was kept before; `None` where nothing is. What is too large,
    /// or belongs to a card that does not wait like this any more, is not kept.
    pub fn keep(&self, question: QuestionId, nonce: &str, entered: Option<Map<String, Value>>) {
        let entered = entered.filter(fits);
        if let Some((card, kept)) = self.desk().card_with_kept(question)
            && card == nonce
        {
            *kept = entered;
        }
    }

    /// What is kept of the cards that wait.
    #[must_use]
    pub fn kept(&self) -> Vec<Kept> {
        self.desk().kept().collect()
    }
}

impl Desk {
    /// The nonce of a card and the place for what is entered on it.
    fn card_with_kept(&mut self, id: QuestionId) -> Option<(&str, &mut Option<Map<String, Value>>)> {
        if let Some(parked) = self.parked.get_mut(&id).filter(|parked| !parked.held) {
            return Some((&parked.question.nonce, &mut parked.kept));
        }
        let heap = self.heaps.values_mut().find(|heap| heap.card.id == id)?;
        Some((&heap.card.nonce, &mut heap.kept))
    }

    fn kept(&self) -> impl Iterator<Item = Kept> {
        let own = self.parked.values().filter(|parked| !parked.held);
        let own = own.map(|parked| (&parked.question, &parked.kept));
        let heaps = self.heaps.values().map(|heap| (&heap.card, &heap.kept));
        own.chain(heaps).filter_map(|(card, kept)| {
            Some(Kept {
                question: card.id,
                nonce: card.nonce.clone(),
                entered: kept.clone()?,
            })
        })
    }
}

fn fits(entered: &Map<String, Value>) -> bool {
    serde_json::to_vec(entered).is_ok_and(|bytes| bytes.len() <= MOST_BYTES)
}
