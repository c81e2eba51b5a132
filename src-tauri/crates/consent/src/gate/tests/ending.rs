//! Every intent gets its end in the ledger, once.

use std::task::{Context, Waker};

use super::*;

/// A caller that is dropped while its intent is written leaves no intent without its end behind.
#[tokio::test]
async fn a_call_given_up_at_any_moment_leaves_no_intent_open() {
    let scene = scene().await;
    let DefinitionState::Accepted(digest) = definition() else {
        panic!("the definition is accepted")
    };
    let action = vestibule_policy::Action::CallTool {
        tool: "delete_page".into(),
    };
    let home = WorkspaceId::home();
    let rule = Rule::permission(scene.server.id, action, digest, Scope::Always, None, home, noon());
    scene.gate.rules.add(rule.unwrap()).await.unwrap();
    // At most two records each: the ledger is read a hundred at a time.
    for polls in 0..40 {
        let mut asked = Box::pin(
            scene
                .gate
                .call_tool(scene.call(json!({}), Claims::default(), definition()), nobody),
        );
        for _ in 0..polls {
            let mut context = Context::from_waker(Waker::noop());
            if asked.as_mut().poll(&mut context).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let whole = scene.call(json!({}), Claims::default(), definition());
    drop(scene.gate.call_tool(whole, nobody).await.unwrap());
    scene.gate.close().await;
    let kinds: Vec<_> = scene.kinds().await.into_iter().map(|(kind, _)| kind).collect();
    let count = |wanted| kinds.iter().filter(|kind| **kind == wanted).count();
    assert!(count(LedgerKind::Intent) > 0, "the last one was allowed");
    assert_eq!(count(LedgerKind::Intent), count(LedgerKind::Outcome));
}

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
    let outcome = EffectOutcome {
        ended: "answered",
        result: None,
        bytes: 2,
        took: Duration::ZERO,
    };
    scene.gate.record_outcome(receipt, outcome).await.unwrap();
    scene.gate.close().await;
    let kinds: Vec<_> = scene.kinds().await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [LedgerKind::Intent, LedgerKind::Outcome]);
    let outcome = scene.only(LedgerKind::Outcome).await;
    assert_eq!(outcome.body["ended"], json!("answered"), "and as it ended");
}
