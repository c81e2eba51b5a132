//! The download of another version of a package, while its server is removed, everything is stopped or the application
//! closes.

use super::downloads::{LOCK, installed, newer, packages, program_file, publish};
use super::*;
use vestibule_host::view::{ChangeEnd, ChangeOutcome};
use vestibule_tests::{eventually, naming};

/// A server whose package is downloaded, and the change to another version, which npm does not finish once the file
/// `block` is there. The folder of the scene is on npm's command line.
async fn asked() -> (Started, ChangeOutcome) {
    let first = "if [ $1 = ci ] && [ -e ../../../block ]; then exec tail -f \"$PWD/../../../block\"; fi";
    let started = installed(first, LOCK, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    drop(started.greets().await);
    started.stop().await;
    publish(&started, &newer());
    fs::write(started.scene.folder().join("block"), "").unwrap();
    let change = started.scene.host.server_update(started.server).await.unwrap();
    (started, change)
}

async fn downloads(started: &Started) {
    let updates = |view: &ServerView| {
        let package = view.package.as_ref();
        package.is_some_and(|package| package.update.is_some())
    };
    started.scene.server(started.server, "an update", updates).await;
}

/// What npm runs in the folder of the scene.
fn npm_processes(started: &Started) -> Vec<(i32, String)> {
    let mut all = naming(&started.scene.folder().display().to_string());
    all.retain(|(_, line)| line.contains("block"));
    all
}

fn is_stopped(end: &ChangeEnd) -> bool {
    matches!(
        end,
        ChangeEnd::Failed {
            problem: Problem::Server(ServerProblem::NotDownloaded { detail, .. }),
        } if detail == "the download was stopped"
    )
}

#[tokio::test]
async fn a_server_that_is_removed_while_another_version_is_downloaded_leaves_nothing() {
    let (started, change) = asked().await;
    let scene = &started.scene;
    let remove = async {
        downloads(&started).await;
        soon("the removal", scene.host.server_remove(started.server))
            .await
            .unwrap();
        assert!(!packages(&started).exists());
    };
    let ((_, end), ()) = tokio::join!(scene.answered(change, yes(Scope::Once)), remove);
    assert!(is_stopped(&end), "{end:?}");
    let ended = async || npm_processes(&started).is_empty();
    eventually("npm has ended", ended).await;
    assert!(!packages(&started).exists());
    started.scene.close().await;
}

#[tokio::test]
async fn stop_everything_stops_the_download_of_another_version() {
    let (started, change) = asked().await;
    let scene = &started.scene;
    let stop = async {
        downloads(&started).await;
        scene.host.stop_everything().await.unwrap();
    };
    let ((_, end), ()) = tokio::join!(scene.answered(change, yes(Scope::Once)), stop);
    assert!(is_stopped(&end), "{end:?}");
    assert!(program_file(&started).exists(), "the old version stays");
    started.scene.close().await;
}

/// Closing has a time limit, after which the ledger and the store are not closed.
#[tokio::test]
async fn closing_does_not_wait_for_the_download_of_another_version() {
    let (started, change) = asked().await;
    let ChangeOutcome::Asked { question } = change else {
        panic!("{change:?}")
    };
    let card = started.scene.person.asked().await;
    assert_eq!(card.id, question);
    started.scene.person.say(&card, yes(Scope::Once)).await;
    downloads(&started).await;
    started.scene.close().await;
}
