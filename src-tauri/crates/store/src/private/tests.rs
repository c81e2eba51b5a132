//! Who may read the files of the store.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_folder_is_closed_to_others_whether_or_not_it_exists() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().join("data/exports");
    make_folder_private(&folder).unwrap();
    assert_eq!((mode(&folder), mode(&base.path().join("data"))), (0o700, 0o700));
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    make_folder_private(&folder).unwrap();
    assert_eq!(mode(&folder), 0o700);
}

#[test]
fn a_link_in_the_place_of_a_folder_is_not_followed() {
    let base = tempfile::tempdir().unwrap();
    let other = base.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    symlink(&other, base.path().join("exports")).unwrap();
    assert!(make_folder_private(&base.path().join("exports")).is_err());
    assert_eq!(mode(&other), 0o755);
}

#[test]
fn a_file_is_closed_to_others_and_never_in_the_place_of_another() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("file");
    create_private_file(&file).unwrap();
    assert_eq!(mode(&file), 0o600);
    assert!(create_private_file(&file).is_err());
    let link = base.path().join("link");
    symlink(base.path().join("target"), &link).unwrap();
    assert!(create_private_file(&link).is_err());
    assert!(!base.path().join("target").exists());
}
