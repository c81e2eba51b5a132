//! llama.cpp's own server, from PyPI's `xllamacpp`, with a model of 240 kB that is made on the spot: the chat template,
//! the grammar of calls and the stream are those that users meet.

use std::path::{Path, PathBuf};

use secrecy::SecretString;

use super::peers::{Listening, installed, peer, project};
use super::*;

const ARGUMENTS: &str = r#"{"message": "Hello from a small model"}"#;
const ANSWER: &str = "The tool has answered.";

/// Makes the model, in the form that makes its call or (`text`) in the one that writes it.
async fn made(form: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("made-{form}.gguf"));
    let mut command = peer(&installed("models/bin/python"));
    command
        .arg(project().join("tests/peers/models/made_model.py"))
        .arg(&file)
        .args(["everything__echo", ARGUMENTS, ANSWER, form]);
    assert!(command.status().await.unwrap().success());
    file
}

async fn served(form: &str) -> (Listening, RemoteModel) {
    let mut command = peer(&installed("models/bin/python"));
    command
        .arg(project().join("tests/peers/models/gguf_server.py"))
        .arg(made(form).await)
        .arg("k-1");
    let server = Listening::start(command).await;
    let base = server.root.join("/v1").unwrap();
    let model = remote_model(
        Wire::ChatCompletions,
        base,
        Some(SecretString::from("k-1")),
        "made".to_owned(),
    );
    (server, model)
}

fn offering() -> ModelRequest {
    let message = json!({ "type": "string", "description": "What to echo" });
    ModelRequest {
        tools: vec![ToolSpec {
            name: "everything__echo".to_owned(),
            description: "Echoes".to_owned(),
            input_schema: json!({ "type": "object", "properties": { "message": message }, "required": ["message"] }),
        }],
        ..hello()
    }
}

fn call_made(events: &[ModelEvent]) -> ModelCall {
    let call = events.iter().find_map(|event| match event {
        ModelEvent::Call(call) => Some(call.clone()),
        _ => None,
    });
    call.expect("the model makes a call")
}

/// The conversation with the call that was made and what came of it.
fn answered(events: &[ModelEvent]) -> ModelRequest {
    let call = call_made(events);
    let result = ModelMessage::ToolResult {
        call: call.id.clone(),
        name: call.name.clone(),
        parts: vec![ResultPart::Text("Echo: Hello from a small model".to_owned())],
        failed: false,
    };
    let spoken = ModelMessage::Assistant {
        text: text(events),
        calls: vec![call],
        native: None,
    };
    let mut request = offering();
    request.messages.extend([spoken, result]);
    request
}

/// Twenty times the same, from the call to the answer that the result brings.
#[tokio::test]
async fn its_model_calls_a_tool_and_reads_the_result_each_time() {
    let (_server, model) = served("call").await;
    for run in 0..20 {
        let (events, error) = read(&model, offering()).await;
        assert_eq!(error, None, "{run}");
        let expected: Value = serde_json::from_str(ARGUMENTS).unwrap();
        assert_eq!(calls(&events), [parsed("everything__echo", expected)], "{run}");
        assert_eq!(finished(&events), &FinishReason::ToolCalls, "{run}");
        let (events, error) = read(&model, answered(&events)).await;
        assert_eq!((text(&events).as_str(), error), (ANSWER, None), "{run}");
        assert_eq!(finished(&events), &FinishReason::Stop, "{run}");
        let counted = |event: &ModelEvent| matches!(event, ModelEvent::Usage(usage) if usage.output > 0);
        assert!(events.iter().any(counted), "{run}: {events:?}");
    }
}

/// As small models do nearly always. The host recognises it; on the wire it is words.
#[tokio::test]
async fn a_call_its_model_writes_as_text_arrives_as_text() {
    let (_server, model) = served("text").await;
    let (events, error) = read(&model, offering()).await;
    assert_eq!(error, None);
    assert_eq!(calls(&events), vec![]);
    let written = format!("```json\n{{\"name\": \"everything__echo\", \"arguments\": {ARGUMENTS}}}\n```");
    assert_eq!(text(&events), written);
}

#[tokio::test]
async fn it_lists_its_model_and_refuses_another_key() {
    let (server, model) = served("listed").await;
    assert_eq!(model.models().await.unwrap(), ["made-listed"]);
    let base = server.root.join("/v1").unwrap();
    let other = open_ai_compatible(base, Some(SecretString::from("k-2")), "made".to_owned());
    let (_, error) = read(&other, hello()).await;
    assert!(
        matches!(error, Some(ModelError::Unauthorized { .. })),
        "{error:?}"
    );
}
