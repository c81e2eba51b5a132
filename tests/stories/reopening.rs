//! Sessions that end by themselves are opened again: a forgotten one at once, a program that keeps ending only so
//! often.

use std::time::Duration;

use serde_json::json;
use vestibule_host::view::{CallState, Problem, ServerProblem, ServerState, ServerView};
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, Web, eventually, pass, tool};

/// How much time passes between two looks. What is on its way meanwhile has hundreds of looks until its time is over.
const STEP: Duration = Duration::from_millis(100);

/// TR-030: the server is there and only forgot the session; the call is not sent a second time by us.
#[tokio::test]
async fn a_forgotten_session_is_opened_anew_without_a_question() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    web.forget();
    model.will(Turn::call("one", "web__read", json!({})));
    model.will(Turn::words("It forgot me."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(matches!(call.state, CallState::Failed { .. }), "{call:?}");
    scene.ready(server).await;
    let asked = scene.person.shown().len();
    assert_eq!(asked, 2, "to connect, and to call: {:?}", scene.person.shown());
    assert_eq!(count(&web, "initialize"), 2);
    assert_eq!(count(&web, "tools/call"), 1);

    model.will(Turn::call("two", "web__read", json!({})));
    model.will(Turn::words("There it is."));
    scene.say(chat, "Again.").await;
    let call = Scene::calls(&scene.finished(chat).await).pop().unwrap();
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    assert_eq!(count(&web, "tools/call"), 2);
    scene.close().await;
}

fn count(web: &Web, method: &str) -> usize {
    web.methods().iter().filter(|sent| *sent == method).count()
}

/// TR-030, PI-002: servers on a template of the TypeScript SDK answer 400 where the specification wants 404, with an error
/// that names no request.
#[tokio::test]
async fn a_session_forgotten_with_an_error_of_the_protocol_is_opened_again() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    eventually("an answered ping", async || {
        pass(STEP).await;
        count(&web, "ping") > 0
    })
    .await;
    web.forget_with(
        400,
        r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
    );
    model.will(Turn::call("one", "web__read", json!({})));
    model.will(Turn::words("It forgot me."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(matches!(call.state, CallState::Failed { .. }), "{call:?}");
    eventually("a second session", async || {
        pass(STEP).await;
        count(&web, "initialize") == 2
    })
    .await;
    scene.ready(server).await;
    let asked = scene.person.shown().len();
    assert_eq!(asked, 2, "to connect, and to call: {:?}", scene.person.shown());

    model.will(Turn::call("two", "web__read", json!({})));
    model.will(Turn::words("There it is."));
    scene.say(chat, "Again.").await;
    let call = Scene::calls(&scene.finished(chat).await).pop().unwrap();
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    assert_eq!(count(&web, "tools/call"), 2, "and none was sent a second time");
    scene.close().await;
}

/// PI-002: opened again, it would refuse the ping again.
#[tokio::test]
async fn a_server_that_never_answers_a_ping_stays_connected() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    web.refuse_only("ping", 400);
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    eventually("some refused pings", async || {
        pass(STEP).await;
        count(&web, "ping") >= 4
    })
    .await;
    assert_eq!(count(&web, "initialize"), 1);
    scene.close().await;
}

/// STD-013: five starts in vain are enough, each of them visible, and then it says how it ended.
#[tokio::test]
async fn a_program_that_keeps_ending_is_started_five_times_more_and_then_left() {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    puppet.exit(1).await;
    for attempt in 1..=5 {
        let is_waited_for = |view: &ServerView| matches!(view.state, ServerState::Reopening { attempt: at, .. } if at == attempt);
        scene
            .server(server, "a server that is waited for", is_waited_for)
            .await;
        // "Now" does not wait out the pause.
        scene.host.server_start(server).await.unwrap();
        let mut puppet = stage.puppet().await;
        puppet.hear("initialize").await;
        puppet.exit(1).await;
    }
    let is_failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
    let view = scene.server(server, "a failed server", is_failed).await;
    let ServerState::Failed { problem } = view.state else {
        panic!("{view:?}")
    };
    assert!(
        matches!(problem, Problem::Server(ServerProblem::ServerEnded { .. })),
        "{problem:?}"
    );
    assert_eq!(scene.person.shown().len(), 1, "one yes for the same program");
    scene.close().await;
}
