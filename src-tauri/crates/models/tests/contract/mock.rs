//! A mock of the vendors' interfaces that others wrote, npm's `@copilotkit/aimock`, unmodified, over each wire. What it
//! says is in `tests/peers/models/aimock.json`. It takes no request without the key.

use secrecy::SecretString;

use super::peers::{Listening, installed, peer, project};
use super::*;

async fn mock() -> Listening {
    let mut command = peer(std::path::Path::new("node"));
    command
        .arg(installed("npm/node_modules/@copilotkit/aimock/dist/cli.js"))
        .args([
            "--port",
            "0",
            "--strict",
            "--validate-on-load",
            "--chunk-size",
            "5",
            "--fixtures",
        ])
        .arg(project().join("tests/peers/models/aimock.json"))
        .env("AIMOCK_API_KEYS", "k-1");
    Listening::start(command).await
}

fn with_key(wire: Wire, root: &Url, key: &str) -> RemoteModel {
    let mut base = root.clone();
    if matches!(wire, Wire::ChatCompletions | Wire::Responses) {
        base.set_path("/v1");
    }
    remote_model(wire, base, Some(SecretString::from(key)), "m".to_owned())
}

fn said(text: &str) -> ModelRequest {
    let messages = vec![ModelMessage::User {
        text: text.to_owned(),
    }];
    let tools = vec![ToolSpec {
        name: "add".to_owned(),
        description: "Adds".to_owned(),
        input_schema: json!({ "type": "object", "properties": { "a": { "type": "integer" } } }),
    }];
    ModelRequest {
        messages,
        tools,
        ..ModelRequest::default()
    }
}

#[tokio::test]
async fn it_is_heard_over_every_wire() {
    let mock = mock().await;
    for wire in Wire::ALL {
        let (events, error) = read(&with_key(wire, &mock.root, "k-1"), said("Say hello.")).await;
        assert_eq!(error, None, "{wire:?}");
        assert_eq!(text(&events), "Hei from Oslo, at last.", "{wire:?}");
        assert_eq!(finished(&events), &FinishReason::Stop, "{wire:?}");
        let thoughts = events.iter().filter_map(|event| match event {
            ModelEvent::Reasoning(text) => Some(text.as_str()),
            _ => None,
        });
        // It gives Ollama's thoughts the name they have in Chat Completions, and counts no tokens there.
        if wire != Wire::Ollama {
            assert_eq!(thoughts.collect::<String>(), "They want a greeting.", "{wire:?}");
            let usage = Usage {
                input: 7,
                output: 3,
                cached: 0,
                cache_written: 0,
            };
            assert!(events.contains(&ModelEvent::Usage(usage)), "{wire:?}: {events:?}");
        }
    }
}

/// The calls go back to it as they came, with their results, and it goes on.
#[tokio::test]
async fn its_parallel_calls_are_made_and_their_results_reach_it_over_every_wire() {
    let mock = mock().await;
    for wire in Wire::ALL {
        let model = with_key(wire, &mock.root, "k-1");
        let mut request = said("Add one and two.");
        let (events, error) = read(&model, request.clone()).await;
        assert_eq!(error, None, "{wire:?}");
        let expected = [1, 2].map(|a| parsed("add", json!({ "a": a })));
        assert_eq!(calls(&events), expected, "{wire:?}");
        // Over Gemini it ends with FUNCTION_CALL, a word of its own: Google has none for calls.
        assert_eq!(finished(&events), &FinishReason::ToolCalls, "{wire:?}");
        request.messages.extend(round(&events));
        let (events, error) = read(&model, request).await;
        assert_eq!(error, None, "{wire:?}");
        assert_eq!(text(&events), "That makes three.", "{wire:?}");
    }
}

/// What was said, and a result for each call.
fn round(events: &[ModelEvent]) -> Vec<ModelMessage> {
    let calls = events.iter().filter_map(|event| match event {
        ModelEvent::Call(call) => Some(call.clone()),
        _ => None,
    });
    let calls: Vec<_> = calls.collect();
    let native = events.iter().find_map(|event| match event {
        ModelEvent::Native(reply) => NativeReply::from_json(reply.to_json()),
        _ => None,
    });
    let results: Vec<_> = calls
        .iter()
        .map(|call| ModelMessage::ToolResult {
            call: call.id.clone(),
            name: call.name.clone(),
            parts: vec![ResultPart::Text("1".to_owned())],
            failed: false,
        })
        .collect();
    let spoken = ModelMessage::Assistant {
        text: text(events),
        calls,
        native,
    };
    [spoken].into_iter().chain(results).collect()
}

#[tokio::test]
async fn its_refusals_are_told_apart_over_every_wire() {
    let mock = mock().await;
    for wire in Wire::ALL {
        let (_, error) = read(&with_key(wire, &mock.root, "k-2"), said("Say hello.")).await;
        assert!(
            matches!(error, Some(ModelError::Unauthorized { .. })),
            "{wire:?}: {error:?}"
        );
        let (_, error) = read(&with_key(wire, &mock.root, "k-1"), said("Refuse.")).await;
        let wait = Some(Duration::from_secs(3));
        let detail = "You ask too much.".to_owned();
        assert_eq!(
            error,
            Some(ModelError::RateLimited {
                retry_after: wait,
                detail
            }),
            "{wire:?}"
        );
    }
}
