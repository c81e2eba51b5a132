//! The extensions: tokens without a page, and tokens bound to a key. Each is used only where it was configured.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use vestibule_auth::*;

use crate::support::*;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

fn bound(world: &World, with_body: bool) -> Settings {
    world.change_metadata(|it| it["dpop_signing_alg_values_supported"] = json!(["ES256"]));
    world.change_resource(|it| it["dpop_signing_alg_values_supported"] = json!(["ES256"]));
    Settings {
        possession: Possession::WhereOffered { with_body },
        ..world.settings()
    }
}

fn claims(jwt: &str) -> Value {
    let claims = jwt.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}

/// A fresh P-256 key in PEM, and its public half.
fn signing_key() -> (SigningKey, Vec<u8>) {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let document = pair.to_pkcs8v1().unwrap();
    let pem = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(document.as_ref())
    );
    let public = pair.public_key();
    let key = SigningKey {
        pem: pem.into(),
        algorithm: "ES256".into(),
        key_id: Some("key-1".into()),
    };
    (key, public.as_ref().to_vec())
}

/// AX-001, AX-010, AX-011, AU-080.
#[tokio::test]
async fn client_credentials_with_a_secret_need_consent_once_and_no_page() {
    let world = World::new().await;
    world.change_metadata(|it| it["grant_types_supported"] = json!(["client_credentials"]));
    let settings = Settings {
        entered: Some(entered(&world.issuer, Some("secret-canary"))),
        grant: Grant::ClientCredentials { key: None },
        ..world.settings()
    };
    let authorizer = world.authorizer_with(settings);
    world.call(&authorizer).await.unwrap();
    assert_eq!(world.visitor.asked()[0].way, Way::ClientCredentials);
    assert!(world.visitor.pages.lock().unwrap().is_empty());
    let [asked] = world.at(Party::Issuer, "/token").try_into().unwrap();
    assert_eq!(asked.field("grant_type").as_deref(), Some("client_credentials"));
    assert_eq!(asked.field("resource").as_deref(), Some(world.server.as_str()));
    assert_eq!(asked.field("scope").as_deref(), Some("mcp:basic"));
    assert!(asked.header("authorization").unwrap().starts_with("Basic "));
    // AX-013: renewed ahead, without anybody being asked.
    world.later(3600);
    authorizer.ready().await.unwrap();
    assert_eq!(world.send(&authorizer).await, None);
    assert_eq!(
        (
            world.visitor.asked().len(),
            world.at(Party::Issuer, "/register").len()
        ),
        (1, 0)
    );
    world.assert_nothing_leaked("client credentials");
}

/// AX-011, AX-012, AU-024.
#[tokio::test]
async fn client_credentials_with_a_key_send_a_short_signed_statement_and_no_id() {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    let world = World::new().await;
    world.change_metadata(|it| {
        it["grant_types_supported"] = json!(["client_credentials"]);
        it["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt"]);
        it["token_endpoint_auth_signing_alg_values_supported"] = json!(["ES256"]);
    });
    let (key, public) = signing_key();
    let settings = Settings {
        entered: Some(entered(&world.issuer, None)),
        grant: Grant::ClientCredentials { key: Some(key) },
        ..world.settings()
    };
    world
        .call(&world.authorizer_with(settings.clone()))
        .await
        .unwrap();
    let [asked] = world.at(Party::Issuer, "/token").try_into().unwrap();
    assert_eq!(
        (asked.field("client_id"), asked.header("authorization")),
        (None, None)
    );
    let statement = asked.field("client_assertion").unwrap();
    let (signed, signature) = statement.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public)
        .verify(signed.as_bytes(), &signature)
        .unwrap();
    let claims = claims(&statement);
    assert_eq!(
        (&claims["iss"], &claims["sub"]),
        (&json!("entered-id"), &json!("entered-id"))
    );
    assert_eq!(claims["aud"], world.issuer.as_str());
    assert_eq!(
        claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(),
        60
    );
    // A later run has the configured key at hand again.
    world.later(3600);
    world.authorizer_with(settings).ready().await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/token").len(), 2);
    let kept = world
        .keychain
        .held
        .lock()
        .unwrap()
        .values()
        .any(|it| it.contains("PRIVATE KEY"));
    assert!(!kept, "the key is configured, not kept with the tokens");
}

/// AX-012: what the authorization server does not list is not tried.
#[tokio::test]
async fn a_grant_the_authorization_server_does_not_offer_is_not_tried() {
    let (key, _) = signing_key();
    let token: Arc<dyn Assertion> = Arc::new(SecretString::from("workload-canary"));
    for grant in [
        Grant::ClientCredentials { key: None },
        Grant::ClientCredentials { key: Some(key) },
        Grant::Workload(token),
    ] {
        let world = World::new().await;
        let settings = Settings {
            entered: Some(entered(&world.issuer, Some("secret-canary"))),
            grant,
            ..world.settings()
        };
        let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
        assert_eq!(error.step, Step::Server, "{error}");
        assert!(world.at(Party::Issuer, "/token").is_empty());
        assert!(world.visitor.asked().is_empty());
    }
}

fn enterprise(world: &World) -> Settings {
    let identity: Arc<dyn Assertion> = Arc::new(SecretString::from("identity-token"));
    Settings {
        entered: Some(entered(&world.issuer, Some("secret-canary"))),
        grant: Grant::Enterprise(Enterprise {
            token_endpoint: format!("{}/token", world.other),
            issuer: world.other.clone(),
            client_id: "idp-client".into(),
            client_secret: Some("idp-secret".into()),
            identity,
            identity_type: "urn:ietf:params:oauth:token-type:id_token".into(),
        }),
        ..world.settings()
    }
}

/// AX-020, AX-021, AX-022, AX-023, AX-024, AX-025.
#[tokio::test]
async fn a_companys_sign_in_is_exchanged_at_its_provider_and_redeemed_without_a_page() {
    let world = World::new().await;
    let profile = "urn:ietf:params:oauth:grant-profile:id-jag";
    world.change_metadata(|it| it["authorization_grant_profiles_supported"] = json!([profile]));
    let answer = json!({
        "access_token": "the-id-jag",
        "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "token_type": "N_A",
    });
    world.change(|plan| {
        plan.documents
            .insert((Party::Other, "/token".into()), Reply::Json(200, answer));
    });
    world
        .call(&world.authorizer_with(enterprise(&world)))
        .await
        .unwrap();
    let [exchange] = world.at(Party::Other, "/token").try_into().unwrap();
    for (name, value) in [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        ("audience", world.issuer.as_str()),
        ("resource", world.server.as_str()),
        ("subject_token", "identity-token"),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
    ] {
        assert_eq!(exchange.field(name).as_deref(), Some(value), "{name}");
    }
    assert!(
        !format!("{exchange:?}").contains(CANARY),
        "the server's secret is not for the provider"
    );
    let [redeemed] = world.at(Party::Issuer, "/token").try_into().unwrap();
    assert_eq!(redeemed.field("grant_type").as_deref(), Some(JWT_BEARER));
    assert_eq!(redeemed.field("assertion").as_deref(), Some("the-id-jag"));
    assert!(!format!("{redeemed:?}").contains("idp-secret"));
    assert!(world.at(Party::Issuer, "/authorize").is_empty());
    assert!(matches!(world.visitor.asked()[0].way, Way::Enterprise { .. }));
}

/// AX-023, AX-026: a no of the provider, and an answer that is something else, end it; there is no page instead.
#[tokio::test]
async fn a_companys_no_is_told_and_nothing_else_is_tried() {
    let refused = Reply::Json(
        400,
        json!({"error": "invalid_grant", "error_description": "not for you"}),
    );
    let access = Reply::Json(200, json!({"access_token": "a", "token_type": "Bearer"}));
    for (reply, told) in [
        (refused, "not for you"),
        (access, "something else than an ID-JAG"),
    ] {
        let world = World::new().await;
        world.change(|plan| {
            plan.documents.insert((Party::Other, "/token".into()), reply);
        });
        let error = world
            .call(&world.authorizer_with(enterprise(&world)))
            .await
            .unwrap_err();
        assert_eq!(error.step, Step::Identification);
        assert!(error.to_string().contains(told), "{error}");
        assert!(world.at(Party::Issuer, "/token").is_empty());
        assert!(world.at(Party::Issuer, "/authorize").is_empty());
    }
    let world = World::new().await;
    world.change_metadata(|it| it["authorization_grant_profiles_supported"] = json!(["urn:other"]));
    let error = world
        .call(&world.authorizer_with(enterprise(&world)))
        .await
        .unwrap_err();
    assert_eq!(error.step, Step::Server);
    assert!(
        world.at(Party::Other, "/token").is_empty(),
        "AX-021: asked for only where it can be redeemed"
    );
}

/// AX-040.
#[tokio::test]
async fn a_workload_shows_its_platforms_token_and_falls_back_to_nothing() {
    let settings = |world: &World| Settings {
        grant: Grant::Workload(Arc::new(SecretString::from("workload-token"))),
        ..world.settings()
    };
    let world = World::new().await;
    world.change_metadata(|it| it["grant_types_supported"] = json!([JWT_BEARER]));
    world
        .call(&world.authorizer_with(settings(&world)))
        .await
        .unwrap();
    let [asked] = world.at(Party::Issuer, "/token").try_into().unwrap();
    assert_eq!(asked.field("assertion").as_deref(), Some("workload-token"));
    assert_eq!(asked.field("resource").as_deref(), Some(world.server.as_str()));
    assert_eq!(
        (asked.field("client_id"), asked.header("authorization")),
        (None, None)
    );

    for code in ["invalid_grant", "invalid_scope", "unauthorized_client"] {
        let world = World::new().await;
        world.change_metadata(|it| it["grant_types_supported"] = json!([JWT_BEARER, "authorization_code"]));
        world.change(|plan| plan.token_replies.push(Reply::Json(400, json!({"error": code}))));
        let error = world
            .call(&world.authorizer_with(settings(&world)))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(code), "{error}");
        assert_eq!(world.at(Party::Issuer, "/token").len(), 1, "{code}");
        assert!(world.at(Party::Issuer, "/authorize").is_empty());
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
