//! Every intent gets its end in the ledger, once.

use std::task::{Context, Waker};

use super::*;
use crate::{EffectEnd, ResultFacts};

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
    scene.gate.rules.rules.add(rule.unwrap()).await.unwrap();
    // At most two records each: the ledger is read a hundred at a time.
    for polls in 0..40 {
        let mut asked = Box::pin(
            scene
                .call(json!({}), Claims::default(), definition())
                .approve(&scene.gate, nobody),
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
    drop(whole.approve(&scene.gate, nobody).await.unwrap());
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

#[tokio::test(start_paused = true)]
async fn an_effect_that_ended_is_not_written_twice() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await.unwrap();
    permit.begin().finish_of_size(EffectEnd::Answered, 2).await;
    scene.gate.close().await;
    let kinds: Vec<_> = scene.kinds().await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [LedgerKind::Intent, LedgerKind::Outcome]);
    let outcome = scene.only(LedgerKind::Outcome).await;
    assert_eq!(outcome.body["ended"], json!("answered"), "and as it ended");
}

/// Its caller need not wait for the disk.
#[tokio::test(start_paused = true)]
async fn an_end_that_is_queued_stands_before_what_is_written_afterwards() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await.unwrap();
    let result = json!({ "text": "deleted" });
    let effect = permit.begin();
    effect.queue_finish_with(EffectEnd::Answered, ResultFacts::of(&result));
    let refused = scene.gate.rules().refuse_tool(scene.server.id, "delete_page");
    refused.await.unwrap();
    let kinds: Vec<_> = scene.kinds().await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds[..2], [LedgerKind::Intent, LedgerKind::Outcome]);
    let outcome = scene.only(LedgerKind::Outcome).await;
    assert_eq!(outcome.body["ended"], json!("answered"));
    scene
        .assert_stands_for(&outcome, "result", Digest::of_result(&result))
        .await;
}

/// What says that a call is being sent can be written together with its intent.
#[tokio::test(start_paused = true)]
async fn the_call_that_is_queued_with_its_intent_is_the_permitted_one() {
    let scene = scene().await;
    let request = scene.call(json!({ "page": 7 }), Claims::default(), definition());
    let answer = Answer::Accept {
        scope: Scope::Once,
        arguments: json!({ "page": 8 }).as_object().cloned(),
        when: vec![],
    };
    let asked = scene.person(answer);
    let queued = |call: &CallTool, because: &[Because]| (call.arguments.clone(), because.to_vec());
    let approved = request.approve_in_order(&scene.gate, asked, queued).await;
    let (permit, (arguments, because)) = approved.unwrap();
    assert_eq!(arguments, *json!({ "page": 8 }).as_object().unwrap());
    assert_eq!(
        (&arguments, &*because),
        (&permit.effect().arguments, permit.because())
    );
}

/// An effect that began and was dropped was cancelled, unless its caller named another end.
#[tokio::test(start_paused = true)]
async fn an_effect_dropped_under_way_gets_its_end_in_the_ledger() {
    for (end, word) in [
        (None, "cancelled"),
        (Some(EffectEnd::EndedWhileStarting), "ended while starting"),
    ] {
        let scene = scene().await;
        let request = scene.call(json!({}), Claims::default(), definition());
        let effect = scene
            .person_says(request, yes(Scope::Once))
            .await
            .unwrap()
            .begin();
        let effect = match end {
            Some(end) => effect.if_dropped(end),
            None => effect,
        };
        drop(effect);
        scene.gate.close().await;
        assert_eq!(scene.only(LedgerKind::Outcome).await.body["ended"], json!(word));
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_effect_says_how_it_ended_and_stands_for_its_result() {
    let scene = scene().await;
    let permit = || {
        let request = scene.call(json!({}), Claims::default(), definition());
        scene.person_says(request, yes(Scope::Once))
    };
    let result = json!({"content": [{"type": "text", "text": "done"}]});
    let effect = permit().await.unwrap().begin();
    effect
        .finish_with(EffectEnd::Answered, ResultFacts::of(&result))
        .await;
    let outcome = scene.only(LedgerKind::Outcome).await;
    let written = (&outcome.body["ended"], &outcome.body["bytes"]);
    assert_eq!(written, (&json!("answered"), &json!(result.to_string().len())));
    scene
        .assert_stands_for(&outcome, "result", Digest::of_result(&result))
        .await;
    permit().await.unwrap().begin().finish(EffectEnd::Stopped).await;
    let last = scene.ledger().await.pop().unwrap();
    let written = (&last.body["ended"], &last.body["bytes"], &last.body["result"]);
    assert_eq!(written, (&json!("stopped"), &json!(0), &json!(null)));
}

/// Ledgers of today hold these words.
#[test]
fn the_words_of_the_ends_stay_as_they_are() {
    use EffectEnd::*;
    let words = [
        (Answered, "answered"),
        (BecameTask, "became a task"),
        (Cancelled, "cancelled"),
        (Changed, "changed"),
        (EndedByItself, "ended by itself"),
        (EndedWhileConnecting, "ended while connecting"),
        (EndedWhileStarting, "ended while starting"),
        (Failed, "failed"),
        (Gone, "gone"),
        (LeftRunning, "left running"),
        (NotConnected, "not connected"),
        (NotOpened, "not opened"),
        (NotSent, "not sent"),
        (NotSignedIn, "not signed in"),
        (NotStarted, "not started"),
        (NotUsed, "not used"),
        (Opened, "opened"),
        (Outdated, "outdated"),
        (PageNotVisited, "page not visited"),
        (Sent, "sent"),
        (ServerEnded, "server ended"),
        (SignInNeeded, "sign-in needed"),
        (SignedIn, "signed in"),
        (Stopped, "stopped"),
        (TimedOut, "timed out"),
    ];
    for (end, word) in words {
        assert_eq!(end.word(), word);
    }
}
