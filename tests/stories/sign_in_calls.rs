//! A token that ends in the middle of a call: the call is not begun a second time, and what the user answered is kept.

use serde_json::{Value, json};
use vestibule_consent::QuestionBody;
use vestibule_host::view::CallState;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_tests::{Model, Played, Protected, Scene, Turn, submit};

/// Every request for the tool that reached the server, in order.
fn calls_of(world: &Protected) -> Vec<Value> {
    let messages = world.reached().into_iter();
    messages
        .filter_map(|it| serde_json::from_str::<Value>(&it.body).ok())
        .filter(|message| message["method"] == "tools/call")
        .collect()
}

/// Signs in, and has the model call the tool, which is allowed.
async fn reads(scene: &Scene, world: &Protected) -> (ServerId, ChatId, Model) {
    let server = scene.signed_in(world).await;
    scene.allow(server, "read").await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "members__read", json!({})));
    model.will(Turn::words("done"));
    scene.say(chat, "read").await;
    (server, chat, model)
}

/// How a server of the handshake era opens a session and answers pings; `None` for anything else.
fn greeting(method: &str) -> Option<Played> {
    match method {
        "server/discover" | "ping" => Some(Played::Result(json!({}))),
        "initialize" => Some(Played::Result(json!({
            "protocolVersion": "2025-11-25",
            "serverInfo": { "name": "protected", "version": "1" },
            "capabilities": { "tools": {} },
        }))),
        _ => None,
    }
}

/// The stream that ends a call, with its result.
fn last_stream(call: &Value) -> Played {
    let result = json!({ "content": [{ "type": "text", "text": "what only members read" }] });
    let answer = json!({ "jsonrpc": "2.0", "id": call, "result": result });
    Played::Stream(format!("id: 2\ndata: {answer}\n\n"))
}

/// A server of the handshake era that ends the stream of a call, and refuses the token once when the stream is taken up.
fn cuts_the_stream(world: &Protected) {
    let mut call = Value::Null;
    let mut is_refused = false;
    world.plays(move |reached, message| {
        let method = message["method"].as_str().unwrap_or_default();
        greeting(method).or_else(|| {
            Some(match (reached.method.as_str(), method) {
                ("POST", "tools/call") => {
                    call = message["id"].clone();
                    Played::Stream("id: 1\nretry: 100\ndata:\n\n".to_owned())
                }
                ("POST", "tools/list") => return None,
                ("GET", _) if call.is_null() => Played::Status(405),
                ("GET", _) if !std::mem::replace(&mut is_refused, true) => Played::Refused,
                ("GET", _) => last_stream(&call),
                _ => Played::Status(202),
            })
        })
    });
}

/// A server of the handshake era that asks for a form while it works on a call, and whose token ends before it is answered.
fn asks_until_the_token_ends(world: &Protected) {
    let (mut call, mut is_answered) = (Value::Null, false);
    let mut ended = None;
    world.plays(move |reached, message| {
        if ended.is_some() && ended == reached.authorization {
            return Some(Played::Refused);
        }
        let method = message["method"].as_str().unwrap_or_default();
        greeting(method).or_else(|| {
            Some(match (reached.method.as_str(), method) {
                ("POST", "tools/call") => {
                    call = message["id"].clone();
                    let form = json!({ "jsonrpc": "2.0", "id": "form-1", "method": "elicitation/create",
                        "params": region() });
                    Played::Stream(format!("id: 1\nretry: 100\ndata: {form}\n\n"))
                }
                ("POST", "tools/list") => return None,
                ("POST", "") if ended.is_none() => {
                    ended.clone_from(&reached.authorization);
                    Played::Refused
                }
                ("POST", "") => {
                    is_answered = true;
                    Played::Status(202)
                }
                ("GET", _) if call.is_null() => Played::Status(405),
                ("GET", _) if is_answered => last_stream(&call),
                ("GET", _) => Played::Stream("retry: 100\ndata:\n\n".to_owned()),
                _ => Played::Status(202),
            })
        })
    });
}

/// TR-023: the server has the call, so a refusal of its stream is no reason to send the call again.
#[tokio::test]
async fn a_call_whose_stream_is_refused_for_its_token_is_sent_once_and_answered() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    cuts_the_stream(&world);
    let (_, chat, _model) = reads(&scene, &world).await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[0].state, CallState::Answered { .. }), "{calls:?}");
    assert_eq!(calls_of(&world).len(), 1, "the tool ran once");
    scene.close().await;
}

fn region() -> Value {
    json!({ "message": "Where?", "requestedSchema": {
        "type": "object",
        "properties": { "region": { "type": "string" } },
    }})
}

/// MR-008: the form is filled in once, whether the token is renewed or the user signs in again.
#[tokio::test]
async fn a_token_that_ends_while_a_form_is_filled_in_costs_no_second_form() {
    for is_forgotten in [false, true] {
        let (scene, world) = (Scene::new().await, Protected::start().await);
        world.plays(|_, message| {
            let is_first = message["params"].get("inputResponses").is_none();
            (message["method"] == "tools/call" && is_first).then(|| {
                Played::Result(
                    json!({ "resultType": "input_required", "requestState": "opaque==",
                    "inputRequests": { "where": { "method": "elicitation/create", "params": region() } } }),
                )
            })
        });
        let (server, chat, _model) = reads(&scene, &world).await;
        let question = scene.person.asked().await;
        assert!(
            matches!(question.about, QuestionBody::FillForm(_)),
            "{question:?}"
        );
        if is_forgotten {
            world.forget();
        } else {
            world.expire();
        }
        let answer = submit(json!({ "region": "eu1" }));
        scene.person.say(&question, answer).await;
        if is_forgotten {
            scene.agree_and_visit(&world, server).await;
        }
        let calls = Scene::calls(&scene.finished(chat).await);
        assert!(matches!(calls[0].state, CallState::Answered { .. }), "{calls:?}");
        let [first, refused, repeated] = calls_of(&world).try_into().unwrap();
        assert!(first["id"] != refused["id"] && refused["id"] != repeated["id"]);
        for part in ["name", "arguments", "requestState", "inputResponses"] {
            assert_eq!(refused["params"][part], repeated["params"][part], "{part}");
        }
        assert_eq!(
            repeated["params"]["inputResponses"],
            json!({ "where": { "action": "accept", "content": { "region": "eu1" } } })
        );
        assert_eq!(repeated["params"]["requestState"], "opaque==");
        scene.close().await;
    }
}

/// TR-021, AU-064: in the handshake era too, though the answer is a message of its own.
#[tokio::test]
async fn the_answer_to_a_form_reaches_the_server_though_the_token_ended_meanwhile() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    asks_until_the_token_ends(&world);
    let (_, chat, _model) = reads(&scene, &world).await;
    let question = scene.person.asked().await;
    let answer = submit(json!({ "region": "eu1" }));
    scene.person.say(&question, answer).await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(matches!(calls[0].state, CallState::Answered { .. }), "{calls:?}");
    let messages = world.reached().into_iter();
    let answers: Vec<Value> = messages
        .filter_map(|it| serde_json::from_str(&it.body).ok())
        .filter(|message: &Value| message["id"] == "form-1")
        .collect();
    let [refused, taken] = answers.try_into().unwrap();
    assert_eq!(
        refused["result"],
        json!({ "action": "accept", "content": { "region": "eu1" } })
    );
    assert_eq!(refused, taken, "the user filled it in once");
    assert_eq!(world.grants("refresh_token"), 1);
    scene.close().await;
}
