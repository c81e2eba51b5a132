//! Where the links of a path lead, also into what does not exist.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn every_link_is_followed_also_into_what_does_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("in/deep")).unwrap();
    std::fs::create_dir(base.join("out")).unwrap();
    std::fs::write(base.join("out/file"), "").unwrap();
    symlink(base.join("out"), base.join("in/folder")).unwrap();
    symlink("../out/file", base.join("in/file")).unwrap();
    symlink(base.join("out/new"), base.join("in/dangling")).unwrap();
    symlink("folder", base.join("in/twice")).unwrap();
    symlink("loop", base.join("in/loop")).unwrap();
    symlink("/proc/self/cwd", base.join("in/process")).unwrap();
    for (path, leads_to) in [
        ("in/deep/a", Some("in/deep/a")),
        ("in/deep/../deep/./a", Some("in/deep/a")),
        ("in/folder/a", Some("out/a")),
        ("in/folder/../a", Some("a")),
        ("in/file", Some("out/file")),
        ("in/file/below", Some("out/file/below")),
        ("in/dangling", Some("out/new")),
        ("in/twice/a/b", Some("out/a/b")),
        ("none/a/../b", Some("none/b")),
        ("in/loop", None),
        ("in/process/a", None),
    ] {
        let expected = leads_to.map(|end| base.join(end));
        assert_eq!(follow(&base.join(path)), expected, "{path}");
    }
    assert_eq!(follow(Path::new("/../..")), Some("/".into()));
}
