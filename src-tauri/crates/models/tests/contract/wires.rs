//! The same promises over every wire.

use secrecy::SecretString;

use super::model_answer::{ModelAnswer, USAGE};
use super::*;

/// What Ollama says of a model before it is asked.
pub(crate) fn shown() -> Vec<Step> {
    let about =
        json!({ "model_info": { "llama.context_length": 8192 }, "capabilities": ["completion", "tools"] });
    answer("200 OK", "content-type: application/json\r\n", &about.to_string())
}

/// An endpoint that gives one answer over a wire.
pub(crate) async fn endpoint(said: Vec<Step>) -> FakeEndpoint {
    let mut said = Some(said);
    FakeEndpoint::answering(Box::new(move |request| {
        if request.head.starts_with("POST /api/show ") {
            shown()
        } else {
            said.take().unwrap_or_default()
        }
    }))
    .await
}

pub(crate) fn over(wire: Wire, base: &Url) -> RemoteModel {
    let mut root = base.clone();
    if !matches!(wire, Wire::ChatCompletions | Wire::Responses) {
        root.set_path("");
    }
    remote_model(wire, root, Some(SecretString::from("k-1")), "m".to_owned())
}

async fn heard(wire: Wire, said: Vec<Step>) -> (Vec<ModelEvent>, Option<ModelError>) {
    let endpoint = endpoint(said).await;
    read(&over(wire, &endpoint.base), hello()).await
}

/// The last request that is not about what the model is.
pub(crate) async fn asked(endpoint: &mut FakeEndpoint) -> Recorded {
    loop {
        let request = endpoint.requests.recv().await.unwrap();
        if !request.head.starts_with("POST /api/show ") {
            return request;
        }
    }
}

fn add(id: &str, a: i64) -> (String, &'static str, Value) {
    (id.to_owned(), "add", json!({ "a": a }))
}

#[tokio::test]
async fn words_thoughts_and_counts_arrive() {
    for wire in Wire::ALL {
        let said = ModelAnswer {
            thought: Some(("hm".to_owned(), "c2ln".to_owned())),
            ..ModelAnswer::words("Hei Oslo")
        };
        let (events, error) = heard(wire, said.over(wire)).await;
        assert_eq!(error, None, "{wire:?}");
        assert_eq!(text(&events), "Hei Oslo", "{wire:?}");
        let thoughts = |event: &ModelEvent| matches!(event, ModelEvent::Reasoning(text) if text == "hm");
        assert!(events.iter().any(thoughts), "{wire:?}: {events:?}");
        assert!(events.contains(&ModelEvent::Usage(USAGE)), "{wire:?}: {events:?}");
        assert_eq!(finished(&events), &FinishReason::Stop, "{wire:?}");
    }
}

#[tokio::test]
async fn parallel_calls_arrive_whole_and_in_order() {
    for wire in Wire::ALL {
        let said = ModelAnswer {
            calls: vec![add("c1", 1), add("c2", 2)],
            ..ModelAnswer::words("Let me see.")
        };
        let (events, error) = heard(wire, said.over(wire)).await;
        assert_eq!(error, None, "{wire:?}");
        let expected = [1, 2].map(|a| parsed("add", json!({ "a": a })));
        assert_eq!(calls(&events), expected, "{wire:?}");
        assert_eq!(finished(&events), &FinishReason::ToolCalls, "{wire:?}");
    }
}

#[tokio::test]
async fn the_limit_of_tokens_is_told_from_an_end() {
    for wire in Wire::ALL {
        let said = ModelAnswer {
            cut: true,
            ..ModelAnswer::words("Once upon")
        };
        let (events, error) = heard(wire, said.over(wire)).await;
        assert_eq!(error, None, "{wire:?}");
        assert_eq!(finished(&events), &FinishReason::Length, "{wire:?}");
    }
}

#[tokio::test]
async fn a_reply_without_its_end_is_cut_and_hands_out_no_call() {
    for wire in Wire::ALL {
        let said = ModelAnswer {
            calls: vec![add("c1", 1)],
            ..ModelAnswer::words("Let me see.")
        };
        let (events, error) = heard(wire, said.cut_over(wire)).await;
        assert_eq!(
            (calls(&events), error),
            (vec![], Some(ModelError::Cut)),
            "{wire:?}"
        );
    }
}

/// The status line, further headers and body of a refusal, and whether an error says it.
type Refusal = (&'static str, &'static str, &'static str, fn(&ModelError) -> bool);

#[tokio::test]
async fn refusals_are_the_same_errors() {
    let cases: [Refusal; 6] = [
        ("401 Unauthorized", "", "{}", |error| {
            matches!(error, ModelError::Unauthorized { .. })
        }),
        (
            "404 Not Found",
            "",
            r#"{"error":{"message":"model: m"}}"#,
            |error| matches!(error, ModelError::NoSuchModel { detail, .. } if detail == "model: m"),
        ),
        ("429 Too Many Requests", "retry-after: 3\r\n", "{}", |error| {
            *error
                == ModelError::RateLimited {
                    retry_after: Some(Duration::from_secs(3)),
                    detail: String::new(),
                }
        }),
        ("429 Too Many Requests", "", "{}", |error| {
            *error
                == ModelError::RateLimited {
                    retry_after: None,
                    detail: String::new(),
                }
        }),
        (
            "500 Internal Server Error",
            "",
            r#"[{"error":{"message":"oops k-1"}}]"#,
            |error| {
                *error
                    == ModelError::Refused {
                        status: 500,
                        detail: "oops •••".to_owned(),
                    }
            },
        ),
        (
            "400 Bad Request",
            "",
            r#"{"error":"library/m does not support tools"}"#,
            |error| matches!(error, ModelError::ToolsRefused { model } if model == "m"),
        ),
    ];
    for wire in Wire::ALL {
        for (status, headers, body, expected) in &cases {
            let (events, error) = heard(wire, answer(status, headers, body)).await;
            let error = error.unwrap();
            assert!(
                events.is_empty() && expected(&error),
                "{wire:?} {status}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn odd_bytes_end_the_reply_in_words() {
    let endless = || std::iter::repeat_with(|| Step::Send(vec![b'x'; 256 * 1024])).take(8);
    for wire in Wire::ALL {
        let giant = [stream_head(), send("data: ")]
            .into_iter()
            .chain(endless())
            .collect();
        let (_, error) = heard(wire, giant).await;
        assert!(
            matches!(error, Some(ModelError::TooLarge { .. })),
            "{wire:?}: {error:?}"
        );
        for body in ["<h1>Sign in</h1>", "data: {oops\n\n", "{oops\n", ""] {
            let (events, error) = heard(wire, vec![stream_head(), send(body)]).await;
            assert!(
                error.is_some() && calls(&events).is_empty(),
                "{wire:?} {body:?}: {events:?}"
            );
        }
        // The reply of another vendor runs nothing and does not pass for one.
        for other in Wire::ALL {
            let related = |wire| matches!(wire, Wire::ChatCompletions | Wire::Azure);
            if other == wire || related(wire) && related(other) {
                continue;
            }
            let said = ModelAnswer {
                calls: vec![add("c1", 1)],
                ..ModelAnswer::words("Let me see.")
            };
            let (events, error) = heard(wire, said.over(other)).await;
            assert!(
                error.is_some() && calls(&events).is_empty(),
                "{wire:?} given {other:?}: {events:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_stopped_reply_ends_the_request() {
    for wire in Wire::ALL {
        let mut held = ModelAnswer::words("Hei").cut_over(wire);
        held.push(Step::Hold);
        let mut endpoint = endpoint(held).await;
        let mut stream = over(wire, &endpoint.base).stream(hello()).await.unwrap();
        assert!(
            matches!(stream.next().await, Some(Ok(ModelEvent::Text(text))) if text == "Hei"),
            "{wire:?}"
        );
        drop(stream);
        tokio::time::timeout(GUARD, endpoint.hang_ups.recv())
            .await
            .expect("the endpoint sees the hang-up")
            .unwrap();
    }
}

#[tokio::test]
async fn the_key_goes_where_the_vendor_wants_it_and_never_into_the_address() {
    let headers = [
        (
            Wire::ChatCompletions,
            "authorization",
            "Bearer k-1",
            "/v1/chat/completions",
        ),
        (Wire::Responses, "authorization", "Bearer k-1", "/v1/responses"),
        (Wire::Anthropic, "x-api-key", "k-1", "/v1/messages"),
        (
            Wire::Gemini,
            "x-goog-api-key",
            "k-1",
            "/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
        (Wire::Ollama, "authorization", "Bearer k-1", "/api/chat"),
        (
            Wire::Azure,
            "api-key",
            "k-1",
            "/openai/deployments/m/chat/completions?api-version=2024-10-21",
        ),
    ];
    for (wire, name, value, path) in headers {
        let mut endpoint = endpoint(ModelAnswer::words("Hei").over(wire)).await;
        let (_, error) = read(&over(wire, &endpoint.base), hello()).await;
        assert_eq!(error, None, "{wire:?}");
        let head = asked(&mut endpoint).await.head;
        assert!(
            head.starts_with(&format!("POST {path} HTTP/1.1")),
            "{wire:?}: {head}"
        );
        assert_eq!(header(&head, name), Some(value), "{wire:?}");
        assert_eq!(head.matches("k-1").count(), 1, "{wire:?}: {head}");
    }
}

/// What Ollama reads is what the model can, what the user allows, or a usual length, whichever is least.
#[tokio::test]
async fn ollama_is_told_how_much_to_read() {
    for (allowed, told) in [(None, 8192), (Some(4096), 4096), (Some(100_000), 8192)] {
        let mut endpoint = endpoint(ModelAnswer::words("Hei").over(Wire::Ollama)).await;
        let model = over(Wire::Ollama, &endpoint.base).with_context(allowed);
        assert_eq!(read(&model, hello()).await.1, None);
        assert_eq!(model.facts().await.context, Some(told));
        let body = asked(&mut endpoint).await.body;
        assert_eq!(body["options"]["num_ctx"], told, "{body}");
    }
}

/// Without a length it would read a few thousand tokens and drop the rest without a word.
#[tokio::test]
async fn ollama_is_told_how_much_to_read_also_where_it_does_not_describe_the_model() {
    for (allowed, told) in [(None, 16_384), (Some(4096), 4096)] {
        let mut endpoint = FakeEndpoint::answering(Box::new(|request| {
            match request.head.starts_with("POST /api/show ") {
                true => answer("404 Not Found", "", "no such page"),
                false => ModelAnswer::words("Hei").over(Wire::Ollama),
            }
        }))
        .await;
        let model = over(Wire::Ollama, &endpoint.base).with_context(allowed);
        assert_eq!(read(&model, hello()).await.1, None);
        let body = asked(&mut endpoint).await.body;
        assert_eq!(body["options"]["num_ctx"], told, "{body}");
    }
}

/// Ollama says that the model sees; the user's word stands above it.
#[tokio::test]
async fn the_user_says_whether_an_ollama_model_sees() {
    for (said, sent) in [(None, true), (Some(false), false), (Some(true), true)] {
        let mut endpoint = FakeEndpoint::answering(Box::new(|request| {
            let about = json!({ "model_info": {}, "capabilities": ["completion", "vision"] });
            match request.head.starts_with("POST /api/show ") {
                true => answer("200 OK", "content-type: application/json\r\n", &about.to_string()),
                false => ModelAnswer::words("Hei").over(Wire::Ollama),
            }
        }))
        .await;
        let model = over(Wire::Ollama, &endpoint.base);
        let model = said.map_or(model.clone(), |said| model.with_images_said(said));
        let image = ResultPart::Image {
            mime: "image/png".to_owned(),
            base64: "AAAA".to_owned(),
        };
        let request = ModelRequest {
            messages: vec![ModelMessage::UserParts { parts: vec![image] }],
            ..ModelRequest::default()
        };
        assert_eq!(read(&model, request).await.1, None);
        let body = asked(&mut endpoint).await.body.to_string();
        assert_eq!(body.contains("AAAA"), sent, "{said:?}: {body}");
    }
}

/// An effort that the wire cannot carry is left out, and the model answers.
#[tokio::test]
async fn effort_goes_along_as_each_interface_takes_it() {
    for wire in Wire::ALL {
        let mut endpoint = endpoint(ModelAnswer::words("Hei").over(wire)).await;
        let request = ModelRequest {
            effort: Some(Effort::High),
            ..hello()
        };
        let (events, error) = read(&over(wire, &endpoint.base), request).await;
        assert_eq!((text(&events).as_str(), error), ("Hei", None), "{wire:?}");
        let body = asked(&mut endpoint).await.body;
        let word = match wire {
            Wire::ChatCompletions => body.pointer("/reasoning_effort"),
            Wire::Responses => body.pointer("/reasoning/effort"),
            // The version of the interface at an address of deployments is older than the effort.
            Wire::Azure => {
                assert!(!body.to_string().contains("effort"), "{body}");
                continue;
            }
            Wire::Anthropic | Wire::Gemini | Wire::Ollama => continue,
        };
        assert_eq!(word, Some(&json!("high")), "{wire:?}: {body}");
    }
}

/// Models that think refuse the older name of the limit, and the name of a deployment does not say that it thinks. The
/// version of the interface at an address of deployments does not know the newer name.
#[tokio::test]
async fn azure_takes_the_effort_and_the_limit_as_its_address_does() {
    let newer = (Some(json!("low")), None, Some(json!(64)));
    let older = (None, Some(json!(64)), None);
    for (path, expected) in [("/openai/v1", &newer), ("/openai/v1/", &newer), ("", &older)] {
        let mut endpoint = endpoint(ModelAnswer::words("Hei").over(Wire::Azure)).await;
        let mut base = endpoint.base.clone();
        base.set_path(path);
        let request = ModelRequest {
            effort: Some(Effort::Low),
            max_tokens: Some(64),
            ..hello()
        };
        let model = remote_model(Wire::Azure, base, None, "thinker".to_owned());
        assert_eq!(read(&model, request).await.1, None);
        let body = asked(&mut endpoint).await.body;
        let at = |name: &str| body.get(name).cloned();
        let sent = (
            at("reasoning_effort"),
            at("max_tokens"),
            at("max_completion_tokens"),
        );
        assert_eq!(sent, *expected, "{path}: {body}");
    }
}
