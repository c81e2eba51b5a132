//! The way a user takes: added, started with a yes, offered to a model, called with a yes, shown.

use serde_json::{Value, json};
use vestibule_host::view::{CallState, EndpointDraft, ProgramDraft, ResultView, ServerDraft};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_tests::{Model, Scene, Turn, results, tool_names};

use crate::listening::Listening;
use crate::sdks::typescript;
use crate::{Peer, from_npm, from_pypi};

struct Street {
    scene: Scene,
    server: ServerId,
    chat: ChatId,
    model: Model,
    /// What the model read of the last result.
    read: String,
}

impl Street {
    async fn new(peer: impl FnOnce(&Scene) -> Peer) -> Self {
        let scene = Scene::new().await;
        let Peer { command, args, .. } = peer(&scene);
        let program = ProgramDraft {
            command,
            args,
            ..ProgramDraft::default()
        };
        let draft = ServerDraft::here("peer", program);
        let server = scene.host.server_add(draft).await.unwrap();
        scene.start(server, Scope::Once).await;
        Self::at(scene, server).await
    }

    /// With a server that the user let begin.
    async fn at(scene: Scene, server: ServerId) -> Self {
        let view = scene.ready(server).await;
        assert!(view.tool_count > 0, "{view:?}");
        for tool in scene.host.server_tools(server) {
            assert!(
                !scene
                    .log(server)
                    .contains(&format!("{:?} are not checked", tool.name)),
                "{}",
                scene.log(server)
            );
        }
        scene.agrees();
        let (chat, model) = scene.scripted_chat().await;
        Self {
            scene,
            server,
            chat,
            model,
            read: String::new(),
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> ResultView {
        self.model
            .will(Turn::call("one", &format!("peer__{tool}"), arguments));
        self.model.will(Turn::words("I see."));
        self.scene.say(self.chat, "Go.").await;
        let offered = tool_names(&self.model.asked().await);
        assert!(offered.contains(&format!("peer__{tool}")), "{offered:?}");
        let call = Scene::calls(&self.scene.finished(self.chat).await).pop().unwrap();
        let (_, read) = results(&self.model.asked().await)
            .pop()
            .expect("a result for the model");
        self.read = read;
        match call.state {
            CallState::Answered { result, .. } => result,
            other => panic!("{other:?}"),
        }
    }

    async fn close(self) {
        self.scene.host.server_stop(self.server).await.unwrap();
        self.scene.close().await;
    }
}

fn said(result: &ResultView) -> String {
    format!("{:?}", result.content)
}

/// TL-020: also what it cannot do, to the model, so that it can mend its call.
#[tokio::test]
async fn the_time_server_tells_the_time() {
    let mut street = Street::new(|_| from_pypi("mcp-server-time")).await;
    let result = street
        .call("get_current_time", json!({ "timezone": "Europe/Oslo" }))
        .await;
    assert!(
        !result.failed && said(&result).contains("Europe/Oslo"),
        "{result:?}"
    );
    let result = street
        .call("get_current_time", json!({ "timezone": "Nowhere/None" }))
        .await;
    assert!(result.failed, "{result:?}");
    assert!(street.read.contains("Nowhere/None"), "{}", street.read);
    street.close().await;
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the test makes a repository")]
async fn the_git_server_sees_a_new_file() {
    let mut street = Street::new(|_| from_pypi("mcp-server-git")).await;
    let folder = street.scene.folder().join("repository");
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .arg(&folder)
        .status()
        .unwrap();
    assert!(made.success());
    std::fs::write(folder.join("note.txt"), "hello").unwrap();
    let result = street.call("git_status", json!({ "repo_path": folder })).await;
    assert!(!result.failed && said(&result).contains("note.txt"), "{result:?}");
    street.close().await;
}

#[tokio::test]
async fn the_everything_server_answers_in_words_structure_and_pictures() {
    let mut street = Street::new(|_| from_npm("server-everything", &["stdio"])).await;
    let result = street
        .call("echo", json!({ "message": "through the door" }))
        .await;
    assert!(said(&result).contains("through the door"), "{result:?}");
    let result = street
        .call("get-structured-content", json!({ "location": "Chicago" }))
        .await;
    assert!(result.structured.is_some(), "{result:?}");
    assert_eq!(result.misfits, Vec::<String>::new());
    let result = street.call("get-tiny-image", json!({})).await;
    assert!(said(&result).contains("image/png"), "{result:?}");
    street.close().await;
}

/// What the server may see was given on its command line, which the user saw.
#[tokio::test]
async fn the_filesystem_server_reads_its_folder_and_no_other() {
    let mut street = Street::new(|scene| {
        let folder = scene.folder().join("shared");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("letter.txt"), "dear reader").unwrap();
        from_npm("server-filesystem", &[&folder.display().to_string()])
    })
    .await;
    let letter = street.scene.folder().join("shared/letter.txt");
    let result = street.call("read_text_file", json!({ "path": letter })).await;
    assert!(
        !result.failed && said(&result).contains("dear reader"),
        "{result:?}"
    );
    let result = street
        .call("read_text_file", json!({ "path": "/etc/hostname" }))
        .await;
    assert!(result.failed, "{result:?}");
    street.close().await;
}

/// Reached at its address after a yes; its answer is of the shape that it declared.
#[tokio::test]
async fn a_server_of_the_typescript_sdk_is_reached_at_its_address() {
    let mut peer = typescript();
    peer.args.push("http".into());
    let Listening { program, address } = Listening::anywhere(&peer).await;
    let scene = Scene::new().await;
    let endpoint = EndpointDraft {
        url: address,
        ..EndpointDraft::default()
    };
    let draft = ServerDraft::at("peer", endpoint);
    let server = scene.host.server_add(draft).await.unwrap();
    scene.connect(server, Scope::Once).await;
    let mut street = Street::at(scene, server).await;
    let result = street.call("add", json!({ "a": 40, "b": 2 })).await;
    assert!(!result.failed && result.structured.is_some(), "{result:?}");
    assert_eq!(result.misfits, Vec::<String>::new());
    assert!(street.read.contains("42"), "{}", street.read);
    street.close().await;
    program.end().await;
}
