//! What comes of an answer: a permit, or the reason why there is none.

use super::*;

/// Shows TL-023.
#[tokio::test(start_paused = true)]
async fn a_yes_is_in_the_ledger_before_there_is_a_permit() {
    let scene = scene().await;
    let request = scene.call(json!({"page": "Oslo"}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await.unwrap();
    assert_eq!(
        scene.kinds().await,
        [(LedgerKind::Intent, Some("allowed".into()))]
    );
    assert_eq!(permit.because(), [Because::Person { scope: Scope::Once }]);
    assert_eq!(permit.effect().arguments["page"], "Oslo");
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        intent.body["waited_ms"],
        json!(500),
        "as long as the guard lasted"
    );
}

#[tokio::test(start_paused = true)]
async fn without_room_for_the_ledger_nothing_is_permitted() {
    let scene = scene().await;
    scene.store.close().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await;
    assert!(matches!(permit, Err(Denied::LedgerFailed(_))), "{permit:?}");
}

#[tokio::test(start_paused = true)]
async fn the_permit_carries_the_arguments_as_the_person_left_them() {
    let scene = scene().await;
    let request = scene.call(json!({"page": "Oslo"}), Claims::default(), definition());
    let edited = json!({"page": "Bergen"}).as_object().cloned();
    let answer = Answer::Accept {
        scope: Scope::Once,
        arguments: edited,
        when: vec![],
    };
    let effect = scene.person_says(request, answer).await.unwrap().begin();
    assert_eq!(effect.what().arguments["page"], "Bergen");
}

#[tokio::test(start_paused = true)]
async fn a_no_gives_no_permit_and_keeps_the_persons_words() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let no = Answer::Refuse {
        reason: Some("not that page".into()),
    };
    let refusal = scene.person_says(request, no).await;
    assert!(matches!(refusal, Err(Denied::ByUser { reason: Some(words) }) if words == "not that page"));
    assert_eq!(
        scene.kinds().await,
        [(LedgerKind::Decision, Some("refused".into()))]
    );
    let decision = scene.only(LedgerKind::Decision).await;
    assert_eq!(decision.body["waited_ms"], json!(500));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_takes_its_question_along() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let gate = scene.gate.clone();
    let call = tokio::spawn(async move {
        request
            .approve(&gate, |id| {
                assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()))
            })
            .await
    });
    told.await.unwrap();
    assert_eq!(scene.inbox.questions().len(), 1);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert!(scene.inbox.questions().is_empty());
}

/// The cards of a server that is edited show what it was.
#[tokio::test(start_paused = true)]
async fn the_questions_of_a_server_that_changes_end_and_others_wait() {
    let scene = scene().await;
    let changes = |server: ServerId| {
        let gate = Arc::clone(&scene.gate);
        move || gate.server_changes(server)
    };
    let request = || scene.call(json!({}), Claims::default(), definition());
    let change = changes(scene.server.id);
    let ended = request().approve(&scene.gate, |_| change()).await;
    assert!(matches!(ended, Err(Denied::Dismissed)), "{ended:?}");
    let (change, mut agree) = (changes(ServerId::new()), scene.person(yes(Scope::Once)));
    let asked = |id| {
        change();
        agree(id);
    };
    drop(request().approve(&scene.gate, asked).await.unwrap());
}
