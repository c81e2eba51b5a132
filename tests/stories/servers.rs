//! Servers between two starts: which start by themselves, what ends a permission to start, where secrets are.

use std::os::unix::fs::PermissionsExt;

use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::view::{
    EnvPair, InputProblem, Problem, ProgramDraft, ServerDraft, ServerProblem, ServerState, ServerView,
    StartRefusal,
};
use vestibule_policy::Scope;
use vestibule_store::ServerPlace;
use vestibule_tests::{Scene, Stage, naming, program, tool};

fn is_stopped(view: &ServerView) -> bool {
    view.state == ServerState::Stopped
}

/// No card says why nothing happens.
#[tokio::test]
async fn a_start_that_a_rule_refuses_is_explained_at_the_server_and_in_its_log() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(server).await;
    scene.host.server_stop(server).await.unwrap();
    scene.server(server, "a stopped server", is_stopped).await;
    let mut file: serde_json::Value = serde_json::from_str(&scene.host.rules_export()).unwrap();
    let rule = &mut file["rules"][0];
    rule["decision"] = "deny".into();
    rule["bound_to"] = serde_json::Value::Null;
    rule["expires"] = serde_json::Value::Null;
    let taken = scene.host.rules_import(&file.to_string()).await.unwrap();
    assert_eq!(taken.refusals, 1, "{file}");
    scene.host.server_start(server).await.unwrap();
    scene
        .logged(server, &["not opened: a rule of the user refuses it"])
        .await;
    let why = StartRefusal::ByRule;
    let is_refused = |view: &ServerView| view.state == ServerState::NotStarted { why };
    scene
        .server(server, "a start that a rule refused", is_refused)
        .await;
    scene.close().await;
}

#[tokio::test]
async fn only_a_wanted_server_with_a_standing_permission_starts_by_itself() {
    let scene = Scene::new().await;
    let names = ["always", "once", "stopped"];
    let mut stages = vec![];
    let mut servers = vec![];
    // A puppet that goes away is a server that ended, and would be opened again.
    let mut puppets = vec![];
    for name in names {
        let stage = Stage::new(scene.folder(), name);
        let server = scene.add(name, stage.args(), &[]).await;
        let scope = if name == "once" {
            Scope::Once
        } else {
            Scope::Always
        };
        scene.start(server, scope).await;
        let mut puppet = stage.puppet().await;
        puppet.greet(&[tool("read")]).await;
        scene.ready(server).await;
        puppets.push(puppet);
        stages.push(stage);
        servers.push(server);
    }
    scene.host.server_stop(servers[2]).await.unwrap();
    scene.server(servers[2], "a stopped server", is_stopped).await;

    let scene = scene.reopen().await;
    let mut puppet = stages[0].puppet().await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(servers[0]).await;
    let now = scene.window.now();
    for server in &servers[1..] {
        assert_eq!(now.servers[server].state, ServerState::Stopped);
    }
    assert_eq!(scene.person.shown().len(), 0, "nothing was asked at the start");
    // The third still has its permission: started by hand, it is not asked.
    scene.host.server_start(servers[2]).await.unwrap();
    let mut third = stages[2].puppet().await;
    third.greet(&[tool("read")]).await;
    scene.ready(servers[2]).await;
    assert_eq!(scene.person.shown().len(), 0);
    scene.close().await;
}

/// LS-007: The program's bytes, its arguments, a variable: whatever changes, the user sees the start again, marked so.
#[tokio::test]
async fn a_permission_to_start_ends_when_what_would_start_changes() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let own = scene.folder().join("own-server");
    std::fs::copy(program("vestibule-server"), &own).unwrap();
    let pair = EnvPair {
        name: "TOKEN".into(),
        value: "one".into(),
        pasted: false,
        from_computer: false,
    };
    let own_program = ProgramDraft {
        command: own.display().to_string(),
        args: stage.args(),
        env: vec![pair],
        folder: None,
    };
    let draft = ServerDraft::here("notes", own_program);
    let server = scene.host.server_add(draft).await.unwrap();
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[]).await;
    scene.ready(server).await;
    stop(&scene, server).await;
    drop(puppet);
    // Unchanged, it starts without a question.
    scene.host.server_start(server).await.unwrap();
    let mut again = stage.puppet().await;
    again.greet(&[]).await;
    scene.ready(server).await;
    assert_eq!(scene.person.shown().len(), 1);
    stop(&scene, server).await;

    scene
        .host
        .server_secret(server, "TOKEN", "two".into())
        .await
        .unwrap();
    expect_changed(&scene, server).await;
    scene
        .host
        .server_secret(server, "TOKEN", "one".into())
        .await
        .unwrap();
    let mut bytes = std::fs::read(&own).unwrap();
    let original = bytes.clone();
    bytes.push(0);
    std::fs::write(&own, bytes).unwrap();
    expect_changed(&scene, server).await;
    std::fs::write(&own, original).unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).unwrap();

    let mut other = scene.store.servers().await.unwrap().remove(0);
    let ServerPlace::Here(program) = &mut other.place else {
        panic!("{other:?}")
    };
    program.args.push("more".into());
    scene.store.put_server(&other).await.unwrap();
    let scene = scene.reopen().await;
    expect_changed(&scene, server).await;
    scene.close().await;
}

async fn stop(scene: &Scene, server: vestibule_protocol::ServerId) {
    scene.host.server_stop(server).await.unwrap();
    scene.server(server, "a stopped server", is_stopped).await;
}

async fn expect_changed(scene: &Scene, server: vestibule_protocol::ServerId) {
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    let QuestionBody::StartServer(launch) = &question.about else {
        panic!("{question:?}")
    };
    assert!(launch.change.is_some(), "{launch:?}");
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    scene.server(server, "a stopped server", is_stopped).await;
}

/// Values of variables and keys of models: not in the database, its log or its journal, not on a card.
/// Shows STD-007, HO-009.
#[tokio::test]
async fn secrets_are_in_no_file() {
    const VARIABLE: &str = "canary-variable-5f1e";
    const KEY: &str = "canary-key-77ab";
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[("TOKEN", VARIABLE)]).await;
    scene.add_model("http://127.0.0.1:4009/v1", Some(KEY)).await;
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(server).await;
    let process = naming(&stage.args()[1]).remove(0).0;
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains(VARIABLE), "the server has its variable");
    assert!(!format!("{:?}", scene.person.shown()).contains(VARIABLE));
    let folder = scene.folder().to_owned();
    none_holds(&folder, &[VARIABLE, KEY]);
    let closed = scene.close().await;
    none_holds(closed.folder(), &[VARIABLE, KEY]);
}

fn none_holds(folder: &std::path::Path, secrets: &[&str]) {
    let mut read = 0;
    for file in std::fs::read_dir(folder).unwrap().flatten() {
        let Ok(bytes) = std::fs::read(file.path()) else {
            continue;
        };
        read += bytes.len();
        for secret in secrets {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} stands in {}", file.path().display());
        }
    }
    assert!(read > 4096, "there was something to search");
}

/// STD-001: a start gets only what it should have of our own environment.
#[tokio::test]
async fn a_server_does_not_inherit_the_environment() {
    let scene = Scene::new().await;
    let (_, _puppet, stage) = scene.puppet("notes", &[]).await;
    let process = naming(&stage.args()[1]).remove(0).0;
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("PATH="), "{environment}");
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !environment.contains("CARGO"),
        "{environment}"
    );
    scene.close().await;
}

#[tokio::test]
async fn what_can_not_start_says_why_before_anything_runs() {
    let scene = Scene::new().await;
    let with = |name: &str, command: &str, env| {
        let program = ProgramDraft {
            command: command.into(),
            env,
            ..ProgramDraft::default()
        };
        ServerDraft::here(name, program)
    };
    let draft = |name, command| with(name, command, vec![]);
    let add = async |draft| scene.host.server_add(draft).await;
    assert_eq!(
        add(draft(" ", "x")).await,
        Err(Problem::Input(InputProblem::NameMissing))
    );
    assert_eq!(
        add(draft("x", " ")).await,
        Err(Problem::Input(InputProblem::CommandMissing))
    );
    let missing = add(draft("missing", "no-such-program")).await.unwrap();
    let taken = Problem::Input(InputProblem::NameTaken {
        name: "missing".into(),
    });
    assert_eq!(add(draft("missing", "true")).await, Err(taken));
    // The second has a Cyrillic letter, the third a space that is not seen.
    for name in ["Missing", "m\u{456}ssing", "mis\u{200b}sing"] {
        let alike = Problem::Input(InputProblem::NameAlike {
            name: name.into(),
            other: "missing".into(),
        });
        assert_eq!(add(draft(name, "true")).await, Err(alike));
    }
    let token = EnvPair {
        name: "TOKEN".into(),
        value: String::new(),
        pasted: false,
        from_computer: false,
    };
    let variable = add(with("variable", "true", vec![token])).await.unwrap();
    for server in [missing, variable] {
        scene.host.server_start(server).await.unwrap();
        let failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
        scene.server(server, "a failed server", failed).await;
    }
    let now = scene.window.now();
    let ServerState::Failed { problem } = &now.servers[&missing].state else {
        panic!()
    };
    assert!(
        matches!(problem, Problem::Server(ServerProblem::CommandNotFound { looked_in, .. }) if !looked_in.is_empty())
    );
    let problem = Problem::Input(InputProblem::SecretsMissing {
        names: vec!["TOKEN".into()],
    });
    assert_eq!(now.servers[&variable].state, ServerState::Failed { problem });
    assert_eq!(now.servers[&variable].missing, ["TOKEN"]);
    assert_eq!(scene.person.shown().len(), 0);
    scene.close().await;
}

/// A pasted configuration is read, not obeyed.
#[tokio::test]
async fn pasted_servers_are_added_one_by_one_and_do_not_start() {
    let scene = Scene::new().await;
    let text = r#"{"mcpServers": {"one": {"command": "true", "env": {"TOKEN": "t"}}, "two": {"url": "ftp://mcp.example.com"}}}"#;
    let mut parsed = scene.host.server_parse(text).unwrap();
    assert_eq!(parsed.skipped[0].name, "two");
    let server = scene
        .host
        .server_add(parsed.servers.remove(0).draft)
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    let view = scene.window.now().servers[&server].clone();
    assert_eq!((view.state, view.missing), (ServerState::Stopped, vec![]));
    assert!(!format!("{:?}", scene.store.servers().await.unwrap()).contains("\"t\""));
    scene.close().await;
}

/// Quotes and escapes mean what they mean in a shell, wherever they stand in a word.
#[tokio::test]
async fn a_command_line_is_split_as_a_shell_splits_it() {
    let scene = Scene::new().await;
    let split = |line: &str| scene.host.command_line_split(line);
    for (line, words) in [
        (
            r#"npx -y "a b" 'c d' e=f"#,
            &["npx", "-y", "a b", "c d", "e=f"][..],
        ),
        (
            r#"serve --root="/home/me/My Files""#,
            &["serve", "--root=/home/me/My Files"],
        ),
        (r#"serve "a"b '' c\ d"#, &["serve", "ab", "", "c d"]),
        (r"serve /home/me/My\ Files", &["serve", "/home/me/My Files"]),
        ("serve $HOME ~ `date` *", &["serve", "$HOME", "~", "`date`", "*"]),
        ("   ", &[]),
    ] {
        assert_eq!(split(line).unwrap(), words, "{line}");
    }
    for line in [r#"serve "open"#, "serve 'open"] {
        assert_eq!(
            split(line),
            Err(Problem::Input(InputProblem::CommandLineUnclosed)),
            "{line}"
        );
    }
    scene.close().await;
}

/// Nothing of a removed server stays but its digests in the ledger.
#[tokio::test]
async fn a_removed_server_takes_its_process_its_rules_and_its_secrets_with_it() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[("TOKEN", "t")]).await;
    scene.start(server, Scope::Always).await;
    let mut again = stage.puppet().await;
    again.greet(&[]).await;
    scene.ready(server).await;
    scene.host.server_remove(server).await.unwrap();
    assert_eq!(naming(&stage.args()[1]), []);
    assert_eq!(scene.store.rules().await.unwrap(), []);
    assert_eq!(
        scene.host.server_start(server).await,
        Err(Problem::Input(InputProblem::Gone))
    );
    let gone = |seen: &vestibule_tests::Projection| seen.servers.is_empty();
    scene.window.until("no server", gone).await;
    scene.close().await;
}
