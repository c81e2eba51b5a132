//! The list of servers: the order that the user gives it, and a server that is connected and cannot list its tools, or
//! lists too many.

use serde_json::{Value, json};
use vestibule_host::view::{Problem, ServerProblem, ServerState, ServerView, SettingsChange};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Puppet, Scene, Stage, Web, tool};

fn detail(view: &ServerView) -> Option<&str> {
    match &view.listing_problem {
        Some(Problem::Server(ServerProblem::ToolsNotListed { detail })) => Some(detail),
        _ => None,
    }
}

/// A server that was started and asked for its tools.
async fn listing(scene: &Scene) -> (ServerId, Puppet, Value) {
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.open().await;
    let list = puppet.hear("tools/list").await;
    (server, puppet, list)
}

#[tokio::test]
async fn a_server_whose_tools_cannot_be_listed_stays_connected_and_lists_them_when_asked_again() {
    let scene = Scene::new().await;
    let (server, mut puppet, list) = listing(&scene).await;
    let error = json!({ "code": -32603, "message": "fetch failed" });
    puppet
        .say(json!({ "jsonrpc": "2.0", "id": list["id"], "error": error }))
        .await;
    let view = scene.ready(server).await;
    assert_eq!((detail(&view), view.tool_count), (Some("fetch failed"), 0));

    scene.host.server_list_again(server).unwrap();
    let list = puppet.hear("tools/list").await;
    puppet.answer(&list, json!({ "tools": [tool("find")] })).await;
    let view = scene
        .server(server, "a server with its tools", |view| view.tool_count == 1)
        .await;
    assert_eq!((view.listing_problem, view.held_count), (None, 0));

    // A listing that fails later takes no tool away.
    scene.host.server_list_again(server).unwrap();
    let list = puppet.hear("tools/list").await;
    puppet.answer(&list, json!({ "tools": "none" })).await;
    let view = scene
        .server(server, "a listing that failed", |view| {
            view.listing_problem.is_some()
        })
        .await;
    assert_eq!(view.tool_count, 1);

    scene.host.server_stop(server).await.unwrap();
    let view = scene
        .server(server, "a stopped server", |view| {
            view.state == ServerState::Stopped
        })
        .await;
    assert_eq!(view.listing_problem, None);
    scene.close().await;
}

#[tokio::test]
async fn a_server_whose_listing_is_too_large_stays_connected_and_says_so() {
    let scene = Scene::new().await;
    let (server, mut puppet, list) = listing(&scene).await;
    let mut large = tool("find");
    large["description"] = json!("x".repeat(9 * 1024 * 1024));
    puppet.answer(&list, json!({ "tools": [large] })).await;
    let view = scene.ready(server).await;
    let found = (detail(&view), view.tool_count);
    assert_eq!(found, (Some("the answer was larger than 8 MiB"), 0));
    scene.close().await;
}

/// A listing that is refused is shown with the name of who refused it, while it connects and afterwards.
#[tokio::test]
async fn an_address_that_refuses_to_list_its_tools_is_named() {
    let refusal = |web: &Web, problem: Option<&Problem>| {
        let Some(Problem::Server(ServerProblem::ServerRefused { origin, status, .. })) = problem else {
            panic!("{problem:?}")
        };
        assert_eq!((origin, *status), (&format!("http://{}", web.address()), 503));
    };
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    web.refuse_only("tools/list", 503);
    scene.host.server_list_again(server).unwrap();
    let view = scene
        .server(server, "a listing that was refused", |view| {
            view.listing_problem.is_some()
        })
        .await;
    refusal(&web, view.listing_problem.as_ref());
    assert_eq!(view.tool_count, 1, "the tools of before stay");
    scene.host.server_stop(server).await.unwrap();
    scene
        .server(server, "a stopped server", |view| {
            view.state == ServerState::Stopped
        })
        .await;

    scene.connect(server, Scope::Once).await;
    let is_failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
    let view = scene
        .server(server, "a server that did not open", is_failed)
        .await;
    let ServerState::Failed { problem } = &view.state else {
        panic!("{view:?}")
    };
    refusal(&web, Some(problem));
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_lists_more_tools_than_are_taken_says_how_many_are_here() {
    let scene = Scene::new().await;
    let (server, mut puppet, list) = listing(&scene).await;
    let tools: Vec<_> = (0..600).map(|number| tool(&format!("tool_{number}"))).collect();
    puppet.answer(&list, json!({ "tools": tools })).await;
    let view = scene.ready(server).await;
    let kept = ServerProblem::ToolsLeftOut { kept: 512 };
    assert_eq!(view.listing_problem, Some(Problem::Server(kept)));
    assert_eq!(view.tool_count, 512);

    // A shorter list is whole again.
    scene.host.server_list_again(server).unwrap();
    let list = puppet.hear("tools/list").await;
    puppet.answer(&list, json!({ "tools": [tool("tool_0")] })).await;
    let view = scene
        .server(server, "a server with one tool", |view| view.tool_count == 1)
        .await;
    assert_eq!(view.listing_problem, None);
    scene.close().await;
}

#[tokio::test]
async fn the_order_of_servers_is_kept() {
    let scene = Scene::new().await;
    let first = scene.add("first", vec![], &[]).await;
    let second = scene.add("second", vec![], &[]).await;
    let change = SettingsChange {
        server_order: Some(vec![second, first]),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
    scene
        .host
        .settings_save(SettingsChange {
            notify: Some(false),
            ..SettingsChange::default()
        })
        .await
        .unwrap();
    let scene = scene.reopen().await;
    assert_eq!(scene.host.settings().server_order, [second, first]);
    scene.close().await;
}
