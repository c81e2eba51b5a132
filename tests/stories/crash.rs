//! Servers that end when they should not: while they start, while they are called, while the user is asked. The
//! rest goes on, and each failure says what happened.

use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use serde_json::json;
use vestibule_host::view::{
    CallProblem, CallState, ExchangeView, HostEvent, Outcome, Problem, ProgramDraft, ServerDraft,
    ServerProblem, ServerState, ServerView,
};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{
    Scene, Stage, Turn, eventually, naming, pass, program, results, soon, text_result, tool, yes,
};

fn problem(view: &ServerView) -> Option<&Problem> {
    match &view.state {
        ServerState::Failed { problem } => Some(problem),
        _ => None,
    }
}

fn is_lost(view: &ServerView) -> bool {
    matches!(view.state, ServerState::Reopening { .. })
}

#[tokio::test]
async fn a_server_that_ends_while_it_starts_says_how_and_with_which_words() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.hear("initialize").await;
    puppet.write_error(b"no licence found\n").await;
    puppet.exit(3).await;
    let view = scene
        .server(server, "a failed server", |view| problem(view).is_some())
        .await;
    let Some(Problem::Server(ServerProblem::ServerEnded {
        exit: Some(exit),
        stderr,
    })) = problem(&view)
    else {
        panic!("{view:?}")
    };
    assert!(exit.contains('3'), "{exit}");
    assert_eq!(stderr, &["no licence found"]);
    // Trying again is one click, and asks again.
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(server).await;
    scene.close().await;
}

/// A view of the log reads it at each event, and a start can fail before the pause between two events is over.
#[tokio::test]
async fn the_last_words_of_a_start_that_fails_at_once_reach_an_open_view_of_the_log() {
    let scene = Scene::new().await;
    let (_, events) = scene.host.main_window().await.unwrap();
    let mut events = pin!(events);
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.hear("initialize").await;
    puppet.write_error(b"no licence found\n").await;
    puppet.exit(3).await;
    let announced = async {
        loop {
            let event = events.next().await.unwrap().event;
            let grew = matches!(event, HostEvent::Log { server: of } if of == server);
            if grew && scene.log(server).contains("no licence found") {
                return;
            }
        }
    };
    soon("the last words are announced", announced).await;
    scene.close().await;
}

#[tokio::test]
async fn requests_of_a_start_that_failed_do_not_wait_any_more() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.hear("initialize").await;
    puppet.exit(3).await;
    scene
        .server(server, "a failed server", |view| problem(view).is_some())
        .await;
    let traffic = scene.host.server_traffic(server, 0).unwrap();
    let of_initialize = |one: &&ExchangeView| one.method.as_deref() == Some("initialize");
    let exchange = traffic.exchanges.iter().find(of_initialize).unwrap();
    assert!(
        matches!(exchange.outcome, Outcome::Unanswered { .. }),
        "{exchange:?}"
    );
    scene.close().await;
}

/// npx and docker may download what they run when it starts.
#[tokio::test]
async fn a_server_whose_launcher_may_download_it_has_five_minutes_to_start() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let launcher = scene.folder().join("docker");
    std::fs::copy(program("vestibule-server"), &launcher).unwrap();
    let draft = ProgramDraft {
        command: launcher.display().to_string(),
        args: stage.args(),
        ..ProgramDraft::default()
    };
    let draft = ServerDraft::here("notes", draft);
    let server = scene.host.server_add(draft).await.unwrap();
    scene.start(server, Scope::Once).await;
    let may_download = |view: &ServerView| matches!(view.state, ServerState::Starting { may_download: true });
    scene
        .server(server, "a start that may download", may_download)
        .await;
    let mut puppet = stage.puppet().await;
    puppet.next().await.unwrap();
    pass(Duration::from_secs(280)).await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(server).await;

    scene.host.server_stop(server).await.unwrap();
    let is_stopped = |view: &ServerView| matches!(view.state, ServerState::Stopped);
    scene.server(server, "a stopped server", is_stopped).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.next().await.unwrap();
    pass(Duration::from_secs(301)).await;
    let view = scene
        .server(server, "a failed server", |view| problem(view).is_some())
        .await;
    let problem = problem(&view);
    assert!(
        matches!(
            problem,
            Some(Problem::Server(ServerProblem::StartTimedOut { .. }))
        ),
        "{problem:?}"
    );
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_never_answers_its_start_is_ended() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.hear("initialize").await;
    pass(Duration::from_secs(61)).await;
    let view = scene
        .server(server, "a failed server", |view| problem(view).is_some())
        .await;
    assert!(
        matches!(
            problem(&view),
            Some(Problem::Server(ServerProblem::StartTimedOut {
                seconds: 60..=64,
                ..
            }))
        ),
        "{view:?}"
    );
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_ends_while_it_lists_its_tools_leaves_a_whole_ledger() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.open().await;
    puppet.hear("tools/list").await;
    puppet.exit(1).await;
    scene
        .server(server, "a failed server", |view| problem(view).is_some())
        .await;
    scene.close().await;
}

#[tokio::test]
async fn a_server_stopped_while_it_starts_leaves_a_whole_ledger() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.hear("initialize").await;
    scene.host.server_stop(server).await.unwrap();
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    scene.close().await;
}

/// A server that does not end with its input, and how it is seen from outside.
struct Stubborn {
    server: ServerId,
    /// Stands on the command line of its program.
    mark: String,
    /// A file that is there once its input has ended.
    input_ended: PathBuf,
}

impl Stubborn {
    async fn start(scene: &Scene) -> Self {
        let mark = scene.folder().join("stubborn");
        let input_ended = scene.folder().join("stubborn.input-ended");
        // It notes the end of its input, and goes on until it is asked to end by signal. A shell becomes its last command.
        let script = r#"cat > /dev/null; : > "$0.input-ended"; sleep 1000; :"#;
        let mark = mark.display().to_string();
        let draft = ProgramDraft {
            command: "/bin/sh".into(),
            args: vec!["-c".into(), script.into(), mark.clone()],
            ..ProgramDraft::default()
        };
        let draft = ServerDraft::here("stubborn", draft);
        let server = scene.host.server_add(draft).await.unwrap();
        scene.start(server, Scope::Once).await;
        let stubborn = Self {
            server,
            mark,
            input_ended,
        };
        stubborn.runs().await;
        stubborn
    }

    async fn runs(&self) {
        eventually("the server runs", async || !naming(&self.mark).is_empty()).await;
    }

    /// Stops it, and waits until it was asked to end by the end of its input, and not yet by signal.
    async fn stopping(&self, scene: &Scene) {
        scene.host.server_stop(self.server).await.unwrap();
        eventually("its input has ended", async || self.input_ended.exists()).await;
        std::fs::remove_file(&self.input_ended).unwrap();
        let stopping = |view: &ServerView| view.state == ServerState::Stopping;
        scene.server(self.server, "a server that stops", stopping).await;
        assert!(!naming(&self.mark).is_empty(), "it was not asked by signal yet");
    }
}

/// What is shown as stopped can be started, removed and updated, so nothing of it may be left.
#[tokio::test]
async fn a_server_stopped_while_it_starts_is_gone_once_it_is_shown_as_stopped() {
    let scene = Scene::new().await;
    let stubborn = Stubborn::start(&scene).await;
    stubborn.stopping(&scene).await;
    pass(Duration::from_secs(2)).await;
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(stubborn.server, "a stopped server", stopped).await;
    assert_eq!(naming(&stubborn.mark), []);
    scene.close().await;
}

/// "Stop everything" has a way back, which can be taken before the last server has stopped.
#[tokio::test]
async fn a_server_that_is_started_while_it_stops_is_started_once_it_has_stopped() {
    let scene = Scene::new().await;
    let stubborn = Stubborn::start(&scene).await;
    stubborn.stopping(&scene).await;
    scene.host.server_start(stubborn.server).await.unwrap();
    pass(Duration::from_secs(2)).await;
    let question = scene.person.asked().await;
    assert_eq!(naming(&stubborn.mark), [], "the first one is gone");
    scene.person.say(&question, yes(Scope::Once)).await;
    stubborn.runs().await;

    // The last word counts.
    stubborn.stopping(&scene).await;
    scene.host.server_start(stubborn.server).await.unwrap();
    scene.host.server_stop(stubborn.server).await.unwrap();
    pass(Duration::from_secs(2)).await;
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(stubborn.server, "a stopped server", stopped).await;
    assert_eq!(scene.person.shown().len(), 2, "nothing more is asked");
    scene.close().await;
}

#[tokio::test]
async fn a_server_stopped_while_it_lists_its_tools_is_gone_once_it_is_shown_as_stopped() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.open().await;
    puppet.hear("tools/list").await;
    assert!(!naming(&stage.args()[1]).is_empty(), "it runs");
    scene.host.server_stop(server).await.unwrap();
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    assert_eq!(naming(&stage.args()[1]), []);
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_ends_while_it_is_called_fails_the_call_and_nothing_else() {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    let (_, mut healthy, _other_stage) = scene.puppet("other", &[tool("find")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::calls(&[
        ("1", "notes__read", "{}"),
        ("2", "other__find", "{}"),
    ]));
    model.will(Turn::words("One of them."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    puppet.hear("tools/call").await;
    puppet.write_error(b"out of luck\n").await;
    puppet.exit(9).await;
    let call = healthy.hear("tools/call").await;
    scene.server(server, "a lost server", is_lost).await;
    healthy.answer(&call, text_result("found")).await;
    let calls = Scene::calls(&scene.finished(chat).await);
    let CallState::Failed {
        problem: Problem::Call(CallProblem::CallLost { stderr, detail }),
    } = &calls[0].state
    else {
        panic!("{:?}", calls[0])
    };
    assert_eq!(stderr, &["out of luck"]);
    assert!(detail.contains("exit code 9"), "{detail}");
    assert!(
        matches!(calls[1].state, CallState::Answered { .. }),
        "{:?}",
        calls[1]
    );
    model.asked().await;
    let told = results(&model.asked().await);
    assert!(told[0].1.contains("may have happened"), "{told:?}");

    scene.host.server_start(server).await.unwrap();
    let mut again = stage.puppet().await;
    again.greet(&[tool("read")]).await;
    scene.ready(server).await;
    scene.close().await;
}

/// Shows STD-013: it is started again by itself, under the yes it was given, and what was under way is not sent again.
#[tokio::test]
async fn a_server_that_ended_is_started_again_by_itself() {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("It is gone."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    puppet.hear("tools/call").await;
    puppet.exit(9).await;
    scene.server(server, "a lost server", is_lost).await;
    scene.finished(chat).await;
    let asked = scene.person.shown().len();
    pass(Duration::from_secs(2)).await;
    let mut again = stage.puppet().await;
    again.greet(&[tool("read")]).await;
    scene.ready(server).await;
    assert_eq!(scene.person.shown().len(), asked, "nobody was asked again");

    // The next call is the first that it hears of.
    model.asked().await;
    model.asked().await;
    model.will(Turn::call("two", "notes__read", json!({ "page": 2 })));
    model.will(Turn::words("It is back."));
    scene.say(chat, "Again.").await;
    let call = again.hear("tools/call").await;
    assert_eq!(call["params"]["arguments"], json!({ "page": 2 }));
    again.answer(&call, text_result("ok")).await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[1].state, CallState::Answered { .. }), "{calls:?}");
    scene.close().await;
}

/// The question goes on waiting, and a yes then says why it came to nothing.
#[tokio::test]
async fn a_server_that_ends_while_the_person_is_asked_is_said_to_be_gone() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("Too late."));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    puppet.exit(0).await;
    scene.server(server, "a lost server", is_lost).await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    let problem = Problem::Server(ServerProblem::ServerReopening {
        server: "notes".into(),
    });
    assert_eq!(call.state, CallState::Failed { problem });
    scene.close().await;
}

/// The tour's rehearsed crash, as a newcomer sees it.
#[tokio::test]
async fn the_rehearsed_crash_is_told_and_the_chat_goes_on() {
    let scene = Scene::new().await;
    scene.tour().await;
    scene.agrees();
    let chat = scene.chat().await;
    scene.say(chat, "crash").await;
    let call = Scene::calls(&scene.finished(chat).await).pop().unwrap();
    assert!(
        matches!(
            &call.state,
            CallState::Failed {
                problem: Problem::Call(CallProblem::CallLost { .. })
            }
        ),
        "{call:?}"
    );
    scene.say(chat, "And now?").await;
    let entries = scene.finished(chat).await;
    assert!(
        matches!(
            entries.last().unwrap().body,
            vestibule_host::view::EntryBody::Assistant { .. }
        ),
        "{entries:?}"
    );
    scene.close().await;
}
