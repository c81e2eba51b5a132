//! Connections: one address and one key for many models, what is known of each, and whether it works.

use std::sync::Arc;

use serde_json::json;
use vestibule_host::view::{
    ChangeEnd, ConnectionDraft, FactSource, HeaderDraft, InputProblem, ModelDraft, ModelProblem, ModelView,
    NumberFact, Problem, SettingsChange, SwitchFact, TrialStep,
};
use vestibule_policy::Scope;
use vestibule_protocol::ModelId;
use vestibule_tests::{
    KeychainMood, Model, Opening, Scene, TestKeychain, Turn, connection_draft, model_draft, yes,
};

fn view(scene: &Scene, id: ModelId) -> ModelView {
    let models = scene.window.now().models;
    models.into_iter().find(|model| model.id == id).unwrap()
}

/// A key goes to the keychain and to its own endpoint, and not to another address.
#[tokio::test]
async fn a_key_is_never_taken_to_another_address() {
    let scene = Scene::new().await;
    let model = scene
        .add_model("http://127.0.0.1:4009/v1", Some("sk-canary-91c2"))
        .await;
    let id = scene.connection_of(model).await;
    let has_key = |scene: &Scene| scene.window.now().connections[0].has_key;
    scene.window.catch_up(&scene.host).await;
    assert!(has_key(&scene));
    let moved = ConnectionDraft {
        id: Some(id),
        ..connection_draft("http://127.0.0.1:4010/v1", None, &[])
    };
    scene.person.judges_models();
    let change = scene.host.connection_save(moved).await.unwrap().change;
    scene.agreed(change).await;
    assert!(!has_key(&scene));
    for address in ["ftp://127.0.0.1/v1", "http://me:secret@127.0.0.1/v1"] {
        let odd = scene
            .host
            .connection_save(connection_draft(address, None, &[]))
            .await;
        assert!(
            matches!(odd, Err(Problem::Input(InputProblem::AddressInvalid { .. }))),
            "{odd:?}"
        );
    }
    scene.close().await;
}

/// A full disk, say.
#[tokio::test]
async fn a_move_that_cannot_be_saved_sends_the_new_key_to_no_old_address() {
    let scene = Scene::new().await;
    let mut model = Model::start().await;
    let id = scene.add_model(&model.base_url, Some("sk-first")).await;
    let connection = scene.connection_of(id).await;
    let full = "CREATE TRIGGER full BEFORE INSERT ON connections BEGIN SELECT RAISE(ABORT, 'no room'); END";
    let database = rusqlite::Connection::open(scene.database()).unwrap();
    database.execute_batch(full).unwrap();
    let moved = ConnectionDraft {
        id: Some(connection),
        ..connection_draft("http://127.0.0.1:4010/v1", Some("sk-second"), &[])
    };
    scene.person.judges_models();
    let change = scene.host.connection_save(moved).await.unwrap().change;
    let (_, end) = scene.answered(change, yes(Scope::Once)).await;
    assert!(matches!(end, ChangeEnd::Failed { .. }), "{end:?}");

    let chat = scene.chat().await;
    scene.host.chat_model(chat, Some(id)).await.unwrap();
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    model.asked().await;
    scene.finished(chat).await;
    let heads = model.heads().await.concat();
    assert!(!heads.contains("sk-second"), "{heads}");
    scene.close().await;
}

/// Several models are ticked in a list, added without another card, and described by their server.
#[tokio::test]
async fn models_of_a_connection_are_listed_added_and_described() {
    let scene = Scene::new().await;
    let model = Model::start().await;
    model
        .lists(
            json!({ "data": [
                { "id": "small", "max_model_len": 8192 },
                { "id": "large", "context_length": 131_072, "supported_parameters": ["tools"],
                  "architecture": { "input_modalities": ["text", "image"] } },
            ] })
            .to_string(),
        )
        .await;
    let first = scene.add_model(&model.base_url, None).await;
    let connection = scene.connection_of(first).await;
    scene.person.judges_models();
    let listing = scene.host.connection_models(connection).await.unwrap();
    let names: Vec<&str> = listing.models.iter().map(|listed| &*listed.name).collect();
    assert_eq!((names, listing.cut), (vec!["small", "large"], false));
    let both = vec!["small".to_owned(), "large".to_owned()];
    let added = scene.host.models_add(connection, both.clone()).await.unwrap();
    let added = added.models;
    let again = scene.host.models_add(connection, both).await.unwrap();
    assert!(again.models.is_empty());
    let described = |seen: &vestibule_tests::Projection| {
        let large = seen.models.iter().find(|model| model.id == added[1]);
        large.is_some_and(|large| large.facts.context.is_some())
    };
    scene
        .window
        .until("what the server says of a model", described)
        .await;
    let server = FactSource::Server;
    let facts = view(&scene, added[1]).facts;
    let said = NumberFact {
        value: 131_072,
        source: server,
    };
    assert_eq!(facts.context, Some(said));
    let sees = SwitchFact {
        value: true,
        source: server,
    };
    assert_eq!((facts.images, facts.tools), (Some(sees), Some(sees)));

    // What the user says stands above it.
    let blind = ModelDraft {
        model: "large".to_owned(),
        images: Some(false),
        ..model_draft(added[1], "Large")
    };
    scene.host.model_save(blind).await.unwrap();
    scene.host.model_favourite(added[1], true).await.unwrap();
    let scene = scene.reopen().await;
    let large = view(&scene, added[1]);
    assert!(large.favourite && large.label == "Large");
    let blind = SwitchFact {
        value: false,
        source: FactSource::User,
    };
    assert_eq!(
        (large.facts.images, large.facts.context),
        (Some(blind), Some(said))
    );
    scene.close().await;
}

/// The keychain is read while the first message of a new chat is written, and nothing is sent before Send.
#[tokio::test]
async fn the_model_of_a_new_chat_is_prepared_without_being_asked() {
    let keychain = Arc::new(TestKeychain::default());
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    let mut model = Model::start().await;
    let draft = ConnectionDraft {
        headers: vec![HeaderDraft {
            name: "X-Team".to_owned(),
            value: Some("canary-team-20".to_owned()),
        }],
        ..connection_draft(&model.base_url, Some("sk-canary-20"), &["scripted"])
    };
    let saved = scene.host.connection_save(draft).await.unwrap().models[0];
    let is_here = |seen: &vestibule_tests::Projection| seen.models.iter().any(|model| model.id == saved);
    scene.window.until("the model", is_here).await;
    let change = SettingsChange {
        default_model: Some(saved),
        ..Default::default()
    };
    scene.host.settings_save(change).await.unwrap();
    let scene = scene.reopen().await;
    let before = model.heads().await.len();
    scene.host.chat_prepare(None).await.unwrap();
    assert_eq!(model.heads().await.len(), before);
    keychain.turn(KeychainMood::Refuses);
    let chat = scene.chat().await;
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    scene.finished(chat).await;
    model.asked().await;
    let heads = model.heads().await;
    let last = heads.last().unwrap();
    assert!(last.contains("x-team: canary-team-20") && last.contains("sk-canary-20"));
    keychain.turn(KeychainMood::Answers);
    scene.close().await;
}

/// A header of a connection goes along with a chat, and is shown by its name alone.
#[tokio::test]
async fn an_extra_header_goes_to_its_endpoint_and_is_shown_by_name() {
    let scene = Scene::new().await;
    let mut model = Model::start().await;
    let draft = ConnectionDraft {
        headers: vec![HeaderDraft {
            name: "X-Team".to_owned(),
            value: Some("canary-team-19".to_owned()),
        }],
        ..connection_draft(&model.base_url, None, &["scripted"])
    };
    let saved = scene.host.connection_save(draft).await.unwrap();
    let is_here = |seen: &vestibule_tests::Projection| !seen.connections.is_empty();
    let seen = scene.window.until("the connection", is_here).await;
    assert_eq!(seen.connections[0].headers, ["X-Team"]);
    assert!(!format!("{seen:?}").contains("canary-team"));
    let chat = scene.chat().await;
    scene.host.chat_model(chat, Some(saved.models[0])).await.unwrap();
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    scene.finished(chat).await;
    model.asked().await;
    assert!(
        model
            .heads()
            .await
            .iter()
            .any(|head| head.contains("x-team: canary-team-19"))
    );
    scene.close().await;
}

#[tokio::test]
async fn trying_a_model_says_which_step_fails() {
    let scene = Scene::new().await;
    let mut model = Model::start().await;
    let id = scene.add_model(&model.base_url, None).await;
    let mut failed_at = async |turn: Turn| {
        model.will(turn);
        let trial = scene.host.model_try(id).await.unwrap();
        model.asked().await;
        trial.failed.map(|failure| failure.step)
    };
    assert_eq!(failed_at(Turn::words("ready")).await, None);
    for (turn, step) in [
        (Turn::refusal("401 Unauthorized", "", "no"), TrialStep::Key),
        (Turn::refusal("403 Forbidden", "", "no"), TrialStep::Key),
        (
            Turn::refusal("404 Not Found", "", r#"{"error":{"message":"no such model"}}"#),
            TrialStep::Model,
        ),
        (
            Turn::refusal("200 OK", "content-type: text/html\r\n", "<p>hello"),
            TrialStep::Reply,
        ),
    ] {
        assert_eq!(failed_at(turn).await, Some(step));
    }
    model.stop().await;
    let trial = scene.host.model_try(id).await.unwrap();
    assert_eq!(
        trial.steps,
        [
            TrialStep::Connection,
            TrialStep::Key,
            TrialStep::Model,
            TrialStep::Reply
        ]
    );
    let failed = trial.failed.unwrap();
    assert_eq!(failed.step, TrialStep::Connection);
    assert!(matches!(
        failed.problem,
        Problem::Model(ModelProblem::ModelUnreachable { .. })
    ));
    scene.close().await;
}

/// A connection goes with everything that belongs to it, and no chat goes elsewhere because of that.
#[tokio::test]
async fn removing_a_connection_sends_no_chat_elsewhere() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::words("Hello."));
    scene.say(chat, "A secret.").await;
    scene.finished(chat).await;
    let other = Model::start().await;
    let second = scene.add_model(&other.base_url, None).await;
    let default = vestibule_host::view::SettingsChange {
        default_model: Some(second),
        ..Default::default()
    };
    scene.host.settings_save(default).await.unwrap();
    let used = scene.window.now().chats[&chat].model.unwrap();
    let connection = scene.connection_of(used).await;
    scene.host.connection_remove(connection).await.unwrap();
    scene.say(chat, "And now?").await;
    scene.finished(chat).await;
    assert!(
        other.is_unasked(),
        "nothing of the chat went to the other address"
    );
    assert_eq!(scene.store.connections().await.unwrap().len(), 1);
    scene.close().await;
}
