//! A sign-in that more than one wants something of: calls that need more at the same time, servers of one issuer, and a
//! person with two accounts.

use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::view::CallState;
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_tests::{Model, Protected, Scene, Turn, soon, yes};

/// Allows `read` for good and has the model call it this often in one turn. The model ends when it is dropped.
async fn calls(scene: &Scene, server: ServerId, number: usize) -> (ChatId, Model) {
    scene.allow(server, "read").await;
    let (chat, model) = scene.scripted_chat().await;
    let ids: Vec<String> = (0..number).map(|n| format!("call-{n}")).collect();
    let all: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "members__read", "{}"))
        .collect();
    model.will(Turn::calls(&all));
    model.will(Turn::words("done"));
    scene.say(chat, "read them all").await;
    (chat, model)
}

/// AU-071, AU-073: the user is asked once for the same scopes, and no call fails.
#[tokio::test]
async fn calls_that_need_the_same_more_share_one_card() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    world.want("write");
    let (chat, _model) = calls(&scene, server, 12).await;
    let shown = scene.agree_and_visit(&world, server).await;
    assert_eq!(shown.new_scopes, ["write"]);
    let calls = Scene::calls(&scene.finished(chat).await);
    for call in &calls {
        assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    }
    assert_eq!((calls.len(), world.grants("authorization_code")), (12, 2));
    scene.close().await;
}

/// AU-073: a no is a no for all of them.
#[tokio::test]
async fn calls_that_need_the_same_more_share_one_no() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    world.want("write");
    let (chat, _model) = calls(&scene, server, 12).await;
    let question = scene.person.asked().await;
    assert!(matches!(question.about, QuestionBody::SignIn(_)), "{question:?}");
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let calls = Scene::calls(&scene.finished(chat).await);
    for call in &calls {
        assert!(!matches!(call.state, CallState::Answered { .. }), "{call:?}");
    }
    assert_eq!((calls.len(), world.grants("authorization_code")), (12, 1));
    scene.close().await;
}

fn registrations(world: &Protected) -> usize {
    let all = world.reached();
    all.iter().filter(|it| it.path == "/register").count()
}

/// Adds the server once more under another name, and signs in to it.
async fn another(scene: &Scene, world: &Protected, name: &str) -> ServerId {
    let server = scene.add_at(name, &world.url, &[]).await;
    scene.host.server_sign_in(server).await.unwrap();
    goes_on(scene, world, server).await;
    server
}

/// Lets it be connected to once more, and signs in.
async fn goes_on(scene: &Scene, world: &Protected, server: ServerId) {
    let question = scene.person.asked().await;
    assert!(
        matches!(question.about, QuestionBody::ConnectServer(_)),
        "{question:?}"
    );
    scene.person.say(&question, yes(Scope::Once)).await;
    scene.agree_and_visit(world, server).await;
    scene.ready(server).await;
}

/// AU-033: what was registered with an issuer is kept as long as a server is signed in through it, and no longer.
#[tokio::test]
async fn a_registration_goes_with_the_last_server_that_used_it() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let first = scene.signed_in(&world).await;
    let second = another(&scene, &world, "second").await;
    assert_eq!(registrations(&world), 1, "one issuer, one registration");
    soon("one is removed", scene.host.server_remove(first))
        .await
        .unwrap();
    let third = another(&scene, &world, "third").await;
    assert_eq!(registrations(&world), 1, "the other one still uses it");
    for server in [second, third] {
        soon("one is removed", scene.host.server_remove(server))
            .await
            .unwrap();
    }
    another(&scene, &world, "fourth").await;
    assert_eq!(registrations(&world), 2, "nobody used it any more");
    scene.close().await;
}

/// A user with two accounts is asked on the page who they are, and what the first one held is withdrawn before.
#[tokio::test]
async fn another_account_is_another_sign_in() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let server = scene.signed_in(&world).await;
    soon("the account", scene.host.server_switch_account(server))
        .await
        .unwrap();
    assert!(world.reached().iter().any(|it| it.path == "/revoke"));
    goes_on(&scene, &world, server).await;
    let asks = |page: &String| page.contains("prompt=login");
    let asked: Vec<bool> = scene.opened().iter().map(asks).collect();
    assert_eq!(asked, [false, true]);
    scene.close().await;
}
