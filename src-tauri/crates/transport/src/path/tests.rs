//! Which program a command names.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::shell::{answer, ask, with_usual};
use super::*;

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_is_found_only_in_absolute_folders() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    program(&base.join("a/tool"), "");
    program(&base.join("b/tool"), "");
    fs::write(base.join("a/text"), "").unwrap();
    let path = env::join_paths([
        PathBuf::from("."),
        PathBuf::new(),
        "a".into(),
        base.join("b"),
        base.join("a"),
    ]);
    let path = path.unwrap();
    assert_eq!(resolve("tool", &path, Some(base)), Ok(base.join("b/tool")));
    let looked_in = vec![base.join("b/text"), base.join("a/text")];
    assert_eq!(
        resolve("text", &path, Some(base)),
        Err(NotFound {
            command: "text".into(),
            looked_in
        })
    );
    // The folder the tests stand in holds this file; only a relative entry could find it.
    assert!(Path::new("Cargo.toml").exists());
    assert_eq!(
        resolve("Cargo.toml", OsStr::new(".::src"), None)
            .unwrap_err()
            .looked_in,
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_relative_program_needs_a_declared_folder() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    program(&base.join("bin/tool"), "");
    let absolute = base.join("bin/tool");
    assert_eq!(
        resolve("bin/tool", OsStr::new("/bin"), Some(base)),
        Ok(base.join("bin/tool"))
    );
    assert_eq!(
        resolve("./bin/tool", OsStr::new("/bin"), Some(base)),
        Ok(base.join("./bin/tool"))
    );
    assert_eq!(
        resolve(absolute.to_str().unwrap(), OsStr::new(""), None),
        Ok(absolute)
    );
    for (command, cwd) in [
        ("bin/tool", None),
        ("bin/tool", Some(Path::new("x"))),
        ("bin", Some(base)),
        ("", None),
        (".", None),
        ("..", None),
        ("bin/", Some(base)),
        ("/nowhere/tool", None),
    ] {
        assert!(
            resolve(command, OsStr::new("/usr"), cwd).is_err(),
            "{command:?} was found"
        );
    }
}

#[test]
fn the_answer_is_found_among_greetings() {
    let said = b"hello\nvestibule-path-begin/a:/b\nvestibule-path-end bye";
    assert_eq!(answer(said), Some(OsString::from("/a:/b")));
    for other in [
        &b""[..],
        b"vestibule-path-begin/a",
        b"vestibule-path-end",
        b"vestibule-path-begin\nvestibule-path-end",
    ] {
        assert_eq!(answer(other), None);
    }
    assert_eq!(
        with_usual(OsStr::new("/x:/bin")),
        "/x:/bin:/opt/homebrew/bin:/usr/local/bin:/usr/bin:/usr/sbin:/sbin"
    );
}

#[tokio::test]
async fn the_shell_is_asked_and_one_that_hangs_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let shell = folder.path().join("shell");
    program(
        &shell,
        "#!/bin/sh\necho welcome\nPATH=/from/start-up:$PATH\n/bin/sh -c \"$2\"\n",
    );
    let path = ask(&shell, Duration::from_secs(10)).await.unwrap();
    assert!(path.to_str().unwrap().starts_with("/from/start-up:"), "{path:?}");

    let hanging = folder.path().join("hanging");
    let number = folder.path().join("number");
    program(
        &hanging,
        &format!(
            "#!/bin/sh\nsleep 1000 &\necho $! > '{}'\nwait\n",
            number.display()
        ),
    );
    assert_eq!(ask(&hanging, Duration::from_millis(1500)).await, None);
    let left = format!("/proc/{}/stat", fs::read_to_string(&number).unwrap().trim());
    let end = Instant::now() + Duration::from_secs(10);
    while fs::read_to_string(&left).is_ok_and(|stat| !stat.contains(") Z")) {
        assert!(Instant::now() < end, "what the shell started still runs");
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(Path::new("sh"), Duration::from_secs(1)).await, None);
}

/// A shell with much in its start-up files must not hide programs until the application starts again.
#[tokio::test]
async fn the_path_of_a_slow_shell_is_used_as_soon_as_it_has_answered() {
    let folder = tempfile::tempdir().unwrap();
    let (shell, go) = (folder.path().join("shell"), folder.path().join("go"));
    let made = std::process::Command::new("mkfifo").arg(&go).status().unwrap();
    assert!(made.success());
    program(
        &shell,
        &format!(
            "#!/bin/sh\nread line < '{}'\nPATH=/from/start-up:$PATH\n/bin/sh -c \"$2\"\n",
            go.display()
        ),
    );
    let path = SearchPath::of(shell, Duration::from_millis(1), &CancellationToken::new());
    let meanwhile = path.get().await.clone();
    assert!(
        !meanwhile.to_str().unwrap().contains("/from/start-up"),
        "{meanwhile:?}"
    );
    // Opening it waits for the reader.
    let opened = tokio::task::spawn_blocking(move || fs::write(go, "go\n"));
    opened.await.unwrap().unwrap();
    let end = Instant::now() + Duration::from_secs(10);
    while !path.get().await.to_str().unwrap().starts_with("/from/start-up:") {
        assert!(Instant::now() < end, "the answer of the shell is not used");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_shell_that_did_not_answer_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (shell, asked) = (folder.path().join("shell"), folder.path().join("asked"));
    program(
        &shell,
        &format!(
            "#!/bin/sh\n[ -e '{asked}' ] || {{ touch '{asked}'; exit 1; }}\nPATH=/from/start-up:$PATH\n/bin/sh -c \"$2\"\n",
            asked = asked.display()
        ),
    );
    let path = SearchPath::of(shell, Duration::from_secs(10), &CancellationToken::new());
    assert!(!path.get().await.to_str().unwrap().contains("/from/start-up"));
    assert!(path.get().await.to_str().unwrap().starts_with("/from/start-up:"));
}
