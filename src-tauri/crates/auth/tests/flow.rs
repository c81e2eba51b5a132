//! A sign-in where everybody does as they should.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use vestibule_app_protocol::{SignInClient, SignInHistory, SignInOddity, SignInOffers};
use vestibule_auth::*;
use vestibule_egress::Proxies;

use crate::support::*;

/// AU-001, AU-002, AU-004, AU-020, AU-025, AU-026, AU-029, AU-030, AU-031, AU-032, AU-040, AU-041, AU-044,
/// AU-045, AU-060, AU-061, AU-068.
#[tokio::test]
async fn a_refusal_leads_over_consent_and_a_page_to_a_token_in_the_header() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();

    let [request] = world.visitor.asked().try_into().unwrap();
    assert_eq!(
        (request.issuer.as_str(), &request.server),
        (world.issuer.as_str(), &world.server)
    );
    assert_eq!(
        (request.relation, request.client),
        (SignInHistory::First, SignInClient::ToBeRegistered)
    );
    assert_eq!(
        (request.scopes.to_string().as_str(), request.oddities.len()),
        ("mcp:basic", 0)
    );

    let [registered] = world.at(Party::Issuer, "/register").try_into().unwrap();
    let body: Value = serde_json::from_str(&registered.body).unwrap();
    let redirect_uri = body["redirect_uris"][0].as_str().unwrap().to_owned();
    assert_eq!(
        (
            &body["application_type"],
            &body["grant_types"],
            &body["token_endpoint_auth_method"]
        ),
        (
            &json!("native"),
            &json!(["authorization_code", "refresh_token"]),
            &json!("none")
        )
    );

    let [page] = world.at(Party::Issuer, "/authorize").try_into().unwrap();
    let [exchange] = world.at(Party::Issuer, "/token").try_into().unwrap();
    assert_eq!(page.query["redirect_uri"], redirect_uri);
    assert_eq!(page.query["scope"], "mcp:basic");
    assert!(page.query["state"].len() >= 43, "256 bits");
    for found in [Some(page.query["resource"].clone()), exchange.field("resource")] {
        assert_eq!(found.as_deref(), Some(world.server.as_str()));
    }

    let calls = world.at(Party::Server, "/mcp");
    let headers: Vec<_> = calls.iter().map(|call| call.header("authorization")).collect();
    assert_eq!(headers, [None, Some("Bearer access-canary-1")]);
    assert_eq!(world.visitor.shown(1).await[0].status, 200);
    assert_eq!(authorizer.signed_in().unwrap().issuer, world.issuer);
    world.assert_nothing_leaked("flow");
}

/// AU-007, AU-045: a server may name a parent of its own path as the resource, on its own origin. The user sees
/// that the token opens more than this server, and what they agreed to is what the token is asked for.
#[tokio::test]
async fn a_server_that_is_part_of_something_larger_says_so_before_the_sign_in() {
    let world = World::new().await;
    let larger = world.server.origin().ascii_serialization();
    world.change_resource(|it| it["resource"] = json!(larger));
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    let [request] = world.visitor.asked().try_into().unwrap();
    assert_eq!(
        (&request.resource, request.oddities),
        (&larger, vec![SignInOddity::Wider])
    );
    let [page] = world.at(Party::Issuer, "/authorize").try_into().unwrap();
    let [exchange] = world.at(Party::Issuer, "/token").try_into().unwrap();
    for found in [page.query.get("resource").cloned(), exchange.field("resource")] {
        assert_eq!(found, Some(larger.clone()));
    }
    // What somebody configured is not unusual to them.
    let settings = AuthSettings {
        resource: Some(larger),
        name: "server-2".into(),
        ..world.settings()
    };
    world.call(&world.authorizer_with(settings)).await.unwrap();
    assert_eq!(world.visitor.asked().pop().unwrap().oddities, []);
}

/// What is asked before and during a sign-in goes the way that everything of this server goes.
#[tokio::test]
async fn a_sign_in_goes_through_the_proxy() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap().to_string();
    let settings = AuthSettings {
        server: "https://mcp.vestibule.invalid/mcp".parse().unwrap(),
        proxies: Proxies::from_variables(|name| (name == "https_proxy").then(|| proxy.clone())),
        ..world.settings()
    };
    let authorizer = world.authorizer_with(settings);
    let asked = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = Vec::new();
        while !asked.ends_with(b"\r\n\r\n") {
            assert!(stream.read_buf(&mut asked).await.unwrap() > 0);
        }
        stream.write_all(b"HTTP/1.1 502 No\r\n\r\n").await.unwrap();
        String::from_utf8(asked).unwrap()
    };
    let (signed_in, asked) = tokio::join!(authorizer.sign_in(), asked);
    assert!(
        asked.starts_with("CONNECT mcp.vestibule.invalid:443 HTTP/1.1\r\n"),
        "{asked}"
    );
    let error = signed_in.unwrap_err();
    assert!(matches!(error.reason, Reason::Network(_)), "{error}");
    assert_eq!(world.visitor.asked(), []);
}

/// AU-063: a later run finds the tokens in the vault, and the user is not asked again.
#[tokio::test]
async fn a_sign_in_outlives_the_run_and_belongs_to_its_server_alone() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    world.call(&world.authorizer()).await.unwrap();
    assert_eq!(world.visitor.asked().len(), 1);

    // The same name with another address is not the same server.
    let moved = AuthSettings {
        server: world.server.join("/other").unwrap(),
        ..world.settings()
    };
    let authorizer = world.authorizer_with(moved);
    authorizer.ready().await.unwrap();
    assert_eq!(authorizer.signed_in(), None);
}

/// AU-006, AU-013, AU-014, AU-043, Q-13.
#[tokio::test]
async fn an_old_server_that_documents_nothing_is_followed_only_after_its_metadata_was_looked_for() {
    let world = World::new().await;
    let documents = |plan: &mut Plan| {
        plan.documents.clear();
        plan.challenge = Some((401, "Bearer".into()));
        plan.callback.retain(|(name, _)| name != "iss");
    };
    world.change(documents);
    let settings = AuthSettings {
        early: Early::Refuse,
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
    assert_eq!((error.step, error.reason), (Step::Resource, Reason::Undocumented));
    assert!(world.visitor.asked().is_empty());

    world.call(&world.authorizer()).await.unwrap();
    let [request] = world.visitor.asked().try_into().unwrap();
    assert_eq!(request.oddities, [SignInOddity::Guessed, SignInOddity::NoPkce]);
    let [looked] = world
        .at(Party::Server, "/.well-known/oauth-authorization-server")
        .try_into()
        .unwrap();
    assert_eq!(looked.header("mcp-protocol-version"), Some("2025-03-26"));
    assert_eq!(world.at(Party::Server, "/token").len(), 1);
    assert!(
        world.at(Party::Server, "/authorize")[0]
            .query
            .contains_key("code_challenge")
    );
}

/// AU-012, AU-013: the document of an early server names its origin with a slash or without, and nothing else.
#[tokio::test]
async fn an_old_server_may_name_its_origin_with_a_slash() {
    for (path, fits) in [("", true), ("/", true), ("/x", false)] {
        let world = World::new().await;
        let origin = world.server.origin().ascii_serialization();
        let issuer = format!("{origin}{path}");
        let document = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{origin}/authorize"),
            "token_endpoint": format!("{origin}/token"),
            "registration_endpoint": format!("{origin}/register"),
            "code_challenge_methods_supported": ["S256"],
        });
        world.change(|plan| {
            plan.documents.clear();
            let place = (
                Party::Server,
                "/.well-known/oauth-authorization-server".to_owned(),
            );
            plan.documents.insert(place, Reply::Json(200, document));
            plan.challenge = Some((401, "Bearer".into()));
            plan.callback.retain(|(name, _)| name != "iss");
        });
        let authorizer = world.authorizer();
        let called = world.call(&authorizer).await;
        assert_eq!(called.is_ok(), fits, "{issuer}: {called:?}");
        let signed_in = authorizer.signed_in().map(|it| it.issuer);
        assert_eq!(signed_in, fits.then_some(issuer));
    }
}

/// Programs that write what they have not set as null describe themselves all the same.
#[tokio::test]
async fn a_description_may_write_null_for_what_it_leaves_out() {
    let world = World::new().await;
    world.change_resource(|it| it["dpop_signing_alg_values_supported"] = Value::Null);
    world.change_metadata(|it| {
        for member in [
            "authorization_response_iss_parameter_supported",
            "client_id_metadata_document_supported",
            "authorization_grant_profiles_supported",
            "dpop_signing_alg_values_supported",
            "token_endpoint_auth_signing_alg_values_supported",
            "prompt_values_supported",
            "scopes_supported",
        ] {
            it[member] = Value::Null;
        }
    });
    world.call(&world.authorizer()).await.unwrap();
}

/// AU-066, AU-067.
#[tokio::test]
async fn access_that_outlives_the_sign_in_is_asked_for_only_where_it_is_offered() {
    for (offered, scope) in [
        (json!(["offline_access"]), "mcp:basic offline_access"),
        (json!(["x"]), "mcp:basic"),
    ] {
        let world = World::new().await;
        world.change_metadata(|it| it["scopes_supported"] = offered);
        world.change(|plan| plan.token["refresh_token"] = json!(""));
        let authorizer = world.authorizer();
        world.call(&authorizer).await.unwrap();
        assert_eq!(world.at(Party::Issuer, "/authorize")[0].query["scope"], scope);
        assert!(!authorizer.signed_in().unwrap().renewable, "none was given");
    }
}

/// A user who wants to be somebody else is not taken for who they were, this one time, as far as the page knows how.
#[tokio::test]
async fn another_account_means_signing_in_anew_once() {
    for (prompts, scopes, asked) in [
        (
            json!(["none", "login", "select_account"]),
            json!([]),
            Some("select_account"),
        ),
        (json!(["none", "login"]), json!([]), Some("login")),
        (json!(["none"]), json!(["openid"]), None),
        (Value::Null, json!(["openid"]), Some("login")),
        (
            Value::Null,
            json!(["openid", "offline_access"]),
            Some("login consent"),
        ),
        (Value::Null, json!([]), None),
    ] {
        let world = World::new().await;
        world.change_metadata(|it| {
            it["prompt_values_supported"] = prompts;
            it["scopes_supported"] = scopes;
        });
        let authorizer = world.authorizer();
        let prompt = || {
            let page = world.at(Party::Issuer, "/authorize").pop().unwrap();
            page.query.get("prompt").cloned()
        };
        world.call(&authorizer).await.unwrap();
        let before = prompt();
        authorizer.sign_out().await.unwrap();
        authorizer.as_another();
        world.call(&authorizer).await.unwrap();
        assert_eq!(prompt().as_deref(), asked);
        authorizer.sign_out().await.unwrap();
        world.call(&authorizer).await.unwrap();
        assert_eq!(prompt(), before);
    }
}

/// AX-001: what ways an authorization server has is known once it was looked at, and not before.
#[tokio::test]
async fn what_an_authorization_server_offers_is_what_it_says() {
    let world = World::new().await;
    world.change_metadata(|it| {
        it["grant_types_supported"] = json!(["authorization_code", "client_credentials"]);
        it["authorization_grant_profiles_supported"] = json!(["urn:ietf:params:oauth:grant-profile:id-jag"]);
    });
    let authorizer = world.authorizer();
    assert_eq!(authorizer.offers(), None);
    world.call(&authorizer).await.unwrap();
    let offers = authorizer.offers().unwrap();
    assert_eq!(
        offers,
        SignInOffers {
            client_credentials: true,
            enterprise: true,
            workload: false,
            documents: false,
        }
    );
}

/// AU-068, AU-070.
#[tokio::test]
async fn scopes_come_from_the_demand_else_from_the_server_else_from_nobody() {
    let world = World::new().await;
    world.change(|plan| plan.challenge = Some((401, "Bearer".into())));
    world.call(&world.authorizer()).await.unwrap();
    assert_eq!(
        world.at(Party::Issuer, "/authorize")[0].query["scope"],
        "mcp:basic mcp:read"
    );

    let world = World::new().await;
    world.change(|plan| plan.challenge = Some((401, "Bearer".into())));
    world.change_resource(|it| it["scopes_supported"] = Value::Null);
    world.call(&world.authorizer()).await.unwrap();
    assert!(
        !world.at(Party::Issuer, "/authorize")[0]
            .query
            .contains_key("scope")
    );
}

/// Nobody agreed, so nothing but public documents was asked for. Attack O4.
#[tokio::test]
async fn without_consent_nothing_but_public_documents_is_asked_for() {
    let world = World::new().await;
    world.visitor.decline(true);
    let error = world.call(&world.authorizer()).await.unwrap_err();
    assert_eq!((error.step, error.reason), (Step::Consent, Reason::Declined));
    assert!(world.visitor.pages.lock().unwrap().is_empty());
    assert!(world.keychain.held.lock().unwrap().is_empty());
    world.assert_nothing_leaked("declined");
    assert!(!world.visitor.accepts_elsewhere.load(Ordering::SeqCst));
}
