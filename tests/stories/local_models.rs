//! Local models: a file and the user's own program. Nothing runs before the user saw what it is, and nothing stays.

use std::path::PathBuf;

use vestibule_consent::{Answer, Question, QuestionBody, ValueDisplay};
use vestibule_host::view::{
    EntryBody, FactSource, InputProblem, LocalModelDraft, LocalModelState, ModelDraft, NumberFact, Problem,
    ServerProblem,
};
use vestibule_policy::Scope;
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_tests::{Scene, model_draft, naming, program, servers_gone, yes};

/// The header of a GGUF file that names a model and how much it reads.
fn gguf() -> Vec<u8> {
    let text = |text: &str| [(text.len() as u64).to_le_bytes().as_slice(), text.as_bytes()].concat();
    let head = [
        b"GGUF".as_slice(),
        &3_u32.to_le_bytes(),
        &0_u64.to_le_bytes(),
        &2_u64.to_le_bytes(),
    ]
    .concat();
    let name = [text("general.name"), 8_u32.to_le_bytes().to_vec(), text("Small")].concat();
    let context = [
        text("llama.context_length"),
        4_u32.to_le_bytes().to_vec(),
        4096_u32.to_le_bytes().to_vec(),
    ];
    [head, name, context.concat()].concat()
}

/// A model file in the folder of the scene, and the model that was added for it.
async fn added(scene: &Scene, name: &str) -> (PathBuf, ModelId, ConnectionId) {
    let file = scene.folder().join(name);
    std::fs::write(&file, gguf()).unwrap();
    let draft = LocalModelDraft {
        file: file.display().to_string(),
        program: program("vestibule-server").display().to_string(),
    };
    let model = scene.host.local_model_add(draft).await.unwrap();
    let connection = scene.connection_of(model).await;
    scene.window.catch_up(&scene.host).await;
    (file, model, connection)
}

async fn until(scene: &Scene, what: &str, is: impl Fn(&LocalModelState) -> bool) -> LocalModelState {
    let state = |seen: &vestibule_tests::Projection| {
        let local = seen.connections.iter().find_map(|one| one.local.clone());
        local.unwrap().state
    };
    let seen = scene.window.until(what, |seen| is(&state(seen))).await;
    state(&seen)
}

fn is_stopped(state: &LocalModelState) -> bool {
    matches!(state, LocalModelState::Stopped { .. })
}

/// Whether the program of this model file runs.
fn runs(file: &std::path::Path) -> bool {
    !naming(&file.display().to_string()).is_empty()
}

fn launch_of(card: &Question) -> &vestibule_consent::Launch {
    match &card.about {
        QuestionBody::StartServer(launch) => launch,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_model_file_answers_after_the_user_saw_what_would_run() {
    let scene = Scene::new().await;
    let (file, model, connection) = added(&scene, "small.gguf").await;
    let view = scene
        .window
        .now()
        .models
        .into_iter()
        .find(|view| view.id == model);
    let reads = NumberFact {
        value: 4096,
        source: FactSource::Server,
    };
    let view = view.unwrap();
    assert_eq!((view.label.as_str(), view.facts.context), ("Small", Some(reads)));
    let chat = scene.chat().await;
    scene.host.chat_model(chat, Some(model)).await.unwrap();
    scene.say(chat, "Hello").await;

    let card = scene.person.asked().await;
    let launch = launch_of(&card);
    assert!(launch.serves_model);
    assert_eq!(launch.program, program("vestibule-server").display().to_string());
    assert!(
        launch.args.contains(&file.display().to_string()) && launch.args.contains(&"127.0.0.1".to_owned())
    );
    assert!(
        launch
            .files
            .iter()
            .any(|bound| bound.path == file.display().to_string())
    );
    let [variable] = launch.variables.as_slice() else {
        panic!("{:?}", launch.variables)
    };
    assert_eq!(
        (variable.name.as_str(), &variable.value),
        ("LLAMA_API_KEY", &ValueDisplay::Hidden)
    );
    assert_eq!(card.scopes, [Scope::Once]);
    assert_eq!(card.cause.as_ref().map(|cause| cause.chat), Some(chat));
    assert!(!runs(&file), "nothing runs before the yes");

    scene.person.say(&card, yes(Scope::Once)).await;
    let entries = scene.finished(chat).await;
    let EntryBody::Assistant { text, .. } = &entries.last().unwrap().body else {
        panic!("{entries:?}")
    };
    assert_eq!(text, "From the file.");
    assert!(runs(&file));
    // The next message needs no other card.
    scene.say(chat, "Again").await;
    assert_eq!(scene.finished(chat).await.len(), 4);

    scene.host.local_model_stop(connection);
    let state = until(&scene, "the end of the program", is_stopped).await;
    assert_eq!(state, LocalModelState::Stopped { problem: None });
    servers_gone(scene.folder()).await;
    // Each start is asked, and a no leaves it stopped.
    scene.say(chat, "Once more").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    let entries = scene.finished(chat).await;
    let EntryBody::Failure { problem, .. } = &entries.last().unwrap().body else {
        panic!("{entries:?}")
    };
    let expected = ServerProblem::ServerNotRunning {
        server: "Small".to_owned(),
    };
    assert_eq!(problem, &Problem::Server(expected));
    assert!(!runs(&file));
    scene.close().await;
}

#[tokio::test]
async fn a_program_that_ends_while_it_loads_says_its_last_words() {
    let scene = Scene::new().await;
    let (_, _, connection) = added(&scene, "broken.gguf").await;
    scene.agrees();
    scene.host.local_model_start(connection);
    let failed = |state: &LocalModelState| matches!(state, LocalModelState::Stopped { problem: Some(_) });
    let state = until(&scene, "why it ended", failed).await;
    let LocalModelState::Stopped {
        problem: Some(Problem::Server(ServerProblem::ServerEnded { exit, stderr })),
    } = state
    else {
        panic!("{state:?}")
    };
    assert_eq!(stderr, ["error loading model: it is broken"]);
    assert!(exit.is_some());
    scene.close().await;
}

/// Stopping the chat withdraws the card; and a program that runs ends with the application, which the scene checks.
#[tokio::test]
async fn a_start_ends_with_who_wanted_it_and_a_program_with_the_application() {
    let scene = Scene::new().await;
    let (file, model, connection) = added(&scene, "small.gguf").await;
    let chat = scene.chat().await;
    scene.host.chat_model(chat, Some(model)).await.unwrap();
    scene.say(chat, "Hello").await;
    scene.person.asked().await;
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    let nothing_waits = |seen: &vestibule_tests::Projection| seen.waiting.is_empty();
    scene
        .window
        .until("a card that is withdrawn", nothing_waits)
        .await;
    until(&scene, "a start that was given up", is_stopped).await;
    assert!(!runs(&file));

    scene.agrees();
    scene.host.local_model_start(connection);
    until(&scene, "a program that runs", |state| {
        *state == LocalModelState::Running
    })
    .await;
    assert!(runs(&file));
    // What was set up is there in the next run, and nothing of it starts by itself.
    let scene = scene.reopen().await;
    until(&scene, "a stopped program", is_stopped).await;
    assert!(!runs(&file));
    scene.host.connection_remove(connection).await.unwrap();
    let is_gone = |seen: &vestibule_tests::Projection| seen.connections.is_empty();
    scene.window.until("no connection", is_gone).await;
    scene.close().await;
}

fn draft(file: &std::path::Path, command: &str) -> LocalModelDraft {
    LocalModelDraft {
        file: file.display().to_string(),
        program: command.to_owned(),
    }
}

#[tokio::test]
async fn a_changed_file_or_program_ends_what_runs_and_is_a_new_card() {
    let scene = Scene::new().await;
    let (first, model, connection) = added(&scene, "small.gguf").await;
    let server = program("vestibule-server").display().to_string();
    scene.host.local_model_start(connection);
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    until(&scene, "a program that runs", |state| {
        *state == LocalModelState::Running
    })
    .await;
    let second = scene.folder().join("other.gguf");
    std::fs::write(&second, gguf()).unwrap();
    let save = async |draft| scene.host.local_model_save(connection, draft).await;
    let refused = save(draft(&scene.folder().join("none.gguf"), &server))
        .await
        .unwrap_err();
    assert!(matches!(
        refused,
        Problem::Input(InputProblem::ModelFileUnusable { .. })
    ));
    assert!(runs(&first), "what cannot be used changes nothing");

    save(draft(&second, &server)).await.unwrap();
    until(&scene, "the end of the program", is_stopped).await;
    servers_gone(scene.folder()).await;
    scene.host.local_model_start(connection);
    let card = scene.person.asked().await;
    let changed = second.display().to_string();
    assert!(launch_of(&card).args.contains(&changed) && !runs(&second));
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    until(&scene, "a start that was refused", is_stopped).await;

    // It is the same model, and the change is there in the next run.
    let scene = scene.reopen().await;
    let seen = scene.window.now();
    assert!(seen.models.iter().any(|view| view.id == model));
    let local = seen.connections[0].local.clone().unwrap();
    assert_eq!((local.file, local.program), (changed, server));
    scene.close().await;
}

#[tokio::test]
async fn a_file_or_program_that_is_gone_is_named_and_nothing_is_asked() {
    let scene = Scene::new().await;
    let (file, _, connection) = added(&scene, "small.gguf").await;
    let failed = |state: &LocalModelState| matches!(state, LocalModelState::Stopped { problem: Some(_) });
    std::fs::remove_file(&file).unwrap();
    scene.host.local_model_start(connection);
    let state = until(&scene, "a file that is gone", failed).await;
    let named = file.display().to_string();
    assert!(
        matches!(&state, LocalModelState::Stopped { problem: Some(Problem::Input(InputProblem::ModelFileUnusable { file, .. })) } if *file == named),
        "{state:?}"
    );

    std::fs::write(&file, gguf()).unwrap();
    let save = scene
        .host
        .local_model_save(connection, draft(&file, "/nowhere/llama-server"));
    save.await.unwrap();
    scene.host.local_model_start(connection);
    let is_missing = |state: &LocalModelState| matches!(state, LocalModelState::Stopped { problem: Some(Problem::Server(ServerProblem::CommandNotFound { command, .. })) } if command == "/nowhere/llama-server");
    until(&scene, "a program that is gone", is_missing).await;
    assert!(scene.window.now().waiting.is_empty(), "nothing was asked");
    scene.close().await;
}

#[tokio::test]
async fn a_file_that_is_no_model_is_refused_with_its_name() {
    let scene = Scene::new().await;
    let text = scene.folder().join("notes.gguf");
    std::fs::write(&text, "Not a model.").unwrap();
    for file in [
        text.display().to_string(),
        "small.gguf".to_owned(),
        scene.folder().display().to_string(),
    ] {
        let draft = LocalModelDraft {
            file: file.clone(),
            program: String::new(),
        };
        let refused = scene.host.local_model_add(draft).await.unwrap_err();
        let Problem::Input(InputProblem::ModelFileUnusable { file: named, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(named, file);
    }
    scene.window.catch_up(&scene.host).await;
    assert!(scene.window.now().connections.is_empty());
    scene.close().await;
}

#[tokio::test]
async fn a_picture_for_a_local_model_is_judged_by_what_is_known_before_it_runs() {
    let scene = Scene::new().await;
    let (_, model, _) = added(&scene, "small.gguf").await;
    let chat = scene.chat().await;
    scene.host.chat_model(chat, Some(model)).await.unwrap();
    let picture = scene.folder().join("a.gif");
    std::fs::write(
        &picture,
        b"GIF89a\x04\0\x03\0\0\0\0,\0\0\0\0\x04\0\x03\0\0\x02\x02\x44\x01\0;",
    )
    .unwrap();
    let files = scene.host.attach_files(chat, vec![picture]).await.unwrap();
    let picture = files.attached[0].id;
    let send = async || scene.host.chat_send(chat, "Look.".into(), vec![picture]).await;
    let unseen = Problem::Input(InputProblem::ModelWithoutPictures);
    assert_eq!(send().await, Err(unseen));
    let sees = ModelDraft {
        images: Some(true),
        ..model_draft(model, "sees")
    };
    scene.host.model_save(sees).await.unwrap();
    send().await.unwrap();
    let card = scene.person.asked().await;
    launch_of(&card);
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await;
    scene.close().await;
}
