//! What the inbox promises, on a clock that only moves when the test says so.

mod answers;
mod autosave;
mod changed_arguments;
mod first_click;
mod flood;
mod room;

use serde_json::json;
use uuid::Uuid;
use vestibule_policy::{Digest, RequestKind, Scope};
use vestibule_protocol::ServerId;

use super::waiting::MOST_A_SERVER;
use super::*;
use crate::tests::cards;
use crate::{Cause, ServerSummary};

impl Inbox {
    /// The cards that wait, oldest first.
    pub(crate) fn questions(&self) -> Vec<Question> {
        let snapshot = self.snapshot();
        snapshot.cards.iter().map(|card| Question::clone(card)).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.snapshot().cards.len()
    }
}

const GUARD: Duration = Duration::from_millis(500);

fn draft(server: ServerId) -> Draft {
    Draft {
        server: ServerSummary {
            id: server,
            name: "notes".into(),
            provenance: "npx notes".into(),
        },
        cause: None,
        about: QuestionBody::AllowTool(cards::tool("add")),
        scopes: vec![Scope::Once, Scope::Chat],
        click_delay: GUARD,
        asked_ms: 0,
        validate: None,
    }
}

fn yes(question: &Question) -> Reply {
    let answer = Answer::Accept {
        scope: Scope::Once,
        arguments: None,
        when: vec![],
    };
    Reply {
        question: question.id,
        nonce: question.nonce.clone(),
        digest: question.digest,
        answer,
        also: vec![],
    }
}

fn asked(inbox: &Inbox) -> (PendingAnswer, Question) {
    let asked = inbox.ask(draft(ServerId::new())).unwrap();
    let question = inbox.questions().pop().unwrap();
    (asked, question)
}

/// The title of the window and the notice of the system name this card.
#[tokio::test(start_paused = true)]
async fn in_front_is_the_card_on_screen_and_else_the_oldest() {
    let inbox = Inbox::default();
    let in_front = |inbox: &Inbox| inbox.front().map(|card| card.id);
    assert_eq!(in_front(&inbox), None);
    let (_first, oldest) = asked(&inbox);
    let (_second, newest) = asked(&inbox);
    assert_eq!(in_front(&inbox), Some(oldest.id));
    inbox.presented(newest.id);
    assert_eq!(in_front(&inbox), Some(newest.id));
    inbox.concealed();
    assert_eq!(in_front(&inbox), Some(oldest.id));
}

#[tokio::test(start_paused = true)]
async fn a_yes_after_the_guard_is_taken_once() {
    let inbox = Inbox::default();
    let (mut asked, question) = asked(&inbox);
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    assert_eq!(inbox.answer(yes(&question)), Ok(()));
    assert_eq!(
        asked.answer().await,
        Answer::Accept {
            scope: Scope::Once,
            arguments: None,
            when: vec![],
        }
    );
    assert_eq!(
        inbox.answer(yes(&question)),
        Err(NotTaken::Stale),
        "a nonce is good for one answer"
    );
    assert!(inbox.questions().is_empty());
}

/// Ten thousand tries at every moment of the guard, with the window disturbed in between, of every answer that permits.
#[tokio::test(start_paused = true)]
async fn none_of_ten_thousand_yeses_inside_the_guard_is_taken() {
    let inbox = Inbox::default();
    let (mut asked, question) = asked(&inbox);
    let says = |answer: Answer| {
        inbox.answer(Reply {
            answer,
            ..yes(&question)
        })
    };
    let permits = [
        yes(&question).answer,
        Answer::Open,
        Answer::Done,
        Answer::Submit {
            content: Map::new(),
            not_secret: vec![],
        },
    ];
    assert!(permits.iter().all(Answer::permits));
    assert_eq!(
        inbox.answer(yes(&question)),
        Err(NotTaken::TooSoon),
        "before the card is painted"
    );
    let mut tries = 0;
    for round in 0..21 {
        if round % 2 == 0 {
            inbox.presented(question.id)
        } else {
            inbox.disturbed()
        }
        for moment in 0..499 {
            let answer = permits[moment % permits.len()].clone();
            assert_eq!(says(answer), Err(NotTaken::TooSoon));
            tries += 1;
            tokio::time::advance(Duration::from_millis(1)).await;
        }
    }
    assert!(tries >= 10_000, "{tries}");
    assert!(asked.waits.try_recv().is_err(), "nothing was kept for later");
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(inbox.answer(yes(&question)), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_card_that_is_not_in_front_can_not_be_accepted() {
    let inbox = Inbox::default();
    let (_first, question) = asked(&inbox);
    let other = inbox.ask(draft(ServerId::new())).unwrap();
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    inbox.presented(other.id());
    tokio::time::advance(GUARD).await;
    assert_eq!(inbox.answer(yes(&question)), Err(NotTaken::TooSoon));
    inbox.concealed();
    let front = inbox
        .questions()
        .into_iter()
        .find(|q| q.id == other.id())
        .unwrap();
    assert_eq!(
        inbox.answer(yes(&front)),
        Err(NotTaken::TooSoon),
        "a hidden window shows no card"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_something_else_than_was_shown_is_refused() {
    let inbox = Inbox::default();
    let (_asked, question) = asked(&inbox);
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    let stale = |reply: Reply| assert_eq!(inbox.answer(reply), Err(NotTaken::Stale));
    stale(Reply {
        nonce: Uuid::new_v4().simple().to_string(),
        ..yes(&question)
    });
    stale(Reply {
        digest: Digest::of_question(&json!({})),
        ..yes(&question)
    });
    stale(Reply {
        question: QuestionId::new(),
        ..yes(&question)
    });
    let wide = Answer::Accept {
        scope: Scope::Always,
        arguments: None,
        when: vec![],
    };
    assert!(matches!(
        inbox.answer(Reply {
            answer: wide,
            ..yes(&question)
        }),
        Err(NotTaken::Invalid(_))
    ));
    let edited = Answer::Accept {
        scope: Scope::Once,
        arguments: Some(Map::new()),
        when: vec![],
    };
    assert!(matches!(
        inbox.answer(Reply {
            answer: edited,
            ..yes(&question)
        }),
        Err(NotTaken::Invalid(_))
    ));
    assert_eq!(inbox.questions().len(), 1, "the question goes on waiting");
}

#[tokio::test(start_paused = true)]
async fn a_no_is_taken_at_any_time() {
    let inbox = Inbox::default();
    let (mut asked, question) = asked(&inbox);
    let no = Answer::Refuse {
        reason: Some("wrong page".into()),
    };
    assert_eq!(
        inbox.answer(Reply {
            answer: no.clone(),
            ..yes(&question)
        }),
        Ok(())
    );
    assert_eq!(asked.answer().await, no);
}

#[tokio::test]
async fn a_dropped_waiter_withdraws_its_question() {
    let inbox = Inbox::default();
    let mut snapshots = inbox.snapshots();
    let (asked, _) = asked(&inbox);
    snapshots.changed().await.unwrap();
    assert_eq!(snapshots.borrow_and_update().cards.len(), 1);
    drop(asked);
    snapshots.changed().await.unwrap();
    assert!(inbox.questions().is_empty());
}

/// Whoever reads a card is told that it went; a card that was answered, or was not in front, says nothing.
#[tokio::test(start_paused = true)]
async fn a_card_that_is_taken_back_under_the_eyes_of_the_person_says_so() {
    let inbox = Inbox::default();
    let told = |events: &mut tokio::sync::broadcast::Receiver<InboxEvent>| {
        std::iter::from_fn(|| events.try_recv().ok()).any(|event| event == InboxEvent::TakenBack)
    };
    let (first, _) = asked(&inbox);
    let (second, question) = asked(&inbox);
    inbox.presented(question.id);
    let mut events = inbox.events();
    drop(first);
    assert!(!told(&mut events), "nobody was reading it");
    drop(second);
    assert!(told(&mut events));
    let (mut third, question) = asked(&inbox);
    inbox.presented(question.id);
    let no = Reply {
        answer: Answer::Cancel,
        ..yes(&question)
    };
    inbox.answer(no).unwrap();
    third.answer().await;
    drop(third);
    assert!(!told(&mut events), "an answer is no withdrawal");
}

#[tokio::test]
async fn closing_answers_everything_with_not_now() {
    let inbox = Inbox::default();
    let (mut asked, _) = asked(&inbox);
    inbox.close();
    assert_eq!(asked.answer().await, Answer::Cancel);
    assert!(inbox.ask(draft(ServerId::new())).is_err());
}

#[tokio::test]
async fn a_flood_of_one_server_does_not_reach_the_person() {
    let inbox = Inbox::default();
    let loud = ServerId::new();
    let autosaved: Vec<_> = (0..500).filter_map(|_| inbox.ask(draft(loud)).ok()).collect();
    assert_eq!(autosaved.len(), MOST_A_SERVER);
    assert!(
        inbox.ask(draft(ServerId::new())).is_ok(),
        "another server is still heard"
    );
}
