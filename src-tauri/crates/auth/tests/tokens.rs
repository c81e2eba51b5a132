//! Tokens over time: lost, refused, asked for again, and kept to where they belong.

use serde_json::json;
use vestibule_app_protocol::{SignInClient, SignInHistory};
use vestibule_auth::*;
use vestibule_transport::Challenge;

use crate::support::*;

pub(crate) const HOUR: u64 = 3600;

pub(crate) fn refreshes(world: &World) -> usize {
    let all = world.at(Party::Issuer, "/token").into_iter();
    all.filter(|it| it.field("grant_type").as_deref() == Some("refresh_token"))
        .count()
}

pub(crate) async fn signed_in() -> (World, Authorizer) {
    let world = World::new().await;
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    (world, authorizer)
}

/// AU-064.
#[tokio::test]
async fn a_sign_in_that_does_not_count_any_more_is_forgotten_and_asked_for_again() {
    let (world, authorizer) = signed_in().await;
    world.later(HOUR);
    world.change(|plan| {
        plan.token_replies
            .push(Reply::Json(400, json!({"error": "invalid_grant"})))
    });
    let error = authorizer.ready().await.unwrap_err();
    assert_eq!(
        (error.step, &error.reason),
        (Step::Refresh, &Reason::SignInNeeded)
    );
    assert_eq!(authorizer.signed_in(), None);
    assert!(!world.keychain.keeps("refresh-canary"));
    world.call(&authorizer).await.unwrap();
    assert_eq!(world.visitor.asked()[1].relation, SignInHistory::Again);
}

/// AU-064: an authorization server that refuses without a reason refuses all the same, so the user can sign in again.
#[tokio::test]
async fn a_refusal_without_a_reason_is_asked_for_again() {
    for reply in [
        Reply::Json(401, json!({})),
        Reply::Text(400, "text/html", "<h1>Bad request</h1>".into()),
    ] {
        let shown = format!("{reply:?}");
        let (world, authorizer) = signed_in().await;
        world.later(HOUR);
        world.change(|plan| plan.token_replies.push(reply));
        let error = authorizer.ready().await.unwrap_err();
        assert_eq!(error.reason, Reason::SignInNeeded, "{shown}");
        world.call(&authorizer).await.unwrap();
        assert_eq!(world.visitor.asked().len(), 2, "{shown}");
    }
}

/// AU-064: a failure that passes costs nobody the sign-in.
#[tokio::test]
async fn an_authorization_server_that_is_ill_for_a_while_costs_nobody_the_sign_in() {
    let (world, authorizer) = signed_in().await;
    world.later(HOUR);
    for reply in [
        Reply::Json(503, json!({})),
        Reply::Text(502, "text/html", "<h1>Bad gateway</h1>".into()),
        Reply::Json(400, json!({"error": "temporarily_unavailable"})),
        Reply::Json(429, json!({"error": "too_many_requests"})),
        Reply::Json(500, json!({"error": "internal_error"})),
        Reply::Json(503, json!({"error": "invalid_grant"})),
        Reply::Silence,
    ] {
        let shown = format!("{reply:?}");
        world.change(|plan| plan.token_replies.push(reply));
        let error = authorizer.ready().await.unwrap_err();
        assert_eq!(error.step, Step::Refresh, "{shown}");
        assert!(authorizer.signed_in().is_some(), "{shown}");
    }
    authorizer.ready().await.unwrap();
    assert_eq!(world.send(&authorizer).await, None);
}

/// AX-033: a clock that was wrong, in either direction, leads to a renewal and not to an endless token.
#[tokio::test]
async fn a_clock_that_was_set_back_does_not_keep_a_token_alive() {
    let (world, authorizer) = signed_in().await;
    *world.clock.lock().unwrap() -= std::time::Duration::from_secs(240);
    authorizer.ready().await.unwrap();
    assert_eq!(refreshes(&world), 0, "a little is tolerated");
    *world.clock.lock().unwrap() -= std::time::Duration::from_secs(30 * 24 * HOUR);
    authorizer.ready().await.unwrap();
    assert_eq!(refreshes(&world), 1);
}

/// AU-009, AU-015, AU-034, AU-035. Attacks O3, O15.
#[tokio::test]
async fn a_server_that_moves_to_another_issuer_takes_nothing_along() {
    let (world, authorizer) = signed_in().await;
    let other = world.other.clone();
    world.change_resource(|it| it["authorization_servers"] = json!([other]));
    world.change(|plan| plan.accepted.clear());
    world.visitor.decline(true);
    let mut attempt = authorizer.ready().await.unwrap();
    let refused = world.send(&authorizer).await.unwrap();
    let outcome = authorizer.on_challenge(&mut attempt, &refused).await;
    assert!(matches!(outcome, ChallengeOutcome::SignInNeeded { .. }));
    assert_eq!(refreshes(&world), 0);
    assert_eq!(world.send(&authorizer).await.map(|it| it.status), Some(401));
    let last = world.at(Party::Server, "/mcp").pop().unwrap();
    assert_eq!(
        last.header("authorization"),
        None,
        "the old token is not used any more"
    );

    world.change(|plan| {
        let document = json!({
            "issuer": other,
            "authorization_endpoint": format!("{other}/authorize"),
            "token_endpoint": format!("{other}/token"),
            "registration_endpoint": format!("{other}/register"),
            "code_challenge_methods_supported": ["S256"],
        });
        let place = (Party::Other, "/.well-known/oauth-authorization-server".to_owned());
        plan.documents.insert(place, Reply::Json(200, document));
    });
    let error = authorizer.sign_in().await.unwrap_err();
    assert_eq!(error.reason, Reason::Declined);
    let asked = world.visitor.asked().pop().unwrap();
    let before = world.issuer.clone();
    assert_eq!(
        (asked.issuer, asked.relation),
        (world.other.clone(), SignInHistory::IssuerChanged { before })
    );
    assert_eq!(asked.client, SignInClient::ToBeRegistered);
    world.assert_nothing_leaked("migration");
}

/// AU-035: an entered client id is not tried elsewhere.
#[tokio::test]
async fn an_entered_client_is_an_error_at_another_issuer() {
    let world = World::new().await;
    let settings = AuthSettings {
        entered: Some(entered("https://login.example", Some("other-secret"))),
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
    assert_eq!(error.step, Step::Identity);
    assert!(error.to_string().contains("https://login.example"), "{error}");
    assert!(world.visitor.asked().is_empty());
    world.assert_nothing_leaked("entered elsewhere");
}

/// AU-075.
#[tokio::test]
async fn a_plain_refusal_is_reported_and_not_tried_again() {
    let (world, authorizer) = signed_in().await;
    for headers in [vec![], vec!["Bearer error=\"access_denied\"".to_owned()]] {
        let mut attempt = authorizer.ready().await.unwrap();
        let challenge = Challenge {
            status: 403,
            www_authenticate: headers,
        };
        match authorizer.on_challenge(&mut attempt, &challenge).await {
            ChallengeOutcome::GiveUp(error) => {
                assert_eq!((error.step, error.reason), (Step::Access, Reason::Denied))
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(world.at(Party::Issuer, "/token").len(), 1);
}

/// AU-073: a server that refuses every token.
#[tokio::test]
async fn a_server_that_accepts_no_token_is_given_up() {
    let world = World::new().await;
    world.change(|plan| plan.challenge = Some((401, "Bearer error=\"invalid_token\"".into())));
    let authorizer = world.authorizer();
    let mut attempt = authorizer.ready().await.unwrap();
    let mut prompts = 0;
    let error = loop {
        world.change(|plan| plan.accepted.clear());
        let refused = world.send(&authorizer).await.unwrap();
        match authorizer.on_challenge(&mut attempt, &refused).await {
            ChallengeOutcome::Retry => {}
            ChallengeOutcome::SignInNeeded { .. } => {
                prompts += 1;
                authorizer.sign_in().await.unwrap();
            }
            ChallengeOutcome::GiveUp(error) => break error,
        }
    };
    assert!(matches!(error.reason, Reason::Exhausted(_)), "{error}");
    assert!(prompts <= 2, "{prompts}");
}

/// AU-064, AU-067: the clock of this computer can be wrong, so a token that cannot be renewed is lost only where the server
/// refuses it.
#[tokio::test]
async fn a_token_that_cannot_be_renewed_counts_until_the_server_refuses_it() {
    let world = World::new().await;
    world.change(|plan| plan.token["refresh_token"] = json!(""));
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    world.later(HOUR);
    world.call(&authorizer).await.unwrap();
    assert_eq!(world.visitor.asked().len(), 1);
    world.change(|plan| plan.accepted.clear());
    world.call(&authorizer).await.unwrap();
    assert_eq!(world.visitor.asked().len(), 2);
}

/// AU-063: an entry of the keychain that is not whole costs a sign-in, and does not end every request with an error.
#[tokio::test]
async fn a_damaged_entry_of_the_keychain_is_asked_for_again() {
    let (world, _) = signed_in().await;
    for damaged in ["v1-pieces:mark:2:print", "v2:unknown"] {
        world
            .keychain
            .held
            .lock()
            .unwrap()
            .insert("tokens/server-1".into(), damaged.into());
        let before = world.visitor.asked().len();
        let authorizer = world.authorizer();
        world.call(&authorizer).await.unwrap();
        assert_eq!(world.visitor.asked().len(), before + 1, "{damaged}");
        assert!(authorizer.signed_in().is_some(), "{damaged}");
    }
}

/// AU-063: what prints, prints no secret. Attack O16.
#[tokio::test]
async fn nothing_that_can_be_printed_holds_a_secret() {
    let (world, authorizer) = signed_in().await;
    let settings = AuthSettings {
        entered: Some(entered(&world.issuer, Some("secret-canary"))),
        ..world.settings()
    };
    let shown = format!(
        "{:?} {:?} {:?} {:?}",
        authorizer.signed_in(),
        world.visitor.asked(),
        settings.entered,
        world.visitor.pages.lock().unwrap()
    );
    assert!(!shown.contains(CANARY), "{shown}");
}

/// AU-055, AU-056: sign-ins at the same time do not mix, and one server has one page at a time.
#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_at_the_same_time_never_mix() {
    let world = World::new().await;
    let twice = world.authorizer();
    let (one, two) = tokio::join!(twice.sign_in(), twice.sign_in());
    one.unwrap();
    two.unwrap();
    assert_eq!(world.at(Party::Issuer, "/authorize").len(), 1);

    let worlds = [World::new().await, World::new().await, World::new().await];
    let authorizers = worlds.each_ref().map(World::authorizer);
    let outcomes = futures::future::join_all(authorizers.iter().map(Authorizer::sign_in)).await;
    for ((world, authorizer), outcome) in worlds.iter().zip(&authorizers).zip(outcomes) {
        outcome.unwrap();
        assert_eq!(world.send(authorizer).await, None);
        assert_eq!(authorizer.signed_in().unwrap().issuer, world.issuer);
        world.assert_nothing_leaked("several");
    }
}

/// AU-062, HO-005. Attack O13: a token stays with the origin it was got for.
#[tokio::test]
async fn a_token_goes_to_its_own_server_and_nowhere_else() {
    let world = World::new().await;
    let settings = AuthSettings {
        possession: Possession::WhereOffered { with_body: false },
        ..world.settings()
    };
    let authorizer = world.authorizer_with(settings);
    world.call(&authorizer).await.unwrap();
    let elsewhere: url::Url = format!("{}/mcp", world.other).parse().unwrap();
    world.send_to(&authorizer, &elsewhere).await;
    let [there] = world.at(Party::Other, "/mcp").try_into().unwrap();
    assert_eq!(there.header("authorization"), None);
}
