use super::*;

fn file(role: FileRole, path: &str, bytes: &str, runner: bool) -> BoundFile {
    BoundFile {
        role,
        path: path.into(),
        resolved: path.into(),
        sha256: Some(bytes.into()),
        runner,
    }
}

fn record() -> LaunchRecord {
    LaunchRecord {
        version: LAUNCH_VERSION,
        program: "/usr/bin/node".into(),
        args: vec!["/srv/server.js".into()],
        folder: "/srv".into(),
        env: BTreeMap::from([("TOKEN".into(), "a".into())]),
        search_path: "/usr/bin".into(),
        files: vec![
            file(FileRole::Program, "/usr/bin/node", "1", true),
            file(FileRole::Argument, "/srv/server.js", "2", false),
        ],
        package: None,
    }
}

/// What `change` does to the record is what a card says of it, and it ends the permission.
#[track_caller]
fn says(change: impl FnOnce(&mut LaunchRecord), expected: LaunchChange) {
    let mut after = record();
    change(&mut after);
    assert_ne!(after.digest(), record().digest());
    assert_eq!(after.change_since(&record()), expected);
}

fn only(part: LaunchPart) -> LaunchChange {
    LaunchChange::Changed { parts: vec![part] }
}

#[test]
fn each_part_that_changes_is_named_and_changes_the_digest() {
    let script = || "/srv/server.js".to_owned();
    says(
        |r| r.files[1].sha256 = Some("3".into()),
        only(LaunchPart::File { path: script() }),
    );
    says(
        |r| r.files[1].resolved = "/tmp/other.js".into(),
        only(LaunchPart::File { path: script() }),
    );
    says(|r| drop(r.files.pop()), only(LaunchPart::File { path: script() }));
    says(|r| r.args.push("-v".into()), only(LaunchPart::Arguments));
    says(|r| r.folder = "/".into(), only(LaunchPart::Folder));
    let names = vec!["TOKEN".to_owned()];
    says(
        |r| drop(r.env.insert("TOKEN".into(), "b".into())),
        only(LaunchPart::Variables { names: names.clone() }),
    );
    says(|r| r.env.clear(), only(LaunchPart::Variables { names }));
    says(
        |r| r.search_path = "/tmp:/usr/bin".into(),
        only(LaunchPart::SearchPath),
    );
    says(|r| r.program = "/tmp/node".into(), only(LaunchPart::Program));
}

#[test]
fn an_updated_runner_is_told_apart_from_a_changed_program() {
    let runners = vec!["/usr/bin/node".to_owned()];
    says(
        |r| r.files[0].sha256 = Some("9".into()),
        LaunchChange::RunnersUpdated { runners },
    );
    says(
        |r| {
            r.files[0].sha256 = Some("9".into());
            r.files[1].sha256 = Some("9".into());
        },
        only(LaunchPart::File {
            path: "/srv/server.js".into(),
        }),
    );
    says(|r| r.files[0].sha256 = None, only(LaunchPart::Program));
    says(
        |r| {
            r.files[0].runner = false;
            r.files[0].sha256 = Some("9".into());
        },
        only(LaunchPart::Program),
    );
}

#[test]
fn an_interpreter_in_another_place_is_no_update() {
    let path = "/home/ann/.local/bin/node".to_owned();
    let mut before = record();
    before
        .files
        .push(file(FileRole::Interpreter, "/usr/bin/node", "1", true));
    let mut after = record();
    after.files.push(file(FileRole::Interpreter, &path, "1", true));
    assert_eq!(
        after.change_since(&before),
        only(LaunchPart::Interpreter { path })
    );
}

fn package(version: &str, tree: &str) -> Option<BoundPackage> {
    Some(BoundPackage {
        args: vec!["notes".into()],
        name: "notes".into(),
        version: version.into(),
        lock: "1".into(),
        tree: tree.into(),
    })
}

/// Another version, and the same version with another file.
#[test]
fn a_changed_package_is_named_with_its_version_and_changes_the_digest() {
    let before = LaunchRecord {
        package: package("1.0.0", "1"),
        ..record()
    };
    for (version, tree) in [("2.0.0", "1"), ("1.0.0", "2")] {
        let after = LaunchRecord {
            package: package(version, tree),
            program: "/data/packages/other".into(),
            ..before.clone()
        };
        assert_ne!(after.digest(), before.digest());
        let part = LaunchPart::Package {
            name: "notes".into(),
            version: version.into(),
        };
        assert_eq!(after.change_since(&before), only(part));
    }
}

/// A yes to a download covers the start of what was downloaded, with the same variables, folder and search path.
#[test]
fn what_was_fetched_is_covered_only_where_the_rest_is_the_same() {
    let fetch = LaunchRecord {
        args: vec!["notes".into()],
        ..record()
    };
    let fetched = LaunchRecord {
        package: package("1.0.0", "1"),
        program: "/data/packages/notes".into(),
        ..record()
    };
    assert!(fetched.is_fetched_under(&fetch));
    let changes: [fn(&mut LaunchRecord); 5] = [
        |record| record.package = None,
        |record| record.package.as_mut().unwrap().args.clear(),
        |record| record.folder = "/".into(),
        |record| record.env.clear(),
        |record| record.search_path = "/tmp".into(),
    ];
    for change in changes {
        let mut other = fetched.clone();
        change(&mut other);
        assert!(!other.is_fetched_under(&fetch));
    }
    assert!(!fetched.is_fetched_under(&fetched));
}

#[test]
fn arguments_beside_a_package_that_stayed_are_named() {
    let before = LaunchRecord {
        package: package("1.0.0", "1"),
        ..record()
    };
    let mut after = before.clone();
    after.args.push("--all".into());
    assert_eq!(after.change_since(&before), only(LaunchPart::Arguments));
}

#[test]
fn a_file_that_is_no_longer_named_is_told_beside_one_that_is() {
    let path = "/srv/extra.js".to_owned();
    let mut before = record();
    before.files.push(file(FileRole::Argument, &path, "3", false));
    assert_eq!(record().change_since(&before), only(LaunchPart::File { path }));
}

#[test]
fn a_record_that_is_the_same_names_no_part() {
    let same = LaunchChange::Changed { parts: vec![] };
    assert_eq!(record().change_since(&record()), same);
}

#[test]
fn a_record_that_only_binds_more_says_so() {
    says(|r| r.version += 1, LaunchChange::BindsMore);
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let written = json!(record());
    let read: LaunchRecord = serde_json::from_value(written).unwrap();
    assert_eq!(read.digest(), record().digest());
}
