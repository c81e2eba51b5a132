//! What the paths in arguments come to.

use std::os::unix::fs::symlink;
use std::sync::mpsc;

use serde_json::json;

use super::*;

fn search(own: &[std::path::PathBuf]) -> PathSearch {
    PathSearch {
        own: Arc::new(OwnFolders::new(own)),
        ..PathSearch::default()
    }
}

#[test]
fn each_path_is_resolved_and_links_and_own_data_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for folder in ["own", "out", "in"] {
        std::fs::create_dir(base.join(folder)).unwrap();
    }
    symlink(base.join("out"), base.join("in/link")).unwrap();
    let at = |path: &str| base.join(path).display().to_string();
    let arguments = json!({
        "a": at("in/x"), "b": [at("in/link/x")], "c": { at("own/key"): at("own/value") }, "d": "words", "e": 5,
    });
    let found = search(&[base.join("own")]).paths(arguments.as_object().unwrap());
    let resolved: Vec<(&str, &str)> = found
        .places
        .resolved
        .iter()
        .map(|(text, place)| (text.as_str(), place.as_str()))
        .collect();
    let mut expected = [
        ("in/x", "in/x"),
        ("in/link/x", "out/x"),
        ("own/value", "own/value"),
    ]
    .map(|(text, place)| (at(text), at(place)));
    expected.sort();
    assert_eq!(
        resolved,
        expected
            .each_ref()
            .map(|(text, place)| (text.as_str(), place.as_str()))
    );
    assert!(found.places.own_data && !found.places.unchecked);
    let [link] = &found.findings.links[..] else {
        panic!("{:?}", found.findings)
    };
    assert_eq!((link.at.join("/"), &link.place), ("b/0".into(), &at("out/x")));
    let own: Vec<String> = found.findings.own_data.into_iter().map(|own| own.value).collect();
    assert_eq!(own, [at("own/key"), at("own/value")]);
    assert!(found.outside.is_empty());
}

#[test]
fn what_is_not_looked_at_is_said() {
    let many = json!({ "all": vec!["a"; MOST_TEXTS] });
    let large = json!({ "a": "a".repeat(MOST_BYTES) });
    let mut deep = json!("a");
    for _ in 0..DEPTH + 1 {
        deep = json!([deep]);
    }
    for arguments in [many, large, json!({ "deep": deep })] {
        let found = search(&[]).paths(arguments.as_object().unwrap());
        assert!(found.places.unchecked && found.findings.paths_unchecked);
    }
    let few = json!({ "all": vec!["a"; MOST_TEXTS - 1] });
    let found = search(&[]).paths(few.as_object().unwrap());
    assert!(!found.places.unchecked && !found.findings.paths_unchecked);
}

/// A model could write one path that nothing can be said of to hide where another one leads.
#[cfg(target_os = "linux")]
#[test]
fn what_is_not_known_of_one_path_hides_no_link_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    symlink("/etc", base.join("link")).unwrap();
    let link = base.join("link/passwd").display().to_string();
    let arguments = json!({ "a": "/proc/self/cwd/../x", "b": link });
    let found = search(&[base.join("own")]).paths(arguments.as_object().unwrap());
    assert!(found.places.unchecked && found.findings.paths_unchecked);
    assert_eq!(found.findings.links[0].value, link);
    assert!(found.places.resolved.contains_key(&link));
}

/// L-13: a mount that does not answer costs one call its patience, and other calls nothing until all places are
/// taken.
#[tokio::test(start_paused = true)]
async fn a_disk_that_does_not_answer_is_given_up() {
    let lookout = Lookout::default();
    let (release, held) = mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let stuck = || {
        let held = held.clone();
        lookout.run(move || held.lock().unwrap().recv())
    };
    let all = futures::future::join_all((0..AT_ONCE).map(|_| stuck()));
    assert!(all.await.iter().all(Option::is_none));
    let waiting = lookout.paths(search(&[]), Map::new()).await;
    assert!(waiting.places.unchecked && waiting.findings.paths_unchecked);
    drop(release);
    tokio::time::resume();
    let answered = lookout.paths(search(&[]), Map::new()).await;
    assert!(!answered.places.unchecked);
}
