//! Arguments that the user changed on a card are checked before the answer is taken.

use super::*;

/// A check that a server can make slow holds no lock: meanwhile other cards are answered, and a card that was taken back
/// takes no answer.
#[tokio::test(start_paused = true)]
async fn a_slow_check_of_changed_arguments_holds_up_nothing_else() {
    let inbox = Inbox::default();
    let (finish, finished) = tokio::sync::watch::channel(false);
    let validate = Validate::later(move |arguments| {
        let mut finished = finished.clone();
        async move {
            let _ = finished.wait_for(|finished| *finished).await;
            if arguments.contains_key("page") {
                Ok(())
            } else {
                Err("page is missing".into())
            }
        }
    });
    let slow = |inbox: &Inbox| {
        let asked = inbox.ask(Draft {
            validate: Some(validate.clone()),
            ..draft(ServerId::new())
        });
        let question = inbox.questions().pop().unwrap();
        (asked.unwrap(), question)
    };
    let edited = |question: &Question, arguments: Value| Reply {
        question: question.id,
        nonce: question.nonce.clone(),
        digest: question.digest,
        answer: Answer::Accept {
            scope: Scope::Once,
            arguments: arguments.as_object().cloned(),
            when: vec![],
        },
        also: vec![],
    };
    let (mut first, question) = slow(&inbox);
    let too_soon = inbox
        .answer_when_checked(edited(&question, json!({"page": 1})))
        .await;
    assert_eq!(
        too_soon,
        Err(NotTaken::TooSoon),
        "nothing is checked for an answer that is not taken"
    );
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    let unchecked = inbox.answer(edited(&question, json!({"page": 1})));
    assert!(matches!(unchecked, Err(NotTaken::Invalid(_))), "{unchecked:?}");

    let answering = tokio::spawn({
        let (inbox, reply) = (inbox.clone(), edited(&question, json!({"page": 1})));
        async move { inbox.answer_when_checked(reply).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(
        inbox.count(),
        1,
        "the inbox is not locked, and the card still waits"
    );
    finish.send_replace(true);
    assert_eq!(answering.await.unwrap(), Ok(()));
    assert!(matches!(first.answer().await, Answer::Accept { .. }));

    let (second, question) = slow(&inbox);
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    let unfit = inbox.answer_when_checked(edited(&question, json!({}))).await;
    assert_eq!(unfit, Err(NotTaken::Invalid("page is missing".into())));
    finish.send_replace(false);
    let answering = tokio::spawn({
        let (inbox, reply) = (inbox.clone(), edited(&question, json!({"page": 1})));
        async move { inbox.answer_when_checked(reply).await }
    });
    tokio::task::yield_now().await;
    drop(second);
    finish.send_replace(true);
    assert_eq!(
        answering.await.unwrap(),
        Err(NotTaken::Stale),
        "it was taken back meanwhile"
    );
}

#[tokio::test(start_paused = true)]
async fn changed_arguments_that_do_not_fit_keep_the_card_open() {
    let inbox = Inbox::default();
    let validate = Validate::now(|arguments| {
        if arguments.contains_key("page") {
            Ok(())
        } else {
            Err("page is missing".into())
        }
    });
    let mut asked = inbox
        .ask(Draft {
            validate: Some(validate),
            ..draft(ServerId::new())
        })
        .unwrap();
    let question = inbox.questions().pop().unwrap();
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    let with = |arguments: Value| Answer::Accept {
        scope: Scope::Once,
        arguments: arguments.as_object().cloned(),
        when: vec![],
    };
    let unfit = inbox.answer(Reply {
        answer: with(json!({})),
        ..yes(&question)
    });
    assert_eq!(unfit, Err(NotTaken::Invalid("page is missing".into())));
    assert_eq!(
        inbox.answer(Reply {
            answer: with(json!({"page": 1})),
            ..yes(&question)
        }),
        Ok(())
    );
    assert_eq!(asked.answer().await, with(json!({"page": 1})));
}
