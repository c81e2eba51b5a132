//! Servers that start a process which has no parent any more: it ends with its server, however that or the application
//! ends.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use vestibule_host::view::{ProgramDraft, ServerDraft, ServerState, ServerView};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Puppet, Scene, Stage, daemonising, daemons, gone, program, soon};

/// A scene with a server that has left a process behind.
struct LeftBehind {
    scene: Scene,
    server: ServerId,
    stage: Stage,
    _puppet: Puppet,
}

impl LeftBehind {
    async fn new() -> Self {
        let scene = Scene::new().await;
        let stage = Stage::new(scene.folder(), "notes");
        let program = ProgramDraft {
            command: "/bin/sh".into(),
            args: daemonising(scene.folder(), &program("vestibule-server"), stage.args()),
            ..ProgramDraft::default()
        };
        let draft = ServerDraft::here("notes", program);
        let server = scene.host.server_add(draft).await.unwrap();
        let puppet = started(&scene, server, &stage).await;
        Self {
            scene,
            server,
            stage,
            _puppet: puppet,
        }
    }

    async fn is_stopped(&self) {
        let stopped = |view: &ServerView| view.state == ServerState::Stopped;
        self.scene.server(self.server, "a stopped server", stopped).await;
        assert_eq!(daemons(self.scene.folder()), [0; 0], "it was shown as stopped");
    }
}

async fn started(scene: &Scene, server: ServerId, stage: &Stage) -> Puppet {
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[]).await;
    scene.ready(server).await;
    assert_ne!(daemons(scene.folder()), [0; 0], "the server left nothing behind");
    puppet
}

/// M11, by Stop and once more after another start.
#[tokio::test]
async fn stop_ends_what_a_server_left_behind() {
    let left = LeftBehind::new().await;
    left.scene.host.server_stop(left.server).await.unwrap();
    left.is_stopped().await;
    let _puppet = started(&left.scene, left.server, &left.stage).await;
    left.scene.host.server_stop(left.server).await.unwrap();
    left.is_stopped().await;
    left.scene.close().await;
}

/// M11, by the server itself.
#[tokio::test]
async fn the_end_of_a_server_ends_what_it_left_behind() {
    let mut left = LeftBehind::new().await;
    left._puppet.exit(0).await;
    let over = |view: &ServerView| !matches!(view.state, ServerState::Ready { .. });
    left.scene.server(left.server, "a lost server", over).await;
    assert_eq!(daemons(left.scene.folder()), [0; 0]);
    left.scene.host.server_stop(left.server).await.unwrap();
    left.scene.close().await;
}

#[tokio::test]
async fn stop_everything_ends_what_servers_left_behind() {
    let left = LeftBehind::new().await;
    left.scene.host.stop_everything().await.unwrap();
    left.is_stopped().await;
    left.scene.close().await;
}

#[tokio::test]
async fn quitting_ends_what_servers_left_behind() {
    let left = LeftBehind::new().await;
    let folder = left.scene.folder().to_owned();
    soon("the host ends", left.scene.host.close()).await;
    assert_eq!(daemons(&folder), [0; 0], "the application had ended");
    left.scene.close().await;
}

/// M11, by the end of the application that nothing announces.
#[tokio::test]
async fn killing_the_application_ends_what_servers_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut application = application(folder.path());
    let mut said = BufReader::new(application.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), r#"{"ready":true}"#);
    assert_ne!(daemons(folder.path()), [0; 0]);
    application.kill().unwrap();
    application.wait().unwrap();
    gone(folder.path()).await;
}

#[expect(clippy::disallowed_methods, reason = "the application itself is started here")]
fn application(folder: &Path) -> std::process::Child {
    Command::new(program("vestibule-driver"))
        .arg("daemonise-until-killed")
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}
