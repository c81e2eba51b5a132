//! Configurations that hide what runs, and programs that are replaced after they were allowed. What decides what runs
//! is on the card, and what was allowed for longer starts by itself only while all of it is the same.

mod downloads;
mod folders;
mod updates;
mod values;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use vestibule_consent::{
    Answer, Launch, LaunchGapKind, LaunchRisk, NamedValue, Question, QuestionBody, ValueDisplay,
};
use vestibule_host::view::{
    EnvPair, Problem, ProgramDraft, QuestionProblem, ServerDraft, ServerProblem, ServerState, ServerView,
};
use vestibule_policy::{Digest, LaunchChange, LaunchPart, Scope};
use vestibule_protocol::ServerId;
use vestibule_store::ServerPlace;
use vestibule_tests::{Puppet, Scene, Stage, Web, give, program, soon, yes};

/// A program of the test that becomes a puppet of `stage`, with `first` done before.
fn script(stage: &Stage, first: &str) -> String {
    let args = stage.args().join("' '");
    let server = program("vestibule-server").display().to_string();
    format!("#!/bin/sh\n{first}\nexec '{server}' '{args}'\n")
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A scene with one server on this computer.
struct Started {
    scene: Scene,
    server: ServerId,
    stage: Stage,
}

impl Started {
    async fn new(scene: Scene, stage: Stage, program: ProgramDraft) -> Self {
        let draft = ServerDraft::here("notes", program);
        let server = scene.host.server_add(draft).await.unwrap();
        Self { scene, server, stage }
    }

    /// With this command, which has to become a puppet.
    async fn running(command: impl FnOnce(&Path, &Stage) -> (PathBuf, Vec<String>)) -> Self {
        let scene = Scene::new().await;
        let stage = Stage::new(scene.folder(), "notes");
        let (command, args) = command(scene.folder(), &stage);
        let program = ProgramDraft {
            command: command.display().to_string(),
            args,
            ..ProgramDraft::default()
        };
        Self::new(scene, stage, program).await
    }

    /// The folder of the server's own.
    fn own_folder(&self) -> PathBuf {
        self.scene.folder().join("servers").join(self.server.to_string())
    }

    /// The card of the next start.
    async fn card(&self) -> (Question, Launch) {
        self.scene.host.server_start(self.server).await.unwrap();
        let question = self.scene.person.asked().await;
        let QuestionBody::StartServer(launch) = question.about.clone() else {
            panic!("{question:?}")
        };
        (question, launch)
    }

    async fn refuse(&self, question: &Question) {
        self.scene
            .person
            .say(question, Answer::Refuse { reason: None })
            .await;
        self.is_stopped().await;
    }

    async fn is_stopped(&self) {
        let stopped = |view: &ServerView| view.state == ServerState::Stopped;
        self.scene.server(self.server, "a stopped server", stopped).await;
    }

    async fn greets(&self) -> Puppet {
        let mut puppet = self.stage.puppet().await;
        puppet.greet(&[]).await;
        self.scene.ready(self.server).await;
        puppet
    }

    async fn stop(&self) {
        self.scene.host.server_stop(self.server).await.unwrap();
        self.is_stopped().await;
    }

    /// Allows the start for longer, and shows that the next one asks nothing.
    async fn allow_for_longer(&self) {
        let (question, _) = self.card().await;
        self.scene.person.say(&question, yes(Scope::Always)).await;
        let puppet = self.greets().await;
        self.stop().await;
        drop(puppet);
        self.scene.host.server_start(self.server).await.unwrap();
        let puppet = self.greets().await;
        self.stop().await;
        drop(puppet);
        assert_eq!(self.scene.person.shown().len(), 1, "unchanged, it is not asked");
    }

    /// The card does not offer "always", and the host takes no such answer either.
    async fn offers_no_always(&self, question: &Question) {
        assert_eq!(question.scopes, [Scope::Once]);
        let wide = give(&self.scene.host, question, yes(Scope::Always)).await;
        assert!(
            matches!(wide, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
            "{wide:?}"
        );
        self.refuse(question).await;
        self.scene.host.server_start(self.server).await.unwrap();
        let again = self.scene.person.asked().await;
        self.refuse(&again).await;
    }
}

#[tokio::test]
async fn a_script_that_changed_after_it_was_allowed_asks_and_does_not_run() {
    let started = Started::running(|folder, stage| {
        let file = folder.join("run.sh");
        executable(&file, &script(stage, ""));
        ("/bin/sh".into(), vec![file.display().to_string()])
    })
    .await;
    started.allow_for_longer().await;
    let folder = started.scene.folder().to_owned();
    let (file, ran) = (folder.join("run.sh"), folder.join("ran"));
    let evil = script(&started.stage, &format!("touch '{}'", ran.display()));
    fs::write(&file, evil).unwrap();
    let (question, launch) = started.card().await;
    let path = file.display().to_string();
    let parts = vec![LaunchPart::File { path }];
    assert_eq!(launch.change, Some(LaunchChange::Changed { parts }));
    started.refuse(&question).await;
    assert!(!ran.exists());
    // Nor does it start by itself when Vestibule is opened again.
    let Started { scene, server, stage } = started;
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let scene = scene.reopen().await;
    assert_eq!(scene.window.now().servers[&server].state, ServerState::Stopped);
    assert!(!ran.exists());
    drop(stage);
    scene.close().await;
}

#[tokio::test]
async fn another_interpreter_behind_the_first_line_asks() {
    let started = Started::running(|folder, stage| {
        let interpreter = folder.join("interpreter");
        executable(&interpreter, &script(stage, ""));
        let file = folder.join("server");
        executable(&file, &format!("#!{}\n", interpreter.display()));
        (file, vec![])
    })
    .await;
    started.allow_for_longer().await;
    let interpreter = started.scene.folder().join("interpreter");
    executable(&interpreter, &script(&started.stage, "exit 1"));
    let (question, launch) = started.card().await;
    let path = interpreter.display().to_string();
    let parts = vec![LaunchPart::Interpreter { path }];
    assert_eq!(launch.change, Some(LaunchChange::Changed { parts }));
    started.refuse(&question).await;
    started.scene.close().await;
}

/// The arguments by which a runner runs a file that is there.
fn deno_run(folder: &Path) -> Vec<String> {
    let file = folder.join("server.js");
    std::fs::write(&file, "//").unwrap();
    vec!["run".into(), file.display().to_string()]
}

#[tokio::test]
async fn a_program_with_the_name_of_a_runner_is_bound_to_its_bytes() {
    for name in ["deno", "python-mcp-thing"] {
        let started = Started::running(|folder, stage| {
            let file = folder.join(name);
            executable(&file, &script(stage, ""));
            (file, deno_run(folder))
        })
        .await;
        started.allow_for_longer().await;
        let file = started.scene.folder().join(name);
        executable(&file, &script(&started.stage, "exit 1"));
        let (question, launch) = started.card().await;
        let change = if name == "deno" {
            let runners = vec![file.display().to_string()];
            LaunchChange::RunnersUpdated { runners }
        } else {
            let parts = vec![LaunchPart::Program];
            LaunchChange::Changed { parts }
        };
        assert_eq!(launch.change, Some(change));
        started.refuse(&question).await;
        started.scene.close().await;
    }
}

#[tokio::test]
async fn a_package_that_is_not_bound_is_asked_at_each_start() {
    for (args, gap) in [
        (vec!["-y", "notes"], LaunchGapKind::UnpinnedPackage),
        (
            vec!["--package=evil", "notes@1.0.0"],
            LaunchGapKind::UnpinnedPackage,
        ),
        // Its runner chooses the dependencies at each start.
        (vec!["-y", "notes@1.0.0"], LaunchGapKind::FloatingDependencies),
    ] {
        let started = Started::running(|folder, stage| {
            let file = folder.join("bunx");
            executable(&file, &script(stage, ""));
            (file, args.iter().map(ToString::to_string).collect())
        })
        .await;
        let (question, launch) = started.card().await;
        assert_eq!(launch.gaps.first().map(|found| found.kind), Some(gap), "{args:?}");
        assert!(launch.loads_more, "the card says that dependencies are not bound");
        started.offers_no_always(&question).await;
        started.scene.close().await;
    }
}

/// What version 1 of the record had as its digest.
#[tokio::test]
async fn a_permission_that_bound_less_asks_once_with_the_reason() {
    let started = Started::running(|folder, stage| {
        let file = folder.join("deno");
        executable(&file, &script(stage, ""));
        (file, deno_run(folder))
    })
    .await;
    let former = Digest::of_launch(&json!({
        "transport": "stdio",
        "program": started.scene.folder().join("deno"),
        "bytes": null,
        "args": deno_run(started.scene.folder()),
        "folder": started.own_folder(),
        "env": {},
    }));
    let now = jiff::Timestamp::now();
    let rule = vestibule_policy::Rule::permission(
        started.server,
        vestibule_policy::Action::StartServer,
        former,
        Scope::Always,
        None,
        vestibule_protocol::WorkspaceId::home(),
        now,
    );
    let file = vestibule_policy::export_rules([&rule.unwrap()]).to_string();
    started.scene.host.rules_import(&file).await.unwrap();
    let question = started.scene.person.asked().await;
    assert!(
        matches!(question.about, QuestionBody::KeepRules(_)),
        "{question:?}"
    );
    started.scene.person.say(&question, yes(question.scopes[0])).await;
    soon("the rule holds", async {
        while started.scene.host.rules().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;

    let (question, launch) = started.card().await;
    assert_eq!(launch.change, Some(LaunchChange::BindsMore));
    started.scene.person.say(&question, yes(Scope::Always)).await;
    let puppet = started.greets().await;
    started.stop().await;
    drop(puppet);
    let before = started.scene.person.shown().len();
    started.scene.host.server_start(started.server).await.unwrap();
    let puppet = started.greets().await;
    assert_eq!(started.scene.person.shown().len(), before);
    drop(puppet);
    started.scene.close().await;
}

/// Some servers end at the first request that they do not know, and are started again under the same yes.
#[tokio::test]
async fn a_program_that_replaces_itself_at_its_first_start_is_not_started_again() {
    let started = Started::running(|folder, _| {
        let file = folder.join("server");
        let ran = folder.join("ran");
        let text = format!(
            "#!/bin/sh\necho ran >> '{}'\necho '# more' >> \"$0\"\nread -r line\nexit 0\n",
            ran.display()
        );
        executable(&file, &text);
        (file, vec![])
    })
    .await;
    let (question, _) = started.card().await;
    started.scene.person.say(&question, yes(Scope::Once)).await;
    let failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
    let view = started
        .scene
        .server(started.server, "a failed server", failed)
        .await;
    let ServerState::Failed { problem } = view.state else {
        panic!("{view:?}")
    };
    assert!(
        matches!(&problem, Problem::Server(ServerProblem::NotStarted { detail, .. }) if detail.contains("changed")),
        "{problem:?}"
    );
    let ran = fs::read_to_string(started.scene.folder().join("ran")).unwrap();
    assert_eq!(ran, "ran\n");
    started.scene.close().await;
}
