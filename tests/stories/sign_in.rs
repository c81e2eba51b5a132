//! A server at an address wants a sign-in: nothing is sent before the yes, the access is renewed once for everybody,
//! more is asked for by its name, and signing out leaves nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use vestibule_consent::Answer;
use vestibule_consent::{QuestionBody, SignInClient, SignInHistory};
use vestibule_host::view::{
    CallState, EnteredClientView, Problem, ServerProblem, ServerState, ServerView, SignInFailure,
    SignInMethod, SignInSecrets, SignInSettings,
};
use vestibule_policy::Scope;
use vestibule_tests::{
    CANARY, KeychainMood, Opening, Protected, Scene, TestKeychain, Turn, ended, in_browser, needs_sign_in,
    pass, records, soon, yes,
};

/// AU-001, AU-030, AU-060, AU-063, AU-068, AU-072.
#[tokio::test]
async fn a_person_signs_in_calls_stays_signed_in_gives_more_and_signs_out() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.before_sign_in(&world).await;
    scene.host.server_sign_in(server).await.unwrap();
    let shown = scene.agree_and_visit(&world, server).await;
    assert_eq!(
        shown.issuer.canonical.as_deref(),
        Some(&*format!("{}/", world.issuer))
    );
    assert_eq!(
        (shown.history, &shown.scopes),
        (SignInHistory::First, &vec!["basic".to_owned()])
    );
    assert_eq!(shown.client, SignInClient::ToBeRegistered);
    let view = scene.ready(server).await;
    let held = view.sign_in.unwrap().held.unwrap();
    assert_eq!((held.issuer, held.renewable), (world.issuer.clone(), true));

    // A call, then one with a token that ended: it is renewed without a word.
    let (chat, model) = scene.scripted_chat().await;
    scene.person.answers(|question| match question.about {
        QuestionBody::CallTool(_) => Some(yes(Scope::Once)),
        _ => None,
    });
    let call = |id: &str| {
        model.will(Turn::call(id, "members__read", json!({})));
        model.will(Turn::words("done"));
    };
    call("one");
    scene.say(chat, "read").await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[0].state, CallState::Answered { .. }), "{calls:?}");
    world.expire();
    call("two");
    scene.say(chat, "again").await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[1].state, CallState::Answered { .. }), "{calls:?}");
    assert_eq!((world.grants("refresh_token"), scene.opened().len()), (1, 1));

    // The server wants more: asked by the name of what is new, while the call waits.
    world.want("write");
    call("three");
    scene.say(chat, "once more").await;
    let shown = scene.agree_and_visit(&world, server).await;
    assert_eq!(
        (shown.history, shown.new_scopes),
        (SignInHistory::MoreScopes, vec!["write".to_owned()])
    );
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[2].state, CallState::Answered { .. }), "{calls:?}");

    scene.host.server_sign_out(server).await.unwrap();
    let view = scene.server(server, "nothing held", |it| {
        it.sign_in.as_ref().is_some_and(|it| it.held.is_none())
    });
    assert_eq!(view.await.state, ServerState::Stopped);
    let revoked = world
        .reached()
        .into_iter()
        .filter(|it| it.path == "/revoke")
        .count();
    assert_eq!(revoked, 2, "the refresh token and the access token");
    let ends = ended(&records(&scene.store).await);
    let sign_ins: Vec<_> = ends
        .iter()
        .filter(|(action, ..)| action == "server.sign_in")
        .collect();
    assert_eq!(sign_ins.len(), 2);
    assert!(
        sign_ins
            .iter()
            .all(|(.., end)| end.as_deref() == Some("signed in")),
        "{sign_ins:?}"
    );
    scene.close().await.holds_no_secret();
}

/// Nothing but public documents is asked for before the yes, and a no is an end that can be taken back.
#[tokio::test]
async fn declining_leaves_nothing_sent() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.before_sign_in(&world).await;
    scene.host.server_sign_in(server).await.unwrap();
    let question = scene.person.asked().await;
    assert!(matches!(question.about, QuestionBody::SignIn(_)), "{question:?}");
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let declined = |it: &ServerView| {
        matches!(
            &it.state,
            ServerState::SignInNeeded {
                problem: Problem::Server(ServerProblem::SignInDeclined { .. })
            }
        )
    };
    scene.server(server, "a declined sign-in", declined).await;
    for reached in world.reached().iter().filter(|it| it.issuer) {
        assert_eq!(reached.method, "GET", "{reached:?}");
        assert!(reached.path.starts_with("/.well-known/"), "{reached:?}");
    }
    assert!(scene.opened().is_empty());
    assert!(world.reached().iter().all(|it| it.authorization.is_none()));

    // The person may want it after all.
    scene.host.server_sign_in(server).await.unwrap();
    scene.agree_and_visit(&world, server).await;
    scene.ready(server).await;
    scene.close().await;
}

/// A sign-in that is called off while the browser is open ends, and its page can be opened again before that.
#[tokio::test]
async fn a_page_can_be_opened_again_and_a_sign_in_called_off() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.before_sign_in(&world).await;
    scene.host.server_sign_in(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    scene.server(server, "a page in the browser", in_browser).await;
    scene.host.server_sign_in_page(server).await.unwrap();
    let opened = scene.opened();
    assert_eq!((opened.len(), &opened[0]), (2, &opened[1]));
    scene.host.server_sign_in_cancel(server);
    scene
        .server(server, "a demand for a sign-in", needs_sign_in)
        .await;
    scene.host.server_sign_in_page(server).await.unwrap_err();
    assert_eq!(world.grants("authorization_code"), 0);
    let ends = ended(&records(&scene.store).await);
    let sign_in = ends
        .iter()
        .find(|(action, ..)| action == "server.sign_in")
        .unwrap();
    assert_eq!(sign_in.2.as_deref(), Some("cancelled"));
    scene.close().await;
}

/// AU-061.
#[tokio::test]
async fn a_hundred_calls_with_an_ended_token_renew_it_once() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    scene.allow(server, "read").await;
    let (chat, model) = scene.scripted_chat().await;
    let ids: Vec<String> = (0..100).map(|n| format!("call-{n}")).collect();
    let calls: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "members__read", "{}"))
        .collect();
    model.will(Turn::calls(&calls));
    model.will(Turn::words("done"));
    world.expire();
    scene.say(chat, "read a hundred").await;
    let calls = Scene::calls(&scene.finished(chat).await);
    let answered = calls
        .iter()
        .filter(|call| matches!(call.state, CallState::Answered { .. }))
        .count();
    assert_eq!(
        (answered, world.grants("refresh_token")),
        (100, 1),
        "{:?}",
        calls[0]
    );
    scene.close().await;
}

/// AU-020, AU-021, AU-028: what the user entered comes first, its secret stays where secrets are kept, and nothing is
/// registered.
#[tokio::test]
async fn an_entered_client_is_used_for_its_issuer_alone_and_spares_the_registration() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.add_at("members", &world.url, &[]).await;
    let entered = |issuer: &str| SignInSettings {
        client: Some(EnteredClientView {
            issuer: issuer.to_owned(),
            id: "entered-by-hand".to_owned(),
            port: None,
        }),
        ..SignInSettings::default()
    };
    let secrets = SignInSecrets {
        client: Some(format!("secret-{CANARY}")),
        company: None,
    };
    let other = entered("https://login.example.net");
    scene
        .host
        .server_sign_in_set(server, other, secrets)
        .await
        .unwrap();
    scene.host.server_sign_in(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let refused = |it: &ServerView| {
        let ServerState::SignInNeeded { problem } = &it.state else {
            return false;
        };
        matches!(
            problem,
            Problem::Server(ServerProblem::SignInFailed {
                why: SignInFailure::Mismatch,
                ..
            })
        )
    };
    scene.server(server, "a client of somebody else", refused).await;
    assert!(world.reached().iter().all(|it| !it.body.contains(CANARY)));

    let own = entered(&world.issuer);
    scene
        .host
        .server_sign_in_set(server, own.clone(), SignInSecrets::default())
        .await
        .unwrap();
    assert_eq!(scene.host.server_sign_in_settings(server).await.unwrap(), own);
    scene.host.server_sign_in(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let shown = scene.agree_and_visit(&world, server).await;
    assert_eq!(
        shown.client,
        SignInClient::Entered {
            id: "entered-by-hand".to_owned()
        }
    );
    scene.ready(server).await;
    assert!(world.reached().iter().all(|it| it.path != "/register"));
    assert!(!secret_is_shown(&world), "it was entered for another issuer");
    scene.close().await.holds_no_secret();
}

/// Whether the latest request for a token carried the secret of a client.
fn secret_is_shown(world: &Protected) -> bool {
    let reached = world.reached();
    let exchange = reached.iter().rfind(|it| it.path == "/token").unwrap();
    exchange.authorization.is_some() || exchange.body.contains("client_secret")
}

/// AU-034: a secret is shown for the client that it was entered for, and a private key never.
#[tokio::test]
async fn a_secret_stays_with_the_client_it_was_entered_for() {
    use SignInMethod::{ClientKey, Page};
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.add_at("members", &world.url, &[]).await;
    let settings = |method: SignInMethod, id: &str, bound: bool| SignInSettings {
        method,
        client: Some(EnteredClientView {
            issuer: world.issuer.clone(),
            id: id.to_owned(),
            port: None,
        }),
        bound,
        ..SignInSettings::default()
    };
    for (before, after, is_shown) in [
        (settings(Page, "one", true), settings(Page, "one", false), true),
        (settings(Page, "one", true), settings(Page, "two", true), false),
        (
            settings(ClientKey, "one", true),
            settings(Page, "one", true),
            false,
        ),
    ] {
        let secrets = SignInSecrets {
            client: Some(format!("secret-{CANARY}")),
            company: None,
        };
        let set = |settings, secrets| scene.host.server_sign_in_set(server, settings, secrets);
        set(before, secrets).await.unwrap();
        set(after.clone(), SignInSecrets::default()).await.unwrap();
        scene.host.server_sign_in(server).await.unwrap();
        let question = scene.person.asked().await;
        scene.person.say(&question, yes(Scope::Once)).await;
        scene.agree_and_visit(&world, server).await;
        scene.ready(server).await;
        assert_eq!(secret_is_shown(&world), is_shown, "{after:?}");
    }
    scene.close().await.holds_no_secret();
}

/// A sign-in that counts no more is asked for while the call waits; removing the server takes everything along.
#[tokio::test]
async fn a_forgotten_sign_in_is_asked_again_and_goes_with_its_server() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    let scene = scene.reopen().await;
    let held = |it: &ServerView| it.sign_in.as_ref().is_some_and(|it| it.held.is_some());
    scene.server(server, "the sign-in of the last run", held).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    assert_eq!(
        world.grants("authorization_code"),
        1,
        "there is no second sign-in"
    );

    world.forget();
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "members__read", json!({})));
    model.will(Turn::words("done"));
    scene.person.answers(|question| match question.about {
        QuestionBody::CallTool(_) => Some(yes(Scope::Once)),
        _ => None,
    });
    scene.say(chat, "read").await;
    let shown = scene.agree_and_visit(&world, server).await;
    assert_eq!(shown.history, SignInHistory::Again);
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[0].state, CallState::Answered { .. }), "{calls:?}");

    soon("the server is removed", scene.host.server_remove(server))
        .await
        .unwrap();
    assert!(world.reached().iter().any(|it| it.path == "/revoke"));
    scene.close().await;
}

/// A call that waited for a sign-in says how that ended, and not only that there is none.
#[tokio::test]
async fn a_call_whose_sign_in_fails_says_why() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    scene.allow(server, "read").await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "members__read", json!({})));
    model.will(Turn::words("done"));
    world.forget();
    scene.say(chat, "read").await;
    let question = scene.person.asked().await;
    assert!(matches!(question.about, QuestionBody::SignIn(_)), "{question:?}");
    world.gives_no_tokens(true);
    scene.person.say(&question, yes(Scope::Once)).await;
    scene.server(server, "a page in the browser", in_browser).await;
    world.visit(scene.opened().last().unwrap()).await;
    let calls = Scene::calls(&scene.finished(chat).await);
    let CallState::Failed { problem } = &calls[0].state else {
        panic!("{calls:?}")
    };
    let Problem::Server(ServerProblem::SignInFailed { why, detail, .. }) = problem else {
        panic!("{problem:?}")
    };
    assert_eq!(*why, SignInFailure::Network);
    assert!(detail.contains("status 503"), "{detail}");
    // The server waits for the next one.
    scene
        .server(server, "a demand for a sign-in", needs_sign_in)
        .await;
    scene.close().await;
}

/// The keychain was locked when the application read how to sign in, and is unlocked before the server is needed.
#[tokio::test]
async fn a_keychain_that_is_unlocked_after_the_start_costs_no_sign_in() {
    let keychain = Arc::new(TestKeychain::default());
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    let world = Protected::start().await;
    let server = scene.signed_in(&world).await;
    keychain.turn(KeychainMood::Refuses);
    let scene = scene.reopen().await;
    keychain.turn(KeychainMood::Answers);
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    assert_eq!(world.grants("authorization_code"), 1);
    scene.close().await;
}

/// At login the network may come up after the application, and an outage may last longer than an access token.
#[tokio::test]
async fn a_sign_in_that_cannot_be_renewed_for_now_is_renewed_once_its_issuer_answers() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    scene.host.server_stop(server).await.unwrap();
    let is_stopped = |it: &ServerView| matches!(it.state, ServerState::Stopped);
    scene.server(server, "a stopped server", is_stopped).await;
    scene.connect(server, Scope::Always).await;
    scene.ready(server).await;
    world.expire();
    world.gives_no_tokens(true);
    // It was connected when the application closed, so it is connected again.
    let scene = scene.reopen().await;
    // More often than one request is sent with one authorization.
    for attempt in 1..=5 {
        let is_waited_for =
            |it: &ServerView| matches!(it.state, ServerState::Reopening { attempt: at, .. } if at == attempt);
        let view = scene
            .server(server, "a server that is waited for", is_waited_for)
            .await;
        let ServerState::Reopening { problem, .. } = view.state else {
            panic!("{view:?}")
        };
        assert!(
            matches!(
                problem,
                Problem::Server(ServerProblem::SignInFailed {
                    why: SignInFailure::Network,
                    ..
                })
            ),
            "{problem:?}"
        );
        if attempt < 5 {
            // "Now" does not wait out the pause.
            scene.host.server_start(server).await.unwrap();
        }
    }
    world.gives_no_tokens(false);
    pass(Duration::from_secs(60)).await;
    scene.ready(server).await;
    assert_eq!(world.grants("authorization_code"), 1, "no second sign-in");
    assert_eq!(scene.person.shown().len(), 0, "nobody was asked again");
    scene.close().await.holds_no_secret();
}
