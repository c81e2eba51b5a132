//! Models: neither a new address nor another default takes a chat elsewhere without a yes.

use super::*;

async fn model_of(scene: &Scene, chat: ChatId) -> Option<ModelId> {
    let chats = scene.store.chats().await.unwrap();
    chats.into_iter().find(|record| record.id == chat).unwrap().model
}

fn draft(id: Option<ConnectionId>, base_url: &str) -> ConnectionDraft {
    ConnectionDraft {
        id,
        ..connection_draft(base_url, Some("sk-canary-77ab"), &[])
    }
}

async fn save(scene: &Scene, draft: ConnectionDraft) -> ChangeOutcome {
    scene.host.connection_save(draft).await.unwrap().change
}

/// The very first connection is asked too; before the yes neither it nor its key is kept, and nothing is sent to it.
#[tokio::test]
async fn chats_go_to_no_new_address_by_the_main_window_alone() {
    let scene = Scene::new().await;
    scene.person.judges_models();
    let state = async || {
        (
            scene.store.connections().await.unwrap(),
            scene.store.models().await.unwrap(),
        )
    };
    let first = || ConnectionDraft {
        models: vec!["large".to_owned()],
        ..draft(None, "http://127.0.0.1:4009/v1")
    };
    let card = is_asked(
        &scene,
        "connection.save",
        async || save(&scene, first()).await,
        state,
    )
    .await;
    let Widening::SaveConnection {
        connection,
        new: true,
        before: None,
        key: true,
        ..
    } = widening(&card)
    else {
        panic!("{card:?}")
    };
    assert_eq!(
        connection.address.canonical.as_deref(),
        Some("http://127.0.0.1:4009/v1")
    );
    assert_eq!(connection.models, ["large"]);
    assert!(!format!("{card:?}").contains("canary"));
    let id = state().await.0[0].id;
    let same = save(&scene, draft(Some(id), "http://127.0.0.1:4009/v1")).await;
    assert_eq!(same, ChangeOutcome::Done, "nothing goes anywhere else");
    let more = scene
        .host
        .models_add(id, vec!["small".to_owned(), "large".to_owned()])
        .await;
    assert_eq!(
        more.unwrap().models.len(),
        1,
        "this connection was agreed to, and has the other already"
    );

    let moved = save(&scene, draft(Some(id), "https://models.example/v1")).await;
    let (card, _) = scene.answered(moved, no()).await;
    assert!(
        matches!(widening(&card), Widening::SaveConnection { new: false, before: Some(before), .. } if before == "http://127.0.0.1:4009/v1")
    );
    assert_eq!(state().await.0[0].base_url, "http://127.0.0.1:4009/v1");
    let moved = save(&scene, draft(Some(id), "https://models.example/v1")).await;
    scene.agreed(moved).await;
    assert_eq!(state().await.0[0].base_url, "https://models.example/v1");
    // An address that pretends is refused without a question.
    let deceives = scene
        .host
        .connection_save(draft(None, "https://аpple.com/v1"))
        .await;
    assert!(
        matches!(
            deceives,
            Err(Problem::Input(InputProblem::AddressDeceives { .. })
                | Problem::Input(InputProblem::AddressInvalid { .. }))
        ),
        "{deceives:?}"
    );
    scene.close().await;
}

/// A header can tell a gateway where to send a request on to, so it is asked about by name, and its value is on no card.
#[tokio::test]
async fn no_other_headers_go_along_by_the_main_window_alone() {
    let scene = Scene::new().await;
    let model = scene.add_model("http://127.0.0.1:4009/v1", None).await;
    let id = scene.connection_of(model).await;
    scene.person.judges_models();
    let with = |name: &str, value: Option<&str>| ConnectionDraft {
        key: None,
        headers: vec![HeaderDraft {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        }],
        ..draft(Some(id), "http://127.0.0.1:4009/v1")
    };
    let asked = save(&scene, with("X-Target", Some("sk-canary-41f0"))).await;
    let card = scene.agreed(asked).await;
    assert!(
        matches!(widening(&card), Widening::SaveConnection { connection, new: false, before: None, .. } if connection.headers == ["X-Target"])
    );
    assert!(!format!("{card:?}").contains("canary"));
    let kept = save(&scene, with("X-Target", None)).await;
    assert_eq!(kept, ChangeOutcome::Done, "it stays as it was agreed to");
    for (name, value) in [
        ("Host", "evil"),
        ("authorization", "Bearer x"),
        ("Cookie", "a=b"),
        ("Transfer-Encoding", "chunked"),
        ("X-Target", "a\r\nHost: evil"),
    ] {
        let refused = scene.host.connection_save(with(name, Some(value))).await;
        assert!(
            matches!(&refused, Err(Problem::Input(InputProblem::HeaderInvalid { name: named })) if named == name),
            "{name}: {refused:?}"
        );
    }
    // Its value does not go to another address by itself.
    let moved = ConnectionDraft {
        base_url: "https://models.example/v1".to_owned(),
        ..with("X-Target", None)
    };
    let refused = scene.host.connection_save(moved).await;
    assert!(
        matches!(refused, Err(Problem::Input(InputProblem::SecretsMissing { .. }))),
        "{refused:?}"
    );
    scene.close().await;
}

/// A chat in which something was said, with a model, and a second model at another address.
async fn two_models() -> (Scene, ChatId, ModelId, Model, ModelId, Model) {
    let scene = Scene::new().await;
    let (chat, one) = scene.scripted_chat().await;
    one.will(Turn::words("Hello."));
    scene.say(chat, "A secret.").await;
    scene.finished(chat).await;
    let first = model_of(&scene, chat).await.unwrap();
    let two = Model::start().await;
    let second = scene.add_model(&two.base_url, None).await;
    (scene, chat, first, one, second, two)
}

#[tokio::test]
async fn what_was_said_in_a_chat_goes_to_no_other_address_by_the_main_window_alone() {
    let (scene, chat, first, _one, second, _two) = two_models().await;
    let empty = scene.chat().await;
    let picked = scene.host.chat_model(empty, Some(second)).await.unwrap();
    assert_eq!(picked, ChangeOutcome::Done, "nothing was said in it");
    let card = is_asked(
        &scene,
        "chat.model",
        async || scene.host.chat_model(chat, Some(second)).await.unwrap(),
        async || model_of(&scene, chat).await,
    )
    .await;
    assert!(
        matches!(widening(&card), Widening::ChatModel { chat, from: Some(_), .. } if chat == "A secret.")
    );
    let back = scene.host.chat_model(chat, None).await.unwrap();
    assert_eq!(back, ChangeOutcome::Done, "the rehearsal sends nothing");
    let again = scene.host.chat_model(chat, Some(first)).await.unwrap();
    let (card, _) = scene.answered(again, no()).await;
    assert!(matches!(widening(&card), Widening::ChatModel { from: None, .. }));
    scene.close().await;
}

/// Neither another default nor the end of a model sends a chat elsewhere.
#[tokio::test]
async fn a_chat_follows_no_default_to_another_address() {
    let (scene, chat, first, _one, second, two) = two_models().await;
    let default = async |model: ModelId| {
        let change = SettingsChange {
            default_model: Some(model),
            ..SettingsChange::default()
        };
        scene.host.settings_save(change).await.unwrap();
    };
    default(first).await;
    let change = scene.host.chat_model(chat, None).await.unwrap();
    assert_eq!(change, ChangeOutcome::Done, "the default is at the same address");
    default(second).await;
    assert_eq!(model_of(&scene, chat).await, Some(first));
    scene.host.model_remove(first).await.unwrap();
    scene.say(chat, "And now?").await;
    scene.finished(chat).await;
    assert_ne!(model_of(&scene, chat).await, None);
    assert!(two.is_unasked(), "nothing of the chat went to the other address");
    scene.close().await;
}
