//! Leaving an authorization server: what was registered there is withdrawn where that can be done, and whoever could not
//! be told is named.

use vestibule_consent::QuestionBody;
use vestibule_host::view::{Problem, ServerProblem};
use vestibule_policy::Scope;
use vestibule_tests::{CANARY, Protected, Reached, Scene, soon, yes};

fn withdrawn(world: &Protected) -> Vec<Reached> {
    let reached = world.reached().into_iter();
    reached.filter(|it| it.method == "DELETE").collect()
}

/// AU-033.
#[tokio::test]
async fn a_registration_goes_with_the_last_sign_in_and_not_when_another_account_is_used() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    world.lets_withdraw(204);
    let server = scene.signed_in(&world).await;
    scene.host.server_switch_account(server).await.unwrap();
    let question = scene.person.asked().await;
    assert!(
        matches!(question.about, QuestionBody::ConnectServer(_)),
        "{question:?}"
    );
    scene.person.say(&question, yes(Scope::Once)).await;
    scene.agree_and_visit(&world, server).await;
    scene.ready(server).await;
    let registered = world.reached().into_iter().filter(|it| it.path == "/register");
    assert_eq!((registered.count(), withdrawn(&world).len()), (1, 0));
    soon("the user signs out", scene.host.server_sign_out(server))
        .await
        .unwrap();
    let [told] = withdrawn(&world).try_into().unwrap();
    assert_eq!(told.path, "/register/client-1");
    let shown = format!("Bearer registration-{CANARY}");
    assert_eq!(told.authorization, Some(shown));
    scene.close().await;
}

#[tokio::test]
async fn a_server_is_removed_and_what_may_still_count_elsewhere_is_told() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    world.lets_withdraw(503);
    let server = scene.signed_in(&world).await;
    for over in ["signed out", "removed"] {
        let ended = match over {
            "signed out" => soon(over, scene.host.server_sign_out(server)).await,
            _ => soon(over, scene.host.server_remove(server)).await,
        };
        let Err(Problem::Server(ServerProblem::NotWithdrawn { origin, detail })) = ended else {
            panic!("{over}: {ended:?}");
        };
        assert!(
            world.url.starts_with(&origin) && detail.contains("503"),
            "{over}: {detail}"
        );
        assert!(!detail.contains(CANARY), "{over}: {detail}");
    }
    assert_eq!(withdrawn(&world).len(), 2, "each time once");
    let kept = scene.store.servers().await.unwrap();
    assert!(kept.iter().all(|record| record.id != server), "it is gone here");
    scene.close().await;
}
