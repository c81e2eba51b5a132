//! What turns wrong on the way, or only looks wrong.

use std::sync::atomic::Ordering;

use serde_json::json;
use vestibule_auth::*;

use super::*;

/// AU-048: not advertised and absent goes on.
#[tokio::test]
async fn a_server_that_names_itself_nowhere_is_no_reason_to_stop() {
    let world = World::new().await;
    world.change_metadata(|it| it["authorization_response_iss_parameter_supported"] = json!(false));
    world.change(|plan| plan.callback.retain(|(name, _)| name != "iss"));
    world.call(&world.authorizer()).await.unwrap();
}

/// AU-044, AU-055. Attack O9: an answer without the right state is no answer; the sign-in goes on waiting.
#[tokio::test]
async fn an_answer_with_a_wrong_state_is_no_answer() {
    for state in [
        vec![],
        vec![("state", "wrong")],
        vec![("state", "")],
        vec![("state", "{state}"), ("state", "{state}")],
    ] {
        let world = World::new().await;
        world.change(|plan| {
            plan.callback.retain(|(name, _)| name != "state");
            plan.callback.extend(
                state
                    .iter()
                    .map(|&(name, value)| (name.to_owned(), value.to_owned())),
            );
        });
        let authorizer = world.authorizer();
        let signing_in = tokio::spawn(async move { authorizer.sign_in().await });
        let shown = world.visitor.shown(1).await;
        assert_eq!(shown[0].status, 400, "{state:?}");
        assert!(!signing_in.is_finished(), "{state:?}");
        assert!(world.at(Party::Issuer, "/token").is_empty(), "{state:?}");
        signing_in.abort();
    }
}

/// AU-063. A vault that does not answer never looks like an empty one.
#[tokio::test]
async fn a_locked_or_full_keychain_is_an_error_and_says_so() {
    let world = World::new().await;
    world.keychain.locked.store(true, Ordering::SeqCst);
    let error = world.call(&world.authorizer()).await.unwrap_err();
    assert_eq!(error.step, Step::Vault);
    assert!(error.to_string().contains("it is locked"), "{error}");
    assert!(world.records().is_empty(), "nothing was asked of anybody");

    let world = World::new().await;
    world.keychain.full.store(true, Ordering::SeqCst);
    let authorizer = world.authorizer();
    let error = world.call(&authorizer).await.unwrap_err();
    assert_eq!((error.step, authorizer.signed_in()), (Step::Vault, None));
    world.assert_nothing_leaked("full");
}

/// AU-045, attack O4: the authorization server's document changes between the consent and the renewal.
#[tokio::test]
async fn a_renewal_goes_where_the_person_agreed_to_whatever_documents_say_by_then() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    let evil = format!("{}/token", world.other);
    world.change_metadata(|it| it["token_endpoint"] = json!(evil));
    world.later(3600);
    authorizer.ready().await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/token").len(), 2);
    assert!(world.at(Party::Other, "/token").is_empty());
    world.assert_nothing_leaked("swapped");
}

/// AU-007: a poisoned description after the sign-in stops the renewal instead of serving it.
#[tokio::test]
async fn a_description_that_turns_wrong_later_stops_the_renewal() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    world.change_resource(|it| it["resource"] = json!("https://evil.example/mcp"));
    world.change(|plan| plan.accepted.clear());
    let error = world.call(&authorizer).await.unwrap_err();
    assert_eq!(error.step, Step::Resource);
    assert_eq!(world.at(Party::Issuer, "/token").len(), 1);
}

/// A code that was used is worth nothing to whoever brings it again. Attack O9.
#[tokio::test]
async fn a_replayed_code_ends_in_an_error() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    world.change(|plan| plan.callback[0].1 = "code-canary-1".into());
    let second = AuthSettings {
        name: "server-2".into(),
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(second)).await.unwrap_err();
    assert_eq!(error.step, Step::Token);
    assert!(error.to_string().contains("invalid_grant"), "{error}");
}

/// AU-008: of several authorization servers the first that describes itself; one that lies is not passed over.
#[tokio::test]
async fn of_several_authorization_servers_a_silent_one_is_passed_over_and_a_lying_one_is_not() {
    let world = World::new().await;
    let (other, issuer) = (world.other.clone(), world.issuer.clone());
    world.change_resource(|it| it["authorization_servers"] = json!([other, issuer]));
    world.call(&world.authorizer()).await.unwrap();
    world.assert_nothing_leaked("silent");

    let world = World::new().await;
    let (other, issuer) = (world.other.clone(), world.issuer.clone());
    world.change_resource(|it| it["authorization_servers"] = json!([other, issuer]));
    world.change(|plan| {
        let lie = json!({"issuer": issuer, "token_endpoint": format!("{issuer}/token")});
        plan.documents
            .insert((Party::Other, METADATA.into()), Reply::Json(200, lie));
    });
    let error = world.call(&world.authorizer()).await.unwrap_err();
    assert!(matches!(error.reason, Reason::Mismatch { .. }), "{error}");
    world.assert_nothing_leaked("lying");
}
