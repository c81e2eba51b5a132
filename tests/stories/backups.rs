//! A backup of the data, and restoring it: shown before anything is replaced, replaced at the next start, with the data of
//! before kept. A permission of a backup does not count before the user has looked at it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use serde_json::json;
use vestibule_host::view::{
    BackupView, HeadState, InputProblem, Problem, RowFault, RowFinding, RowTable, ServerState, ServerView,
};
use vestibule_policy::Scope;
use vestibule_tests::{Opening, Scene, TestKeychain, Turn, text_result, tool, yes};

async fn back_up(scene: &Scene) -> PathBuf {
    let path = scene.folder().join("backup.db");
    let written = scene.host.backup_write_to(path.clone()).await.unwrap();
    assert_eq!(written.path, path.display().to_string());
    assert_eq!(written.bytes, std::fs::metadata(&path).unwrap().len());
    path
}

async fn refused(scene: &Scene, path: &Path) -> InputProblem {
    match scene.host.backup_read(path).await {
        Err(Problem::Input(problem)) => problem,
        other => panic!("{other:?}"),
    }
}

async fn titles(scene: &Scene) -> Vec<String> {
    let chats = scene.store.chats().await.unwrap();
    let mut titles: Vec<String> = chats.into_iter().map(|chat| chat.title).collect();
    titles.sort();
    titles
}

async fn chat_called(scene: &Scene, title: &str) {
    let chat = scene.chat().await;
    scene.host.chat_rename(chat, title).await.unwrap();
}

#[tokio::test]
async fn a_backup_is_shown_then_restored_at_the_next_start_and_what_it_replaces_is_kept() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    scene.host.chat_rename(chat, "Then").await.unwrap();
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    scene.finished(chat).await;
    let backup = back_up(&scene).await;
    chat_called(&scene, "Now").await;
    // The records of the ledger after the backup.
    let (_, puppet, stage) = scene.puppet("mail", &[tool("send")]).await;
    drop((puppet, stage));

    let shown = scene.host.backup_read(&backup).await.unwrap();
    assert_eq!(
        (shown.file.as_str(), shown.ledger_intact, shown.confirmed),
        ("backup.db", true, false)
    );
    assert_eq!(
        (shown.holds.chats, shown.holds.messages, shown.holds.servers),
        (1, 2, 0)
    );
    assert_eq!((shown.replaces.chats, shown.replaces.servers), (2, 1));
    assert!(shown.replaces.records > shown.holds.records);
    // What was looked at is restored, whatever becomes of the file.
    std::fs::write(&backup, "another file").unwrap();
    let confirmed = scene.host.backup_confirm().await.unwrap();
    assert_eq!(
        confirmed,
        BackupView {
            confirmed: true,
            ..shown
        }
    );
    assert_eq!(scene.host.backup_waiting(), Some(confirmed.clone()));
    assert_eq!(
        titles(&scene).await,
        ["Now", "Then"],
        "nothing is replaced in this run"
    );

    let scene = scene.reopen().await;
    assert_eq!(titles(&scene).await, ["Then"]);
    assert!(Path::new(&confirmed.kept_in).join("vestibule.db").is_file());
    assert!(matches!(scene.host.ledger_head_state(), HeadState::Older { .. }));
    assert_eq!(scene.host.backup_waiting(), None);
    let scene = scene.reopen().await;
    assert_eq!(titles(&scene).await, ["Then"]);
    scene.close().await;
}

#[tokio::test]
async fn a_permission_that_a_backup_brings_back_waits_for_a_review() {
    let scene = Opening::default()
        .keeping(Arc::new(TestKeychain::default()))
        .open()
        .await;
    let (server, mut puppet, stage) = scene.puppet("mail", &[tool("send")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "mail__send", json!({ "to": "kari" })));
    scene.say(chat, "Go.").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Always)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("sent")).await;
    model.will(Turn::words("Done."));
    model.asked().await;
    scene.finished(chat).await;
    // The backup would have the start as one that was interrupted.
    scene.host.server_stop(server).await.unwrap();
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    drop((puppet, stage));
    let backup = back_up(&scene).await;
    for rule in scene.store.rules().await.unwrap() {
        scene.host.rule_take_back(rule.id).await.unwrap();
    }

    scene.host.backup_read(&backup).await.unwrap();
    scene.host.backup_confirm().await.unwrap();
    let scene = scene.reopen().await;
    assert!(
        !scene.store.rules().await.unwrap().is_empty(),
        "the backup has the rule"
    );
    let rows = scene.host.main_window().await.unwrap().0.rows;
    let stale =
        |finding: &RowFinding| (finding.row.table, finding.fault) == (RowTable::Rule, RowFault::Stale);
    assert!(rows.list_changed && rows.findings.iter().any(stale), "{rows:?}");
    assert!(
        scene
            .store
            .servers()
            .await
            .unwrap()
            .iter()
            .any(|one| one.id == server)
    );
    scene.close().await;
}

#[tokio::test]
async fn a_file_that_is_no_whole_backup_is_refused_in_words_and_changes_nothing() {
    let scene = Scene::new().await;
    chat_called(&scene, "Now").await;
    let backup = std::fs::read(back_up(&scene).await).unwrap();
    let path = scene.folder().join("chosen.db");
    let file = || "chosen.db".to_owned();
    let write = |content: &[u8]| std::fs::write(&path, content).unwrap();

    write(b"words");
    assert_eq!(
        refused(&scene, &path).await,
        InputProblem::BackupForeign { file: file() }
    );
    let mut other = backup.clone();
    other[68..72].copy_from_slice(&[1, 2, 3, 4]);
    write(&other);
    assert_eq!(
        refused(&scene, &path).await,
        InputProblem::BackupForeign { file: file() }
    );
    let mut newer = backup.clone();
    newer[60..64].copy_from_slice(&[0, 0, 3, 231]);
    write(&newer);
    let problem = refused(&scene, &path).await;
    assert!(
        matches!(problem, InputProblem::BackupNewer { found: 999, .. }),
        "{problem:?}"
    );
    write(&backup[..backup.len() / 2]);
    let problem = refused(&scene, &path).await;
    assert!(
        matches!(problem, InputProblem::BackupDamaged { .. }),
        "{problem:?}"
    );
    let problem = refused(&scene, Path::new("/dev/zero")).await;
    assert!(
        matches!(problem, InputProblem::FileUnreadable { .. }),
        "{problem:?}"
    );

    assert_eq!(scene.host.backup_waiting(), None);
    let gone = scene.host.backup_confirm().await;
    assert_eq!(gone, Err(Problem::Input(InputProblem::Gone)));
    let scene = scene.reopen().await;
    assert_eq!(titles(&scene).await, ["Now"]);
    scene.close().await;
}

#[tokio::test]
async fn a_backup_that_was_dropped_is_not_restored() {
    let scene = Scene::new().await;
    let backup = back_up(&scene).await;
    chat_called(&scene, "Now").await;
    scene.host.backup_read(&backup).await.unwrap();
    scene.host.backup_confirm().await.unwrap();
    scene.host.backup_drop().await.unwrap();
    let scene = scene.reopen().await;
    assert_eq!(titles(&scene).await, ["Now"]);
    scene.close().await;
}

#[tokio::test]
async fn closing_waits_for_a_backup_that_is_being_written() {
    let (scene, folder) = (Scene::new().await, tempfile::tempdir().unwrap());
    let backup = scene.host.backup_write_to(folder.path().join("kept.db"));
    // It has begun, and the window that asked for it is gone.
    drop(backup.now_or_never());
    scene.close().await;
    let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
    let names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["kept.db"]);
}
