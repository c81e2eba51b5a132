//! An MCP bundle: shown before anything of it is unpacked, added, started after its card, called, and removed with its
//! folder. The archives are made here; the server in them is run by Node.js.

mod removal;

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use axum::Router;
use axum::http::{StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use vestibule_consent::{Answer, Launch, LaunchPackage, PackageState, Question, QuestionBody};
use vestibule_host::view::{
    BundleDraft, BundleFault, BundleProblem, BundleValueFault, BundleView, GalleryPackage, InputProblem,
    Problem, ServerState, SettingsChange,
};
use vestibule_policy::{LaunchChange, LaunchPart, Scope};
use vestibule_protocol::ServerId;
use vestibule_tests::{Scene, ServerRegistry, Turn, yes};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A server with one tool, which says what it was started with.
const SERVER: &str = r#"
const lines = require("node:readline").createInterface({ input: process.stdin });
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const tools = [{ name: "tell", description: "Says its values", inputSchema: { type: "object" } }];
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} },
      serverInfo: { name: "notes", version: "1.2.0" } });
  else if (method === "tools/list") answer(id, { tools });
  else if (method === "tools/call")
    answer(id, { content: [{ type: "text", text: `${process.argv.slice(2)} ${process.env.NOTES_KEY}` }] });
  else if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }));
});
"#;

fn manifest() -> Value {
    json!({
        "manifest_version": "0.3",
        "name": "field-notes",
        "display_name": "Field notes",
        "version": "1.2.0",
        "description": "Reads notes",
        "author": { "name": "Ada" },
        "server": {
            "type": "node",
            "entry_point": "server/index.js",
            "mcp_config": {
                "command": "node",
                "args": ["${__dirname}/server/index.js", "${user_config.folders}", "${user_config.limit}"],
                "env": { "NOTES_KEY": "${user_config.key}" },
            },
        },
        "tools": [{ "name": "tell" }],
        "user_config": {
            "folders": { "type": "directory", "title": "Folders", "multiple": true, "required": true },
            "limit": { "type": "number", "title": "Limit", "default": 5, "max": 9 },
            "key": { "type": "string", "title": "Key", "sensitive": true },
        },
    })
}

/// An archive as `mcpb pack` writes it, with more files.
fn archive(manifest: &Value, more: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    let text = manifest.to_string();
    let own = [
        ("manifest.json", text.as_bytes()),
        ("server/index.js", SERVER.as_bytes()),
    ];
    for (name, content) in own.iter().chain(more) {
        let options = SimpleFileOptions::default().unix_permissions(0o644);
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn written(scene: &Scene, bytes: &[u8]) -> PathBuf {
    let path = scene.folder().join("notes.mcpb");
    std::fs::write(&path, bytes).unwrap();
    path
}

/// What the user enters for the bundle that is shown.
fn entered(scene: &Scene, view: &BundleView) -> BundleDraft {
    let folder = scene.folder().display().to_string();
    BundleDraft {
        sha256: view.sha256.clone(),
        name: "notes".into(),
        values: [
            ("folders".into(), vec![folder]),
            ("key".into(), vec!["k-1".into()]),
        ]
        .into(),
    }
}

async fn added(scene: &Scene) -> (ServerId, BundleView) {
    let path = written(scene, &archive(&manifest(), &[]));
    let view = scene.host.bundle_read(&path).await.unwrap();
    // What was shown is what is unpacked, whatever becomes of the file.
    std::fs::remove_file(path).unwrap();
    let server = scene.host.bundle_add(entered(scene, &view)).await.unwrap();
    (server, view)
}

/// The launch on the next card.
async fn card(scene: &Scene) -> (Question, Launch) {
    let question = scene.person.asked().await;
    let QuestionBody::StartServer(launch) = question.about.clone() else {
        panic!("{question:?}")
    };
    (question, launch)
}

async fn stop(scene: &Scene, server: ServerId) {
    scene.host.server_stop(server).await.unwrap();
    scene
        .server(server, "a stopped server", |view| {
            view.state == ServerState::Stopped
        })
        .await;
}

/// Everything in the folder of the bundles.
fn bundles(scene: &Scene) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(scene.folder().join("bundles"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[tokio::test]
async fn a_bundle_is_shown_added_started_called_and_removed() {
    let scene = Scene::new().await;
    let (server, view) = added(&scene).await;
    assert_eq!(view.manifest.title, "Field notes");
    assert!(!view.has_signature && view.manifest.fits);
    let script = Path::new(&view.folder).join("server/index.js");
    assert!(script.is_file());
    assert_eq!(scene.person.shown().len(), 0, "adding starts nothing");

    scene.host.server_start(server).await.unwrap();
    let (question, launch) = card(&scene).await;
    let LaunchPackage { name, wanted, state } = launch.package.unwrap();
    assert_eq!((name.as_str(), wanted.as_str()), ("field-notes", "1.2.0"));
    let sha256 = view.sha256.clone();
    assert_eq!(state, PackageState::Bundle { sha256 });
    assert_eq!(question.scopes, [Scope::Once, Scope::Always]);
    scene.person.say(&question, yes(Scope::Always)).await;
    scene.ready(server).await;

    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__tell", json!({})));
    scene.say(chat, "Tell me.").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    model.will(Turn::words("Done."));
    let request = model.asked().await;
    let folder = scene.folder().display().to_string();
    assert!(
        request.to_string().contains(&format!("{folder},5 k-1")),
        "the server got its values: {request}"
    );
    scene.finished(chat).await;
    stop(&scene, server).await;

    scene.host.server_remove(server).await.unwrap();
    assert_eq!(bundles(&scene), Vec::<PathBuf>::new());
    scene.close().await;
}

/// A file that no argument names.
#[tokio::test]
async fn a_changed_file_of_a_bundle_is_asked_about_again() {
    let scene = Scene::new().await;
    let (server, view) = added(&scene).await;
    scene.start(server, Scope::Always).await;
    scene.ready(server).await;
    stop(&scene, server).await;
    scene.host.server_start(server).await.unwrap();
    scene.ready(server).await;
    assert_eq!(
        scene.person.shown().len(),
        1,
        "unchanged, it starts without a question"
    );
    stop(&scene, server).await;

    std::fs::write(Path::new(&view.folder).join("server/preload.js"), "evil()").unwrap();
    scene.host.server_start(server).await.unwrap();
    let (question, launch) = card(&scene).await;
    let part = LaunchPart::Package {
        name: "field-notes".into(),
        version: "1.2.0".into(),
    };
    assert_eq!(launch.change, Some(LaunchChange::Changed { parts: vec![part] }));
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    scene
        .server(server, "a server that did not start", |view| {
            view.state == ServerState::Stopped
        })
        .await;
    scene.close().await;
}

#[tokio::test]
async fn a_bundle_that_is_refused_leaves_nothing_and_the_one_before_is_gone() {
    let scene = Scene::new().await;
    let path = written(&scene, &archive(&manifest(), &[("../evil", b"x")]));
    let refused = scene.host.bundle_read(&path).await;
    let bundle = "notes.mcpb".to_owned();
    let fault = BundleFault::Path {
        path: "../evil".into(),
    };
    assert_eq!(
        refused.unwrap_err(),
        BundleProblem::BundleRefused { bundle, fault }.into()
    );
    assert_eq!(bundles(&scene), Vec::<PathBuf>::new());
    assert!(!scene.folder().join("evil").exists());

    let path = written(&scene, &archive(&manifest(), &[]));
    let view = scene.host.bundle_read(&path).await.unwrap();
    scene.host.bundle_drop();
    let gone = scene.host.bundle_add(entered(&scene, &view)).await;
    assert_eq!(gone.unwrap_err(), Problem::Input(InputProblem::Gone));
    assert_eq!(scene.window.now().servers.len(), 0);
    scene.close().await;
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_named_and_the_bundle_still_waits() {
    let scene = Scene::new().await;
    let path = written(&scene, &archive(&manifest(), &[]));
    let view = scene.host.bundle_read(&path).await.unwrap();
    let mut draft = entered(&scene, &view);
    draft.values.insert("limit".into(), vec!["10".into()]);
    let refused = scene.host.bundle_add(draft.clone()).await;
    let problem = BundleProblem::BundleValue {
        title: "Limit".into(),
        fault: BundleValueFault::TooLarge { max: 9.0 },
    };
    assert_eq!(refused.unwrap_err(), problem.into());
    assert_eq!(bundles(&scene), Vec::<PathBuf>::new());
    draft.values.insert("limit".into(), vec!["9".into()]);
    scene.host.bundle_add(draft).await.unwrap();
    scene.close().await;
}

#[tokio::test]
async fn only_one_bundle_is_taken_of_what_is_dropped() {
    let scene = Scene::new().await;
    let path = written(&scene, &archive(&manifest(), &[]));
    for dropped in [
        vec![],
        vec![path.clone(), path.clone()],
        vec![scene.folder().join("notes.zip")],
    ] {
        scene.host.keep_dropped(dropped);
        let refused = scene.host.bundle_dropped().await;
        assert_eq!(refused.unwrap_err(), BundleProblem::BundleOnly.into());
    }
    scene.host.keep_dropped(vec![path]);
    let view = scene.host.bundle_dropped().await.unwrap();
    assert_eq!(view.source, "notes.mcpb");
    scene.close().await;
}

/// Serves an archive behind one redirect. Gives the address.
async fn files(bytes: Vec<u8>) -> String {
    let app = Router::new()
        .route(
            "/mcp/notes.mcpb",
            axum::routing::get(|| async { (StatusCode::FOUND, [(header::LOCATION, "/stored")]) }),
        )
        .route("/stored", axum::routing::get(move || async move { bytes }))
        .route(
            "/mcp/again.mcpb",
            axum::routing::get(|| async { (StatusCode::FOUND, [(header::LOCATION, "/mcp/again.mcpb")]) }),
        );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    format!("http://{address}/mcp")
}

/// A description of a bundle with this digest.
fn described(name: &str, address: &str, sha256: &str) -> (Value, &'static str) {
    let package = json!({ "registryType": "mcpb", "identifier": address, "fileSha256": sha256,
        "transport": { "type": "stdio" } });
    let server = json!({ "name": format!("io.github.ada/{name}"), "description": "Reads notes",
        "version": "1.2.0", "packages": [package] });
    (server, "active")
}

#[tokio::test]
async fn a_bundle_of_a_registry_needs_the_digest_that_was_listed() {
    let bytes = archive(&manifest(), &[]);
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let base = files(bytes).await;
    let genuine = format!("{base}/notes.mcpb");
    let other = format!("{genuine}?other");
    let endless = format!("{base}/again.mcpb");
    let registry = ServerRegistry::start(vec![
        described("notes", &genuine, &digest),
        described("other", &other, &"0".repeat(64)),
        described("endless", &endless, &digest),
        described("unlisted", &genuine, "none"),
    ])
    .await;
    let scene = Scene::new().await;
    let change = SettingsChange {
        gallery_address: Some(registry.url()),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
    let early = scene.host.bundle_download(&genuine).await;
    assert_eq!(
        early.unwrap_err(),
        Problem::Input(InputProblem::Gone),
        "nothing was listed yet"
    );

    let page = scene.host.gallery_search("", None).await.unwrap();
    let packages = page.entries.iter().flat_map(|entry| &entry.packages);
    let offered = packages
        .filter(|package: &&GalleryPackage| package.bundle.is_some())
        .count();
    assert_eq!(offered, 3, "one without a digest is not offered");

    let refused = scene.host.bundle_download(&other).await;
    let fault = BundleFault::Digest {
        expected: "0".repeat(64),
        found: digest.clone(),
    };
    assert_eq!(
        refused.unwrap_err(),
        BundleProblem::BundleRefused { bundle: other, fault }.into()
    );
    let refused = scene.host.bundle_download(&endless).await.unwrap_err();
    assert!(
        matches!(
            &refused,
            Problem::Bundle(BundleProblem::BundleNotDownloaded { .. })
        ),
        "{refused:?}"
    );
    let view = scene.host.bundle_download(&genuine).await.unwrap();
    assert_eq!(
        (view.sha256.as_str(), view.source.as_str()),
        (digest.as_str(), genuine.as_str())
    );
    scene.host.bundle_add(entered(&scene, &view)).await.unwrap();
    scene.close().await;
}
