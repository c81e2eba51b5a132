//! A server of `npx`: its package is downloaded by the user's npm after the yes, starts from a folder of its own, and what
//! runs later is what was downloaded then. npm is played by a script beside `npx`, which writes down each time it is run.

use super::*;
use vestibule_consent::{LaunchPackage, PackageState, Widening};
use vestibule_host::view::{ChangeEnd, ChangeOutcome, UpdateProgress};

/// What npm would write for a package with one dependency.
pub(super) const LOCK: &str = r#"{
  "lockfileVersion": 3,
  "packages": {
    "": { "dependencies": { "notes": "1.2.3" } },
    "node_modules/notes": { "version": "1.2.3", "integrity": "sha512-bm90ZXM=" },
    "node_modules/words": { "version": "1.0.0", "integrity": "sha512-d29yZHM=" }
  }
}"#;
const MANIFEST: &str = r#"{ "name": "notes", "bin": { "notes-server": "cli.js" } }"#;

/// npm that resolves to `lock` and installs a puppet, with `first` done before.
fn npm(folder: &Path, stage: &Stage, first: &str, lock: &str) -> String {
    let place = folder.display();
    fs::write(folder.join("lock.json"), lock).unwrap();
    fs::write(folder.join("manifest.json"), MANIFEST).unwrap();
    executable(&folder.join("puppet"), &script(stage, ""));
    format!(
        "#!/bin/sh\nset -e\necho \"$1\" >> '{place}/npm.log'\n{first}\ncase $1 in\n\
         install) cp '{place}/lock.json' package-lock.json;;\n\
         ci) mkdir -p node_modules/notes node_modules/words\n\
         echo npm http fetch GET 200 https://registry.example/notes.tgz >&2\n\
         cp '{place}/manifest.json' node_modules/notes/package.json\n\
         cp '{place}/puppet' node_modules/notes/cli.js;;\n\
         view) case $2 in *@1.2.3) echo '\"ann\"';; *) printf '[\\n \"ann\",\\n \"eve\"\\n]\\n';; esac;;\nesac\n"
    )
}

pub(super) async fn installed(first: &str, lock: &str, wanted: &str) -> Started {
    Started::running(|folder, stage| {
        executable(&folder.join("npx"), &script(stage, ""));
        executable(&folder.join("npm"), &npm(folder, stage, first, lock));
        (
            folder.join("npx"),
            vec!["-y".into(), wanted.into(), "--all".into()],
        )
    })
    .await
}

/// How often npm was run, by its commands.
fn npm_runs(started: &Started) -> Vec<String> {
    let log = fs::read_to_string(started.scene.folder().join("npm.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

pub(super) fn packages(started: &Started) -> PathBuf {
    started
        .scene
        .folder()
        .join("packages")
        .join(started.server.to_string())
}

/// The file that starts, of the one version that is there.
pub(super) fn program_file(started: &Started) -> PathBuf {
    let folders = fs::read_dir(packages(started)).unwrap().flatten();
    let mut files = folders.map(|entry| entry.path().join("node_modules/notes/cli.js"));
    files.find(|file| file.is_file()).unwrap()
}

fn state(launch: &Launch) -> PackageState {
    let LaunchPackage { name, state, .. } = launch.package.clone().unwrap();
    assert_eq!(name, "notes");
    state
}

#[tokio::test]
async fn nothing_is_downloaded_before_the_yes_and_later_starts_need_no_npm() {
    let started = installed("", LOCK, "notes").await;
    let (question, launch) = started.card().await;
    let tool = started.scene.folder().join("npm").display().to_string();
    assert_eq!(state(&launch), PackageState::ToFetch { tool });
    assert_eq!(
        question.scopes,
        [Scope::Once],
        "what will arrive is not known yet"
    );
    started.refuse(&question).await;
    assert_eq!(npm_runs(&started), Vec::<String>::new());
    assert!(!packages(&started).exists());

    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    let puppet = started.greets().await;
    assert_eq!(npm_runs(&started), ["install", "ci"]);
    assert_eq!(
        started.scene.person.shown().len(),
        2,
        "one yes is for the download and the start"
    );
    started.stop().await;
    drop(puppet);

    fs::remove_file(started.scene.folder().join("npm")).unwrap();
    fs::remove_file(started.scene.folder().join("npx")).unwrap();
    let (question, launch) = started.card().await;
    let PackageState::Fetched {
        version,
        packages,
        lock,
    } = state(&launch)
    else {
        panic!("{launch:?}")
    };
    assert_eq!((version.as_str(), packages, lock.len()), ("1.2.3", 2, 64));
    assert_eq!((launch.args, launch.gaps), (vec!["--all".to_owned()], vec![]));
    started.scene.person.say(&question, yes(Scope::Always)).await;
    drop(started.greets().await);
    started.stop().await;
    started.scene.host.server_start(started.server).await.unwrap();
    drop(started.greets().await);
    assert_eq!(npm_runs(&started).len(), 2);
    started.stop().await;
    started.scene.close().await;
}

/// A server whose package was downloaded, and that is being started again with a standing permission.
async fn downloaded() -> Started {
    let started = installed("", LOCK, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    drop(started.greets().await);
    started.stop().await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Always)).await;
    started
}

#[tokio::test]
async fn a_file_of_a_downloaded_package_that_changed_is_asked_about() {
    let started = downloaded().await;
    drop(started.greets().await);
    started.stop().await;
    // A file that no argument names, in a dependency.
    let words = program_file(&started).with_file_name("../words/index.js");
    fs::write(words, "evil").unwrap();
    let (question, launch) = started.card().await;
    let parts = vec![LaunchPart::Package {
        name: "notes".into(),
        version: "1.2.3".into(),
    }];
    assert_eq!(launch.change, Some(LaunchChange::Changed { parts }));
    started.refuse(&question).await;
    started.scene.close().await;
}

#[tokio::test]
async fn a_download_that_fails_says_so_and_leaves_nothing() {
    let started = installed("echo npm error code E404 >&2; exit 1", LOCK, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    let failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
    let view = started
        .scene
        .server(started.server, "a failed server", failed)
        .await;
    let ServerState::Failed {
        problem: Problem::Server(ServerProblem::NotDownloaded { package, stderr, .. }),
    } = view.state
    else {
        panic!("{:?}", view.state)
    };
    assert_eq!(
        (package.as_str(), stderr),
        ("notes", vec!["npm error code E404".to_owned()])
    );
    assert_eq!(fs::read_dir(packages(&started)).unwrap().count(), 0);
    started.scene.close().await;
}

#[tokio::test]
async fn a_download_can_be_stopped_and_leaves_nothing() {
    let started = installed("exec sleep 1000", LOCK, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    let downloads = |view: &ServerView| matches!(view.state, ServerState::Downloading { .. });
    started
        .scene
        .server(started.server, "a download", downloads)
        .await;
    started.stop().await;
    assert_eq!(fs::read_dir(packages(&started)).unwrap().count(), 0);
    started.scene.close().await;
}

/// What the registry has from now on.
pub(super) fn publish(started: &Started, lock: &str) {
    fs::write(started.scene.folder().join("lock.json"), lock).unwrap();
}

pub(super) fn newer() -> String {
    LOCK.replace("1.2.3", "1.3.0")
        .replace("node_modules/words", "node_modules/phrases")
}

#[tokio::test]
async fn another_version_is_downloaded_after_its_card_alone_and_its_start_is_asked() {
    let started = downloaded().await;
    drop(started.greets().await);
    started.stop().await;
    let host = &started.scene.host;
    assert_eq!(
        host.server_update(started.server).await.unwrap(),
        ChangeOutcome::Done,
        "nothing is newer"
    );

    publish(&started, &newer());
    let before = program_file(&started);
    let change = host.server_update(started.server).await.unwrap();
    let (card, _) = started
        .scene
        .answered(change, Answer::Refuse { reason: None })
        .await;
    let QuestionBody::Widen(Widening::UpdatePackage(update)) = card.about else {
        panic!("{card:?}")
    };
    assert_eq!(
        (update.before.as_str(), update.after.as_str()),
        ("1.2.3", "1.3.0")
    );
    let names: Vec<_> = update.changes.iter().map(|change| change.name.as_str()).collect();
    assert_eq!((names, update.scripts), (vec!["phrases", "words"], vec![]));
    assert_eq!(program_file(&started), before, "after a no the old version stays");
    assert_eq!(
        (update.maintainers, update.new_maintainers),
        (vec!["ann".into(), "eve".into()], vec!["eve".to_owned()])
    );
    let runs = ["install", "ci", "install", "install", "view", "view"];
    assert_eq!(npm_runs(&started), runs, "descriptions alone");

    let change = host.server_update(started.server).await.unwrap();
    started.scene.agreed(change).await;
    assert_ne!(program_file(&started), before);
    assert!(!before.exists());
    let (question, launch) = started.card().await;
    let parts = vec![LaunchPart::Package {
        name: "notes".into(),
        version: "1.3.0".into(),
    }];
    assert_eq!(launch.change, Some(LaunchChange::Changed { parts }));
    started.refuse(&question).await;
    started.scene.close().await;
}

/// The disk can be full, for example.
#[tokio::test]
async fn a_server_runs_on_where_another_version_cannot_take_its_place() {
    let started = downloaded().await;
    let running = started.greets().await;
    let before = program_file(&started);
    publish(&started, &newer());
    // No file can be written where a folder is.
    fs::create_dir(packages(&started).join("pin.new")).unwrap();

    let change = started.scene.host.server_update(started.server).await.unwrap();
    let (_, end) = started.scene.answered(change, yes(Scope::Once)).await;
    assert!(matches!(end, ChangeEnd::Failed { .. }), "{end:?}");
    drop((running, started.greets().await));
    assert_eq!(program_file(&started), before);
    started.scene.close().await;
}

#[tokio::test]
async fn the_download_of_another_version_says_how_far_it_is_and_can_be_stopped() {
    let first = "if [ $1 = ci ] && [ -e ../../../block ]; then exec sleep 1000; fi";
    let started = installed(first, LOCK, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    drop(started.greets().await);
    started.stop().await;
    let before = program_file(&started);
    publish(&started, &newer());
    fs::write(started.scene.folder().join("block"), "").unwrap();

    let (scene, server) = (&started.scene, started.server);
    let change = scene.host.server_update(server).await.unwrap();
    let stop = async {
        let updates = |view: &ServerView| {
            view.package
                .as_ref()
                .is_some_and(|package| package.update.is_some())
        };
        let view = scene.server(server, "an update", updates).await;
        assert_eq!(view.state, ServerState::Stopped);
        let progress = UpdateProgress { arrived: 0, total: 2 };
        assert_eq!(view.package.unwrap().update, Some(progress));
        scene.host.server_update_stop(server).unwrap();
    };
    let ((_, end), ()) = tokio::join!(scene.answered(change, yes(Scope::Once)), stop);
    let ChangeEnd::Failed {
        problem: Problem::Server(ServerProblem::NotDownloaded { detail, .. }),
    } = end
    else {
        panic!("{end:?}")
    };
    assert_eq!(detail, "the download was stopped");
    let ended = |view: &ServerView| {
        view.package
            .as_ref()
            .is_some_and(|package| package.update.is_none())
    };
    scene.server(server, "no update any more", ended).await;
    assert_eq!(program_file(&started), before, "the old version stays");
    let folders = fs::read_dir(packages(&started)).unwrap().flatten();
    assert_eq!(folders.filter(|entry| entry.path().is_dir()).count(), 1);
    started.scene.close().await;
}

/// Its scripts would run while it is downloaded, and without them it may not work.
#[tokio::test]
async fn a_package_with_install_scripts_is_left_to_npx_and_asked_again() {
    let lock = LOCK.replace(
        "sha512-d29yZHM=\"",
        "sha512-d29yZHM=\", \"hasInstallScript\": true",
    );
    let started = installed("", &lock, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    let question = started.scene.person.asked().await;
    let QuestionBody::StartServer(launch) = question.about.clone() else {
        panic!("{question:?}")
    };
    assert_eq!(state(&launch), PackageState::LeftToRunner);
    assert_eq!(launch.gaps[0].kind, LaunchGapKind::UnpinnedPackage);
    assert_eq!(npm_runs(&started), ["install"]);
    started.scene.person.say(&question, yes(Scope::Once)).await;
    drop(started.greets().await);
    started.stop().await;
    started.scene.close().await;
}

/// npm writes the optional packages of every system into the lock file, and does not install them.
#[tokio::test]
async fn install_scripts_of_optional_packages_of_other_systems_do_not_count() {
    let lock = LOCK.replace(
        "sha512-d29yZHM=\" }",
        "sha512-d29yZHM=\" }, \"node_modules/notes/node_modules/events\": { \"version\": \"2.3.2\", \
         \"integrity\": \"sha512-ZXZlbnRz\", \"hasInstallScript\": true, \"optional\": true, \"os\": [\"aix\"] }",
    );
    let started = installed("", &lock, "notes").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    drop(started.greets().await);
    started.stop().await;
    assert_eq!(npm_runs(&started), ["install", "ci"]);
    let (question, launch) = started.card().await;
    assert!(
        matches!(state(&launch), PackageState::Fetched { packages: 2, .. }),
        "{launch:?}"
    );
    started.refuse(&question).await;
    started.scene.close().await;
}

#[tokio::test]
async fn the_packages_of_a_removed_server_are_removed() {
    let started = installed("", LOCK, "notes@1.2.3").await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    drop(started.greets().await);
    started.stop().await;
    assert!(program_file(&started).exists());
    started.scene.host.server_remove(started.server).await.unwrap();
    assert!(!packages(&started).exists());
    started.scene.close().await;
}
