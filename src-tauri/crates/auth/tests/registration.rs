//! Whom this application presents itself as: entered, documented, registered, and withdrawn again.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use vestibule_app_protocol::SignInClient;
use vestibule_auth::*;

use crate::support::*;

/// Where the world's first registration is looked after.
const REGISTERED: &str = "/register/registered-1";
/// What shows that it is ours.
const TOKEN: &str = "registration-canary";

/// AU-020, AU-022, AU-023, AU-036.
#[tokio::test]
async fn a_document_about_this_application_spares_the_registration() {
    let world = World::new().await;
    world.change_metadata(|it| it["client_id_metadata_document_supported"] = json!(true));
    let mut settings = world.settings();
    settings.application.document = Some("https://app.example/client.json".into());
    world.call(&world.authorizer_with(settings)).await.unwrap();
    assert!(world.at(Party::Issuer, "/register").is_empty());
    let [page] = world.at(Party::Issuer, "/authorize").try_into().unwrap();
    assert_eq!(page.query["client_id"], "https://app.example/client.json");
}

/// AU-020, AU-021, AU-028, AU-033.
#[tokio::test]
async fn an_entered_client_comes_first_and_shows_its_secret_as_the_server_wants() {
    for (methods, in_header) in [
        (json!(["client_secret_basic"]), true),
        (json!(["client_secret_post"]), false),
    ] {
        let world = World::new().await;
        world.change_metadata(|it| it["token_endpoint_auth_methods_supported"] = methods);
        let settings = AuthSettings {
            entered: Some(entered(&world.issuer, Some("secret-canary"))),
            ..world.settings()
        };
        world.call(&world.authorizer_with(settings)).await.unwrap();
        assert!(world.at(Party::Issuer, "/register").is_empty());
        let [exchange] = world.at(Party::Issuer, "/token").try_into().unwrap();
        assert_eq!(exchange.header("authorization").is_some(), in_header);
        assert_eq!(exchange.field("client_secret").is_some(), !in_header);
        world.assert_nothing_leaked("entered");
    }
}

/// AU-020, AU-028: many authorization servers take clients without a secret and do not list that they do.
#[tokio::test]
async fn an_entered_client_without_a_secret_signs_in_where_the_server_lists_only_ways_with_one() {
    let world = World::new().await;
    world.change_metadata(|it| {
        it["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic", "client_secret_post"]);
    });
    let settings = AuthSettings {
        entered: Some(entered(&world.issuer, None)),
        ..world.settings()
    };
    world.call(&world.authorizer_with(settings)).await.unwrap();
    assert!(world.at(Party::Issuer, "/register").is_empty());
    let [exchange] = world.at(Party::Issuer, "/token").try_into().unwrap();
    assert_eq!(exchange.field("client_id").as_deref(), Some("entered-id"));
    assert_eq!(
        (exchange.header("authorization"), exchange.field("client_secret")),
        (None, None)
    );
}

/// AU-020: an earlier registration is used again, with the port it registered.
#[tokio::test]
async fn an_earlier_registration_is_used_again_by_another_server_of_the_same_issuer() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    let second = AuthSettings {
        name: "server-2".into(),
        ..world.settings()
    };
    world.call(&world.authorizer_with(second)).await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/register").len(), 1);
    assert_eq!(
        world.visitor.asked()[1].client,
        SignInClient::Registered {
            id: "registered-1".into()
        }
    );
    let pages = world.at(Party::Issuer, "/authorize");
    assert_eq!(pages[0].query["redirect_uri"], pages[1].query["redirect_uri"]);
}

/// AU-031: an authorization server that forgot the registration is registered with once more, and only once.
#[tokio::test]
async fn a_forgotten_registration_is_repeated_once() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    world.change(|plan| plan.issued.forgotten = vec!["registered-1".into()]);
    let second = AuthSettings {
        name: "server-2".into(),
        ..world.settings()
    };
    world.call(&world.authorizer_with(second.clone())).await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/register").len(), 2);
    world.change(|plan| plan.issued.forgotten = (1..9).map(|n| format!("registered-{n}")).collect());
    let third = AuthSettings {
        name: "server-3".into(),
        ..second
    };
    let error = world.call(&world.authorizer_with(third)).await.unwrap_err();
    assert_eq!(error.step, Step::Token);
    assert_eq!(world.at(Party::Issuer, "/register").len(), 3);
}

/// AU-031: servers say either of a client that they have lost.
#[tokio::test]
async fn a_registration_that_was_lost_before_a_renewal_is_repeated_with_the_next_sign_in() {
    for code in ["invalid_client", "unauthorized_client"] {
        let world = World::new().await;
        let authorizer = world.authorizer();
        world.call(&authorizer).await.unwrap();
        world.later(3600);
        let reply = Reply::Json(401, json!({"error": code}));
        world.change(|plan| plan.token_replies.push(reply));
        world.call(&authorizer).await.unwrap_err();
        world.call(&authorizer).await.unwrap();
        assert_eq!(world.at(Party::Issuer, "/register").len(), 2, "{code}");
    }
}

/// Opens a page that never comes back, and calls that sign-in off.
async fn left_on_the_page(world: &World, authorizer: &Authorizer) {
    world.visitor.stays_away.store(true, Ordering::SeqCst);
    let pages = || world.visitor.pages.lock().unwrap().len();
    let before = pages();
    let opened = async {
        while pages() == before {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        ended = authorizer.sign_in() => panic!("{ended:?}"),
        opened = tokio::time::timeout(BOUND, opened) => opened.expect("a page is opened in time"),
    }
    world.visitor.stays_away.store(false, Ordering::SeqCst);
}

/// AU-031: an authorization server that has lost a registration shows an error on its page, of which this application never
/// hears. The user only has to sign in once more.
#[tokio::test]
async fn a_registration_whose_page_never_came_back_is_not_used_a_second_time() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    let second = world.authorizer_with(AuthSettings {
        name: "server-2".into(),
        ..world.settings()
    });
    left_on_the_page(&world, &second).await;
    assert_eq!(world.at(Party::Issuer, "/register").len(), 1);
    second.sign_in().await.unwrap();
    let asked = world.visitor.asked().pop().unwrap();
    assert_eq!(asked.client, SignInClient::ToBeRegistered);
    assert!(asked.registration_endpoint.is_some());
    assert_eq!(world.at(Party::Issuer, "/register").len(), 2);
}

/// AU-020: leaving the page of a new registration is no reason to register once more.
#[tokio::test]
async fn a_new_registration_is_used_again_after_a_sign_in_that_was_called_off() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    left_on_the_page(&world, &authorizer).await;
    authorizer.sign_in().await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/register").len(), 1);
}

/// AU-056: the port that was registered is taken by somebody else.
#[tokio::test]
async fn a_taken_port_is_replaced_by_another_that_is_registered() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    let first = world.at(Party::Issuer, "/authorize")[0].query["redirect_uri"].clone();
    let port = first.parse::<url::Url>().unwrap().port().unwrap();
    let _squatter = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let second = AuthSettings {
        name: "server-2".into(),
        ..world.settings()
    };
    world.call(&world.authorizer_with(second)).await.unwrap();
    let pages = world.at(Party::Issuer, "/authorize");
    assert_ne!(pages[1].query["redirect_uri"], first);
    assert_eq!(world.at(Party::Issuer, "/register").len(), 2);
}

/// AU-033: a registration is found again until it is forgotten.
#[tokio::test]
async fn a_registration_nobody_uses_can_be_forgotten() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    assert_eq!(authorizer.last_issuer().await.unwrap(), None);
    world.call(&authorizer).await.unwrap();
    let issuer = authorizer.last_issuer().await.unwrap();
    assert_eq!(issuer.as_deref(), Some(world.issuer.as_str()));
    authorizer.sign_out().await.unwrap();
    authorizer.forget_client(&world.issuer).await.unwrap();
    world.call(&authorizer).await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/register").len(), 2);
}

/// A world whose issuer says how a registration is withdrawn (RFC 7592), and a sign-in in it that is over.
async fn signed_out(changed: impl FnOnce(&World)) -> (World, Authorizer) {
    let world = World::new().await;
    world.change(|plan| {
        let address = format!("{}{REGISTERED}", world.issuer);
        plan.issued.management = Some((address, TOKEN.to_owned()));
    });
    changed(&world);
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    authorizer.sign_out().await.unwrap();
    (world, authorizer)
}

fn says(world: &World, reply: Reply) {
    world.change(|plan| {
        drop(
            plan.documents
                .insert((Party::Issuer, REGISTERED.to_owned()), reply),
        )
    });
}

/// Whether a registration is kept, and whether its token stands anywhere in what is kept.
fn kept(world: &World) -> (bool, bool) {
    let held = world.keychain.held.lock().unwrap();
    (
        held.keys().any(|name| name.starts_with("client/")),
        held.values().any(|value| value.contains(TOKEN)),
    )
}

#[tokio::test]
async fn a_registration_is_withdrawn_with_its_token_where_it_was_made() {
    for whole in [true, false] {
        let (world, authorizer) = signed_out(|world| says(world, Reply::Json(204, Value::Null))).await;
        assert_eq!(kept(&world), (true, true), "the token is kept with the secrets");
        assert!(
            world.at(Party::Issuer, REGISTERED).is_empty(),
            "signing out alone keeps it"
        );
        if whole {
            authorizer.forget_client(&world.issuer).await.unwrap();
        } else {
            authorizer.withdraw_client(&world.issuer).await.unwrap();
        }
        let [withdrawn] = world.at(Party::Issuer, REGISTERED).try_into().unwrap();
        assert_eq!(withdrawn.method, "DELETE");
        let sent = withdrawn.header("authorization").map(str::to_owned);
        assert_eq!(
            (sent, withdrawn.body.as_str()),
            (Some(format!("Bearer {TOKEN}")), "")
        );
        assert_eq!(kept(&world), (false, false));
        world.call(&authorizer).await.unwrap();
        assert_eq!(world.at(Party::Issuer, "/register").len(), 2);
        world.assert_nothing_leaked("withdrawn");
    }
}

/// What may still count at the issuer is told; it is kept where it can still be used and gone where the server is.
#[tokio::test]
async fn what_could_not_be_withdrawn_is_told() {
    let elsewhere = |world: &World| Reply::Redirect(307, format!("{}/taken", world.other));
    for broken in ["refused", "silent", "elsewhere"] {
        let (world, authorizer) = signed_out(|_| {}).await;
        says(
            &world,
            match broken {
                "refused" => Reply::Json(403, json!({})),
                "silent" => Reply::Silence,
                _ => elsewhere(&world),
            },
        );
        let error = authorizer.withdraw_client(&world.issuer).await.unwrap_err();
        assert_eq!(error.step, Step::Withdrawal, "{broken}: {error}");
        assert!(!error.to_string().contains(TOKEN), "{error}");
        assert_eq!(kept(&world), (true, true), "{broken}");
        let error = authorizer.forget_client(&world.issuer).await.unwrap_err();
        assert_eq!(error.step, Step::Withdrawal, "{broken}: {error}");
        assert_eq!(kept(&world), (false, false), "{broken}");
        assert!(world.at(Party::Other, "/taken").is_empty());
    }
}

/// The user agreed to the endpoint of the registration, and to no other party.
#[tokio::test]
async fn an_address_or_a_token_that_can_not_be_used_is_not_kept() {
    for wrong in [
        "elsewhere",
        "no TLS",
        "no address",
        "no token",
        "a token that breaks out",
    ] {
        let (world, authorizer) = signed_out(|world| {
            let good = (format!("{}{REGISTERED}", world.issuer), TOKEN.to_owned());
            let management = match wrong {
                "elsewhere" => (format!("{}/taken", world.other), good.1),
                "no TLS" => ("http://issuer.example/register/1".to_owned(), good.1),
                "no address" => ("javascript:alert(1)".to_owned(), good.1),
                "no token" => (good.0, String::new()),
                _ => (good.0, format!("{TOKEN}\r\nX: y")),
            };
            world.change(|plan| plan.issued.management = Some(management));
        })
        .await;
        assert_eq!(
            kept(&world),
            (true, false),
            "{wrong}: the registration counts all the same"
        );
        authorizer.withdraw_client(&world.issuer).await.unwrap();
        assert_eq!(kept(&world), (true, false), "{wrong}: and is used again");
        authorizer.forget_client(&world.issuer).await.unwrap();
        assert!(
            world.records().iter().all(|record| record.method != "DELETE"),
            "{wrong}"
        );
    }
}
