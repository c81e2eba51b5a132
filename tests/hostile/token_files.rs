//! A main window that was taken over sets which file's content a sign-in sends. What is no token is refused without a
//! question; what is one is named on the card, and another file needs another yes.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use vestibule_consent::{Question, QuestionBody, SignIn};
use vestibule_host::view::{
    Problem, ServerProblem, ServerState, ServerView, SignInFailure, SignInMethod, SignInSecrets,
    SignInSettings,
};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Protected, Scene, yes};

const SECRET: &str = "file-canary";

fn jwt(subject: &str) -> String {
    let part = |json: &str| URL_SAFE_NO_PAD.encode(json);
    let claims = format!(r#"{{"sub":"{subject}"}}"#);
    format!(
        "{}.{}.{}",
        part(r#"{"alg":"ES256"}"#),
        part(&claims),
        part("sign")
    )
}

async fn set(scene: &Scene, server: ServerId, file: &Path) {
    let settings = SignInSettings {
        method: SignInMethod::Workload,
        token_file: Some(file.display().to_string()),
        ..SignInSettings::default()
    };
    let set = scene
        .host
        .server_sign_in_set(server, settings, SignInSecrets::default());
    set.await.unwrap();
    scene.host.server_sign_in(server).await.unwrap();
}

fn card(question: &Question) -> &SignIn {
    match &question.about {
        QuestionBody::SignIn(sign_in) => sign_in,
        other => panic!("another card: {other:?}"),
    }
}

fn failed_here(view: &ServerView) -> bool {
    matches!(
        &view.state,
        ServerState::SignInNeeded {
            problem: Problem::Server(ServerProblem::SignInFailed {
                why: SignInFailure::Local,
                ..
            })
        }
    )
}

#[tokio::test]
async fn a_file_that_is_no_token_is_neither_asked_about_nor_sent() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("id_ed25519");
    std::fs::write(&key, format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}\n")).unwrap();
    // The data folder of this host, which holds a token by chance.
    let own = scene.folder().join("token");
    std::fs::write(&own, jwt(SECRET)).unwrap();
    let server = scene.add_at("members", &world.url, &[]).await;
    scene.person.answers(|question| match question.about {
        QuestionBody::ConnectServer(_) => Some(yes(Scope::Once)),
        _ => None,
    });
    for file in [&key, &own] {
        set(&scene, server, file).await;
        let view = scene.server(server, "a file that is refused", failed_here).await;
        let ServerState::SignInNeeded { problem } = &view.state else {
            panic!("{view:?}")
        };
        assert!(
            problem.to_string().contains(&file.display().to_string()),
            "{problem}"
        );
        scene.host.server_stop(server).await.unwrap();
    }
    let asked = scene.person.shown();
    assert!(
        asked
            .iter()
            .all(|card| matches!(card.about, QuestionBody::ConnectServer(_))),
        "there is no question"
    );
    assert!(world.reached().iter().all(|it| it.path != "/token"));
    assert!(world.reached().iter().all(|it| !it.body.contains(SECRET)));
    std::fs::remove_file(own).unwrap();
    scene.close().await;
}

/// AX-040.
#[tokio::test]
async fn a_token_file_is_named_on_the_card_and_another_one_is_asked_again() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    let folder = tempfile::tempdir().unwrap();
    let server = scene.add_at("members", &world.url, &[]).await;
    let mut sent = 0;
    for (name, subject) in [("first", "one"), ("second", "two")] {
        let file = folder.path().join(name);
        let token = jwt(subject);
        std::fs::write(&file, &token).unwrap();
        set(&scene, server, &file).await;
        let question = loop {
            let question = scene.person.asked().await;
            match question.about {
                QuestionBody::ConnectServer(_) => scene.person.say(&question, yes(Scope::Once)).await,
                _ => break question,
            }
        };
        let shown = card(&question).file.clone().unwrap();
        assert_eq!(shown.path, file.display().to_string());
        assert_eq!(shown.bytes as usize, token.len());
        assert_eq!(shown.to, "127.0.0.1");
        let at_token = |world: &Protected| world.reached().iter().filter(|it| it.path == "/token").count();
        assert_eq!(at_token(&world), sent, "nothing is sent before the yes");
        scene.person.say(&question, yes(Scope::Once)).await;
        scene.ready(server).await;
        sent += 1;
        assert_eq!(at_token(&world), sent);
        let bodies = world.reached();
        assert!(bodies.iter().any(|it| it.body.contains(&token)));
    }
    scene.close().await;
}
