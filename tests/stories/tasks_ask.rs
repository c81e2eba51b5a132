//! A server that works on several tasks asks for one of them: the card says which.

use serde_json::{Value, json};
use vestibule_consent::{Answer, Question};
use vestibule_host::view::{CallState, EntryBody};
use vestibule_policy::Scope;
use vestibule_protocol::ChatId;
use vestibule_tests::{Puppet, Scene, Stage, Turn, submit, yes};

fn task(name: &str, status: &str) -> Value {
    json!({ "taskId": name, "status": status, "createdAt": "c", "lastUpdatedAt": "u", "ttl": 60_000,
        "pollInterval": 600_000 })
}

/// A server with two tools whose calls may become tasks, each of which has just become one, in one chat each.
async fn two_tasks(scene: &Scene) -> (Puppet, Stage, [ChatId; 2]) {
    let stage = Stage::new(scene.folder(), "works");
    let server = scene.add("works", stage.args(), &[]).await;
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    let tasks = json!({ "cancel": {}, "requests": { "tools": { "call": {} } } });
    puppet.open_with(json!({ "tools": {}, "tasks": tasks })).await;
    let list = puppet.hear("tools/list").await;
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" }, "execution": { "taskSupport": "optional" } });
    puppet
        .answer(&list, json!({ "tools": [tool("build"), tool("deploy")] }))
        .await;
    scene.ready(server).await;
    let build = began(scene, &mut puppet, "build").await;
    let deploy = began(scene, &mut puppet, "deploy").await;
    (puppet, stage, [build, deploy])
}

/// Calls a tool in a chat of its own; the call becomes the task `secret-` and the name of the tool.
async fn began(scene: &Scene, puppet: &mut Puppet, tool: &str) -> ChatId {
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", &format!("works__{tool}"), json!({})));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    let begun = task(&format!("secret-{tool}"), "working");
    puppet.answer(&call, json!({ "task": begun })).await;
    let is_task = |seen: &vestibule_tests::Projection| {
        seen.chat(chat).iter().any(|entry| {
            matches!(&entry.body, EntryBody::Call(call) if matches!(call.state, CallState::Task { .. }))
        })
    };
    scene.window.until("a task", is_task).await;
    chat
}

async fn ask(scene: &Scene, puppet: &mut Puppet, id: &str, meta: Value) -> Question {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({ "message": "Which one?", "requestedSchema": schema, "_meta": meta });
    puppet
        .say(json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params }))
        .await;
    scene.person.asked().await
}

fn related(task: &str) -> Value {
    json!({ "io.modelcontextprotocol/related-task": { "taskId": task } })
}

/// Shows EF-021, EF-022, TK-008: among several the task that is named is the one, in the words of the user, and the
/// answer names it; a task that is not followed, or none, is guessed to be none of them. Its name reaches no window.
#[tokio::test]
async fn a_form_for_a_task_says_which_call_it_belongs_to() {
    let scene = Scene::new().await;
    let (mut puppet, _stage, [build, deploy]) = two_tasks(&scene).await;
    for (id, chat, tool) in [("f1", deploy, "deploy"), ("f2", build, "build")] {
        let card = ask(&scene, &mut puppet, id, related(&format!("secret-{tool}"))).await;
        let cause = card.cause.clone().unwrap();
        assert_eq!((cause.chat, cause.task_of.as_deref()), (chat, Some(tool)));
        assert!(!serde_json::to_string(&card).unwrap().contains("secret-"));
        scene.person.say(&card, submit(json!({ "name": tool }))).await;
        let answer = puppet.hear_answer(&json!(id)).await;
        assert_eq!(answer["result"]["content"], json!({ "name": tool }));
        assert_eq!(answer["result"]["_meta"], related(&format!("secret-{tool}")));
    }
    for (id, meta) in [("f3", related("secret-of-another")), ("f4", json!({}))] {
        let card = ask(&scene, &mut puppet, id, meta).await;
        assert_eq!(card.cause, None);
        scene.person.say(&card, Answer::Cancel).await;
    }
    scene.close().await;
}

/// Shows EF-022: what is asked for a task goes with that task, and with no other.
#[tokio::test]
async fn a_form_goes_with_the_task_it_was_asked_for() {
    let scene = Scene::new().await;
    let (mut puppet, _stage, [build, _]) = two_tasks(&scene).await;
    ask(&scene, &mut puppet, "f1", related("secret-build")).await;
    let kept = ask(&scene, &mut puppet, "f2", related("secret-deploy")).await;
    let entries = scene.newest_entries(build).await;
    let call = entries
        .iter()
        .find(|entry| matches!(entry.body, EntryBody::Call(_)))
        .unwrap();
    scene.host.task_cancel(call.id).unwrap();
    assert_eq!(
        puppet.hear_answer(&json!("f1")).await["result"]["action"],
        "cancel"
    );
    scene.person.say(&kept, Answer::Cancel).await;
    assert_eq!(
        puppet.hear_answer(&json!("f2")).await["result"]["action"],
        "cancel"
    );
    scene.close().await;
}
