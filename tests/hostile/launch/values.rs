//! Values of variables and headers: what of them is on a card, and what is nowhere.

use super::*;

const CODE: &str = "--import data:text/javascript,steal()\u{202e}";

fn pasted(name: &str, value: &str) -> EnvPair {
    EnvPair {
        name: name.into(),
        value: value.into(),
        pasted: true,
        from_computer: false,
    }
}

fn value<'a>(values: &'a [NamedValue], name: &str) -> &'a ValueDisplay {
    &values.iter().find(|value| value.name == name).unwrap().value
}

fn shown(text: &str) -> ValueDisplay {
    ValueDisplay::Shown { text: text.into() }
}

#[tokio::test]
async fn code_in_the_value_of_a_pasted_variable_is_on_the_card_in_full() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let config = json!({ "mcpServers": { "notes": {
        "command": program("vestibule-server"),
        "args": stage.args(),
        "env": { "NODE_OPTIONS": CODE, "TOKEN": "pasted-canary" },
    }}});
    let mut parsed = scene.host.server_parse(&config.to_string()).unwrap();
    assert!(parsed.effects.contains_key("NODE_OPTIONS"));
    assert!(!parsed.effects.contains_key("TOKEN"));
    let server = scene
        .host
        .server_add(parsed.servers.remove(0).draft)
        .await
        .unwrap();
    let started = Started { scene, server, stage };
    let (question, launch) = started.card().await;
    assert!(*value(&launch.variables, "NODE_OPTIONS") == shown(CODE));
    let masked = ValueDisplay::Masked {
        text: "pasted-canary".into(),
    };
    assert!(*value(&launch.variables, "TOKEN") == masked);
    assert!(
        launch.risks.contains(&LaunchRisk::VariableChangesCode),
        "{launch:?}"
    );
    assert!(launch.risks.contains(&LaunchRisk::HiddenCharacters), "{launch:?}");
    assert!(
        !format!("{launch:?}").contains("pasted-canary"),
        "a value stands in a log"
    );
    started.refuse(&question).await;
    // The page of the server shows what decides what runs, and nothing else.
    let on_page = started.scene.host.server_variables(server).await.unwrap();
    assert_eq!(on_page.len(), 1);
    assert!(*value(&on_page, "NODE_OPTIONS") == shown(CODE));
    // What the user types in its place is theirs.
    let typed = started
        .scene
        .host
        .server_secret(server, "TOKEN", "typed-canary".into());
    typed.await.unwrap();
    let (question, launch) = started.card().await;
    assert!(*value(&launch.variables, "TOKEN") == ValueDisplay::Hidden);
    started.refuse(&question).await;
    started.scene.close().await;
}

#[tokio::test]
async fn a_variable_that_acts_on_every_program_is_asked_at_each_start() {
    for name in ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PATH"] {
        let scene = Scene::new().await;
        let stage = Stage::new(scene.folder(), "notes");
        let program = ProgramDraft {
            command: program("vestibule-server").display().to_string(),
            args: stage.args(),
            env: vec![pasted(name, "/tmp/evil")],
            folder: None,
        };
        let started = Started::new(scene, stage, program).await;
        let (question, launch) = started.card().await;
        assert!(
            launch.risks.contains(&LaunchRisk::ActsOnEveryProgram),
            "{launch:?}"
        );
        assert!(*value(&launch.variables, name) == shown("/tmp/evil"));
        started.offers_no_always(&question).await;
        started.scene.close().await;
    }
}

#[tokio::test]
async fn a_pasted_header_is_shown_on_request_and_a_typed_one_never() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let config = json!({ "mcpServers": { "web": {
        "url": web.url(),
        "headers": { "X-Pasted": "pasted-canary", "X-Typed": "${input:it}" },
    }}});
    let mut parsed = scene.host.server_parse(&config.to_string()).unwrap();
    let server = scene
        .host
        .server_add(parsed.servers.remove(0).draft)
        .await
        .unwrap();
    let typed = scene.host.server_secret(server, "X-Typed", "typed-canary".into());
    typed.await.unwrap();
    let card = scene.connect(server, Scope::Once).await;
    let masked = ValueDisplay::Masked {
        text: "pasted-canary".into(),
    };
    assert!(*value(&card.headers, "X-Pasted") == masked);
    assert!(*value(&card.headers, "X-Typed") == ValueDisplay::Hidden);
    scene.ready(server).await;
    scene.close().await;
}

/// A typed value is in no question, event or file; a pasted one in its question alone.
#[tokio::test]
async fn typed_values_are_in_no_question_event_or_file() {
    const TYPED: &str = "canary-typed-91c4";
    const PASTED: &str = "canary-pasted-07de";
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let typed = EnvPair {
        name: "TYPED".into(),
        value: TYPED.into(),
        pasted: false,
        from_computer: false,
    };
    let program = ProgramDraft {
        command: program("vestibule-server").display().to_string(),
        args: stage.args(),
        env: vec![typed, pasted("PASTED", PASTED)],
        folder: None,
    };
    let started = Started::new(scene, stage, program).await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Always)).await;
    let puppet = started.greets().await;
    let Started { scene, stage, .. } = started;
    let questions = serde_json::to_string(&scene.person.shown()).unwrap();
    assert!(!questions.contains(TYPED));
    assert!(questions.contains(PASTED));
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    let events = format!(
        "{:?}{}",
        scene.window.now(),
        serde_json::to_string(&snapshot).unwrap()
    );
    assert!(!events.contains(TYPED) && !events.contains(PASTED));
    drop((puppet, stage));
    let closed = scene.close().await;
    let files: Vec<_> = fs::read_dir(closed.folder()).unwrap().flatten().collect();
    let texts = files.iter().filter_map(|file| fs::read(file.path()).ok());
    let all = String::from_utf8_lossy(&texts.flatten().collect::<Vec<u8>>()).into_owned();
    assert!(all.len() > 4096, "there was something to search");
    assert!(!all.contains(TYPED) && !all.contains(PASTED));
}

/// H3: what a variable has loaded is bound like a file among the arguments.
#[tokio::test]
async fn a_file_that_a_variable_loads_and_that_changed_asks() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let hook = scene.folder().join("hook.js");
    fs::write(&hook, "one").unwrap();
    let path = hook.display().to_string();
    let program = ProgramDraft {
        command: program("vestibule-server").display().to_string(),
        args: stage.args(),
        env: vec![pasted("NODE_OPTIONS", &format!("--require={path}"))],
        folder: None,
    };
    let started = Started::new(scene, stage, program).await;
    started.allow_for_longer().await;
    fs::write(&hook, "two").unwrap();
    let (question, launch) = started.card().await;
    let parts = vec![LaunchPart::File { path }];
    assert_eq!(launch.change, Some(LaunchChange::Changed { parts }));
    started.refuse(&question).await;
    started.scene.close().await;
}

/// H3: the code in a folder can change, also where a variable names the folder.
#[tokio::test]
async fn a_variable_with_code_that_is_not_bound_is_asked_at_each_start() {
    for (name, value) in [("PYTHONPATH", "/usr"), ("NODE_OPTIONS", "--import tsx")] {
        let scene = Scene::new().await;
        let stage = Stage::new(scene.folder(), "notes");
        let program = ProgramDraft {
            command: program("vestibule-server").display().to_string(),
            args: stage.args(),
            env: vec![pasted(name, value)],
            folder: None,
        };
        let started = Started::new(scene, stage, program).await;
        let (question, _) = started.card().await;
        started.offers_no_always(&question).await;
        started.scene.close().await;
    }
}
