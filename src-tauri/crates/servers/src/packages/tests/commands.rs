use std::path::Path;

use super::super::{PackageCommand, PackageRequest, Runner, recognise};

fn read(line: &str) -> Option<PackageCommand> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    recognise(&words[0], &words[1..], Path::new("/nowhere"))
}

#[track_caller]
fn understood(line: &str) -> (PackageRequest, Vec<String>) {
    let command = read(line).unwrap_or_else(|| panic!("{line} is not understood"));
    (command.request, command.args)
}

#[test]
fn the_package_of_npx_is_told_apart_from_its_version_and_from_the_arguments() {
    for (line, package, name, wanted, args) in [
        ("npx notes", "notes", "notes", "", vec![]),
        (
            "npx -y notes@1.2.3 --root /srv",
            "notes@1.2.3",
            "notes",
            "1.2.3",
            vec!["--root", "/srv"],
        ),
        (
            "/usr/bin/npx --yes @acme/notes -y",
            "@acme/notes",
            "@acme/notes",
            "",
            vec!["-y"],
        ),
        (
            "npx -y @acme/notes@latest",
            "@acme/notes@latest",
            "@acme/notes",
            "latest",
            vec![],
        ),
        ("npx -- notes@^1 x", "notes@^1", "notes", "^1", vec!["x"]),
    ] {
        let (request, got) = understood(line);
        assert_eq!(request.runner, Runner::Npm);
        assert_eq!(request.packages, [package], "{line}");
        assert_eq!(
            (request.name.as_str(), request.wanted.as_str()),
            (name, wanted),
            "{line}"
        );
        assert_eq!(
            (got, request.executable),
            (args.into_iter().map(str::to_owned).collect(), None),
            "{line}"
        );
    }
}

#[test]
fn packages_that_npx_names_apart_are_fetched_together() {
    let (request, args) = understood("npx -y -p notes@1.0.0 --package=@acme/plugin notes-server --stdio");
    assert_eq!(request.packages, ["notes@1.0.0", "@acme/plugin"]);
    assert_eq!(
        (request.name.as_str(), request.executable.as_deref()),
        ("notes", Some("notes-server"))
    );
    assert_eq!(args, ["--stdio"]);
}

#[test]
fn the_package_of_uvx_is_told_apart_from_its_version_and_from_the_arguments() {
    for (line, packages, wanted, executable) in [
        ("uvx notes", vec!["notes"], "", "notes"),
        ("uvx notes==1.2 --root /srv", vec!["notes==1.2"], "1.2", "notes"),
        ("uvx notes@1.2", vec!["notes==1.2"], "1.2", "notes"),
        ("uvx notes@latest", vec!["notes"], "", "notes"),
        (
            "uvx --from notes[all]>=1,<2 serve",
            vec!["notes[all]>=1,<2"],
            ">=1,<2",
            "serve",
        ),
        (
            "uvx --from=notes --with plugin==2 -q serve",
            vec!["notes", "plugin==2"],
            "",
            "serve",
        ),
    ] {
        let (request, _) = understood(line);
        assert_eq!(
            (request.runner, request.name.as_str()),
            (Runner::Uv, "notes"),
            "{line}"
        );
        assert_eq!(request.packages, packages, "{line}");
        assert_eq!(
            (request.wanted.as_str(), request.executable.as_deref()),
            (wanted, Some(executable)),
            "{line}"
        );
    }
    assert_eq!(
        understood("uvx --python 3.12 notes x").0.python.as_deref(),
        Some("3.12")
    );
    assert_eq!(understood("uvx notes==1.2 --root /srv").1, ["--root", "/srv"]);
}

/// Such a command line is started as it was before there were downloads.
#[test]
fn a_command_line_that_is_not_understood_is_left_alone() {
    for line in [
        "npx",
        "npx -y",
        "npx -c notes",
        "npx --registry https://a.example notes",
        "npx --unknown notes",
        "npx ./notes",
        "npx /srv/notes.tgz",
        "npx git+https://a.example/notes",
        "npx github:a/notes",
        "npx a/notes",
        "npx notes@npm:other@1",
        "npx notes@file:../x",
        "npx @acme",
        "npx notes@",
        "npx -p notes ../x",
        "uvx git+https://a.example/notes",
        "uvx --index-url https://a.example notes",
        "uvx --from . notes",
        "uvx --from notes ../x",
        "uvx --python /usr/bin/python notes",
        "uvx --refresh notes",
        "uvx notes@main",
        "pipx run notes",
        "node server.js",
    ] {
        assert_eq!(read(line), None, "{line}");
    }
}

/// There npx may run what lies in the folder, and both obey settings of the project.
#[test]
fn a_command_line_in_the_folder_of_a_project_is_left_alone() {
    for name in ["node_modules", "package.json", "pyproject.toml", "uv.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let args = ["notes".to_owned()];
        assert!(recognise("npx", &args, &inner).is_some());
        std::fs::create_dir(folder.path().join(name)).unwrap();
        assert_eq!(recognise("npx", &args, &inner), None, "{name}");
    }
}
