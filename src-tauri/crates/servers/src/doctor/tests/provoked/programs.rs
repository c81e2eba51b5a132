//! Programs that are not there, cannot be started, or end.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::json;
use vestibule_app_protocol::{Problem, ServerProblem};
use vestibule_store::{Program, ServerPlace};
use vestibule_transport::{Exit, SpawnError};

use super::super::{diagnosed, ended, program};
use super::record;
use crate::config::launch;
use crate::config::secrets::MemorySecrets;
use crate::doctor::{Evidence, diagnose};

fn executable(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

/// What is said of a program that cannot even be planned.
async fn not_planned(given: Program) -> serde_json::Value {
    let server = record(ServerPlace::Here(given.clone()));
    let secrets = MemorySecrets::new("");
    let planned = launch::plan(&server, &given, &secrets, "/usr/bin:/bin".as_ref(), "/".into()).await;
    let Err(Problem::Server(problem)) = planned.map(drop) else {
        panic!("it was planned");
    };
    json!(diagnosed(given, problem, vec![]))
}

#[tokio::test]
async fn a_program_that_is_not_there_names_what_installs_it() {
    let found = not_planned(program(&["docker-not-there"], &[])).await;
    assert_eq!(found["cause"]["cause"], "program_missing");
    assert_eq!(
        found["step"],
        json!({ "step": "edit", "part": "command", "corrections": [] })
    );
    for (command, tool) in [
        ("npx", "node"),
        ("uvx", "uv"),
        ("python3", "python"),
        ("docker", "docker"),
    ] {
        let problem = ServerProblem::CommandNotFound {
            command: command.into(),
            looked_in: vec!["/usr/bin".into()],
            elsewhere: None,
        };
        let found = json!(diagnosed(program(&[command], &[]), problem, vec![]));
        assert_eq!(found["cause"]["tool"], tool);
        assert_eq!(
            found["step"],
            json!({ "step": "guide", "guide": { "guide": "install", "tool": tool } })
        );
    }
}

#[test]
fn a_program_of_a_version_manager_is_found_and_filled_in() {
    let home = tempfile::tempdir().unwrap();
    for version in ["v9.0.0", "v22.1.0"] {
        let bin = home.path().join(".nvm/versions/node").join(version).join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        executable(&bin, "npx", "#!/bin/sh\n");
    }
    let found = crate::doctor::elsewhere::find("npx", home.path()).unwrap();
    assert!(found.ends_with("v22.1.0/bin/npx"), "{found:?}");
    assert_eq!(crate::doctor::elsewhere::find("../npx", home.path()), None);
    let elsewhere = found.display().to_string();
    let problem = ServerProblem::CommandNotFound {
        command: "npx".into(),
        looked_in: vec!["/usr/bin/npx".into(), "/bin/npx".into()],
        elsewhere: Some(elsewhere.clone()),
    };
    let found = json!(diagnosed(program(&["npx", "-y", "x"], &[]), problem, vec![]));
    let folder = Path::new(&elsewhere).parent().unwrap().display().to_string();
    assert_eq!(found["cause"]["folder"], folder);
    let expected = json!([
        { "set": "command", "command": elsewhere },
        { "set": "variable", "name": "PATH", "value": format!("{folder}:/usr/bin:/bin") },
    ]);
    assert_eq!(found["step"]["corrections"], expected);
}

#[tokio::test]
async fn a_value_that_was_never_entered_leads_to_its_field() {
    let given = program(&["true"], &["NOTES_KEY"]);
    let server = record(ServerPlace::Here(given.clone()));
    let secrets = MemorySecrets::new("");
    let planned = launch::plan(&server, &given, &secrets, "/usr/bin:/bin".as_ref(), "/".into()).await;
    let Err(problem) = planned.map(drop) else {
        panic!("it was planned");
    };
    let found = json!(diagnose(&Evidence {
        place: &server.place,
        problem: &problem,
        skipped: vec![],
        has_package: false,
    }));
    let variable = json!({ "set": "variable", "name": "NOTES_KEY", "value": "" });
    assert_eq!(
        found["cause"],
        json!({ "cause": "value_missing", "name": "NOTES_KEY" })
    );
    assert_eq!(
        found["step"],
        json!({ "step": "edit", "part": "variables", "corrections": [variable] })
    );
}

#[tokio::test]
async fn a_file_that_may_not_be_executed_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = executable(folder.path(), "server", "#!/bin/sh\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let found = not_planned(program(&[&file], &[])).await;
    assert_eq!(found["cause"], json!({ "cause": "not_executable", "path": file }));
}

#[test]
fn a_folder_that_is_not_there_leads_to_the_field_of_the_folder() {
    let problem = ServerProblem::NotStarted {
        program: "/usr/bin/true".into(),
        detail: SpawnError::NoFolder("/no/such folder".into()).to_string(),
    };
    let found = json!(diagnosed(program(&["true"], &[]), problem, vec![]));
    assert_eq!(
        found,
        json!({
            "cause": { "cause": "folder_missing", "folder": "/no/such folder" },
            "step": { "step": "edit", "part": "folder", "corrections": [] },
        })
    );
}

#[test]
fn a_first_line_that_names_nothing_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = executable(folder.path(), "server", "#!/no/such/interpreter\n");
    let error = run(&[&file], Stdio::null()).unwrap_err();
    let problem = ServerProblem::NotStarted {
        program: file.clone(),
        detail: SpawnError::Refused(format!("{file}: {error}")).to_string(),
    };
    let found = json!(diagnosed(program(&[&file], &[]), problem, vec![]));
    assert_eq!(
        found["cause"],
        json!({ "cause": "interpreter_not_there", "path": file })
    );
}

/// Even the user `root` may not run a file without the right to.
#[test]
fn a_program_without_the_right_to_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let interpreter = executable(folder.path(), "interpreter", "");
    std::fs::set_permissions(&interpreter, std::fs::Permissions::from_mode(0o644)).unwrap();
    let file = executable(folder.path(), "server", &format!("#!{interpreter}\n"));
    let error = run(&[&file], Stdio::null()).unwrap_err();
    let problem = ServerProblem::NotStarted {
        program: file.clone(),
        detail: SpawnError::Refused(format!("{file}: {error}")).to_string(),
    };
    let found = json!(diagnosed(program(&[&file], &[]), problem, vec![]));
    assert_eq!(
        found,
        json!({
            "cause": { "cause": "not_permitted" },
            "step": { "step": "edit", "part": "command", "corrections": [] },
        })
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs of the test, which end at once"
)]
fn run(command: &[&str], input: Stdio) -> std::io::Result<Output> {
    std::process::Command::new(command[0])
        .args(&command[1..])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(input)
        .output()
}

/// What is said of a program that ran and ended.
fn after(command: &[&str], env: &[&str]) -> serde_json::Value {
    let output = run(command, Stdio::null()).unwrap();
    let exit = Exit {
        code: output.status.code(),
        signal: output.status.signal(),
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = said.lines().collect();
    json!(ended(program(command, env), &exit.to_string(), &said))
}

#[test]
fn programs_that_end_find_their_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let needs_node = executable(folder.path(), "shim", "#!/usr/bin/env node-21-not-there\n");
    let missing = format!("{}/notes", folder.path().display());
    let cases: [(&[&str], serde_json::Value); 9] = [
        (
            &[&needs_node],
            json!({ "cause": "interpreter_missing", "program": "node-21-not-there", "tool": null }),
        ),
        (
            &["sh", "-c", "node-not-there"],
            json!({ "cause": "interpreter_missing", "program": "node-not-there", "tool": null }),
        ),
        (
            &["sh", "-c", "echo 'Error: NOTES_API_KEY is required' >&2; exit 1"],
            json!({ "cause": "value_missing", "name": "NOTES_API_KEY" }),
        ),
        (
            &["sh", "-c", ": ${NOTES_KEY:?is not set}"],
            json!({ "cause": "value_missing", "name": "NOTES_KEY" }),
        ),
        (
            &["ls", &missing],
            json!({ "cause": "path_missing", "path": missing }),
        ),
        (
            &["ls", "--no-such-option"],
            json!({ "cause": "arguments_refused" }),
        ),
        (&["sh", "-c", "kill -9 $$"], json!({ "cause": "killed" })),
        (
            &["sh", "-c", "kill -6 $$"],
            json!({ "cause": "crashed", "signal": 6 }),
        ),
        (&["true"], json!({ "cause": "silent_end" })),
    ];
    for (command, expected) in cases {
        let found = after(command, &[]);
        assert_eq!(found["cause"], expected, "{command:?}");
    }
}

/// A full disk, modules that are not there, a file of another processor and a library that is gone.
#[test]
fn what_the_system_and_the_runtimes_lack_finds_its_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let elf = executable(folder.path(), "other", "\x7fELF\x02\x01\x01");
    let node = vestibule_transport::path::resolve("node", &std::env::var_os("PATH").unwrap(), None);
    let node = node
        .unwrap_or_else(|_| panic!("node is not installed"))
        .display()
        .to_string();
    let linked = without_its_library(folder.path());
    let cases: [(&[&str], serde_json::Value); 6] = [
        (
            &["sh", "-c", "cat /etc/passwd > /dev/full"],
            json!({ "cause": "disk_full" }),
        ),
        (&["bash", "-c", &elf], json!({ "cause": "wrong_format" })),
        (
            &[&node, "-e", "require('not-there-4f1')"],
            json!({ "cause": "module_missing", "module": "not-there-4f1", "tool": "node" }),
        ),
        (
            &["python3", "-c", "import not_there_4f1"],
            json!({ "cause": "module_missing", "module": "not_there_4f1", "tool": "python" }),
        ),
        (
            &["python3", "-c", "import os; os.environ['NOTES_KEY']"],
            json!({ "cause": "value_missing", "name": "NOTES_KEY" }),
        ),
        (
            &[&linked],
            json!({ "cause": "library_missing", "library": "libnotes4f1.so" }),
        ),
    ];
    for (command, expected) in cases {
        let found = after(command, &[]);
        assert_eq!(found["cause"], expected, "{command:?}");
    }
}

/// A program that needs a library which is deleted after it was linked.
fn without_its_library(folder: &Path) -> String {
    let library = folder.join("libnotes4f1.so").display().to_string();
    let program = folder.join("linked").display().to_string();
    std::fs::write(folder.join("library.c"), "int notes(void) { return 0; }").unwrap();
    std::fs::write(
        folder.join("linked.c"),
        "int notes(void); int main(void) { return notes(); }",
    )
    .unwrap();
    let source = |name: &str| folder.join(name).display().to_string();
    for command in [
        vec![
            "cc",
            "-shared",
            "-fPIC",
            "-Wl,-soname,libnotes4f1.so",
            "-o",
            &library,
            &source("library.c"),
        ],
        vec!["cc", "-o", &program, &source("linked.c"), &library],
    ] {
        let made = run(&command, Stdio::null()).unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    std::fs::remove_file(&library).unwrap();
    program
}

#[test]
fn a_port_that_is_taken_is_named() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = held.local_addr().unwrap();
    let error = std::net::TcpListener::bind(address).unwrap_err();
    // As Node.js and Python put the words of the system.
    for said in [
        format!("Error: listen EADDRINUSE: address already in use {address}"),
        format!("OSError: [Errno 98] {error} (port {})", address.port()),
    ] {
        let found = json!(ended(program(&["node", "s.js"], &[]), "exit code 1", &[&said]));
        let port = address.port();
        assert_eq!(
            found["cause"],
            json!({ "cause": "port_taken", "port": port }),
            "{said}"
        );
        assert_eq!(
            found["step"],
            json!({ "step": "guide", "guide": { "guide": "port", "port": port } })
        );
    }
}
