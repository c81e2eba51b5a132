//! How much may wait: of one server and in all, in cards, in bytes, and in a minute.

use super::*;

/// Asks, and makes believe that the question takes so many bytes.
fn of_size(inbox: &Inbox, draft: Draft, bytes: usize) -> Option<PendingAnswer> {
    let asked = inbox.ask(draft).ok()?;
    inbox.state().cards.pending.get_mut(&asked.id()).unwrap().bytes = bytes;
    Some(asked)
}

fn large(server: ServerId, bytes: usize) -> Draft {
    let mut draft = draft(server);
    if let QuestionBody::AllowTool(tool) = &mut draft.about {
        tool.definition = json!("x".repeat(bytes));
    }
    draft
}

#[test]
fn a_question_is_as_large_as_what_stands_on_its_card() {
    let size = |bytes| question(&large(ServerId::new(), bytes), None, None).1;
    assert_eq!(size(3000) - size(1000), 2000);
    assert!(size(1000) > 1000);
}

/// EF-009.
#[tokio::test]
async fn what_waits_of_one_server_is_bounded_in_bytes_too() {
    let (inbox, server) = (Inbox::default(), ServerId::new());
    let next = question(&draft(server), None, None).1;
    let room = 16 * 1024 * 1024;
    let first = of_size(&inbox, draft(server), room - 2 * next);
    let second = inbox.ask(draft(server));
    assert!(first.is_some() && second.is_ok());
    let third = inbox.ask(draft(server));
    assert!(third.is_ok(), "up to the last byte");
    assert_eq!(inbox.ask(draft(server)).err(), Some(NotAsked::TooMany));
    assert!(
        inbox.ask(draft(ServerId::new())).is_ok(),
        "another server is still heard"
    );
    drop(third);
    assert!(inbox.ask(draft(server)).is_ok(), "what went makes room");
}

#[tokio::test]
async fn one_question_alone_is_asked_whatever_its_size() {
    let (inbox, server) = (Inbox::default(), ServerId::new());
    let (answer, _waits) = oneshot::channel();
    let huge = PendingQuestion {
        question: Arc::new(question(&draft(server), None, None).0),
        validate: None,
        answer,
        bytes: 17 * 1024 * 1024,
        batched: false,
        seen: false,
        autosaved: None,
    };
    assert!(inbox.state().add(huge, None, cards::clock()).is_ok());
    assert_eq!(inbox.ask(draft(server)).err(), Some(NotAsked::TooMany));
}

/// EF-009: what waits behind one card is bounded in bytes like everything else.
#[tokio::test]
async fn what_waits_behind_one_card_is_bounded_in_bytes_too() {
    let (inbox, server) = (Inbox::new(cards::clock), ServerId::new());
    cards::begin();
    let form = || Draft {
        about: QuestionBody::FillForm(cards::form("Who are you?", &[])),
        ..draft(server)
    };
    let mut waiting: Vec<_> = (0..7).map(|_| inbox.ask(form()).unwrap()).collect();
    assert_eq!(inbox.count(), 1);
    let id = waiting[0].id();
    inbox.state().cards.pending.get_mut(&id).unwrap().bytes = 16 * 1024 * 1024;
    assert_eq!(inbox.ask(form()).err(), Some(NotAsked::TooMany));
    waiting.remove(0);
    assert!(inbox.ask(form()).is_ok());
}

/// EF-009: whoever answers one after the other has read enough at some time.
#[tokio::test]
async fn a_person_who_answers_one_by_one_reads_twenty_forms_in_a_minute_and_no_more() {
    let inbox = Inbox::new(cards::clock);
    cards::begin();
    let server = ServerId::new();
    let form = || Draft {
        about: QuestionBody::FillForm(cards::form("Who are you?", &[])),
        ..draft(server)
    };
    for _ in 0..20 {
        let asked = inbox.ask(form()).unwrap();
        let card = inbox.questions().pop().unwrap();
        assert_eq!(card.id, asked.id(), "it stands alone");
    }
    assert_eq!(inbox.ask(form()).err(), Some(NotAsked::TooMany));
    let other = Draft {
        about: QuestionBody::OpenPage(cards::page("https://example.com/")),
        ..draft(server)
    };
    assert!(inbox.ask(other).is_ok(), "pages are counted for themselves");
    cards::pass(Duration::from_secs(60));
    assert!(inbox.ask(form()).is_ok());
}
