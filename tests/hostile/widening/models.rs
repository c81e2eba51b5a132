//! Models: neither a new address nor another default takes a chat elsewhere without a yes.

use super::*;

async fn model_of(scene: &Scene, chat: ChatId) -> Option<ModelId> {
    let chats = scene.store.chats().await.unwrap();
    chats.into_iter().find(|record| record.id == chat).unwrap().model
}

fn draft(id: Option<ModelId>, base_url: &str) -> ModelDraft {
    ModelDraft {
        id,
        label: "Large".into(),
        base_url: base_url.into(),
        model: "large".into(),
        key: Some("sk-canary-77ab".into()),
        price_in: None,
        price_out: None,
        price_cached: None,
        context: None,
        wire: None,
    }
}

/// The very first model is asked too; before the yes neither it nor its key is kept, and nothing is sent to it.
#[tokio::test]
async fn chats_go_to_no_new_address_by_the_main_window_alone() {
    let scene = Scene::new().await;
    scene.person.judges_models();
    let models = async || scene.store.models().await.unwrap();
    let save =
        async |id: Option<ModelId>, base_url: &str| scene.host.model_save(draft(id, base_url)).await.unwrap();
    let card = is_asked(
        &scene,
        "model.save",
        async || save(None, "http://127.0.0.1:4009/v1").await.change,
        async || models().await,
    )
    .await;
    let Widening::SaveModel { model, before, key } = widening(&card) else {
        panic!("{card:?}")
    };
    assert_eq!(
        model.address.canonical.as_deref(),
        Some("http://127.0.0.1:4009/v1")
    );
    assert_eq!((before, *key), (&None, true));
    assert!(!format!("{card:?}").contains("canary"));
    let id = models().await.last().unwrap().id;
    let same = save(Some(id), "http://127.0.0.1:4009/v1").await;
    assert_eq!(same.change, ChangeOutcome::Done, "nothing goes anywhere else");
    let beside = save(None, "http://127.0.0.1:4009/v1").await;
    assert_eq!(beside.change, ChangeOutcome::Done, "this address is known");

    let moved = save(Some(id), "https://models.example/v1").await.change;
    let (card, _) = scene.answered(moved, no()).await;
    assert!(
        matches!(widening(&card), Widening::SaveModel { before: Some(before), .. } if before == "http://127.0.0.1:4009/v1")
    );
    let kept = |models: Vec<vestibule_store::ModelRecord>| {
        let found = models.into_iter().find(|record| record.id == id);
        found.unwrap().base_url.unwrap()
    };
    assert_eq!(kept(models().await), "http://127.0.0.1:4009/v1");
    let moved = save(Some(id), "https://models.example/v1").await.change;
    scene.agreed(moved).await;
    assert_eq!(kept(models().await), "https://models.example/v1");
    // An address that pretends is refused without a question.
    let deceives = scene.host.model_save(draft(None, "https://аpple.com/v1")).await;
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
