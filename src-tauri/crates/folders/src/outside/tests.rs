//! Which arguments name a place outside the roots.

use serde_json::json;

use super::*;

fn values(arguments: Value, roots: &[&str]) -> Vec<String> {
    let roots: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    let found = outside(
        arguments.as_object().unwrap(),
        &roots,
        Some(Path::new("/home/ada")),
    );
    found.into_iter().map(|outside| outside.value).collect()
}

/// F1: a prefix is not a parent, and `..` leads where it leads.
#[test]
fn only_what_lies_below_a_root_is_inside() {
    let roots = ["/srv/proj"];
    let inside = json!({ "a": "/srv/proj", "b": "/srv/proj/x/../y", "c": "file:///srv/proj/a%20b", "d": "hello", "e": 5, "f": "x/y" });
    assert_eq!(values(inside, &roots), Vec::<String>::new());
    for out in [
        "/srv/proj-evil/x",
        "/srv/proj/../other",
        "/srv/proj/../../etc",
        "file:///etc/passwd",
        "FILE:///etc",
        "~/x",
        "/",
        "file:///srv/proj/%2e%2e/x",
    ] {
        assert_eq!(values(json!({ "p": out }), &roots), [out]);
    }
}

#[test]
fn nested_arguments_are_found_with_their_place() {
    let arguments = json!({ "files": [{ "path": "/etc/a" }, { "path": "/srv/proj/b" }] });
    let found = outside(arguments.as_object().unwrap(), &["/srv/proj".to_owned()], None);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].at, ["files", "0", "path"]);
}

/// F2: a link inside a root that leads out of it is outside, and the card names where it leads.
#[test]
fn a_link_that_leads_out_is_outside() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    std::fs::create_dir(place.join("root")).unwrap();
    std::os::unix::fs::symlink("/etc", place.join("root/link")).unwrap();
    let root = place.join("root").display().to_string();
    let arguments = json!({ "path": format!("{root}/link/passwd") });
    let found = outside(arguments.as_object().unwrap(), &[root], None);
    assert_eq!(
        found[0].place,
        Path::new("/etc")
            .canonicalize()
            .unwrap()
            .join("passwd")
            .display()
            .to_string()
    );
}
