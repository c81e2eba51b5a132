//! The vendors' own SDKs as clients of the fakes: what they read in an answer is what the fake said, so the fakes speak
//! the formats of the vendors. The clients are in `tests/peers/clients`; each tells what it read as one JSON document.

use std::path::PathBuf;

use serde_json::Map;

use super::model_answer::ModelAnswer;
use super::peers::{installed, peer, project};
use super::vendors::refusal_over;
use super::wires::{asked, over, shown};
use super::*;

/// Starting an interpreter with a large SDK takes its time on a busy computer.
const LONGEST_CLIENT: Duration = Duration::from_secs(180);
const REFUSAL: &str = "This model is not for you.";

#[tokio::test]
async fn openais_sdk_for_python_reads_what_the_fakes_say() {
    let wires = [Wire::ChatCompletions, Wire::Responses, Wire::Azure];
    accepts_the_fakes("pypi_openai.py", &wires).await;
}

#[tokio::test]
async fn openais_sdk_for_javascript_reads_what_the_fakes_say() {
    let wires = [Wire::ChatCompletions, Wire::Responses, Wire::Azure];
    accepts_the_fakes("npm_openai.cjs", &wires).await;
}

#[tokio::test]
async fn anthropics_sdk_for_python_reads_what_the_fake_says() {
    accepts_the_fakes("pypi_anthropic.py", &[Wire::Anthropic]).await;
}

#[tokio::test]
async fn anthropics_sdk_for_javascript_reads_what_the_fake_says() {
    accepts_the_fakes("npm_anthropic.cjs", &[Wire::Anthropic]).await;
}

#[tokio::test]
async fn googles_sdk_for_python_reads_what_the_fake_says() {
    accepts_the_fakes("pypi_google.py", &[Wire::Gemini]).await;
}

#[tokio::test]
async fn googles_sdk_for_javascript_reads_what_the_fake_says() {
    accepts_the_fakes("npm_google.cjs", &[Wire::Gemini]).await;
}

#[tokio::test]
async fn ollamas_sdk_for_python_reads_what_the_fake_says() {
    accepts_the_fakes("pypi_ollama.py", &[Wire::Ollama]).await;
}

#[tokio::test]
async fn ollamas_sdk_for_javascript_reads_what_the_fake_says() {
    accepts_the_fakes("npm_ollama.cjs", &[Wire::Ollama]).await;
}

/// Runs a client over its wires: it reads words, calls, thoughts and counts, whole and streamed, and a refusal. It asks
/// where and with the key where we do.
async fn accepts_the_fakes(client: &str, wires: &[Wire]) {
    let mut endpoint = FakeEndpoint::answering(Box::new(answer_to)).await;
    let told = tell_by(client, &endpoint.base.origin().ascii_serialization()).await;
    let mut requests = vec![];
    while let Ok(request) = endpoint.requests.try_recv() {
        requests.push(request);
    }
    for &wire in wires {
        let told = &told[wire.name()];
        for (how, calls) in [
            ("plain", false),
            ("streamed", false),
            ("plain_calls", true),
            ("streamed_calls", true),
            ("sent_back", false),
        ] {
            assert_eq!(told[how], expected(wire, calls), "{client} {wire:?} {how}");
        }
        let refused = &told["refused"];
        assert_eq!(refused["status"], 400, "{client} {wire:?}: {refused}");
        let message = refused["message"].as_str().unwrap_or_default();
        assert!(message.contains(REFUSAL), "{client} {wire:?}: {refused}");
        if wire == Wire::Ollama {
            assert_eq!(told["shown"], json!([8192, ["completion", "tools"]]));
        }
        asks_as_we_do(client, wire, &requests).await;
        sends_back_as_we_do(client, wire, &requests).await;
    }
}

fn answer_to(request: &Recorded) -> Vec<Step> {
    if request.head.starts_with("POST /api/show ") {
        return shown();
    }
    let wire = wire_of(&request.head);
    if request.body["model"] == "refused" || request.head.contains("/refused:") {
        return refusal_over(wire, REFUSAL);
    }
    let offered = request.body["tools"].as_array();
    let offered = offered.is_some_and(|tools| !tools.is_empty());
    let said = reply(offered && !has_results(&request.body));
    let streams = match wire {
        Wire::Gemini => request.head.contains(":streamGenerateContent"),
        // It streams unless the request says `stream: false`.
        Wire::Ollama => request.body["stream"] != json!(false),
        _ => request.body["stream"] == json!(true),
    };
    if streams {
        return said.over(wire);
    }
    let body = said.whole(wire).to_string();
    answer("200 OK", "content-type: application/json\r\n", &body)
}

fn wire_of(head: &str) -> Wire {
    let path = head.split(' ').nth(1).unwrap_or_default();
    match path {
        "/v1/chat/completions" => Wire::ChatCompletions,
        "/v1/responses" => Wire::Responses,
        "/v1/messages" => Wire::Anthropic,
        "/api/chat" => Wire::Ollama,
        _ if path.starts_with("/v1beta/models/") => Wire::Gemini,
        _ if path.starts_with("/openai/deployments/") => Wire::Azure,
        _ => panic!("no vendor has {path}"),
    }
}

/// What each call of a client gives.
fn result_of(a: i64) -> String {
    format!("{} harbours", a + 1)
}

fn has_results(body: &Value) -> bool {
    body.to_string().contains(&result_of(2))
}

/// Words, or a thought with words and parallel calls.
fn reply(calls: bool) -> ModelAnswer {
    if !calls {
        return ModelAnswer::words("Hei Oslo");
    }
    let call = |id: &str, a: i64| (id.to_owned(), "add", json!({ "a": a }));
    ModelAnswer {
        thought: Some(("hm".to_owned(), "c2ln".to_owned())),
        calls: vec![call("c1", 1), call("c2", 2)],
        ..ModelAnswer::words("Let me see.")
    }
}

/// What a client reads in [`reply`].
fn expected(wire: Wire, calls: bool) -> Value {
    let (words, after_calls, thought) = match wire {
        // The SDK knows no thoughts here; vendors that have them add a field.
        Wire::ChatCompletions | Wire::Azure => ("stop", "tool_calls", json!(null)),
        Wire::Responses => ("completed", "completed", json!(["hm", "c2ln"])),
        Wire::Anthropic => ("end_turn", "tool_use", json!(["hm", "c2ln"])),
        Wire::Gemini => ("STOP", "STOP", json!(["hm", "c2ln"])),
        Wire::Ollama => ("stop", "stop", json!(["hm", null])),
    };
    // The SDK knows no cache there.
    let cached = if wire == Wire::Ollama {
        json!(null)
    } else {
        json!(2)
    };
    let usage = json!([7, cached, 3]);
    if calls {
        let made = json!([["add", { "a": 1 }], ["add", { "a": 2 }]]);
        return json!({ "text": "Let me see.", "calls": made, "usage": usage, "ended": after_calls, "thought": thought });
    }
    json!({ "text": "Hei Oslo", "calls": [], "usage": usage, "ended": words, "thought": null })
}

/// The path and the header with the key of our own request are those of the client's streamed one.
async fn asks_as_we_do(client: &str, wire: Wire, requests: &[Recorded]) {
    let mut endpoint = FakeEndpoint::answering(Box::new(answer_to)).await;
    let (_, error) = read(&over(wire, &endpoint.base), hello()).await;
    assert_eq!(error, None, "{wire:?}");
    let ours = asked(&mut endpoint).await.head;
    let line = ours.lines().next().unwrap();
    let heads = requests.iter().map(|request| request.head.as_str());
    let theirs: Vec<_> = heads.filter(|head| head.lines().next() == Some(line)).collect();
    assert!(!theirs.is_empty(), "{client} never asked {line}");
    // A server on the same computer takes no key. Anthropic takes the key in either of two headers; its SDKs use the
    // other one.
    if !matches!(wire, Wire::Ollama | Wire::Anthropic) {
        let with_key = ours.lines().find(|line| line.ends_with("k-1")).unwrap();
        let (name, value) = with_key.split_once(": ").unwrap();
        let sent = header(theirs[0], name);
        assert_eq!(sent, Some(value), "{client} {wire:?} {name}");
    }
}

/// The calls of a reply and their results are in our next request as they are in the client's.
async fn sends_back_as_we_do(client: &str, wire: Wire, requests: &[Recorded]) {
    let mut endpoint = FakeEndpoint::answering(Box::new(answer_to)).await;
    let numbers = [(1, "c1"), (2, "c2")];
    let calls = numbers.map(|(a, id)| ModelCall {
        id: id.to_owned(),
        name: "add".to_owned(),
        arguments: CallArguments::Parsed(Map::from_iter([("a".to_owned(), json!(a))])),
    });
    let results = numbers.map(|(a, id)| ModelMessage::ToolResult {
        call: id.to_owned(),
        name: "add".to_owned(),
        parts: vec![ResultPart::Text(result_of(a))],
        failed: false,
    });
    // Where no tool is offered, calls and results go out as text.
    let mut request = ModelRequest {
        tools: vec![ToolSpec {
            name: "add".to_owned(),
            description: "Adds".to_owned(),
            input_schema: json!({ "type": "object" }),
        }],
        ..hello()
    };
    request.messages.push(ModelMessage::Assistant {
        text: String::new(),
        calls: calls.to_vec(),
        native: None,
    });
    request.messages.extend(results);
    let (_, error) = read(&over(wire, &endpoint.base), request).await;
    assert_eq!(error, None, "{wire:?}");
    let ours = asked(&mut endpoint).await.body;
    let theirs = requests
        .iter()
        .find(|request| has_results(&request.body) && wire_of(&request.head) == wire);
    let theirs = &theirs.expect("the client sent its results").body;
    assert_eq!(exchanged(wire, theirs).len(), 4, "two calls and two results");
    assert_eq!(
        exchanged(wire, theirs),
        exchanged(wire, &ours),
        "{client} {wire:?}"
    );
}

/// The calls and results in a request, each as the vendor names its parts.
fn exchanged(wire: Wire, body: &Value) -> Vec<Value> {
    let parts = |list: &str, parts: &str| -> Vec<Value> {
        let messages = body[list].as_array().cloned().unwrap_or_default();
        let of_message = |message: Value| message[parts].as_array().cloned().unwrap_or(vec![message]);
        messages.into_iter().flat_map(of_message).collect()
    };
    let picked =
        |part: &Value, names: &[&str]| json!(names.iter().map(|name| part[name].clone()).collect::<Vec<_>>());
    let arguments =
        |text: &Value| serde_json::from_str::<Value>(text.as_str().unwrap_or_default()).unwrap_or_default();
    match wire {
        Wire::ChatCompletions | Wire::Azure => parts("messages", "tool_calls")
            .iter()
            .filter_map(|part| match part["role"].as_str() {
                Some("tool") => Some(json!([part["tool_call_id"], text_of(&part["content"])])),
                Some(_) => None,
                None => Some(json!([
                    part["id"],
                    part["type"],
                    part["function"]["name"],
                    arguments(&part["function"]["arguments"])
                ])),
            })
            .collect(),
        Wire::Responses => parts("input", "-")
            .iter()
            .filter_map(|part| match part["type"].as_str()? {
                "function_call" => Some(json!([
                    part["call_id"],
                    part["name"],
                    arguments(&part["arguments"])
                ])),
                "function_call_output" => Some(json!([part["call_id"], text_of(&part["output"])])),
                _ => None,
            })
            .collect(),
        Wire::Anthropic => parts("messages", "content")
            .iter()
            .filter_map(|part| match part["type"].as_str()? {
                "tool_use" => Some(picked(part, &["id", "name", "input"])),
                "tool_result" => Some(json!([part["tool_use_id"], text_of(&part["content"])])),
                _ => None,
            })
            .collect(),
        Wire::Gemini => parts("contents", "parts")
            .iter()
            .filter_map(|part| match (&part["functionCall"], &part["functionResponse"]) {
                (Value::Null, Value::Null) => None,
                (Value::Null, result) => Some(picked(result, &["name", "response"])),
                (call, _) => Some(picked(call, &["name", "args"])),
            })
            .collect(),
        Wire::Ollama => parts("messages", "tool_calls")
            .iter()
            .filter_map(|part| match part["role"].as_str() {
                Some("tool") => Some(picked(part, &["tool_name", "content"])),
                Some(_) => None,
                None => Some(picked(&part["function"], &["name", "arguments"])),
            })
            .collect(),
    }
}

/// A text, or the texts of several parts.
fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let texts = parts.filter_map(|part| part["text"].as_str());
    content.as_str().map_or_else(|| texts.collect(), str::to_owned)
}

/// What a client told after it asked the endpoint at `root`.
async fn tell_by(client: &str, root: &str) -> Value {
    let program = if client.ends_with(".py") {
        installed("models/bin/python")
    } else {
        PathBuf::from("node")
    };
    let mut command = peer(&program);
    command
        .arg(project().join("tests/peers/clients").join(client))
        .arg(root);
    let ran = tokio::time::timeout(LONGEST_CLIENT, command.output())
        .await
        .expect("the client comes to an end")
        .unwrap();
    let complaint = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{client}: {complaint}");
    serde_json::from_slice(&ran.stdout).unwrap()
}
