//! Permission to open a page: the address that was shown and no other, each time with a yes of its own.

use super::*;
use crate::{PageRequest, VisitReply};
use vestibule_policy::{Mention, RequestKind};

const URL: &str = "https://pay.example.com/x?code=horse";

fn request(scene: &Scene) -> PageRequest {
    PageRequest {
        server: scene.server.clone(),
        cause: Some(scene.cause()),
        page: cards::page(URL),
    }
}

/// EU-004, EU-023.
#[tokio::test(start_paused = true)]
async fn the_page_that_was_shown_is_opened_and_only_its_host_is_written_down() {
    let scene = scene().await;
    let permit = request(&scene)
        .approve(&scene.gate, scene.person(Answer::Open))
        .await
        .unwrap();
    let (what, _effect) = permit.begin().split();
    assert_eq!((what.server, what.url.as_str()), (scene.server.id, URL));
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str(), intent.chat),
        ("page.open", "pay.example.com", Some(scene.chat))
    );
    let url = Digest::of_arguments(&json!(URL));
    scene.assert_stands_for(&intent, "url", url).await;
    assert!(!format!("{intent:?}").contains("horse"), "{intent:?}");
    let names = scene.store.ledger_names(scene.server.id).await.unwrap();
    assert_eq!(names[0].named, Mention::Host("pay.example.com".into()));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_refused_is_not_opened() {
    let scene = scene().await;
    let refused = request(&scene)
        .approve(&scene.gate, scene.person(no()))
        .await
        .unwrap_err();
    assert!(matches!(refused, Denied::ByUser { .. }), "{refused:?}");
    assert_eq!(
        scene.kinds().await,
        [(LedgerKind::Decision, Some("refused".into()))]
    );
}

/// EU-018: what the user says of a visit ends the wait, and a second opening takes a second yes.
#[tokio::test(start_paused = true)]
async fn a_visit_ends_with_what_the_person_says_of_it() {
    let scene = scene().await;
    let request = request(&scene);
    let says = |answer| request.await_visit(&scene.gate, cards::visit(URL), scene.person(answer));
    assert!(matches!(says(Answer::Done).await, Ok(VisitReply::Done)));
    assert_eq!(scene.kinds().await, [], "nothing was opened");
    match says(Answer::Open).await {
        Ok(VisitReply::Again(permit)) => assert_eq!(permit.effect().url, URL),
        _ => panic!("it is not opened again"),
    }
    assert!(matches!(says(no()).await, Err(Denied::ByUser { .. })));
    assert!(matches!(says(Answer::Cancel).await, Err(Denied::Dismissed)));
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_pages_are_muted_asks_for_none() {
    let scene = scene().await;
    let request = request(&scene);
    let mute = Answer::Mute { minutes: None };
    let muted = request.approve(&scene.gate, scene.person(mute)).await;
    assert!(matches!(muted, Err(Denied::Muted)), "{muted:?}");
    let again = request.approve(&scene.gate, nobody).await;
    assert!(matches!(again, Err(Denied::Muted)), "{again:?}");
    let kinds: Vec<RequestKind> = scene
        .gate
        .questions()
        .muted()
        .iter()
        .map(|one| one.asking)
        .collect();
    assert_eq!(kinds, [RequestKind::Page]);
}
