//! Proposals of a server of the oldest revision, in which no capability tells whether it has any.

use serde_json::{Value, json};
use vestibule_host::view::{CompletionAsk, CompletionOf};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Puppet, Scene, Stage};

/// A server of 2024-11-05 with one prompt.
async fn oldest(scene: &Scene) -> (ServerId, Puppet, Stage) {
    let stage = Stage::new(scene.folder(), "library");
    let server = scene.add("library", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    let hello = puppet.hear("initialize").await;
    let result = json!({
        "protocolVersion": "2024-11-05",
        "capabilities": { "tools": {}, "prompts": {} },
        "serverInfo": { "name": "puppet", "version": "1" },
    });
    puppet.answer(&hello, result).await;
    let tools = puppet.hear("tools/list").await;
    puppet.answer(&tools, json!({ "tools": [] })).await;
    let prompts = puppet.hear("prompts/list").await;
    let plan = json!({ "name": "plan", "arguments": [{ "name": "topic" }] });
    puppet.answer(&prompts, json!({ "prompts": [plan] })).await;
    (server, puppet, stage)
}

/// What is proposed for the topic, where the server answers the request with this.
async fn proposed(scene: &Scene, server: ServerId, puppet: &mut Puppet, answer: Value) -> Vec<String> {
    let serve = async {
        let mut answer = answer;
        let asked = puppet.hear("completion/complete").await;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = asked["id"].clone();
        puppet.say(answer).await;
    };
    tokio::join!(scene.host.complete(server, ask()), serve)
        .0
        .unwrap()
        .values
}

fn ask() -> CompletionAsk {
    CompletionAsk {
        of: CompletionOf::Prompt("plan".into()),
        field: "topic".into(),
        value: "a".into(),
        others: [].into(),
    }
}

/// CP-002: the user gets the proposals, and a server that does not know the request is asked once in a session.
#[tokio::test]
async fn a_server_of_the_oldest_revision_proposes_until_it_says_that_it_does_not() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = oldest(&scene).await;
    let offers = scene.offers(server, |offers| !offers.prompts.is_empty()).await;
    assert!(offers.completes);
    let answer = json!({ "result": { "completion": { "values": ["a trip"] } } });
    assert_eq!(proposed(&scene, server, &mut puppet, answer).await, ["a trip"]);
    let answer = json!({ "error": { "code": -32601, "message": "Method not found" } });
    assert!(proposed(&scene, server, &mut puppet, answer).await.is_empty());
    assert!(!scene.host.server_offers(server).unwrap().completes);
    let nothing = scene.host.complete(server, ask()).await.unwrap();
    assert!(nothing.values.is_empty());
    let chat = scene.chat().await;
    let topic = [("topic".to_owned(), "a".to_owned())].into();
    let expanding = scene.host.prompt_get(chat, server, "plan".into(), topic);
    let serve = async {
        let next = puppet.next().await.unwrap();
        assert_eq!(next["method"], "prompts/get", "no other request before it");
        let said = json!({ "role": "user", "content": { "type": "text", "text": "Plan." } });
        puppet.answer(&next, json!({ "messages": [said] })).await;
    };
    tokio::join!(expanding, serve).0.unwrap();
    scene.close().await;
}
