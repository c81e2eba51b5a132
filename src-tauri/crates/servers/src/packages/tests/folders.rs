use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::super::tree::digest;
use super::super::{PackageFolder, PackageRequest, recognise};
use vestibule_protocol::ServerId;

fn request(word: &str) -> PackageRequest {
    recognise("npx", &[word.to_owned()], Path::new("/nowhere"))
        .unwrap()
        .request
}

/// A package's name or bytes, a file more, a link, and whether a file can be run.
#[tokio::test]
async fn a_change_anywhere_in_a_package_changes_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    std::fs::create_dir_all(base.join("a/b")).unwrap();
    std::fs::write(base.join("a/b/code.js"), "one").unwrap();
    let mut known = vec![digest(base).await.unwrap()];
    assert_eq!(digest(base).await.unwrap(), known[0]);
    let changes: [&dyn Fn(); 5] = [
        &|| std::fs::write(base.join("a/b/code.js"), "two").unwrap(),
        &|| std::fs::rename(base.join("a/b/code.js"), base.join("a/code.js")).unwrap(),
        &|| std::fs::write(base.join("more.js"), "").unwrap(),
        &|| std::os::unix::fs::symlink("/etc/passwd", base.join("link")).unwrap(),
        &|| std::fs::set_permissions(base.join("more.js"), PermissionsExt::from_mode(0o755)).unwrap(),
    ];
    for change in changes {
        change();
        let now = digest(base).await.unwrap();
        assert!(!known.contains(&now));
        known.push(now);
    }
}

#[test]
fn a_pin_counts_for_the_request_it_was_made_for() {
    let data = tempfile::tempdir().unwrap();
    let folder = PackageFolder::new(data.path(), ServerId::new());
    let new = folder.make().unwrap();
    let pin = folder.switch(new, &request("notes@1"), "1.2.3", 5).unwrap();
    assert_eq!(folder.pin(&request("notes@1")), Some(pin));
    assert_eq!(folder.pin(&request("notes@2")), None);
    folder.remove().unwrap();
    assert_eq!(folder.pin(&request("notes@1")), None);
}

/// Another program could write the file of the pin.
#[test]
fn a_pin_that_leads_out_of_its_folder_is_not_followed() {
    let data = tempfile::tempdir().unwrap();
    let folder = PackageFolder::new(data.path(), ServerId::new());
    let new = folder.make().unwrap();
    let pin = folder.switch(new, &request("notes"), "1.2.3", 5).unwrap();
    let file = folder.path(&pin).parent().unwrap().join("pin.json");
    for other in ["..", "../..", "/etc", ""] {
        let written = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, written.replace(&pin.folder, other)).unwrap();
        assert_eq!(folder.pin(&request("notes")), None, "{other}");
        std::fs::write(&file, written).unwrap();
    }
    assert_eq!(folder.pin(&request("notes")), Some(pin));
}
