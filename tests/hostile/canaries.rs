//! The harness itself: a canary that leaks on purpose is found in each of the four places, and one at home is not.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use vestibule_protocol::ChatId;
use vestibule_tests::{Home, Model, Place, Scene, Turn, soon};

/// A scene, a chat of it, and a secret that may be in events of that chat, in its model and in the database.
struct Kept {
    scene: Scene,
    chat: ChatId,
    model: Model,
    secret: String,
}

async fn kept() -> Kept {
    let scene = Scene::new().await;
    scene.private_chat().await;
    let (chat, model) = scene.scripted_chat().await;
    let home = Home {
        chat: Some(chat),
        listener: Some(model.base_url.clone()),
        database: true,
        ..Home::default()
    };
    let secret = scene.plant("a secret", home).unwrap();
    Kept {
        scene,
        chat,
        model,
        secret,
    }
}

/// The places in which the secret was found; nothing else was.
async fn found(scene: Scene) -> BTreeSet<Place> {
    let leaks = scene.leave().await.leaks();
    assert!(leaks.iter().all(|leak| leak.canary == "a secret"), "{leaks:#?}");
    leaks.into_iter().map(|leak| leak.place).collect()
}

/// Sends a request with this header and this body, as a host with a mistake in it would.
async fn post(model: &Model, header: &str, body: &str) {
    let address = model
        .base_url
        .trim_start_matches("http://")
        .trim_end_matches("/v1");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let request = format!("POST /v1 HTTP/1.1\r\nx-note: {header}\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![];
    soon("an answer", stream.read_to_end(&mut answer)).await.unwrap();
}

#[tokio::test]
async fn a_canary_at_home_is_no_leak() {
    let Kept {
        scene,
        chat,
        mut model,
        secret,
    } = kept().await;
    model.will(Turn::words("I see."));
    scene.say(chat, &format!("It is {secret}.")).await;
    let asked = model.asked().await;
    assert!(asked.to_string().contains(&secret), "the model was told: {asked}");
    scene.finished(chat).await;
    assert_eq!(found(scene).await, BTreeSet::new());
}

#[tokio::test]
async fn a_canary_in_the_log_is_found_as_it_is_and_in_base64() {
    let plain = kept().await;
    tracing::trace!(value = plain.secret, "something was sent");
    assert_eq!(found(plain.scene).await, BTreeSet::from([Place::Log]));

    let in_span = kept().await;
    drop(tracing::trace_span!("a call", key = ?in_span.secret));
    assert_eq!(found(in_span.scene).await, BTreeSet::from([Place::Log]));

    for before in ["", "a", "ab"] {
        let encoded = kept().await;
        let value = STANDARD.encode(format!("{before}{}:", encoded.secret));
        tracing::trace!("authorization: Basic {value}");
        assert_eq!(
            found(encoded.scene).await,
            BTreeSet::from([Place::Log]),
            "{before}"
        );
    }
}

/// What is written by a thread that belongs to no test is seen as well.
#[tokio::test]
async fn a_canary_in_the_log_of_another_thread_is_found() {
    let kept = kept().await;
    let secret = kept.secret.clone();
    std::thread::spawn(move || tracing::debug!(%secret))
        .join()
        .unwrap();
    assert_eq!(found(kept.scene).await, BTreeSet::from([Place::Log]));
}

#[tokio::test]
async fn a_canary_in_a_request_to_another_listener_is_found() {
    for in_header in [true, false] {
        let kept = kept().await;
        let other = Model::start().await;
        other.will(Turn::words("Thank you."));
        match in_header {
            true => post(&other, &kept.secret, "{}").await,
            false => post(&other, "none", &format!("{{\"text\":\"{}\"}}", kept.secret)).await,
        }
        assert_eq!(found(kept.scene).await, BTreeSet::from([Place::Request]));
    }
}

#[tokio::test]
async fn a_canary_in_an_event_of_another_chat_is_found() {
    let kept = kept().await;
    let other = kept.scene.chat().await;
    let id = kept.scene.window.now().models.last().unwrap().id;
    kept.scene.host.chat_model(other, Some(id)).await.unwrap();
    kept.model.will(Turn::words("I see."));
    kept.scene.say(other, &format!("It is {}.", kept.secret)).await;
    kept.scene.finished(other).await;
    assert_eq!(found(kept.scene).await, BTreeSet::from([Place::Event]));
}

#[tokio::test]
async fn a_canary_in_a_file_is_found() {
    let kept = kept().await;
    let folder = kept.scene.folder().join("left").join("behind");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("notes.bin"), format!("\0\u{1}{}", kept.secret)).unwrap();
    assert_eq!(found(kept.scene).await, BTreeSet::from([Place::File]));
}

#[tokio::test]
#[should_panic(expected = "canaries leaked")]
async fn a_scene_with_a_leak_does_not_close() {
    let kept = kept().await;
    tracing::trace!(kept.secret);
    kept.scene.close().await;
}
