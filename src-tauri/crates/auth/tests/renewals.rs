//! Renewals: one for all who wait, to its end, and never over a newer sign-in or a sign-out.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use vestibule_auth::*;

use crate::support::*;
use crate::tokens::{HOUR, refreshes, signed_in};

/// AU-064, AU-065.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_callers_with_an_ended_token_cause_one_renewal() {
    let (world, authorizer) = signed_in().await;
    world.later(HOUR);
    let calls = (0..100).map(|_| {
        let authorizer = authorizer.clone();
        tokio::spawn(async move { authorizer.ready().await.map(drop) })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    assert_eq!(refreshes(&world), 1);
    assert_eq!(world.send(&authorizer).await, None);
    assert_eq!(world.visitor.asked().len(), 1);
    world.assert_nothing_leaked("renewal");
}

/// AU-064, AU-015.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_refused_requests_cause_one_renewal_and_go_again() {
    let (world, authorizer) = signed_in().await;
    let mut attempts = Vec::new();
    for _ in 0..100 {
        attempts.push(authorizer.ready().await.unwrap());
    }
    world.change(|plan| plan.accepted.clear());
    let refused = world.send(&authorizer).await.unwrap();
    let calls = attempts.into_iter().map(|mut attempt| {
        let (authorizer, refused) = (authorizer.clone(), refused.clone());
        tokio::spawn(async move { authorizer.on_challenge(&mut attempt, &refused).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap(), ChallengeOutcome::Retry);
    }
    assert_eq!(refreshes(&world), 1);
    assert_eq!(world.send(&authorizer).await, None);
}

/// AU-045, AU-065: each renewal uses the newest refresh token, names the resource, and outlives the run.
#[tokio::test]
async fn a_new_refresh_token_replaces_the_old_one_everywhere() {
    let (world, authorizer) = signed_in().await;
    for round in 1..=3 {
        world.later(HOUR);
        authorizer.ready().await.unwrap();
        let last = world.at(Party::Issuer, "/token").pop().unwrap();
        assert_eq!(
            last.field("refresh_token"),
            Some(format!("refresh-canary-{round}"))
        );
        assert_eq!(last.field("resource").as_deref(), Some(world.server.as_str()));
    }
    world.later(HOUR);
    world.call(&world.authorizer()).await.unwrap();
    assert_eq!((refreshes(&world), world.visitor.asked().len()), (4, 1));
}

/// AU-065: a caller that stops waiting does not lose the new refresh token.
#[tokio::test]
async fn a_dropped_waiter_leaves_the_renewal_running() {
    let (world, authorizer) = signed_in().await;
    world.later(HOUR);
    let waiter = tokio::spawn({
        let authorizer = authorizer.clone();
        async move { authorizer.ready().await.map(drop) }
    });
    let begun = async {
        while refreshes(&world) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, begun)
        .await
        .expect("a renewal begins in time");
    waiter.abort();
    authorizer.ready().await.unwrap();
    assert_eq!(refreshes(&world), 1);
    assert_eq!(world.send(&authorizer).await, None);
}

/// AU-064, AU-065: a renewal that failed without a waiter is not the outcome of a later call.
#[tokio::test]
async fn a_renewal_that_failed_without_a_waiter_does_not_fail_the_next_request() {
    let (world, authorizer) = signed_in_patiently().await;
    world.change(|plan| plan.token_replies.push(Reply::Json(503, json!({}))));
    let (go, waiter) = renewal_under_way(&world, &authorizer).await;
    waiter.abort();
    waiter.await.unwrap_err();
    let running = tokio::runtime::Handle::current().metrics();
    let tasks = running.num_alive_tasks();
    go.notify_one();
    let over = async {
        while running.num_alive_tasks() == tasks {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, over)
        .await
        .expect("the renewal ends in time");
    authorizer.ready().await.unwrap();
    assert_eq!(refreshes(&world), 2, "the token was renewed again");
    assert_eq!(world.send(&authorizer).await, None);
}

/// Begins a renewal. The authorization server has its request and answers after the notification that is returned.
async fn renewal_under_way(
    world: &World,
    authorizer: &Authorizer,
) -> (Arc<Notify>, JoinHandle<Result<(), AuthError>>) {
    let go = Arc::new(Notify::new());
    world.change(|plan| plan.token_waits = Some(go.clone()));
    world.later(HOUR);
    let waiting = tokio::spawn({
        let authorizer = authorizer.clone();
        async move { authorizer.ready().await.map(drop) }
    });
    let begun = async {
        while refreshes(world) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, begun)
        .await
        .expect("a renewal begins in time");
    (go, waiting)
}

/// A world that is signed in to, whose authorization server may take its time.
async fn signed_in_patiently() -> (World, Authorizer) {
    let world = World::new().await;
    let settings = AuthSettings {
        limits: AuthLimits {
            answer: BOUND,
            ..AuthLimits::default()
        },
        ..world.settings()
    };
    let authorizer = world.authorizer_with(settings);
    world.call(&authorizer).await.unwrap();
    (world, authorizer)
}

/// AU-063, AU-065: who signed out stays signed out, here and there, also while the token is being renewed.
#[tokio::test]
async fn a_renewal_under_way_does_not_undo_a_sign_out() {
    let (world, authorizer) = signed_in_patiently().await;
    let (go, waiting) = renewal_under_way(&world, &authorizer).await;
    authorizer.sign_out().await.unwrap();
    go.notify_one();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.reason, Reason::SignInNeeded);
    assert_eq!(authorizer.signed_in(), None);
    assert_eq!(world.send(&authorizer).await.map(|it| it.status), Some(401));
    let held = world.keychain.held.lock().unwrap().clone();
    assert!(held.values().all(|it| !it.contains("-canary-")), "{held:?}");
    let revoked = world.at(Party::Issuer, "/revoke");
    let revoked: Vec<_> = revoked.iter().filter_map(|it| it.field("token")).collect();
    assert_eq!(
        revoked,
        [
            "refresh-canary-1",
            "access-canary-1",
            "refresh-canary-2",
            "access-canary-2"
        ]
    );
}

/// AU-065: a sign-in that ended while the token before it was being renewed is the one that counts.
#[tokio::test]
async fn a_renewal_under_way_does_not_undo_a_newer_sign_in() {
    for refused in [false, true] {
        let (world, authorizer) = signed_in_patiently().await;
        if refused {
            let reply = Reply::Json(400, json!({"error": "invalid_grant"}));
            world.change(|plan| plan.token_replies.push(reply));
        }
        let (go, waiting) = renewal_under_way(&world, &authorizer).await;
        authorizer.sign_in().await.unwrap();
        let newest = authorizer.signed_in();
        go.notify_one();
        waiting.await.unwrap().unwrap();
        assert_eq!(authorizer.signed_in(), newest, "{refused}");
        assert_eq!(world.send(&authorizer).await, None, "{refused}");
        let next_run = world.authorizer();
        next_run.load().await.unwrap();
        assert_eq!(world.send(&next_run).await, None, "{refused}");
    }
}
