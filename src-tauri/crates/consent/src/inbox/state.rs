//! What happens under the lock of the inbox: a question gets its place, one card is in front, and an answer is given to
//! its questions. Nothing here waits or sends.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use vestibule_policy::{Digest, RequestKind, limit_for};
use vestibule_protocol::QuestionId;

use super::card::{Draft, Validate, Validation, click_delay};
use super::counts::RequestCounts;
use super::flood_batch::BatchChange;
use super::validate::{invalid_answer, validate_answer};
use super::waiting::{KindOf, PendingQuestion, WaitingCards, kind_of};
use super::window::{PresentedCard, WindowSight};
use super::{NotAsked, NotTaken};
use crate::{Answer, Question, QuestionBody, Reply};

/// The card in front that is another one now, and how long its guard lasts.
pub(super) type RestartedDelay = Option<(QuestionId, Duration)>;

#[derive(Default)]
pub(super) struct InboxState {
    pub(super) cards: WaitingCards,
    pub(super) counts: RequestCounts,
    pub(super) presented: Option<PresentedCard>,
    pub(super) window: WindowSight,
    /// The shortest click delay of a card, whatever its kind asks for.
    pub(super) least_delay: Duration,
    pub(super) closed: bool,
}

impl InboxState {
    /// Counts a question; how often it was asked, where that is too often or its card says it already, and how often
    /// in a row the user denied it.
    pub(super) fn count_question(
        &mut self,
        draft: &mut Draft,
        now: Timestamp,
    ) -> Result<(Option<u32>, Option<u32>), NotAsked> {
        draft.click_delay = draft.click_delay.max(self.least_delay);
        if self.closed {
            return Err(NotAsked::Closing);
        }
        let Some(asking) = draft.about.request_kind() else {
            return Ok((None, None));
        };
        let kind = (draft.server.id, asking);
        let is_batched = self.cards.batches.contains_key(&kind);
        let often = self.counts.count(kind, is_batched, now)?;
        Ok((often, self.counts.denied(kind)))
    }

    /// Gives a question its place: a card of its own, or behind one with others like it.
    pub(super) fn add(
        &mut self,
        pending: PendingQuestion,
        often: Option<u32>,
        now: Timestamp,
    ) -> Result<RestartedDelay, NotAsked> {
        if self.closed {
            return Err(NotAsked::Closing);
        }
        let kind = pending.kind();
        let added = self.add_card(pending, often);
        if let Some(kind) = kind.filter(|kind| self.cards.batches.contains_key(kind))
            && let Some(earlier) = self.counts.take_aside(kind, now)
        {
            self.count_turned_away(kind, earlier, now);
        }
        Ok(self.settle(added?))
    }

    fn add_card(
        &mut self,
        pending: PendingQuestion,
        often: Option<u32>,
    ) -> Result<Option<BatchChange>, NotAsked> {
        if self.cards.belongs_to_batch(&pending, often) {
            return self.cards.add_to_batch(pending, often);
        }
        let counted = often.zip(pending.kind());
        if counted.is_some_and(|(asked, kind)| is_too_often(asked, kind.1)) {
            return Err(NotAsked::TooMany);
        }
        self.cards.add(pending).map(|()| None)
    }

    /// Counts questions that are not shown, on the card of their kind where there is one.
    pub(super) fn count_turned_away(&mut self, kind: KindOf, times: u32, now: Timestamp) {
        if self.cards.batches.contains_key(&kind) {
            let asked = self.counts.count_turned_away(kind, times, now);
            self.cards.update_batch_counts(kind, Some(asked), times);
        } else {
            self.counts.set_aside(kind, times, now);
        }
    }

    /// The check that an answer has to wait for.
    pub(super) fn check_of(&self, reply: &Reply) -> Result<Option<Validation>, NotTaken> {
        let Answer::Accept {
            arguments: Some(arguments),
            ..
        } = &reply.answer
        else {
            return Ok(None);
        };
        let card = self.answered_card(reply)?;
        self.require_click_delay(card)?;
        let meant = self.answered_questions(card, reply)?;
        let first = meant.first().and_then(|id| self.cards.pending.get(id));
        match first.and_then(|pending| pending.validate.as_ref()) {
            Some(Validate::Later(check)) => Ok(Some(check(arguments.clone()))),
            Some(Validate::Now(_)) | None => Ok(None),
        }
    }

    /// Takes an answer, for every question it is the answer to. `is_checked` says that [`check_of`](Self::check_of) was
    /// waited for.
    pub(super) fn accept_reply(
        &mut self,
        reply: Reply,
        is_checked: bool,
        now: Timestamp,
    ) -> Result<RestartedDelay, NotTaken> {
        let card = self.answered_card(&reply)?.clone();
        let meant = self.answered_questions(&card, &reply)?;
        self.check_yes(&card, &reply.answer, &meant, is_checked)?;
        let kind = kind_of(&card);
        self.counts.count_denials(kind, &reply.answer, meant.len());
        match &reply.answer {
            Answer::OneByOne => {
                let change = self.cards.split_batch(&card)?;
                return Ok(self.settle(change));
            }
            Answer::Mute { minutes } => self.mute(kind, *minutes, now)?,
            _ => {}
        }
        Ok(self.deliver(meant, &reply.answer, card.digest))
    }

    /// The card as it was when the user answered it.
    fn answered_card(&self, reply: &Reply) -> Result<&Arc<Question>, NotTaken> {
        let card = self.cards.get(reply.question).ok_or(NotTaken::Stale)?;
        if card.nonce != reply.nonce || card.digest != reply.digest {
            return Err(NotTaken::Stale);
        }
        Ok(card)
    }

    /// Returns an error for a yes that came too soon or is not one of this card. Any other answer passes.
    fn check_yes(
        &self,
        card: &Question,
        answer: &Answer,
        meant: &[QuestionId],
        is_checked: bool,
    ) -> Result<(), NotTaken> {
        if !answer.permits() {
            return Ok(());
        }
        self.require_click_delay(card)?;
        let first = meant.first().and_then(|id| self.cards.pending.get(id));
        let check = first.and_then(|pending| pending.validate.as_ref());
        validate_answer(card, check, is_checked, answer, meant.len())
    }

    fn mute(&mut self, kind: Option<KindOf>, minutes: Option<u32>, now: Timestamp) -> Result<(), NotTaken> {
        let Some(kind) = kind else {
            return invalid_answer("questions of this kind cannot be muted");
        };
        self.counts.mute(kind, minutes, now);
        Ok(())
    }

    /// Gives an answer to its questions.
    fn deliver(&mut self, questions: Vec<QuestionId>, answer: &Answer, digest: Digest) -> RestartedDelay {
        let mut moved = None;
        for id in questions {
            if let Some((pending, restarted)) = self.remove(id) {
                pending.deliver(answer.clone(), digest);
                moved = restarted.or(moved);
            }
        }
        moved
    }

    /// Takes a question out, and rebuilds the card it stood behind.
    pub(super) fn remove(&mut self, question: QuestionId) -> Option<(PendingQuestion, RestartedDelay)> {
        self.forget_front(question);
        let pending = self.cards.pending.remove(&question)?;
        let change = self.cards.refresh_batch(&pending);
        let moved = self.settle(change);
        Some((pending, moved))
    }

    pub(super) fn is_in_front(&self, card: QuestionId) -> bool {
        self.presented.is_some_and(|shown| shown.question == card)
    }

    fn forget_front(&mut self, card: QuestionId) {
        if self.is_in_front(card) {
            self.presented = None;
        }
    }

    /// Starts the click delay of the card in front again where that is another one than it was.
    fn settle(&mut self, change: Option<BatchChange>) -> RestartedDelay {
        match change? {
            BatchChange::Gone(card) => {
                self.forget_front(card);
                None
            }
            BatchChange::Rebuilt { card, click_delay } => {
                let shown = self.presented.as_mut()?;
                if shown.question != card {
                    return None;
                }
                *shown = PresentedCard::now(card);
                Some((card, click_delay))
            }
        }
    }

    /// Which questions an answer is given to, oldest first.
    fn answered_questions(&self, card: &Question, reply: &Reply) -> Result<Vec<QuestionId>, NotTaken> {
        if let (Answer::Mute { .. }, Some(kind)) = (&reply.answer, kind_of(card)) {
            return Ok(self.cards.of_kind(kind, |_| true));
        }
        if let QuestionBody::Flood(flood) = &card.about {
            let kind = (card.server.id, flood.asking);
            return Ok(self.cards.of_kind(kind, |pending| pending.batched));
        }
        let same = |id: &QuestionId| {
            let other = self.cards.pending.get(id);
            other.is_some_and(|other| !other.batched && other.question.same == card.same)
        };
        if !reply.also.iter().all(same) {
            return Err(NotTaken::Stale);
        }
        let mut all = vec![card.id];
        all.extend(reply.also.iter().filter(|id| **id != card.id));
        Ok(all)
    }

    /// Whether the card has stood in front for its guard time.
    fn require_click_delay(&self, card: &Question) -> Result<(), NotTaken> {
        match self.presented {
            Some(shown) if shown.question == card.id && shown.takes_yes(click_delay(card)) => Ok(()),
            _ => Err(NotTaken::TooSoon),
        }
    }
}

/// Whether there were more cards in this minute than a user can read.
fn is_too_often(asked: u32, asking: RequestKind) -> bool {
    let limit = limit_for(asking);
    asked > 2 * (limit.burst + limit.per_minute)
}
