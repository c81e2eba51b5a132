//! What is written for the user to keep: no other account of the computer can read it, and nothing that stands in its
//! place is followed or overwritten.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use vestibule_host::view::{LedgerQuery, Problem, StoreProblem};
use vestibule_tests::Scene;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// L-2, in a folder that is open to all from an earlier version.
#[tokio::test]
async fn an_export_is_closed_to_other_accounts() {
    let scene = Scene::new().await;
    let folder = scene.folder().join("exports");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let export = || scene.host.ledger_export(LedgerQuery::default());
    let (first, second) = (export().await.unwrap(), export().await.unwrap());
    assert_ne!(
        first.path, second.path,
        "one in the same second replaces no other"
    );
    for file in [&first.path, &second.path] {
        assert_eq!(mode(Path::new(file)), 0o600);
    }
    assert_eq!(mode(&folder), 0o700);
    scene.close().await;
}

#[tokio::test]
async fn an_export_follows_no_link() {
    let scene = Scene::new().await;
    let elsewhere = scene.folder().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, scene.folder().join("exports")).unwrap();
    let refused = scene.host.ledger_export(LedgerQuery::default()).await;
    assert!(
        matches!(refused, Err(Problem::Store(StoreProblem::NotExported { .. }))),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    scene.close().await;
}
