//! Which files are found and hashed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn bound(folder: &Path, program: &str, args: &[&str], search_path: &str) -> Bound {
    let files = Files {
        program: folder.join(program),
        args: args.iter().map(ToString::to_string).collect(),
        folder: folder.to_owned(),
        search_path: search_path.into(),
        variables: vec![],
        bundle: None,
    };
    Binder::new(files).run()
}

/// The paths, relative to `folder`, that have a hash.
fn hashed(bound: &Bound, folder: &Path) -> Vec<(FileRole, String)> {
    let known = bound.files.iter().filter(|file| file.sha256.is_some());
    known
        .map(|file| {
            let path = Path::new(&file.path);
            let path = path.strip_prefix(folder).unwrap_or(path);
            (file.role, path.display().to_string())
        })
        .collect()
}

#[test]
fn every_argument_that_is_a_file_is_bound() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    fs::copy("/bin/true", base.join("server")).unwrap();
    for file in ["a.js", "b.js", "c.js", "d.js"] {
        fs::write(base.join(file), file).unwrap();
    }
    fs::create_dir(base.join("data")).unwrap();
    let absolute = base.join("b.js").display().to_string();
    let url = format!("--import=file://{}/d.js", base.display());
    let args = [
        "a.js",
        &absolute,
        "--config=c.js",
        &url,
        "data",
        "missing.js",
        "",
        "a.js",
    ];
    let bound = bound(base, "server", &args, "");
    use FileRole::{Argument, Program};
    let expected = [
        (Program, "server"),
        (Argument, "a.js"),
        (Argument, "b.js"),
        (Argument, "c.js"),
        (Argument, "d.js"),
    ];
    assert_eq!(
        hashed(&bound, base),
        expected.map(|(role, path)| (role, path.to_owned()))
    );
    assert_eq!(bound.gaps, []);
}

/// H3: a server changes its own database at every run; a script in its place is bound.
#[test]
fn a_database_is_not_bound_and_a_script_in_its_place_is() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    fs::copy("/bin/true", base.join("server")).unwrap();
    fs::write(base.join("notes.db"), b"SQLite format 3\0 and its pages").unwrap();
    let program = [(FileRole::Program, "server".to_owned())];
    assert_eq!(
        hashed(&bound(base, "server", &["--db=notes.db"], ""), base),
        program
    );
    fs::write(base.join("notes.db"), "SQLite format 3 as a script").unwrap();
    let replaced = hashed(&bound(base, "server", &["--db=notes.db"], ""), base);
    assert_eq!(replaced[1..], [(FileRole::Argument, "notes.db".to_owned())]);
}

/// H3: Python runs an archive, and dash a text, that begins as a database does.
#[test]
fn a_file_that_an_interpreter_runs_is_bound_also_where_it_begins_like_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for file in ["app.db", "notes.db"] {
        fs::write(base.join(file), b"SQLite format 3\0 and more").unwrap();
    }
    for (program, args) in [
        ("python3", &["app.db", "--db=notes.db"] as &[&str]),
        ("dash", &["app.db", "notes.db"]),
        ("node", &["--require=app.db", "-e", "1", "notes.db"]),
        ("uv", &["run", "app.db", "notes.db"]),
    ] {
        fs::copy("/bin/true", base.join(program)).unwrap();
        let found = hashed(&bound(base, program, args, ""), base);
        let expected = [(FileRole::Argument, "app.db".to_owned())];
        assert_eq!(found[1..], expected, "{program}");
    }
}

#[test]
fn the_interpreter_that_a_first_line_leads_to_is_bound() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    executable(&base.join("server"), "#!/usr/bin/env -S tool --flag\n");
    executable(&base.join("late/tool"), "#!/bin/sh\n");
    let search_path = format!("{0}/early:{0}/late", base.display());
    let before = bound(base, "server", &[], &search_path);
    let paths: Vec<_> = hashed(&before, base).into_iter().map(|(_, path)| path).collect();
    assert_eq!(paths, ["server", "/usr/bin/env", "late/tool", "/bin/sh"]);
    assert_eq!(before.gaps, []);
    executable(&base.join("early/tool"), "#!/bin/sh\necho planted\n");
    let after = bound(base, "server", &[], &search_path);
    assert!(hashed(&after, base).contains(&(FileRole::Interpreter, "early/tool".into())));
    // A relative folder of the search path is one in the folder of the launch, as it is for `env`.
    let relative = bound(base, "server", &[], "early");
    assert!(hashed(&relative, base).contains(&(FileRole::Interpreter, "early/tool".into())));
}

#[test]
fn a_script_that_names_no_interpreter_is_run_by_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    executable(&folder.path().join("server"), "echo hello\n");
    let bound = bound(folder.path(), "server", &[], "");
    assert!(hashed(&bound, folder.path()).contains(&(FileRole::Interpreter, "/bin/sh".into())));
}

#[test]
fn an_interpreter_that_is_not_known_is_said_to_be_that() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for line in [
        "#!/usr/bin/env no-such-tool\n",
        "#!/usr/bin/env -S PATH=/tmp tool\n",
        "#!/usr/bin/env -S -i tool\n",
        "#!/usr/bin/env tool --flag\n",
        "#!/usr/bin/env\n",
        "#!\n",
        "#!/bin/sh",
    ] {
        executable(&base.join("server"), line);
        let kinds: Vec<_> = bound(base, "server", &[], "/usr/bin")
            .gaps
            .into_iter()
            .map(|gap| gap.kind)
            .collect();
        assert_eq!(kinds, [LaunchGapKind::UnknownInterpreter], "{line:?}");
    }
    executable(&base.join("loop"), &format!("#!{}/loop\n", base.display()));
    let kinds = bound(base, "loop", &[], "").gaps;
    assert_eq!(kinds.last().unwrap().kind, LaunchGapKind::UnknownInterpreter);
}

#[test]
fn what_is_too_large_or_too_much_has_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    fs::copy("/bin/true", base.join("server")).unwrap();
    // It takes no room on the disk.
    File::create(base.join("huge"))
        .unwrap()
        .set_len(LARGEST + 1)
        .unwrap();
    let large = bound(base, "server", &["huge"], "");
    assert_eq!(hashed(&large, base).len(), 1);
    assert_eq!(large.gaps[0].kind, LaunchGapKind::TooLarge);
    let names: Vec<String> = (0..=MOST_FILES).map(|number| format!("f{number}")).collect();
    for name in &names {
        fs::write(base.join(name), "x").unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let many = bound(base, "server", &names, "");
    assert_eq!(many.files.len(), MOST_FILES);
    assert_eq!(many.gaps[0].kind, LaunchGapKind::TooManyFiles);
}
