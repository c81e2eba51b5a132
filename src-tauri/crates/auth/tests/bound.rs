//! Tokens bound to a key of ours, where both sides say that they know them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use vestibule_auth::*;

use crate::support::*;

fn bound(world: &World, with_body: bool) -> AuthSettings {
    world.change_metadata(|it| it["dpop_signing_alg_values_supported"] = json!(["ES256"]));
    world.change_resource(|it| it["dpop_signing_alg_values_supported"] = json!(["ES256"]));
    AuthSettings {
        possession: Possession::WhereOffered { with_body },
        ..world.settings()
    }
}

/// AX-030, AX-032.
#[tokio::test]
async fn a_bound_token_comes_with_a_fresh_proof_of_each_request() {
    for with_body in [false, true] {
        let world = World::new().await;
        let authorizer = world.authorizer_with(bound(&world, with_body));
        world.call(&authorizer).await.unwrap();
        world.call(&authorizer).await.unwrap();
        let [exchange] = world.at(Party::Issuer, "/token").try_into().unwrap();
        let proof = ours(&exchange).unwrap();
        assert_eq!(
            (&proof["htm"], &proof["htu"]),
            (&json!("POST"), &json!(format!("{}/token", world.issuer)))
        );
        assert!(proof.get("ath").is_none() && proof.get("content_digest").is_none());
        let calls = world.at(Party::Server, "/mcp").split_off(1);
        let proofs: Vec<Value> = calls.iter().map(|call| ours(call).unwrap()).collect();
        let ath = URL_SAFE_NO_PAD.encode(Sha256::digest("access-canary-1"));
        let digest = format!("sha-256=:{}:", STANDARD.encode(Sha256::digest("{}")));
        for (call, proof) in calls.iter().zip(&proofs) {
            assert_eq!(call.header("authorization"), Some("DPoP access-canary-1"));
            assert_eq!(
                (&proof["ath"], &proof["htu"]),
                (&json!(ath), &json!(world.server.as_str()))
            );
            assert_eq!(
                proof.get("content_digest"),
                with_body.then(|| json!(digest)).as_ref()
            );
        }
        assert_ne!(proofs[0]["jti"], proofs[1]["jti"]);
        world.assert_nothing_leaked("dpop");
    }
}

/// AX-001, AX-030: an authorization server may offer bound tokens where the server knows nothing of them; a server says
/// that it takes them in its description or in its demand.
#[tokio::test]
async fn a_token_is_bound_only_where_the_server_takes_bound_tokens() {
    let plain = World::new().await;
    let settings = bound(&plain, false);
    plain.change_resource(|it| it["dpop_signing_alg_values_supported"] = json!(["RS256"]));
    plain.call(&plain.authorizer_with(settings)).await.unwrap();
    let calls = plain.at(Party::Server, "/mcp");
    assert_eq!(
        calls.last().unwrap().header("authorization"),
        Some("Bearer access-canary-1")
    );
    assert!(
        plain
            .records()
            .iter()
            .all(|record| record.header("dpop").is_none())
    );

    let asked = World::new().await;
    let settings = bound(&asked, false);
    asked.change_resource(|it| it["dpop_signing_alg_values_supported"] = json!([]));
    asked.change(|plan| {
        let (_, demand) = plan.challenge.as_mut().unwrap();
        *demand = demand.replace("Bearer", "DPoP");
    });
    asked.call(&asked.authorizer_with(settings)).await.unwrap();
    let calls = asked.at(Party::Server, "/mcp");
    assert_eq!(
        calls.last().unwrap().header("authorization"),
        Some("DPoP access-canary-1")
    );
}

/// AX-031.
#[tokio::test]
async fn a_nonce_is_taken_over_once_from_either_server() {
    let world = World::new().await;
    let authorizer = world.authorizer_with(bound(&world, false));
    world.change(|plan| plan.issued.nonce = Some("nonce-1".into()));
    world.call(&authorizer).await.unwrap();
    let exchanges = world.at(Party::Issuer, "/token");
    let nonces: Vec<_> = exchanges
        .iter()
        .map(|it| ours(it).unwrap()["nonce"].clone())
        .collect();
    assert_eq!(nonces, [Value::Null, json!("nonce-1")]);
    // A server that answers with the same demand for ever is not asked for ever.
    world.change(|plan| plan.token_replies = vec![Reply::Json(400, json!({"error": "use_dpop_nonce"})); 9]);
    world.later(3600);
    assert!(authorizer.ready().await.is_err());
    assert_eq!(
        world.at(Party::Issuer, "/token").len(),
        3,
        "no new nonce, no second try"
    );
}

/// AX-033: the key is kept with the token, is another one for each sign-in, and is used by the next run.
#[tokio::test]
async fn the_key_of_a_bound_token_is_kept_with_it_and_renewals_prove_it_too() {
    let world = World::new().await;
    let settings = bound(&world, false);
    world
        .call(&world.authorizer_with(settings.clone()))
        .await
        .unwrap();
    world.later(3600);
    world.call(&world.authorizer_with(settings)).await.unwrap();
    let jwk = |record: &Record| {
        let header = record
            .header("dpop")
            .unwrap()
            .split('.')
            .next()
            .unwrap()
            .to_owned();
        let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
        header["jwk"].clone()
    };
    let exchanges = world.at(Party::Issuer, "/token");
    assert_eq!(exchanges.len(), 2);
    assert_eq!(jwk(&exchanges[0]), jwk(&exchanges[1]));
}

/// AX-030: a token that is not bound although a proof was given is not used.
#[tokio::test]
async fn an_unbound_token_in_answer_to_a_proof_is_refused() {
    let world = World::new().await;
    let authorizer = world.authorizer_with(bound(&world, false));
    let answer = json!({"access_token": "access-canary-x", "token_type": "Bearer"});
    world.change(|plan| plan.token_replies.push(Reply::Json(200, answer)));
    let error = world.call(&authorizer).await.unwrap_err();
    assert_eq!(error.step, Step::Token);
    assert_eq!(authorizer.signed_in(), None);
}
