//! A stopped server: its tools can still be looked at and tightened, and one request covers several of them.

use serde_json::{Value, json};
use vestibule_consent::QuestionBody;
use vestibule_host::view::{ServerState, ServerView, ToolList, ToolRule};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Scene, eventually, tool, yes};

fn reading(name: &str) -> Value {
    let mut tool = tool(name);
    tool["annotations"] = json!({ "readOnlyHint": true });
    tool
}

fn rules(list: &ToolList) -> Vec<(&str, ToolRule)> {
    list.tools.iter().map(|tool| (&*tool.name, tool.rule)).collect()
}

async fn stopped(scene: &Scene, server: ServerId) -> ToolList {
    let is_stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", is_stopped).await;
    scene.host.server_tool_list(server).await.unwrap()
}

#[tokio::test]
async fn the_tools_of_a_stopped_server_can_be_looked_at_and_tightened() {
    let scene = Scene::new().await;
    let (server, _puppet, _stage) = scene.puppet("notes", &[tool("read"), tool("write")]).await;
    let now = scene.host.server_tool_list(server).await.unwrap();
    assert_eq!(now.listed_ms, None, "a connected server lists them itself");
    scene.allow(server, "read").await;
    scene.server_tool_is(server, ToolRule::Allow).await;

    scene.host.server_stop(server).await.unwrap();
    let list = stopped(&scene, server).await;
    assert!(list.listed_ms.is_some());
    assert_eq!(
        rules(&list),
        [("read", ToolRule::Allow), ("write", ToolRule::Ask)]
    );
    scene
        .host
        .tool_rule(server, "write", ToolRule::Never)
        .await
        .unwrap();
    scene.host.tool_rule(server, "read", ToolRule::Ask).await.unwrap();

    // Also after a restart, and none of them is offered to a model.
    let scene = scene.reopen().await;
    let list = scene.host.server_tool_list(server).await.unwrap();
    assert_eq!(
        rules(&list),
        [("read", ToolRule::Ask), ("write", ToolRule::Never)]
    );
    assert!(scene.host.server_tools(server).is_empty());
    scene.host.server_remove(server).await.unwrap();
    assert!(scene.host.server_tool_list(server).await.is_err());
    scene.close().await;
}

#[tokio::test]
async fn one_request_allows_all_tools_that_claim_to_read() {
    let scene = Scene::new().await;
    let tools = [reading("find"), reading("list"), reading("peek"), tool("write")];
    let (server, _puppet, _stage) = scene.puppet("notes", &tools).await;
    scene
        .host
        .tool_rule(server, "peek", ToolRule::Never)
        .await
        .unwrap();
    let all: Vec<String> = ["find", "list", "peek", "write"].map(str::to_owned).to_vec();
    scene.host.tools_allow(server, all.clone()).unwrap();
    let question = scene.person.asked().await;
    let QuestionBody::KeepRules(set) = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!(set.rules.len(), 2, "{set:?}");
    scene.person.say(&question, yes(Scope::Always)).await;
    let expected = [
        ("find", ToolRule::Allow),
        ("list", ToolRule::Allow),
        ("peek", ToolRule::Never),
        ("write", ToolRule::Ask),
    ];
    eventually("both permissions", async || {
        let list = scene.host.server_tool_list(server).await.unwrap();
        rules(&list) == expected
    })
    .await;
    scene.close().await;
}
