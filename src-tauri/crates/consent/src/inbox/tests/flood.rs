//! What a server that asks too fast gets: one card, answered together only where everything behind it is the same.

use super::*;
use crate::{Answer, Flood};
use vestibule_policy::Muted;

pub(super) fn form(server: &ServerSummary, message: &str) -> Draft {
    let about = QuestionBody::FillForm(cards::form(message, &["name"]));
    Draft {
        server: server.clone(),
        about,
        scopes: vec![],
        ..draft(server.id)
    }
}

pub(super) fn notes() -> ServerSummary {
    draft(ServerId::new()).server
}

/// Asks so often that everything waits behind one card.
pub(super) fn flood(
    inbox: &Inbox,
    server: &ServerSummary,
    messages: impl Iterator<Item = String>,
) -> Vec<PendingAnswer> {
    messages
        .filter_map(|message| inbox.ask(form(server, &message)).ok())
        .collect()
}

pub(super) fn alike(count: usize) -> impl Iterator<Item = String> {
    std::iter::repeat_n("Who are you?".to_owned(), count)
}

fn different(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("Who are you, number {number}?"))
}

pub(super) fn only_card(inbox: &Inbox) -> (Question, Flood) {
    let cards = inbox.questions();
    assert_eq!(cards.len(), 1, "one card for all of them");
    let card = cards.into_iter().next().unwrap();
    let QuestionBody::Flood(flood) = card.about.clone() else {
        panic!("no card of a flood: {card:?}");
    };
    (card, flood)
}

pub(super) fn with(question: &Question, answer: Answer) -> Reply {
    Reply {
        answer,
        ..yes(question)
    }
}

pub(super) fn filled() -> Answer {
    let content = json!({"name": "Ada"}).as_object().cloned().unwrap();
    Answer::Submit {
        content,
        not_secret: vec![],
    }
}

async fn answers(waiting: Vec<PendingAnswer>) -> Vec<Answer> {
    let mut all = vec![];
    for mut asked in waiting {
        all.push(asked.answer().await);
    }
    all
}

/// EF-009: five hundred in one second are one card, and what waits behind it is bounded.
#[tokio::test]
async fn five_hundred_questions_in_a_second_are_one_card_and_take_bounded_memory() {
    let (inbox, server) = (Inbox::default(), notes());
    let mut waiting = flood(&inbox, &server, different(500));
    assert_eq!(waiting.len(), flood_batch::MOST_BATCHED);
    let (_, flood) = only_card(&inbox);
    assert_eq!((flood.asked, flood.waiting), (500, 64));
    assert_eq!(flood.turned_away, 500 - 64);
    assert_eq!(flood.groups.len(), 5, "not all of them are told apart");
    assert!(flood.alike.is_none());
    waiting.pop();
    let (_, flood) = only_card(&inbox);
    assert_eq!((flood.asked, flood.waiting), (500, 63));
    assert_eq!(flood.turned_away, 500 - 64, "what was counted stays counted");
    assert!(
        inbox.ask(draft(ServerId::new())).is_ok(),
        "another server is still heard"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_exactly_the_same_is_answered_together() {
    let (inbox, server) = (Inbox::default(), notes());
    let waiting = flood(&inbox, &server, alike(9));
    let (card, flood) = only_card(&inbox);
    assert!(matches!(flood.alike.as_deref(), Some(QuestionBody::FillForm(_))));
    inbox.presented(card.id);
    assert_eq!(inbox.answer(with(&card, filled())), Err(NotTaken::TooSoon));
    tokio::time::advance(GUARD).await;
    assert_eq!(inbox.answer(with(&card, filled())), Ok(()));
    let mut digests = vec![];
    for mut asked in waiting {
        assert_eq!(asked.answer().await, filled());
        digests.push(asked.digest());
    }
    assert_eq!(
        digests,
        vec![card.digest; 9],
        "the ledger names the card that was seen"
    );
    assert!(inbox.questions().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_differs_is_never_allowed_together() {
    let (inbox, server) = (Inbox::default(), notes());
    let waiting = flood(&inbox, &server, different(8));
    let (card, _) = only_card(&inbox);
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    let taken = inbox.answer(with(&card, filled()));
    assert!(matches!(taken, Err(NotTaken::Invalid(_))), "{taken:?}");
    assert_eq!(inbox.answer(with(&card, Answer::Refuse { reason: None })), Ok(()));
    assert_eq!(answers(waiting).await, vec![Answer::Refuse { reason: None }; 8]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_joins_after_the_card_was_read_is_not_answered_with_it() {
    let (inbox, server) = (Inbox::default(), notes());
    let _waiting = flood(&inbox, &server, alike(8));
    let (card, _) = only_card(&inbox);
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    let mut events = inbox.events();
    let _more = inbox.ask(form(&server, "Who are you?")).unwrap();
    assert_eq!(inbox.answer(with(&card, filled())), Err(NotTaken::Stale));
    let (again, _) = only_card(&inbox);
    assert_eq!(again.id, card.id, "the card stays where it is");
    assert_eq!(inbox.answer(with(&again, filled())), Err(NotTaken::TooSoon));
    let question = card.id;
    assert_eq!(
        events.recv().await,
        Ok(InboxEvent::ClickDelay {
            question,
            lasts: GUARD
        })
    );
    tokio::time::advance(GUARD).await;
    assert_eq!(inbox.answer(with(&again, filled())), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn how_often_it_was_asked_moves_on_and_the_card_stays_answerable() {
    let (inbox, server) = (Inbox::default(), notes());
    let _waiting = flood(&inbox, &server, alike(70));
    let (card, _) = only_card(&inbox);
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    assert!(inbox.ask(form(&server, "Who are you?")).is_err(), "enough wait");
    let (now, flood) = only_card(&inbox);
    assert_eq!((now.digest, flood.asked), (card.digest, 71));
    assert_eq!(inbox.answer(with(&card, filled())), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_card_somebody_has_looked_at_is_not_taken_away_by_a_flood() {
    let (inbox, server) = (Inbox::default(), notes());
    let _first = inbox.ask(form(&server, "What is your name?")).unwrap();
    let read = inbox.questions().pop().unwrap();
    inbox.presented(read.id);
    let waiting = flood(&inbox, &server, different(20));
    let cards = inbox.questions();
    assert_eq!(cards.len(), 2);
    assert_eq!(cards[0].id, read.id);
    tokio::time::advance(GUARD).await;
    assert_eq!(inbox.answer(with(&read, filled())), Ok(()));
    assert_eq!(only_card(&inbox).1.waiting, 20);
    drop(waiting);
    assert!(
        inbox.questions().is_empty(),
        "a withdrawn flood takes its card with it"
    );
}

#[tokio::test]
async fn what_differs_can_be_looked_at_one_by_one() {
    let (inbox, server) = (Inbox::default(), notes());
    let waiting = flood(&inbox, &server, different(8));
    let (card, _) = only_card(&inbox);
    assert_eq!(inbox.card_of(waiting[7].id()), Some(card.id));
    assert_eq!(inbox.answer(with(&card, Answer::OneByOne)), Ok(()));
    let cards = inbox.questions();
    assert_eq!(cards.len(), 6, "five, and the card of the others");
    assert_eq!(inbox.card_of(waiting[0].id()), Some(waiting[0].id()));
    assert_eq!(inbox.card_of(waiting[7].id()), Some(card.id));
    let _more = flood(&inbox, &server, different(3));
    assert_eq!(inbox.count(), 6, "what was laid out stays");
}

/// SA-023, EF-009.
#[tokio::test]
async fn a_muted_server_is_not_heard_until_its_time_is_over_or_it_is_unmuted() {
    let (inbox, server) = (Inbox::default(), notes());
    let waiting = flood(&inbox, &server, different(8));
    let (card, _) = only_card(&inbox);
    let mute = Answer::Mute { minutes: Some(10) };
    assert_eq!(inbox.answer(with(&card, mute.clone())), Ok(()));
    assert_eq!(answers(waiting).await, vec![mute; 8]);
    assert_eq!(inbox.ask(form(&server, "Hello?")).err(), Some(NotAsked::Muted));
    let muted = inbox.muted();
    assert_eq!(muted.len(), 1);
    let left = muted[0].until.unwrap().duration_since(Timestamp::now());
    assert!((595..=600).contains(&left.as_secs()), "{left:?}");
    inbox.unmute(server.id, RequestKind::Form);
    assert!(inbox.ask(form(&server, "Hello?")).is_ok());
    let other = notes();
    inbox.restore_mutes(&[Muted {
        server: other.id,
        asking: RequestKind::Form,
        until: Some(Timestamp::UNIX_EPOCH),
    }]);
    assert!(inbox.ask(form(&other, "Hello?")).is_ok(), "that time is over");
}

#[tokio::test]
async fn what_the_person_began_can_not_be_muted() {
    let inbox = Inbox::default();
    let (_asked, question) = asked(&inbox);
    let taken = inbox.answer(with(&question, Answer::Mute { minutes: None }));
    assert!(matches!(taken, Err(NotTaken::Invalid(_))), "{taken:?}");
    assert_eq!(inbox.questions().len(), 1);
}

/// What is asked twice at once, slowly enough for cards of its own.
#[tokio::test(start_paused = true)]
async fn one_answer_holds_for_others_only_where_they_ask_exactly_the_same() {
    let (inbox, server) = (Inbox::default(), notes());
    let mut same = flood(&inbox, &server, alike(3));
    let other = inbox.ask(form(&server, "What do you want?")).unwrap();
    let card = inbox.questions().remove(0);
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    let also = |ids: &[&PendingAnswer]| Reply {
        also: ids.iter().map(|asked| asked.id()).collect(),
        ..with(&card, filled())
    };
    assert_eq!(inbox.answer(also(&[&same[1], &other])), Err(NotTaken::Stale));
    assert_eq!(inbox.count(), 4, "nothing is answered by halves");
    assert_eq!(inbox.answer(also(&[&same[1]])), Ok(()));
    assert_eq!(inbox.count(), 2);
    let left = same.pop().unwrap();
    assert!(inbox.card_of(left.id()).is_some());
    assert_eq!(answers(same).await, vec![filled(); 2]);
}

/// While the card stands, what comes slowly joins it too: nobody reads around a flood.
#[tokio::test]
async fn what_comes_while_the_card_stands_joins_it() {
    let (inbox, server) = (Inbox::new(cards::clock), notes());
    cards::begin();
    let _waiting = flood(&inbox, &server, different(8));
    cards::pass(Duration::from_secs(120));
    let _late = inbox.ask(form(&server, "Are you there?")).unwrap();
    let (_, flood) = only_card(&inbox);
    assert_eq!((flood.asked, flood.waiting), (1, 9), "one within the last minute");
}

#[tokio::test(start_paused = true)]
async fn a_flood_takes_no_card_of_another_server_or_of_another_kind() {
    let (inbox, server, quiet) = (Inbox::default(), notes(), notes());
    let other = inbox.ask(form(&quiet, "What is your name?")).unwrap();
    let page = inbox
        .ask(Draft {
            about: QuestionBody::OpenPage(cards::page("https://example.com/")),
            ..draft(server.id)
        })
        .unwrap();
    let card = inbox.questions().remove(0);
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    let waiting = flood(&inbox, &server, different(8));
    assert_eq!(inbox.count(), 3);
    for own in [&other, &page] {
        assert_eq!(inbox.card_of(own.id()), Some(own.id()));
    }
    drop(waiting);
    drop(page);
    assert_eq!(inbox.count(), 1);
    assert_eq!(
        inbox.answer(with(&card, filled())),
        Ok(()),
        "what comes and goes elsewhere does not disturb the card in front"
    );
}

#[tokio::test]
async fn what_is_turned_away_unread_is_counted_on_the_card() {
    let (inbox, server) = (Inbox::default(), notes());
    let _waiting = flood(&inbox, &server, different(8));
    let snapshots = inbox.snapshots();
    for _ in 0..2 {
        inbox.count_turned_away(server.id, RequestKind::Form, 1);
    }
    inbox.count_turned_away(server.id, RequestKind::Page, 1);
    inbox.count_turned_away(ServerId::new(), RequestKind::Form, 1);
    assert!(snapshots.has_changed().unwrap());
    let (card, flood) = only_card(&inbox);
    assert_eq!((flood.asked, flood.turned_away, card.often), (10, 2, Some(10)));
}

/// What is turned away at once, before the first question of its kind got to its card, takes no card from those that did.
#[tokio::test]
async fn what_is_turned_away_before_there_is_a_card_is_counted_when_there_is_one() {
    let (inbox, server) = (Inbox::new(cards::clock), notes());
    cards::begin();
    inbox.count_turned_away(server.id, RequestKind::Form, 300);
    let waiting = flood(&inbox, &server, different(80));
    assert_eq!(waiting.len(), flood_batch::MOST_BATCHED);
    let (card, flood_now) = only_card(&inbox);
    assert_eq!((flood_now.asked, flood_now.turned_away), (380, 300 + 16));
    assert_eq!(card.often, Some(380));
    drop(waiting);

    let late = notes();
    inbox.count_turned_away(late.id, RequestKind::Form, 300);
    cards::pass(Duration::from_secs(60));
    let _waiting = flood(&inbox, &late, different(8));
    let (_, flood_now) = only_card(&inbox);
    assert_eq!(
        (flood_now.asked, flood_now.turned_away),
        (8, 0),
        "a minute later it is another flood"
    );
    inbox.count_turned_away(server.id, RequestKind::Form, 1);
    inbox.forget_server(server.id);
    let _waiting = flood(&inbox, &server, different(8));
    let asked: Vec<_> = inbox
        .questions()
        .into_iter()
        .filter_map(|card| card.often)
        .collect();
    assert_eq!(asked, [8, 8], "a server that was removed is forgotten");
}

/// Whoever wants to see one of many is shown the card it waits behind.
#[tokio::test]
async fn the_person_is_shown_the_card_a_question_stands_on() {
    let (inbox, server) = (Inbox::default(), notes());
    let (alone, _) = asked(&inbox);
    let waiting = flood(&inbox, &server, different(8));
    let card = inbox.card_of(waiting[3].id()).unwrap();
    assert_eq!(inbox.card_of(card), Some(card));
    assert_eq!(inbox.card_of(QuestionId::new()), None);
    let mut events = inbox.events();
    for (wanted, shown) in [(waiting[3].id(), card), (alone.id(), alone.id())] {
        inbox.show(wanted);
        assert_eq!(events.recv().await, Ok(InboxEvent::Show { question: shown }));
    }
}

#[tokio::test]
async fn a_mute_lasts_a_minute_at_least_and_a_day_at_most() {
    cards::begin();
    for (asked, minutes) in [(0, 1), (1, 1), (10_000, 24 * 60), (24 * 60, 24 * 60)] {
        let (inbox, server) = (Inbox::new(cards::clock), notes());
        let _waiting = inbox.ask(form(&server, "Hello?")).unwrap();
        let card = inbox.questions().remove(0);
        let mute = Answer::Mute { minutes: Some(asked) };
        assert_eq!(inbox.answer(with(&card, mute)), Ok(()));
        let until = inbox.muted()[0].until.unwrap();
        assert_eq!(until.duration_since(cards::clock()).as_secs(), minutes * 60);
        inbox.forget_server(server.id);
        assert_eq!(inbox.muted(), []);
    }
}
