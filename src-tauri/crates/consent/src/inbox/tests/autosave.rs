//! What a user has entered on a card is kept for as long as that very card waits, and no longer.

use super::flood::{alike, filled, flood, form, notes, only_card, with};
use super::*;
use crate::SavedInput;

fn entered(text: &str) -> Option<Map<String, Value>> {
    json!({ "content": text }).as_object().cloned()
}

fn kept(inbox: &Inbox) -> Vec<Value> {
    let all = inbox.autosaved().into_iter();
    all.map(|autosaved| autosaved.entered["content"].clone())
        .collect()
}

#[tokio::test]
async fn what_was_entered_stays_with_its_question_and_goes_with_it() {
    let inbox = Inbox::default();
    let (first, question) = asked(&inbox);
    let second = inbox.ask(draft(ServerId::new())).unwrap();
    inbox.autosave(question.id, &question.nonce, entered("one"));
    inbox.autosave(question.id, &question.nonce, entered("two"));
    let expected = SavedInput {
        question: question.id,
        nonce: question.nonce.clone(),
        entered: entered("two").unwrap(),
    };
    assert_eq!(inbox.autosaved(), [expected]);
    drop(second);
    assert_eq!(
        kept(&inbox),
        ["two"],
        "another question's end takes nothing along"
    );
    drop(first);
    assert_eq!(inbox.autosaved(), []);
    inbox.autosave(question.id, &question.nonce, entered("late"));
    assert_eq!(
        inbox.autosaved(),
        [],
        "nothing is kept for a question that is gone"
    );
}

#[tokio::test]
async fn an_answer_and_the_end_of_everything_drop_what_was_entered() {
    let inbox = Inbox::default();
    let (_answered, question) = asked(&inbox);
    inbox.autosave(question.id, &question.nonce, entered("one"));
    inbox.answer(with(&question, Answer::Cancel)).unwrap();
    assert_eq!(inbox.autosaved(), []);
    let (_closed, question) = asked(&inbox);
    inbox.autosave(question.id, &question.nonce, entered("two"));
    inbox.close();
    assert_eq!(inbox.autosaved(), []);
}

#[tokio::test]
async fn what_is_emptied_too_large_or_under_another_nonce_is_not_kept() {
    let inbox = Inbox::default();
    let (_asked, question) = asked(&inbox);
    inbox.autosave(question.id, "another", entered("one"));
    assert_eq!(inbox.autosaved(), []);
    inbox.autosave(question.id, &question.nonce, entered("one"));
    inbox.autosave(question.id, "another", None);
    assert_eq!(kept(&inbox), ["one"]);
    inbox.autosave(question.id, &question.nonce, entered(&"x".repeat(200_000)));
    assert_eq!(kept(&inbox)[0].as_str().map(str::len), Some(200_000));
    inbox.autosave(question.id, &question.nonce, entered(&"x".repeat(300_000)));
    assert_eq!(
        inbox.autosaved(),
        [],
        "and what was there before would be out of date"
    );
    inbox.autosave(question.id, &question.nonce, entered("two"));
    inbox.autosave(question.id, &question.nonce, None);
    assert_eq!(inbox.autosaved(), []);
}

/// What stands behind the card of a flood can become something else while it is filled in.
#[tokio::test]
async fn a_card_that_becomes_another_one_never_starts_with_what_was_entered() {
    let (inbox, server) = (Inbox::default(), notes());
    let mut waiting = flood(&inbox, &server, alike(9));
    let (card, _) = only_card(&inbox);
    inbox.autosave(card.id, &card.nonce, entered("one"));
    inbox.count_turned_away(server.id, vestibule_policy::RequestKind::Form, 1);
    assert_eq!(kept(&inbox), ["one"], "a count that moves on is no other card");
    waiting.push(inbox.ask(form(&server, "And what is your age?")).unwrap());
    let (other, _) = only_card(&inbox);
    assert_eq!((other.id, inbox.autosaved()), (card.id, vec![]));
    inbox.autosave(card.id, &card.nonce, entered("late"));
    assert_eq!(
        inbox.autosaved(),
        [],
        "what comes late belongs to what the card was"
    );
}

/// Nothing is kept of what is not on a card, and no answer is made of what is kept.
#[tokio::test(start_paused = true)]
async fn what_is_kept_answers_nothing() {
    let (inbox, server) = (Inbox::default(), notes());
    let mut waiting = inbox.ask(form(&server, "Who are you?")).unwrap();
    let card = inbox.questions().pop().unwrap();
    inbox.autosave(
        card.id,
        &card.nonce,
        json!({ "content": [["name", "Eve"]] }).as_object().cloned(),
    );
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    inbox.answer(with(&card, filled())).unwrap();
    assert_eq!(waiting.answer().await, filled());
}
