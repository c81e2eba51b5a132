//! Many questions of one server and kind behind one card. The card says how many there are and what they ask; each of
//! them goes on waiting for its own answer and can be withdrawn for itself. What is beyond the caps is not taken in.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use vestibule_policy::{COUNTED, Digest, RequestKind, limit_for};
use vestibule_protocol::{QuestionId, ServerId};

use super::groups::groups;
use super::state::{RestartedDelay, invalid_answer};
use super::{InboxState, NotAsked, NotTaken, PendingQuestion, click_delay, nonce};
use crate::{About, Flood, Question};

/// The most questions behind one card.
pub(super) const MOST_BATCHED: usize = 64;

/// The card many questions wait behind.
pub(super) struct FloodBatch {
    pub(super) card: Question,
    /// What the user has entered on it.
    pub(super) autosaved: Option<Map<String, Value>>,
}

/// How long questions that were turned away wait to be counted, in seconds: as long as the pace looks back.
const UNCOUNTED_SECONDS: i64 = 60;

/// Questions turned away before the first of their kind waited.
#[derive(Clone, Copy)]
pub(super) struct UncountedQuestions {
    times: u32,
    since: Timestamp,
}

impl InboxState {
    /// Whether a question waits behind a card with others: there is such a card, or there have been too many and
    /// others wait. One that comes alone stands alone, however many there were before.
    pub(super) fn belongs_to_batch(&self, question: &Question, often: Option<u32>) -> bool {
        let Some(asking) = question.about.request_kind() else {
            return false;
        };
        let server = question.server.id;
        self.batches.contains_key(&(server, asking))
            || often.is_some() && !self.questions_of_kind(server, asking, |_| true).is_empty()
    }

    /// Puts a question behind the card of its kind, with those before it whose cards were never in front.
    pub(super) fn add_to_batch(
        &mut self,
        mut pending: PendingQuestion,
        often: Option<u32>,
    ) -> Result<RestartedDelay, NotAsked> {
        let Some(asking) = pending.question.about.request_kind() else {
            return Err(NotAsked::TooMany);
        };
        let key = (pending.question.server.id, asking);
        let batched = self
            .questions_of_kind(key.0, asking, |pending| pending.batched)
            .len();
        let full = batched >= MOST_BATCHED || !self.has_room(&pending);
        if let Some(batch) = self.batches.get_mut(&key) {
            update_counts(&mut batch.card, often, u32::from(full));
        }
        if full {
            return Err(NotAsked::TooMany);
        }
        for other in self.pending.values_mut() {
            other.batched = other.batched || is_of_kind(&other.question, key) && !other.seen;
        }
        pending.batched = true;
        self.pending.insert(pending.question.id, pending);
        Ok(self.rebuild_batch_card(key, often))
    }

    /// Counts questions that are not shown. While none of their kind waits they are set aside, so that
    /// those that come after them still find a card: it counts them when it is there.
    pub(super) fn count_turned_away(
        &mut self,
        server: ServerId,
        asking: RequestKind,
        times: u32,
        now: Timestamp,
    ) {
        let Some(batch) = self.batches.get_mut(&(server, asking)) else {
            let new = UncountedQuestions { times: 0, since: now };
            let aside = self.uncounted.entry((server, asking)).or_insert(new);
            if aside.is_old(now) {
                *aside = new;
            }
            aside.times = aside.times.saturating_add(times);
            return;
        };
        for _ in 0..times.min(COUNTED) {
            self.limiter.count_request(server, asking, now);
        }
        update_counts(
            &mut batch.card,
            Some(self.limiter.recent_count(server, asking)),
            times,
        );
    }

    /// Counts what was turned away before the card of its kind was there.
    pub(super) fn count_earlier(&mut self, server: ServerId, asking: RequestKind, now: Timestamp) {
        if self.batches.contains_key(&(server, asking))
            && let Some(earlier) = self.uncounted.remove(&(server, asking))
            && !earlier.is_old(now)
        {
            self.count_turned_away(server, asking, earlier.times, now);
        }
    }

    /// What is to be done after a question is gone.
    pub(super) fn refresh_batch(&mut self, gone: &Question, batched: bool) -> RestartedDelay {
        let asking = gone.about.request_kind().filter(|_| batched)?;
        self.rebuild_batch_card((gone.server.id, asking), None)
    }

    /// Gives the first of what waits behind a card cards of their own.
    pub(super) fn split_batch(&mut self, card: &Question) -> Result<RestartedDelay, NotTaken> {
        let About::Flood(Flood { asking, .. }) = card.about else {
            return invalid_answer("this card stands for one question");
        };
        let at_once = limit_for(asking).burst as usize;
        let batched = self.questions_of_kind(card.server.id, asking, |pending| pending.batched);
        for id in batched.into_iter().take(at_once) {
            if let Some(pending) = self.pending.get_mut(&id) {
                // The user asked to look at it, so it is not taken away again.
                (pending.batched, pending.seen) = (false, true);
            }
        }
        Ok(self.rebuild_batch_card((card.server.id, asking), None))
    }

    /// The questions of a server and kind, oldest first.
    pub(super) fn questions_of_kind(
        &self,
        server: ServerId,
        asking: RequestKind,
        only: impl Fn(&PendingQuestion) -> bool,
    ) -> Vec<QuestionId> {
        let all = self
            .pending
            .values()
            .filter(|pending| is_of_kind(&pending.question, (server, asking)));
        let mut ids: Vec<_> = all
            .filter(|pending| only(pending))
            .map(|pending| pending.question.id)
            .collect();
        ids.sort();
        ids
    }

    /// Rebuilds the card after a question joined or left the batch; removes it when the batch is empty.
    fn rebuild_batch_card(&mut self, key: (ServerId, RequestKind), often: Option<u32>) -> RestartedDelay {
        let batched = self.questions_of_kind(key.0, key.1, |pending| pending.batched);
        let waiting: Vec<&PendingQuestion> = batched.iter().filter_map(|id| self.pending.get(id)).collect();
        let Some(first) = waiting.first() else {
            let gone = self.batches.remove(&key)?;
            if self.presented.is_some_and(|(shown, _)| shown == gone.card.id) {
                self.presented = None;
            }
            return None;
        };
        let before = self.batches.get(&key).map(|batch| &batch.card);
        let card = batch_card(key.1, &waiting, &first.question, before, often);
        let (id, lasts) = (card.id, click_delay(&card));
        self.batches.insert(
            key,
            FloodBatch {
                card,
                autosaved: None,
            },
        );
        self.restart_click_delay(id, lasts)
    }
}

impl UncountedQuestions {
    fn is_old(self, now: Timestamp) -> bool {
        now.duration_since(self.since).as_secs() >= UNCOUNTED_SECONDS
    }
}

/// The card of a flood. It keeps its name for as long as it stands; each time it is made it shows something else, and
/// has a nonce of its own.
fn batch_card(
    asking: RequestKind,
    waiting: &[&PendingQuestion],
    first: &Question,
    before: Option<&Question>,
    often: Option<u32>,
) -> Question {
    let alike = waiting.iter().all(|pending| pending.question.same == first.same);
    let told = before.and_then(|card| match &card.about {
        About::Flood(flood) => Some((flood.asked, flood.turned_away)),
        _ => None,
    });
    let (asked, turned_away) = told.unwrap_or_default();
    let mut flood = Flood {
        asking,
        asked: 0,
        turned_away: 0,
        waiting: u32::try_from(waiting.len()).unwrap_or(u32::MAX),
        alike: alike.then(|| Box::new(first.about.clone())),
        groups: groups(
            waiting
                .iter()
                .map(|pending| (pending.question.same, &pending.question.about)),
        ),
    };
    let cause = first.cause.clone().filter(|_| alike);
    let scopes = if alike { first.scopes.clone() } else { vec![] };
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
        about: About::Flood(flood),
        scopes,
        guard_ms: first.guard_ms,
        asked_ms: before.map_or(first.asked_ms, |card| card.asked_ms),
        nonce: nonce(),
        digest,
        same: digest,
    }
}

fn update_counts(card: &mut Question, often: Option<u32>, turned_away: u32) {
    if let About::Flood(flood) = &mut card.about {
        flood.asked = often.unwrap_or(flood.asked);
        flood.turned_away = flood.turned_away.saturating_add(turned_away);
        card.often = Some(flood.asked);
    }
}

fn is_of_kind(question: &Question, key: (ServerId, RequestKind)) -> bool {
    question.server.id == key.0 && question.about.request_kind() == Some(key.1)
}
