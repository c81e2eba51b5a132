//! A server of a registry: found when the user searches, filled in, added, and never started. The registry is on this
//! computer; no story asks another one.

use serde_json::{Value, json};
use vestibule_host::view::{
    GalleryPublisher, InputProblem, OFFICIAL_REGISTRY, PlaceDraft, Problem, ServerDraft, ServerState,
    SettingsChange,
};
use vestibule_tests::{Scene, ServerRegistry};

/// A description of a package of npm.
fn described(name: &str, description: &str) -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name, "description": description, "version": "1.2.0",
        "packages": [{"registryType": "npm", "identifier": "@ada/notes-mcp", "version": "1.2.0",
            "transport": {"type": "stdio"},
            "packageArguments": [
                {"type": "named", "name": "--root", "format": "filepath", "isRequired": true},
                {"type": "named", "name": "--level", "choices": ["info", "debug"]}],
            "environmentVariables": [{"name": "NOTES_KEY", "isRequired": true, "isSecret": true}]}],
    })
}

/// Forty servers, of which one is deprecated and one is deleted.
async fn registry() -> ServerRegistry {
    let status = |number| match number {
        3 => "deprecated",
        4 => "deleted",
        _ => "active",
    };
    let server = |number: usize| {
        let name = format!("com.example/tool-{number}");
        (described(&name, "One of many"), status(number))
    };
    let mut listed: Vec<_> = (0..39).map(server).collect();
    listed.push((described("io.github.ada/notes", "Reads notes"), "active"));
    ServerRegistry::start(listed).await
}

/// A scene whose settings name this registry and no other.
async fn with(registry: &ServerRegistry) -> Scene {
    let scene = Scene::new().await;
    let change = SettingsChange {
        gallery_address: Some(registry.url()),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
    assert_eq!(scene.host.settings().gallery_address, registry.url());
    scene
}

/// The draft as the window fills it in: the folder is given, the level is left out, the key is entered later.
fn filled(mut draft: ServerDraft) -> ServerDraft {
    let PlaceDraft::Here(program) = &mut draft.place else {
        panic!("not a program")
    };
    assert_eq!(
        program.args,
        [
            "-y",
            "@ada/notes-mcp@1.2.0",
            "--root",
            "${root}",
            "--level",
            "${level}"
        ]
    );
    program.args.truncate(4);
    program.args[3] = "/home/ada/notes".into();
    program.env[0].value.clear();
    draft
}

#[tokio::test]
async fn a_server_of_the_registry_is_found_filled_in_and_added_and_nothing_starts() {
    let registry = registry().await;
    let scene = with(&registry).await;
    assert_eq!(registry.asked(), Vec::<String>::new());

    let page = scene.host.gallery_search("notes", None).await.unwrap();
    assert_eq!(registry.asked(), ["version=latest&limit=30&search=notes"]);
    let [entry] = &page.entries[..] else {
        panic!("{:?}", page.entries)
    };
    let account = "ada".to_owned();
    assert_eq!(entry.publisher, GalleryPublisher::GithubAccount { account });
    let [server] = &entry.servers.servers[..] else {
        panic!("{:?}", entry.servers)
    };
    let draft = filled(server.draft.clone());
    let id = scene.host.server_add(draft).await.unwrap();

    scene.window.catch_up(&scene.host).await;
    let added = scene.window.now().servers[&id].clone();
    assert_eq!(added.name, "notes");
    assert_eq!(added.state, ServerState::Stopped);
    assert_eq!(added.missing, ["NOTES_KEY"]);
    assert_eq!(scene.person.shown().len(), 0);
    assert_eq!(scene.store.rules().await.unwrap(), []);
    assert_eq!(registry.asked().len(), 1);
    scene.close().await;
}

#[tokio::test]
async fn the_list_is_read_page_by_page_without_what_was_deleted() {
    let registry = registry().await;
    let scene = with(&registry).await;
    let first = scene.host.gallery_search("", None).await.unwrap();
    assert_eq!((first.entries.len(), first.left_out.deleted), (29, 1));
    let deprecated: Vec<_> = first.entries.iter().filter(|entry| entry.deprecated).collect();
    assert_eq!(deprecated.len(), 1);
    assert_eq!(deprecated[0].name, "com.example/tool-3");
    assert_eq!(deprecated[0].status_message.as_deref(), Some("It is deprecated."));
    assert!(first.next.is_some());
    let second = scene.host.gallery_search("", first.next).await.unwrap();
    assert_eq!((second.entries.len(), second.next), (10, None));
    scene.close().await;
}

#[tokio::test]
async fn the_address_of_the_registry_is_a_setting_that_stays() {
    let registry = registry().await;
    let scene = Scene::new().await;
    assert_eq!(scene.host.settings().gallery_address, OFFICIAL_REGISTRY);
    let save = |address: String| SettingsChange {
        gallery_address: Some(address),
        ..SettingsChange::default()
    };
    let refused = scene
        .host
        .settings_save(save("http://registry.example.com".into()))
        .await;
    let is_named = matches!(refused, Err(Problem::Input(InputProblem::AddressInvalid { .. })));
    assert!(is_named, "{refused:?}");
    assert_eq!(scene.host.settings().gallery_address, OFFICIAL_REGISTRY);
    scene
        .host
        .settings_save(save(format!(" {} ", registry.url())))
        .await
        .unwrap();
    let scene = scene.reopen().await;
    assert_eq!(scene.host.settings().gallery_address, registry.url());
    scene.host.settings_save(save(" ".into())).await.unwrap();
    assert_eq!(scene.host.settings().gallery_address, OFFICIAL_REGISTRY);
    // Neither opening nor the settings ask anybody.
    assert_eq!(registry.asked(), Vec::<String>::new());
    scene.close().await;
}
