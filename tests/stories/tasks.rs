//! A call becomes a task: its row shows how far it is, the application may be closed meanwhile, and what comes of it
//! lands in the chat; in the two forms tasks have.

mod left;

use serde_json::{Value, json};
use vestibule_consent::QuestionBody;
use vestibule_host::view::{CallProblem, CallState, EntriesPart, Problem};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EntryId, ServerId};
use vestibule_tests::{
    Puppet, Scene, Stage, Turn, ended, eventually, records, results, soon, submit, text_result, yes,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// 2025-11-25: the client asks for a task, and for its result.
    Asked,
    /// 2026-07-28: the server decides, and tells the result with the state.
    Offered,
}

struct Bench {
    scene: Scene,
    chat: ChatId,
    server: ServerId,
    stage: Stage,
    puppet: Puppet,
    model: vestibule_tests::Model,
}

fn task(form: Form, status: &str) -> Value {
    match form {
        Form::Asked => json!({ "taskId": "secret-7", "status": status, "statusMessage": "half way",
            "createdAt": "c", "lastUpdatedAt": "u", "ttl": 60_000, "pollInterval": 500 }),
        Form::Offered => json!({ "resultType": "complete", "taskId": "secret-7", "status": status,
            "statusMessage": "half way", "createdAt": "c", "lastUpdatedAt": "u", "ttlMs": null,
            "pollIntervalMs": 500 }),
    }
}

/// Opens the session as a server with tasks of this form and lists its one tool.
async fn greet(puppet: &mut Puppet, form: Form) {
    match form {
        Form::Asked => {
            let tasks = json!({ "cancel": {}, "requests": { "tools": { "call": {} } } });
            puppet.open_with(json!({ "tools": {}, "tasks": tasks })).await;
        }
        Form::Offered => {
            let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
            puppet
                .open_modern(json!({ "tools": {}, "extensions": tasks }))
                .await;
        }
    }
    let list = puppet.hear("tools/list").await;
    let tool = json!({ "name": "build", "inputSchema": { "type": "object" },
        "execution": { "taskSupport": "optional" } });
    let tools = match form {
        Form::Asked => json!({ "tools": [tool] }),
        Form::Offered => {
            json!({ "resultType": "complete", "tools": [tool], "ttlMs": 0, "cacheScope": "private" })
        }
    };
    puppet.answer(&list, tools).await;
}

/// A chat in which a call has just become a task.
async fn bench(form: Form) -> Bench {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "works");
    let server = scene.add("works", stage.args(), &[]).await;
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    greet(&mut puppet, form).await;
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "works__build", json!({})));
    scene.say(chat, "Build it.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    match form {
        Form::Asked => {
            assert!(call["params"]["task"].is_object(), "{call}");
            puppet
                .answer(&call, json!({ "task": task(form, "working") }))
                .await;
        }
        Form::Offered => {
            let mut begun = task(form, "working");
            begun["resultType"] = json!("task");
            puppet.answer(&call, begun).await;
        }
    }
    Bench {
        scene,
        chat,
        server,
        stage,
        puppet,
        model,
    }
}

fn is_task(state: &CallState) -> bool {
    matches!(state, CallState::Task { .. })
}

/// Answers until the result was told.
async fn finish(puppet: &mut Puppet, form: Form) {
    let get = puppet.hear("tasks/get").await;
    assert_eq!(get["params"]["taskId"], "secret-7");
    match form {
        Form::Asked => {
            puppet.answer(&get, task(form, "completed")).await;
            let fetch = puppet.hear("tasks/result").await;
            puppet.answer(&fetch, text_result("built")).await;
        }
        Form::Offered => {
            let mut done = task(form, "completed");
            let mut result = text_result("built");
            result["resultType"] = json!("complete");
            done["result"] = result;
            puppet.answer(&get, done).await;
        }
    }
}

async fn entry_of_call(scene: &Scene, chat: ChatId) -> EntryId {
    let entries = scene.newest_entries(chat).await;
    let is_call = |entry: &&vestibule_host::view::EntryView| {
        matches!(entry.body, vestibule_host::view::EntryBody::Call(_))
    };
    entries.iter().find(is_call).unwrap().id
}

async fn a_task_is_polled(form: Form) {
    let Bench {
        scene,
        chat,
        mut puppet,
        mut model,
        ..
    } = bench(form).await;
    model.will(Turn::words("It stands."));
    let get = puppet.hear("tasks/get").await;
    puppet.answer(&get, task(form, "working")).await;
    let is_told = |state: &CallState| matches!(state, CallState::Task { task } if task.asked_ms.is_some());
    let row = scene.call(chat, "a task that was asked for", is_told).await;
    let CallState::Task { task } = &row.state else {
        panic!("{row:?}")
    };
    assert_eq!(task.words.as_deref(), Some("half way"));
    assert!(!task.away && !task.needs_input, "{task:?}");
    finish(&mut puppet, form).await;
    model.asked().await;
    assert_eq!(
        results(&model.asked().await),
        [("one".to_owned(), "built".to_owned())]
    );
    let call = Scene::calls(&scene.finished(chat).await).pop().unwrap();
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    assert!(scene.store.tasks().await.unwrap().is_empty());
    let ends = ended(&records(&scene.store).await);
    assert!(ends.contains(&("tool.call".into(), "build".into(), Some("became a task".into()))));
    assert!(ends.contains(&("task.follow".into(), "build".into(), Some("answered".into()))));
    scene.close().await;
}

/// TK-002, TK-003, TK-004, TK-005.
#[tokio::test]
async fn a_tool_that_may_be_a_task_is_one_and_its_row_says_how_far_it_is() {
    a_task_is_polled(Form::Asked).await;
}

/// TX-001, TX-002, TX-004, TX-006.
#[tokio::test]
async fn a_server_that_makes_a_call_a_task_is_asked_until_it_is_done() {
    a_task_is_polled(Form::Offered).await;
}

async fn a_task_outlives_the_application(form: Form) {
    let Bench {
        scene,
        chat,
        server,
        stage,
        puppet,
        model,
    } = bench(form).await;
    scene.call(chat, "a task", is_task).await;
    drop((puppet, model));
    let scene = scene.reopen().await;
    let left = scene.host.chat_entries(chat, EntriesPart::Newest).await.unwrap();
    let left = Scene::calls(&left.entries).pop().unwrap();
    assert!(is_task(&left.state), "nothing calls it interrupted: {left:?}");
    let seen = format!("{left:?}");
    assert!(!seen.contains("secret-7"), "TX-018: {seen}");
    // The server starts again by the rule of the person.
    let mut puppet = stage.puppet().await;
    greet(&mut puppet, form).await;
    scene.ready(server).await;
    finish(&mut puppet, form).await;
    scene.window.catch_up(&scene.host).await;
    let landed = async {
        loop {
            let entries = scene.newest_entries(chat).await;
            let call = Scene::calls(&entries).pop().unwrap();
            if let CallState::Answered { result, .. } = call.state {
                return result;
            }
            tokio::task::yield_now().await;
        }
    };
    let result = soon("the result lands in the chat", landed).await;
    assert!(format!("{:?}", result.content).contains("built"));
    let ends = ended(&records(&scene.store).await);
    let follows: Vec<_> = ends
        .into_iter()
        .filter(|(action, ..)| action == "task.follow")
        .filter_map(|(.., end)| end)
        .collect();
    assert_eq!(follows, ["left running", "answered"]);
    eventually("the task is forgotten", async || {
        scene.store.tasks().await.unwrap().is_empty()
    })
    .await;
    scene.close().await;
}

/// TX-005, TK-015, TX-018.
#[tokio::test]
async fn a_task_that_was_asked_for_outlives_the_application() {
    a_task_outlives_the_application(Form::Asked).await;
}

/// TX-005, TX-018.
#[tokio::test]
async fn a_task_that_was_offered_outlives_the_application() {
    a_task_outlives_the_application(Form::Offered).await;
}

/// TK-009, TX-011, TX-012, CX-007: given up as a task, and by nobody but the user.
#[tokio::test]
async fn the_person_gives_a_task_up() {
    for form in [Form::Asked, Form::Offered] {
        let Bench {
            scene,
            chat,
            mut puppet,
            model,
            ..
        } = bench(form).await;
        scene.call(chat, "a task", is_task).await;
        model.will(Turn::words("As you wish."));
        scene.host.task_cancel(entry_of_call(&scene, chat).await).unwrap();
        let cancel = puppet.hear("tasks/cancel").await;
        assert_eq!(cancel["params"]["taskId"], "secret-7");
        puppet.answer(&cancel, task(form, "cancelled")).await;
        let call = scene
            .call(chat, "a cancelled call", |state| {
                *state == CallState::Cancelled { sent: true }
            })
            .await;
        assert_eq!(call.state, CallState::Cancelled { sent: true });
        scene.finished(chat).await;
        scene.close().await;
    }
}

/// TX-015.
#[tokio::test]
async fn a_task_of_a_server_that_was_lost_goes_on_in_the_next_session_and_may_be_gone_there() {
    let Bench {
        scene,
        chat,
        server,
        stage,
        mut puppet,
        model,
    } = bench(Form::Asked).await;
    scene.call(chat, "a task", is_task).await;
    model.will(Turn::words("A pity."));
    puppet.exit(1).await;
    let is_away = |state: &CallState| matches!(state, CallState::Task { task } if task.away);
    scene.call(chat, "a task whose server is away", is_away).await;
    scene.host.server_start(server).await.unwrap();
    let mut puppet = stage.puppet().await;
    greet(&mut puppet, Form::Asked).await;
    let get = puppet.hear("tasks/get").await;
    let error = json!({ "code": -32602, "message": "no such task" });
    puppet
        .say(json!({ "jsonrpc": "2.0", "id": get["id"], "error": error }))
        .await;
    let is_failed = |state: &CallState| matches!(state, CallState::Failed { .. });
    let call = scene.call(chat, "a task that is gone", is_failed).await;
    assert_eq!(
        call.state,
        CallState::Failed {
            problem: Problem::Call(CallProblem::TaskGone)
        }
    );
    scene.finished(chat).await;
    scene.close().await;
}

/// TX-007, TX-009, EU-024: what a task needs is asked in the consent window, its row says that it waits for the user,
/// and it goes on with the answer.
#[tokio::test]
async fn a_task_that_needs_something_asks_and_goes_on() {
    let Bench {
        scene,
        chat,
        mut puppet,
        model,
        ..
    } = bench(Form::Offered).await;
    model.will(Turn::words("It stands."));
    let get = puppet.hear("tasks/get").await;
    let mut needs = task(Form::Offered, "input_required");
    let schema = json!({ "type": "object", "properties": { "floor": { "type": "integer" } } });
    let params = json!({ "mode": "form", "message": "Which floor?", "requestedSchema": schema });
    needs["inputRequests"] = json!({ "floor": { "method": "elicitation/create", "params": params } });
    puppet.answer(&get, needs).await;
    let question = scene.person.asked().await;
    let QuestionBody::FillForm(_) = &question.about else {
        panic!("{question:?}")
    };
    let cause = question.cause.as_ref().map(|cause| (cause.chat, cause.entry));
    assert_eq!(cause, Some((chat, Some(entry_of_call(&scene, chat).await))));
    let waits = |state: &CallState| matches!(state, CallState::Task { task } if task.needs_input);
    scene.call(chat, "a task that waits for the user", waits).await;
    scene.person.say(&question, submit(json!({ "floor": 3 }))).await;
    let update = puppet.hear("tasks/update").await;
    assert_eq!(
        update["params"]["inputResponses"]["floor"],
        json!({ "action": "accept", "content": { "floor": 3 } })
    );
    puppet.answer(&update, json!({ "resultType": "complete" })).await;
    finish(&mut puppet, Form::Offered).await;
    let call = Scene::calls(&scene.finished(chat).await).pop().unwrap();
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    scene.close().await;
}
