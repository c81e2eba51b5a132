//! The desk the questions lie on: which cards there are, which one is in front, and to which questions an answer is
//! given. Nothing here waits or sends; it is what happens under the lock.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::time::Instant;
use vestibule_policy::inspect::UrlVerdict;
use vestibule_policy::{Condition, Places, RateVerdict, RequestKind, Scope, limit_for};
use vestibule_protocol::QuestionId;

use super::{
    Draft, InboxState, MOST_A_SERVER, MOST_BYTES, NotAsked, NotTaken, PendingQuestion, Validate, Validation,
    click_delay, content_of, deliver,
};
use crate::{About, Answer, Page, Question, Reply};

/// How many conditions one answer may have.
const MOST_CONDITIONS: usize = 8;

/// How many denials in a row make a card offer a mute.
const DENIED_OFTEN: u32 = 3;

/// The card in front that is another one now, and how long its guard lasts.
pub(super) type RestartedDelay = Option<(QuestionId, Duration)>;

impl InboxState {
    /// Counts a question; how often it was asked, where that is too often or its card says it already.
    pub(super) fn count_question(&mut self, draft: &Draft, now: Timestamp) -> Result<Option<u32>, NotAsked> {
        if self.closed {
            return Err(NotAsked::Closing);
        }
        let Some(asking) = draft.about.request_kind() else {
            return Ok(None);
        };
        match self.limiter.count_request(draft.server.id, asking, now) {
            RateVerdict::WithinLimit => {
                let key = (draft.server.id, asking);
                let stands = self.batches.contains_key(&key);
                Ok(stands.then(|| self.limiter.recent_count(key.0, key.1)))
            }
            RateVerdict::Flood { asked, .. } => Ok(Some(asked)),
            RateVerdict::Muted => Err(NotAsked::Muted),
        }
    }

    /// Gives a question its place: a card of its own, or behind one with others like it.
    pub(super) fn add(
        &mut self,
        pending: PendingQuestion,
        often: Option<u32>,
    ) -> Result<RestartedDelay, NotAsked> {
        if self.closed {
            return Err(NotAsked::Closing);
        }
        if self.belongs_to_batch(&pending.question, often) {
            return self.add_to_batch(pending, often);
        }
        if often
            .zip(pending.question.about.request_kind())
            .is_some_and(is_too_often)
        {
            return Err(NotAsked::TooMany);
        }
        let server = pending.question.server.id;
        let own = |one: &&PendingQuestion| !one.batched && one.question.server.id == server;
        if self.pending.values().filter(own).count() >= MOST_A_SERVER || !self.has_room(&pending) {
            return Err(NotAsked::TooMany);
        }
        self.pending.insert(pending.question.id, pending);
        Ok(None)
    }

    /// Whether a question fits in beside what waits of this server already. The first always does.
    pub(super) fn has_room(&self, pending: &PendingQuestion) -> bool {
        let of = |one: &&PendingQuestion| one.question.server.id == pending.question.server.id;
        let known: usize = self.pending.values().filter(of).map(|one| one.bytes).sum();
        known == 0 || known + pending.bytes <= MOST_BYTES
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &Question> {
        let own = self.pending.values().filter(|pending| !pending.batched);
        let batches = self.batches.values().map(|batch| &batch.card);
        own.map(|pending| &pending.question).chain(batches)
    }

    /// A card, by its name.
    pub(super) fn card(&self, id: QuestionId) -> Option<&Question> {
        self.cards().find(|card| card.id == id)
    }

    /// The card a question stands on.
    pub(super) fn card_of(&self, question: QuestionId) -> Option<QuestionId> {
        match self.pending.get(&question) {
            Some(pending) if pending.batched => {
                let key = (pending.question.server.id, pending.question.about.request_kind()?);
                self.batches.get(&key).map(|batch| batch.card.id)
            }
            Some(_) => Some(question),
            None => self.card(question).map(|card| card.id),
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
        let card = self.card(reply.question).ok_or(NotTaken::Stale)?;
        if card.nonce != reply.nonce || card.digest != reply.digest {
            return Err(NotTaken::Stale);
        }
        self.require_click_delay(card)?;
        let meant = self.answered_questions(card, reply)?;
        let first = meant.first().and_then(|id| self.pending.get(id));
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
        let card = self.card(reply.question).ok_or(NotTaken::Stale)?.clone();
        if card.nonce != reply.nonce || card.digest != reply.digest {
            return Err(NotTaken::Stale);
        }
        let meant = self.answered_questions(&card, &reply)?;
        if reply.answer.permits() {
            self.require_click_delay(&card)?;
            let first = meant.first().and_then(|id| self.pending.get(id));
            validate_answer(
                &card,
                first.and_then(|pending| pending.validate.as_ref()),
                is_checked,
                &reply.answer,
                meant.len(),
            )?;
        }
        self.count_denials(&card, &reply.answer, meant.len());
        match reply.answer {
            Answer::OneByOne => return self.split_batch(&card),
            Answer::Mute { minutes } => self.mute(&card, minutes, now)?,
            _ => {}
        }
        let mut moved = None;
        for id in meant {
            if let Some(pending) = self.remove(id) {
                let (question, batched) = (pending.question.clone(), pending.batched);
                deliver(pending, reply.answer.clone(), card.digest);
                moved = self.refresh_batch(&question, batched).or(moved);
            }
        }
        Ok(moved)
    }

    /// Counts how often in a row the user denied what the server asks in this way.
    fn count_denials(&mut self, card: &Question, answer: &Answer, questions: usize) {
        let Some(asking) = card.about.request_kind() else {
            return;
        };
        let key = (card.server.id, asking);
        match answer {
            Answer::Refuse { .. } => {
                let more = u32::try_from(questions).unwrap_or(u32::MAX);
                let denied = self.denials.entry(key).or_default();
                *denied = denied.saturating_add(more);
            }
            answer if answer.permits() => drop(self.denials.remove(&key)),
            _ => {}
        }
    }

    /// How often in a row the user denied such a question, where that is often enough to offer a mute.
    pub(super) fn denied(&self, draft: &Draft) -> Option<u32> {
        let key = (draft.server.id, draft.about.request_kind()?);
        let denied = self.denials.get(&key).copied();
        denied.filter(|denied| *denied >= DENIED_OFTEN)
    }

    /// Takes a question out.
    pub(super) fn remove(&mut self, question: QuestionId) -> Option<PendingQuestion> {
        if self.presented.is_some_and(|(shown, _)| shown == question) {
            self.presented = None;
        }
        self.pending.remove(&question)
    }

    /// Which questions an answer is given to, oldest first.
    fn answered_questions(&self, card: &Question, reply: &Reply) -> Result<Vec<QuestionId>, NotTaken> {
        if let (Answer::Mute { .. }, Some(asking)) = (&reply.answer, card.about.request_kind()) {
            return Ok(self.questions_of_kind(card.server.id, asking, |_| true));
        }
        if let About::Flood(flood) = &card.about {
            return Ok(self.questions_of_kind(card.server.id, flood.asking, |pending| pending.batched));
        }
        let same = |id: &QuestionId| {
            let other = self.pending.get(id);
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
            Some((shown, since)) if shown == card.id && since.elapsed() >= click_delay(card) => Ok(()),
            _ => Err(NotTaken::TooSoon),
        }
    }

    /// Starts the guard of a card again that is another one than it was.
    pub(super) fn restart_click_delay(&mut self, card: QuestionId, lasts: Duration) -> RestartedDelay {
        let (shown, since) = self.presented.as_mut()?;
        if *shown != card {
            return None;
        }
        *since = Instant::now();
        Some((card, lasts))
    }
}

/// Whether there were more cards in this minute than a user can read.
fn is_too_often((asked, asking): (u32, RequestKind)) -> bool {
    let limit = limit_for(asking);
    asked > 2 * (limit.burst + limit.per_minute)
}

/// Whether a yes is one that this card has, for so many questions.
fn validate_answer(
    card: &Question,
    check: Option<&Validate>,
    is_checked: bool,
    answer: &Answer,
    count: usize,
) -> Result<(), NotTaken> {
    let Some(about) = content_of(&card.about) else {
        return invalid_answer("what waits behind this card is not all the same");
    };
    match (about, answer) {
        (About::FillForm(form), Answer::Submit { content, not_secret }) => {
            if let Some(field) = form.unconfirmed_secret(content, not_secret) {
                return invalid_answer(format!("the field {field:?} looks like a secret"));
            }
            match form.invalid_fields(content).first() {
                None => Ok(()),
                Some(misfit) => {
                    invalid_answer(format!("the field {:?} cannot be sent like this", misfit.field))
                }
            }
        }
        (About::OpenPage(_) | About::VisitPage(_), Answer::Open) if count > 1 => {
            invalid_answer("a page is opened once for each yes")
        }
        (About::OpenPage(page), Answer::Open) => can_open(page),
        (About::VisitPage(visit), Answer::Open) => can_open(&visit.page),
        (About::VisitPage(_), Answer::Done) => Ok(()),
        (About::LookUpIssuer(look_up), Answer::Accept { .. })
            if look_up.issuer.verdict == UrlVerdict::Block =>
        {
            invalid_answer("this address is blocked")
        }
        (About::SignIn(sign_in), Answer::Accept { .. }) if sign_in.is_blocked() => {
            invalid_answer("an address of this sign-in is blocked")
        }
        (About::Widen(widening), Answer::Accept { .. })
            if widening
                .address()
                .is_some_and(|address| address.verdict == UrlVerdict::Block) =>
        {
            invalid_answer("this address is blocked")
        }
        (
            _,
            Answer::Accept {
                scope,
                arguments,
                when,
            },
        ) => {
            validate_accept(card, check, is_checked, *scope, arguments.as_ref())?;
            let none = Map::new();
            let sent = match about {
                About::CallTool(call) => arguments.as_ref().unwrap_or(&call.arguments),
                _ => &none,
            };
            validate_conditions(about, *scope, when, sent)
        }
        _ => invalid_answer("this card has no such answer"),
    }
}

fn validate_accept(
    card: &Question,
    check: Option<&Validate>,
    is_checked: bool,
    scope: Scope,
    arguments: Option<&Map<String, Value>>,
) -> Result<(), NotTaken> {
    if !card.scopes.contains(&scope) {
        return invalid_answer("this scope was not on offer");
    }
    match (arguments, check) {
        (None, _) => Ok(()),
        (Some(arguments), Some(Validate::Now(check))) => check(arguments).map_err(NotTaken::Invalid),
        (Some(_), Some(Validate::Later(_))) if is_checked => Ok(()),
        (Some(_), Some(Validate::Later(_))) => {
            invalid_answer("changed arguments are checked before they are taken")
        }
        (Some(_), None) => invalid_answer("nothing on this card can be changed"),
    }
}

/// What is blocked is shown, and there is no way around it.
fn can_open(page: &Page) -> Result<(), NotTaken> {
    match page.address.to_open() {
        Some(_) => Ok(()),
        None => invalid_answer("this address is blocked"),
    }
}

/// Conditions stand on a card that has arguments and an answer that is to hold for longer, and hold for what is on it:
/// a user who sees one call cannot be held to a rule about others.
fn validate_conditions(
    about: &About,
    scope: Scope,
    when: &[Condition],
    sent: &Map<String, Value>,
) -> Result<(), NotTaken> {
    if when.is_empty() {
        return Ok(());
    }
    if !matches!(about, About::CallTool(_)) || scope == Scope::Once || when.len() > MOST_CONDITIONS {
        return invalid_answer("this answer can have no such conditions");
    }
    let sent = Value::Object(sent.clone());
    let places = Places::as_written(&sent);
    for condition in when {
        if let Err(error) = condition.check() {
            return invalid_answer(error.to_string());
        }
        if !condition.surely_holds(&sent, &places) {
            return invalid_answer("a condition does not hold for the arguments on the card");
        }
    }
    Ok(())
}

pub(super) fn invalid_answer<T>(words: impl Into<String>) -> Result<T, NotTaken> {
    Err(NotTaken::Invalid(words.into()))
}
