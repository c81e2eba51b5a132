//! Profiles: named sets of servers and tools for a chat. A set leaves out and never allows.

use vestibule_host::view::{
    EntryBody, InputProblem, Problem, SettingsChange, ToolDiscovery, ToolOff, ToolProfile, ToolRule,
};
use vestibule_protocol::ChatId;
use vestibule_tests::{Model, Scene, Turn, tool, tool_names};

/// The tools that the model of a chat is offered for its next message.
async fn offered(scene: &Scene, chat: ChatId, model: &mut Model) -> Vec<String> {
    model.will(Turn::words("Fine."));
    scene.say(chat, "What can you do?").await;
    let request = model.asked().await;
    scene.finished(chat).await;
    tool_names(&request)
}

async fn profiles(scene: &Scene) -> Vec<ToolProfile> {
    let (snapshot, _events) = scene.host.main_window().await.unwrap();
    snapshot.profiles
}

#[tokio::test]
async fn a_chat_takes_over_the_set_of_a_profile_and_keeps_it() {
    let scene = Scene::new().await;
    let all = SettingsChange {
        tool_discovery: Some(ToolDiscovery::All),
        ..SettingsChange::default()
    };
    scene.host.settings_save(all).await.unwrap();
    let (notes, _notes, _notes_stage) = scene.puppet("notes", &[tool("read"), tool("add")]).await;
    let (web, _web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    let (first, mut model) = scene.scripted_chat().await;
    scene.host.chat_server_switch(first, web, false).await.unwrap();
    let add = ToolOff {
        server: notes,
        tool: "add".into(),
    };
    scene
        .host
        .chat_tool_switch(first, add.clone(), false)
        .await
        .unwrap();
    scene.host.profile_save(first, " Reading ".into()).await.unwrap();
    let reading = ToolProfile {
        name: "Reading".into(),
        servers: vec![notes],
        tools_off: vec![add],
    };
    assert_eq!(profiles(&scene).await, [reading]);

    let (second, mut second_model) = scene.scripted_chat().await;
    assert_eq!(
        offered(&scene, second, &mut second_model).await,
        ["notes__read", "notes__add", "web__search"]
    );
    scene
        .host
        .chat_profile(second, Some("reading".into()))
        .await
        .unwrap();
    assert_eq!(offered(&scene, second, &mut second_model).await, ["notes__read"]);

    // A server that comes later is not in the set, and a denied tool in the set stays denied.
    let (late, _late, _late_stage) = scene.puppet("late", &[tool("guess")]).await;
    assert_eq!(offered(&scene, second, &mut second_model).await, ["notes__read"]);
    assert_eq!(
        offered(&scene, first, &mut model).await,
        ["notes__read", "late__guess"],
        "without a profile a new server is offered"
    );
    scene
        .host
        .tool_rule(notes, "read", ToolRule::Never)
        .await
        .unwrap();
    assert!(offered(&scene, second, &mut second_model).await.is_empty());

    // The set is the chat's own: neither a change of the profile nor its end gives more.
    scene.host.chat_server_switch(first, web, true).await.unwrap();
    scene.host.profile_save(first, "READING".into()).await.unwrap();
    assert_eq!(profiles(&scene).await.len(), 1);
    assert!(offered(&scene, second, &mut second_model).await.is_empty());
    scene.host.profile_remove("Reading").await.unwrap();
    assert_eq!(profiles(&scene).await, []);
    assert!(offered(&scene, second, &mut second_model).await.is_empty());
    let gone = scene.host.chat_profile(second, Some("Reading".into())).await;
    assert_eq!(gone, Err(Problem::Input(InputProblem::Gone)));

    // One more server can be switched on in the chat, and all of them again.
    for (server, on) in [(notes, false), (web, true), (late, true)] {
        scene.host.chat_server_switch(second, server, on).await.unwrap();
    }
    assert_eq!(
        offered(&scene, second, &mut second_model).await,
        ["web__search", "late__guess"]
    );
    scene.host.chat_profile(second, None).await.unwrap();
    assert_eq!(
        offered(&scene, second, &mut second_model).await,
        ["notes__add", "web__search", "late__guess"]
    );
    scene.close().await;
}

#[tokio::test]
async fn a_set_outlives_the_application_and_an_empty_one_leaves_out_everything() {
    let scene = Scene::new().await;
    let (notes, _notes, stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, _model) = scene.scripted_chat().await;
    scene.host.chat_server_switch(chat, notes, false).await.unwrap();
    scene.host.profile_save(chat, "Only talk".into()).await.unwrap();
    let (other, mut model) = scene.scripted_chat().await;
    scene
        .host
        .chat_profile(other, Some("Only talk".into()))
        .await
        .unwrap();
    drop(stage);
    let scene = scene.reopen().await;
    assert_eq!(profiles(&scene).await[0].servers, []);
    let (_, _late, _late_stage) = scene.puppet("late", &[tool("guess")]).await;
    assert!(offered(&scene, other, &mut model).await.is_empty());
    scene.close().await;
}

#[tokio::test]
async fn a_chat_begins_with_its_profile_and_first_message_or_not_at_all() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    scene.host.profile_save(chat, "Only talk".into()).await.unwrap();
    let profile = |name: &str| Some(name.to_owned());
    let begun = scene
        .host
        .chat_begin("Hello".into(), profile("Only talk"))
        .await
        .unwrap();
    let entries = scene.finished(begun.id).await;
    assert!(matches!(&entries[0].body, EntryBody::User { text, .. } if text == "Hello"));
    let (snapshot, _events) = scene.host.main_window().await.unwrap();
    let chats = &snapshot.chats;
    let view = chats.iter().find(|view| view.id == begun.id).unwrap();
    assert_eq!(view.servers_only, Some(vec![]));

    let gone = scene.host.chat_begin("Hello".into(), profile("Nothing")).await;
    assert_eq!(gone.unwrap_err(), Problem::Input(InputProblem::Gone));
    let long = scene.host.chat_begin("x".repeat(2 * 1024 * 1024), None).await;
    assert!(matches!(long, Err(Problem::Input(InputProblem::TooLong { .. }))));
    let (snapshot, _events) = scene.host.main_window().await.unwrap();
    assert_eq!(snapshot.chats.len(), 2, "no empty chat is left");
    scene.close().await;
}

#[tokio::test]
async fn a_profile_needs_a_name_and_their_number_is_bounded() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let unnamed = scene.host.profile_save(chat, "  ".into()).await;
    assert_eq!(unnamed, Err(Problem::Input(InputProblem::NameMissing)));
    for number in 0..50 {
        scene
            .host
            .profile_save(chat, format!("Set {number}"))
            .await
            .unwrap();
    }
    let full = scene.host.profile_save(chat, "One more".into()).await;
    assert_eq!(
        full,
        Err(Problem::Input(InputProblem::ProfilesTooMany { limit: 50 }))
    );
    let long = scene.host.profile_save(chat, "Set 7".into()).await;
    assert_eq!(long, Ok(()), "one that is there is saved again");
    scene.close().await;
}
