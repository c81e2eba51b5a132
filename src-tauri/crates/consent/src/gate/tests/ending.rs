//! Every intent gets its end in the ledger, once.

use super::*;

/// A permit that nobody spends leaves no intent without its end behind.
#[tokio::test(start_paused = true)]
async fn a_permit_dropped_unused_gets_its_end_in_the_ledger() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await.unwrap();
    drop(permit);
    scene.gate.close().await;
    let outcome = scene.only(LedgerKind::Outcome).await;
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (&outcome.body["ended"], &outcome.body["intent"]),
        (&json!("not used"), &json!(intent.seq))
    );
}

/// The same for a receipt: the effect was taken in hand, and whoever held it was dropped.
#[tokio::test(start_paused = true)]
async fn an_effect_that_ended_is_not_written_twice() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let (_, receipt) = scene
        .person_says(request, yes(Scope::Once))
        .await
        .unwrap()
        .spend();
    let outcome = Outcome {
        ended: "answered",
        result: None,
        bytes: 2,
        took: Duration::ZERO,
    };
    scene.gate.ended(receipt, outcome).await.unwrap();
    scene.gate.close().await;
    let kinds: Vec<_> = scene.kinds().await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [LedgerKind::Intent, LedgerKind::Outcome]);
    let outcome = scene.only(LedgerKind::Outcome).await;
    assert_eq!(outcome.body["ended"], json!("answered"), "and as it ended");
}
