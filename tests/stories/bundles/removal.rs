//! When the folder of a bundle is removed.

use super::*;
use vestibule_host::view::{ProgramDraft, ServerDraft};
use vestibule_store::ServerPlace;

/// The user duplicates a server by adding another one with the same program and arguments.
#[tokio::test]
async fn a_bundle_is_removed_with_the_last_server_that_is_started_from_it() {
    let scene = Scene::new().await;
    let (server, _) = added(&scene).await;
    let records = scene.store.servers().await.unwrap();
    let ServerPlace::Here(program) = records[0].place.clone() else {
        panic!("{records:?}")
    };
    let program = ProgramDraft {
        command: program.command,
        args: program.args,
        ..ProgramDraft::default()
    };
    let mut copies = vec![];
    for name in ["one", "two"] {
        let draft = ServerDraft::here(name, program.clone());
        copies.push(scene.host.server_add(draft).await.unwrap());
    }
    let unpacked = bundles(&scene);
    scene.host.server_remove(server).await.unwrap();
    scene.host.server_remove(copies[0]).await.unwrap();
    assert_eq!(bundles(&scene), unpacked);
    scene.host.server_remove(copies[1]).await.unwrap();
    assert_eq!(bundles(&scene), Vec::<PathBuf>::new());
    scene.close().await;
}

#[tokio::test]
async fn a_bundle_that_was_unpacked_before_a_crash_and_not_added_is_removed_at_the_next_start() {
    let scene = Scene::new().await;
    added(&scene).await;
    let kept = bundles(&scene);
    // As they are between unpacking and adding.
    let left = scene.folder().join("bundles").join(ServerId::new().to_string());
    std::fs::create_dir(&left).unwrap();
    std::fs::create_dir(left.join("part")).unwrap();
    for folder in [&left, &kept[0]] {
        std::fs::write(folder.join("adding"), "").unwrap();
    }
    let scene = scene.reopen().await;
    assert_eq!(bundles(&scene), kept);
    assert!(!kept[0].join("adding").exists());
    scene.close().await;
}
