//! The extensions: tokens without a page. Each is used only where it was configured.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::sync::Arc;
use vestibule_app_protocol::{SignInWay, SigningAlgorithm};
use vestibule_auth::*;

use crate::support::*;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

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
        algorithm: SigningAlgorithm::ES256,
        key_id: Some("key-1".into()),
    };
    (key, public.as_ref().to_vec())
}

/// AX-001, AX-010, AX-011, AU-080, AX-013.
#[tokio::test]
async fn client_credentials_with_a_secret_need_consent_once_and_no_page() {
    let world = World::new().await;
    world.change_metadata(|it| it["grant_types_supported"] = json!(["client_credentials"]));
    let settings = AuthSettings {
        entered: Some(entered(&world.issuer, Some("secret-canary"))),
        grant: Grant::ClientCredentials { key: None },
        ..world.settings()
    };
    let authorizer = world.authorizer_with(settings);
    world.call(&authorizer).await.unwrap();
    assert_eq!(world.visitor.asked()[0].way, SignInWay::ClientCredentials);
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
    let settings = AuthSettings {
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
    assert!(
        !world.keychain.keeps("PRIVATE KEY"),
        "the key is configured, not kept with the tokens"
    );
}

/// AX-011: a client that cannot show who it is gets no token, so nothing is asked of the user or sent.
#[tokio::test]
async fn client_credentials_without_a_secret_or_key_say_what_is_missing() {
    let world = World::new().await;
    world.change_metadata(|it| it["grant_types_supported"] = json!(["client_credentials"]));
    let settings = AuthSettings {
        entered: Some(entered(&world.issuer, None)),
        grant: Grant::ClientCredentials { key: None },
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
    assert_eq!(error.step, Step::Identity);
    assert!(
        error
            .to_string()
            .contains("the secret or key of this client is not set"),
        "{error}"
    );
    assert!(world.visitor.asked().is_empty());
    assert!(world.at(Party::Issuer, "/token").is_empty());
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
        let settings = AuthSettings {
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

fn enterprise(world: &World) -> AuthSettings {
    let identity: Arc<dyn Assertion> = Arc::new(SecretString::from("identity-token"));
    AuthSettings {
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
    assert!(matches!(
        world.visitor.asked()[0].way,
        SignInWay::Enterprise { .. }
    ));
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
    let settings = |world: &World| AuthSettings {
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

/// A source that says which file it reads, or why it may not.
struct FromFile(Result<AssertionFile, String>);

#[async_trait::async_trait]
impl Assertion for FromFile {
    async fn assertion(&self, _audience: &str) -> Result<SecretString, String> {
        Ok(SecretString::from("workload-canary"))
    }

    async fn file(&self) -> Result<Option<AssertionFile>, String> {
        self.0.clone().map(Some)
    }
}

/// AX-040: the user is shown the file whose content is sent; a file that may not be sent is refused before anybody is
/// asked and before anything leaves.
#[tokio::test]
async fn the_file_of_an_assertion_is_shown_first_and_refused_unasked() {
    let world = World::new().await;
    world.change_metadata(|it| it["grant_types_supported"] = json!([JWT_BEARER]));
    let settings = |file| AuthSettings {
        grant: Grant::Workload(Arc::new(FromFile(file))),
        ..world.settings()
    };
    let refused = world.authorizer_with(settings(Err("it is no token".into())));
    let error = world.call(&refused).await.unwrap_err();
    assert_eq!(error.step, Step::Identification);
    assert!(error.to_string().contains("it is no token"), "{error}");
    assert!(world.visitor.asked().is_empty());
    assert!(world.at(Party::Issuer, "/token").is_empty());
    let file = AssertionFile {
        path: "/run/token".into(),
        bytes: 812,
    };
    let shown = world.authorizer_with(settings(Ok(file.clone())));
    world.call(&shown).await.unwrap();
    assert_eq!(world.visitor.asked()[0].file, Some(file));
}
