//! The desk the questions lie on: which cards there are, which one is in front, and to which questions an answer is
//! given. Nothing here waits or tells anybody; it is what happens under the lock.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::time::Instant;
use vestibule_policy::inspect::UrlVerdict;
use vestibule_policy::{Condition, Places, RateVerdict, RequestKind, Scope, limit_for};
use vestibule_protocol::QuestionId;

use super::{
    Desk, Draft, Fits, FitsFuture, MOST_A_SERVER, MOST_BYTES, NotAsked, NotTaken, Parked, content_of, give,
    guard,
};
use crate::{About, Answer, Page, Question, Reply};

/// How many conditions one answer may have.
const MOST_CONDITIONS: usize = 8;

/// The card in front that is another one now, and how long its guard lasts.
pub(super) type Moved = Option<(QuestionId, Duration)>;

impl Desk {
    /// Counts a question; how often it was asked, where that is too often or its card says it already.
    pub(super) fn count(&mut self, draft: &Draft, now: Timestamp) -> Result<Option<u32>, NotAsked> {
        if self.closed {
            return Err(NotAsked::Closing);
        }
        let Some(asking) = draft.about.asking() else {
            return Ok(None);
        };
        match self.paces.count_request(draft.server.id, asking, now) {
            RateVerdict::WithinLimit => {
                let key = (draft.server.id, asking);
                let stands = self.heaps.contains_key(&key);
                Ok(stands.then(|| self.paces.recent_count(key.0, key.1)))
            }
            RateVerdict::Flood { asked, .. } => Ok(Some(asked)),
            RateVerdict::Muted => Err(NotAsked::Muted),
        }
    }

    /// Gives a question its place: a card of its own, or behind one with others like it.
    pub(super) fn park(&mut self, parked: Parked, often: Option<u32>) -> Result<Moved, NotAsked> {
        if self.closed {
            return Err(NotAsked::Closing);
        }
        if self.belongs_to_heap(&parked.question, often) {
            return self.heap_up(parked, often);
        }
        if often
            .zip(parked.question.about.asking())
            .is_some_and(is_too_often)
        {
            return Err(NotAsked::TooMany);
        }
        let server = parked.question.server.id;
        let own = |one: &&Parked| !one.held && one.question.server.id == server;
        if self.parked.values().filter(own).count() >= MOST_A_SERVER || !self.has_room(&parked) {
            return Err(NotAsked::TooMany);
        }
        self.parked.insert(parked.question.id, parked);
        Ok(None)
    }

    /// Whether a question fits in beside what waits of this server already. The first always does.
    pub(super) fn has_room(&self, parked: &Parked) -> bool {
        let of = |one: &&Parked| one.question.server.id == parked.question.server.id;
        let known: usize = self.parked.values().filter(of).map(|one| one.bytes).sum();
        known == 0 || known + parked.bytes <= MOST_BYTES
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &Question> {
        let own = self.parked.values().filter(|parked| !parked.held);
        let heaps = self.heaps.values().map(|heap| &heap.card);
        own.map(|parked| &parked.question).chain(heaps)
    }

    /// A card, by its name.
    pub(super) fn card(&self, id: QuestionId) -> Option<&Question> {
        self.cards().find(|card| card.id == id)
    }

    /// The card a question stands on.
    pub(super) fn card_of(&self, question: QuestionId) -> Option<QuestionId> {
        match self.parked.get(&question) {
            Some(parked) if parked.held => {
                let key = (parked.question.server.id, parked.question.about.asking()?);
                self.heaps.get(&key).map(|heap| heap.card.id)
            }
            Some(_) => Some(question),
            None => self.card(question).map(|card| card.id),
        }
    }

    /// The check that an answer has to wait for.
    pub(super) fn check_of(&self, reply: &Reply) -> Result<Option<FitsFuture>, NotTaken> {
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
        self.ready(card)?;
        let meant = self.meant(card, reply)?;
        let first = meant.first().and_then(|id| self.parked.get(id));
        match first.and_then(|parked| parked.fits.as_ref()) {
            Some(Fits::Later(check)) => Ok(Some(check(arguments.clone()))),
            Some(Fits::Now(_)) | None => Ok(None),
        }
    }

    /// Takes an answer, for every question it is the answer to. `is_checked` says that [`check_of`](Self::check_of) was
    /// waited for.
    pub(super) fn take(&mut self, reply: Reply, is_checked: bool, now: Timestamp) -> Result<Moved, NotTaken> {
        let card = self.card(reply.question).ok_or(NotTaken::Stale)?.clone();
        if card.nonce != reply.nonce || card.digest != reply.digest {
            return Err(NotTaken::Stale);
        }
        let meant = self.meant(&card, &reply)?;
        if reply.answer.permits() {
            self.ready(&card)?;
            let first = meant.first().and_then(|id| self.parked.get(id));
            fits(
                &card,
                first.and_then(|parked| parked.fits.as_ref()),
                is_checked,
                &reply.answer,
                meant.len(),
            )?;
        }
        match reply.answer {
            Answer::OneByOne => return self.spread(&card),
            Answer::Mute { minutes } => self.mute(&card, minutes, now)?,
            _ => {}
        }
        let mut moved = None;
        for id in meant {
            if let Some(parked) = self.remove(id) {
                let (question, held) = (parked.question.clone(), parked.held);
                give(parked, reply.answer.clone(), card.digest);
                moved = self.after(&question, held).or(moved);
            }
        }
        Ok(moved)
    }

    /// Takes a question out.
    pub(super) fn remove(&mut self, question: QuestionId) -> Option<Parked> {
        if self.presented.is_some_and(|(shown, _)| shown == question) {
            self.presented = None;
        }
        self.parked.remove(&question)
    }

    /// Which questions an answer is given to, oldest first.
    fn meant(&self, card: &Question, reply: &Reply) -> Result<Vec<QuestionId>, NotTaken> {
        if let (Answer::Mute { .. }, Some(asking)) = (&reply.answer, card.about.asking()) {
            return Ok(self.of_kind(card.server.id, asking, |_| true));
        }
        if let About::Flood(flood) = &card.about {
            return Ok(self.of_kind(card.server.id, flood.asking, |parked| parked.held));
        }
        let same = |id: &QuestionId| {
            let other = self.parked.get(id);
            other.is_some_and(|other| !other.held && other.question.same == card.same)
        };
        if !reply.also.iter().all(same) {
            return Err(NotTaken::Stale);
        }
        let mut all = vec![card.id];
        all.extend(reply.also.iter().filter(|id| **id != card.id));
        Ok(all)
    }

    /// Whether the card has stood in front for its guard time.
    fn ready(&self, card: &Question) -> Result<(), NotTaken> {
        match self.presented {
            Some((shown, since)) if shown == card.id && since.elapsed() >= guard(card) => Ok(()),
            _ => Err(NotTaken::TooSoon),
        }
    }

    /// Starts the guard of a card again that is another one than it was.
    pub(super) fn moved(&mut self, card: QuestionId, lasts: Duration) -> Moved {
        let (shown, since) = self.presented.as_mut()?;
        if *shown != card {
            return None;
        }
        *since = Instant::now();
        Some((card, lasts))
    }
}

/// Whether somebody who reads one card after the other has read enough of them for this minute.
fn is_too_often((asked, asking): (u32, RequestKind)) -> bool {
    let limit = limit_for(asking);
    asked > 2 * (limit.burst + limit.per_minute)
}

/// Whether a yes is one that this card has, for so many questions.
fn fits(
    card: &Question,
    check: Option<&Fits>,
    is_checked: bool,
    answer: &Answer,
    count: usize,
) -> Result<(), NotTaken> {
    let Some(about) = content_of(&card.about) else {
        return unfit("what waits behind this card is not all the same");
    };
    match (about, answer) {
        (About::FillForm(form), Answer::Submit { content }) => match form.misfits(content).first() {
            None => Ok(()),
            Some(misfit) => unfit(format!("the field {:?} can not be sent like this", misfit.field)),
        },
        (About::OpenPage(_) | About::VisitPage(_), Answer::Open) if count > 1 => {
            unfit("a page is opened once for each yes")
        }
        (About::OpenPage(page), Answer::Open) => can_open(page),
        (About::VisitPage(visit), Answer::Open) => can_open(&visit.page),
        (About::VisitPage(_), Answer::Done) => Ok(()),
        (About::SignIn(sign_in), Answer::Accept { .. }) if sign_in.is_blocked() => {
            unfit("an address of this sign-in is blocked")
        }
        (About::Widen(widening), Answer::Accept { .. })
            if widening
                .model()
                .is_some_and(|model| model.address.verdict == UrlVerdict::Block) =>
        {
            unfit("this address is blocked")
        }
        (
            _,
            Answer::Accept {
                scope,
                arguments,
                when,
            },
        ) => {
            accepts(card, check, is_checked, *scope, arguments.as_ref())?;
            let none = Map::new();
            let sent = match about {
                About::CallTool(call) => arguments.as_ref().unwrap_or(&call.arguments),
                _ => &none,
            };
            conditions(about, *scope, when, sent)
        }
        _ => unfit("this card has no such answer"),
    }
}

fn accepts(
    card: &Question,
    check: Option<&Fits>,
    is_checked: bool,
    scope: Scope,
    arguments: Option<&Map<String, Value>>,
) -> Result<(), NotTaken> {
    if !card.scopes.contains(&scope) {
        return unfit("this scope was not on offer");
    }
    match (arguments, check) {
        (None, _) => Ok(()),
        (Some(arguments), Some(Fits::Now(check))) => check(arguments).map_err(NotTaken::Unfit),
        (Some(_), Some(Fits::Later(_))) if is_checked => Ok(()),
        (Some(_), Some(Fits::Later(_))) => unfit("changed arguments are checked before they are taken"),
        (Some(_), None) => unfit("nothing on this card can be changed"),
    }
}

/// What is blocked is shown, and there is no way around it.
fn can_open(page: &Page) -> Result<(), NotTaken> {
    match page.address.to_open() {
        Some(_) => Ok(()),
        None => unfit("this address is blocked"),
    }
}

/// Conditions stand on a card that has arguments and an answer that is to hold for longer, and hold for what is on it:
/// a person who sees one call can not be held to a rule about others.
fn conditions(
    about: &About,
    scope: Scope,
    when: &[Condition],
    sent: &Map<String, Value>,
) -> Result<(), NotTaken> {
    if when.is_empty() {
        return Ok(());
    }
    if !matches!(about, About::CallTool(_)) || scope == Scope::Once || when.len() > MOST_CONDITIONS {
        return unfit("this answer can have no such conditions");
    }
    let sent = Value::Object(sent.clone());
    let places = Places::as_written(&sent);
    for condition in when {
        if let Err(error) = condition.check() {
            return unfit(error.to_string());
        }
        if !condition.surely_holds(&sent, &places) {
            return unfit("a condition does not hold for the arguments on the card");
        }
    }
    Ok(())
}

pub(super) fn unfit<T>(words: impl Into<String>) -> Result<T, NotTaken> {
    Err(NotTaken::Unfit(words.into()))
}
