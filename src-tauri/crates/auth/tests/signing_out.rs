//! Signing out: the tokens are deleted here and revoked at the authorization server, and an error names those that may
//! still be valid.

use serde_json::json;
use vestibule_auth::*;

use crate::support::*;
use crate::tokens::signed_in;

/// AU-063: signing out forgets here first, then there.
#[tokio::test]
async fn signing_out_forgets_the_tokens_here_and_there() {
    let (world, authorizer) = signed_in().await;
    authorizer.sign_out().await.unwrap();
    let revoked: Vec<_> = world
        .at(Party::Issuer, "/revoke")
        .iter()
        .map(|it| it.field("token"))
        .collect();
    assert_eq!(
        revoked,
        [Some("refresh-canary-1".into()), Some("access-canary-1".into())]
    );
    assert_eq!(authorizer.signed_in(), None);
    assert_eq!(world.send(&authorizer).await.map(|it| it.status), Some(401));
    assert!(!world.keychain.keeps("-canary-"));
}

/// AU-063: what the authorization server says of the access token after it withdrew the refresh token is no failure, and a
/// failure with one token spares the other nothing.
#[tokio::test]
async fn each_token_is_withdrawn_and_only_what_may_still_be_valid_is_told() {
    let done = || Reply::Json(200, json!({}));
    let refuses = |code: &str| Reply::Json(400, json!({"error": code}));
    for (refresh, access, told) in [
        (done(), refuses("unsupported_token_type"), None),
        (done(), refuses("invalid_token"), None),
        (done(), refuses("invalid_client"), Some("invalid_client")),
        (
            done(),
            Reply::Json(503, json!({"error": "invalid_token"})),
            Some("503"),
        ),
        (Reply::Json(503, json!({})), done(), Some("503")),
        (
            refuses("invalid_request"),
            refuses("unsupported_token_type"),
            Some("invalid_request"),
        ),
        (Reply::Silence, done(), Some("")),
    ] {
        let shown = format!("{refresh:?} {access:?}");
        let (world, authorizer) = signed_in().await;
        world.change(|plan| plan.revoke_replies = vec![refresh, access]);
        let outcome = authorizer.sign_out().await;
        let revoked = world.at(Party::Issuer, "/revoke");
        let revoked: Vec<_> = revoked.iter().filter_map(|it| it.field("token")).collect();
        assert_eq!(revoked, ["refresh-canary-1", "access-canary-1"], "{shown}");
        assert_eq!(authorizer.signed_in(), None, "{shown}");
        match (outcome, told) {
            (Ok(()), None) => {}
            (Err(error), Some(told)) => {
                assert_eq!(error.step, Step::Revocation, "{shown}");
                assert!(error.to_string().contains(told), "{shown}: {error}");
            }
            (outcome, _) => panic!("{shown}: {outcome:?}"),
        }
    }
}

/// AU-063: also what cannot be used here any more goes with a sign-out.
#[tokio::test]
async fn signing_out_forgets_tokens_of_an_earlier_address_and_damaged_ones() {
    for damaged in [false, true] {
        let (world, _) = signed_in().await;
        if damaged {
            let mut held = world.keychain.held.lock().unwrap();
            held.insert("tokens/server-1".into(), "v1-pieces:mark:2:print".into());
        }
        let moved = AuthSettings {
            server: world.server.join("/other").unwrap(),
            ..world.settings()
        };
        world.authorizer_with(moved).sign_out().await.unwrap();
        let held = world.keychain.held.lock().unwrap().clone();
        assert!(!held.contains_key("tokens/server-1"), "{damaged}: {held:?}");
    }
}
