//! What every provider behind the trait promises, shown on an endpoint that misbehaves in the ways real ones do.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod fake_endpoint;

use std::time::{Duration, Instant};

use fake_endpoint::*;
use futures::StreamExt;
use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;
use vestibule_models::*;

const GUARD: Duration = Duration::from_secs(30);

fn provider(base: &Url) -> OpenAiCompatible {
    open_ai_compatible(base.clone(), None, "m".to_owned())
}

fn hello() -> ModelRequest {
    let messages = vec![ModelMessage::User {
        text: "hello".to_owned(),
    }];
    ModelRequest {
        messages,
        ..ModelRequest::default()
    }
}

async fn read(provider: &impl ModelProvider, request: ModelRequest) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut events = Vec::new();
    let mut stream = match provider.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (events, Some(error)),
    };
    loop {
        match tokio::time::timeout(GUARD, stream.next())
            .await
            .expect("the stream goes on")
        {
            Some(Ok(event)) => events.push(event),
            Some(Err(error)) => {
                assert!(stream.next().await.is_none(), "an error is the last item");
                return (events, Some(error));
            }
            None => return (events, None),
        }
    }
}

async fn reply(answer: Vec<Step>) -> (Vec<ModelEvent>, Option<ModelError>) {
    let endpoint = FakeEndpoint::start([answer]).await;
    read(&provider(&endpoint.base), hello()).await
}

fn text(events: &[ModelEvent]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        ModelEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn calls(events: &[ModelEvent]) -> Vec<(String, CallArguments)> {
    let calls = events.iter().filter_map(|event| match event {
        ModelEvent::Call(call) => Some((call.name.clone(), call.arguments.clone())),
        _ => None,
    });
    calls.collect()
}

fn parsed(name: &str, arguments: Value) -> (String, CallArguments) {
    (
        name.to_owned(),
        CallArguments::Parsed(arguments.as_object().unwrap().clone()),
    )
}

fn finished(events: &[ModelEvent]) -> &FinishReason {
    match events.last() {
        Some(ModelEvent::Finished(reason)) => reason,
        other => panic!("the reply ends with a finish, not with {other:?}"),
    }
}

#[tokio::test]
async fn text_reasoning_and_usage_arrive_in_order() {
    let usage = json!({ "object": "chat.completion.chunk", "choices": [],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 } });
    let (events, error) = reply(stream(&[
        delta(json!({ "role": "assistant", "reasoning_content": "hm" })),
        delta(json!({ "content": "Hei " })),
        delta(json!({ "content": "Oslo" })),
        finish("stop"),
        usage,
    ]))
    .await;
    assert_eq!(error, None);
    assert_eq!(
        events,
        [
            ModelEvent::Reasoning("hm".to_owned()),
            ModelEvent::Text("Hei ".to_owned()),
            ModelEvent::Text("Oslo".to_owned()),
            ModelEvent::Usage { input: 7, output: 3 },
            ModelEvent::Finished(FinishReason::Stop),
        ]
    );
}

#[tokio::test]
async fn emoji_split_between_packets_crlf_and_comments_do_no_harm() {
    let body =
        ": keep-alive\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"👩‍👩‍👧 ok\"}}]}\r\n\r\n";
    let cut = body.find('👩').unwrap() + 2;
    let end = format!("data: {}\r\n\r\ndata: [DONE]\r\n\r\n", finish("stop"));
    let (first, second) = body.as_bytes().split_at(cut);
    let steps = vec![
        stream_head(),
        Step::Send(first.to_vec()),
        Step::Send(second.to_vec()),
        Step::Send(end.into_bytes()),
    ];
    let (events, error) = reply(steps).await;
    assert_eq!((text(&events).as_str(), error), ("👩‍👩‍👧 ok", None));
}

#[tokio::test]
async fn interleaved_fragments_of_parallel_calls_are_put_together() {
    let (events, error) = reply(stream(&[
        fragment(json!(0), json!("a"), json!("add"), ""),
        fragment(json!(1), json!("b"), json!("weather"), "{\"city\""),
        fragment(json!(0), Value::Null, Value::Null, "{\"a\":1,"),
        fragment(json!(1), Value::Null, Value::Null, ":\"Oslo\"}"),
        fragment(json!(0), Value::Null, Value::Null, "\"b\":2}"),
        finish("tool_calls"),
    ]))
    .await;
    assert_eq!(error, None);
    let expected = [
        parsed("add", json!({ "a": 1, "b": 2 })),
        parsed("weather", json!({ "city": "Oslo" })),
    ];
    assert_eq!(calls(&events), expected);
    assert_eq!(finished(&events), &FinishReason::ToolCalls);
}

#[tokio::test]
async fn calls_that_share_an_index_or_have_none_stay_apart() {
    for index in [json!(0), Value::Null] {
        let (events, error) = reply(stream(&[
            fragment(index.clone(), json!("a"), json!("add"), "{\"a\":1}"),
            fragment(index.clone(), json!("b"), json!("add"), "{\"a\":2}"),
            finish("tool_calls"),
        ]))
        .await;
        assert_eq!(error, None);
        assert_eq!(
            calls(&events),
            [parsed("add", json!({ "a": 1 })), parsed("add", json!({ "a": 2 }))]
        );
    }
}

#[tokio::test]
async fn arguments_that_were_cut_or_are_no_object_are_never_runnable() {
    let cases = [
        ("{\"path\":\"/ho", "length"),
        ("", "length"),
        ("[1]", "tool_calls"),
        ("{\"a\":1}}", "tool_calls"),
    ];
    for (arguments, reason) in cases {
        let chunks = [
            fragment(json!(0), json!("a"), json!("delete"), arguments),
            finish(reason),
        ];
        let (events, error) = reply(stream(&chunks)).await;
        assert_eq!(error, None, "{arguments}");
        let [(_, CallArguments::Invalid { raw, .. })] = &calls(&events)[..] else {
            panic!("{arguments} must come out as one invalid call: {events:?}");
        };
        assert_eq!(raw, arguments);
    }
}

#[tokio::test]
async fn two_calls_without_index_and_id_never_become_a_runnable_mixture() {
    let (events, _) = reply(stream(&[
        fragment(json!(0), Value::Null, json!("add"), "{\"a\":1}"),
        fragment(json!(0), Value::Null, json!("forget"), "{\"key\":\"k\"}"),
        finish("tool_calls"),
    ]))
    .await;
    for call in calls(&events) {
        let whole = [
            parsed("add", json!({ "a": 1 })),
            parsed("forget", json!({ "key": "k" })),
        ];
        assert!(
            whole.contains(&call) || matches!(call.1, CallArguments::Invalid { .. }),
            "{call:?}"
        );
    }
}

#[tokio::test]
async fn a_reply_that_ends_without_its_end_is_cut_and_hands_out_no_call() {
    let events = format!(
        "data: {}\n\n",
        fragment(json!(0), json!("a"), json!("add"), "{\"a\":1}")
    );
    let (events, error) = reply(vec![stream_head(), send(&events)]).await;
    assert_eq!((calls(&events), error), (vec![], Some(ModelError::Cut)));
}

#[tokio::test]
async fn a_connection_that_breaks_is_cut() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\n";
    let (_, error) = reply(vec![
        send(head),
        send(&format!("data: {}\n\n", delta(json!({ "content": "a" })))),
    ])
    .await;
    assert_eq!(error, Some(ModelError::Cut));
}

#[tokio::test]
async fn an_error_in_the_middle_ends_the_reply_with_its_words() {
    let body = json!({ "error": { "message": "out of memory", "type": "server_error" } });
    let (events, error) = reply(stream(&[delta(json!({ "content": "Hei" })), body])).await;
    assert_eq!(text(&events), "Hei");
    assert_eq!(
        error,
        Some(ModelError::Refused {
            status: 200,
            detail: "out of memory".to_owned()
        })
    );
}

#[tokio::test]
async fn an_absurd_index_costs_nothing() {
    let chunks = [
        fragment(json!(20_000_000), json!("a"), json!("add"), "{}"),
        finish("tool_calls"),
    ];
    let (events, error) = reply(stream(&chunks)).await;
    assert_eq!((calls(&events), error), (vec![parsed("add", json!({}))], None));
}

#[tokio::test]
async fn a_giant_line_is_refused_at_the_limit_and_quickly() {
    let limits = Limits::default();
    let endless = std::iter::repeat_with(|| Step::Send(vec![b'x'; 256 * 1024])).take(64);
    let started = Instant::now();
    let (_, error) = reply(
        [stream_head(), send("data: ")]
            .into_iter()
            .chain(endless)
            .collect(),
    )
    .await;
    assert_eq!(error, Some(ModelError::TooLarge { limit: limits.line }));
    assert!(started.elapsed() < GUARD / 3, "took {:?}", started.elapsed());
}

#[tokio::test]
async fn a_reply_without_end_is_refused_at_the_limit() {
    let endpoint = FakeEndpoint::start([[stream_head()]
        .into_iter()
        .chain(
            std::iter::repeat_with(|| send(&format!("data: {}\n\n", delta(json!({ "content": "blah" })))))
                .take(200),
        )
        .chain([Step::Hold])
        .collect()])
    .await;
    let limits = Limits {
        reply: 10_000,
        ..Limits::default()
    };
    let (events, error) = read(&provider(&endpoint.base).with_limits(limits), hello()).await;
    assert!(text(&events).starts_with("blah"));
    assert_eq!(error, Some(ModelError::TooLarge { limit: 10_000 }));
}

#[tokio::test]
async fn deeply_nested_arguments_end_the_reply() {
    let chunks: Vec<Value> = (0..20)
        .map(|_| fragment(json!(0), json!("a"), json!("add"), &"[\"\",".repeat(50)))
        .collect();
    let (events, error) = reply(stream(&chunks)).await;
    assert!(matches!(error, Some(ModelError::Malformed { .. })), "{error:?}");
    assert_eq!(calls(&events), []);
}

#[tokio::test]
async fn statuses_become_the_errors_a_person_is_told() {
    let missing = r#"{"error":{"message":"model 'm' not found","type":"not_found"}}"#;
    let endpoint_of = |base: &Url| format!("127.0.0.1:{}", base.port().unwrap());
    type Expected = fn(String) -> ModelError;
    let cases: [(&str, &str, &str, Expected, bool); 7] = [
        (
            "401 Unauthorized",
            "",
            "{}",
            |endpoint| ModelError::Unauthorized { endpoint },
            false,
        ),
        (
            "404 Not Found",
            "",
            missing,
            |endpoint| ModelError::NoSuchModel {
                endpoint,
                model: "m".to_owned(),
            },
            false,
        ),
        (
            "404 Not Found",
            "",
            "no such page",
            |_| ModelError::Refused {
                status: 404,
                detail: "no such page".to_owned(),
            },
            false,
        ),
        (
            "429 Too Many Requests",
            "retry-after: 17\r\n",
            "{}",
            |_| ModelError::RateLimited {
                retry_after: Some(Duration::from_secs(17)),
            },
            true,
        ),
        (
            "429 Too Many Requests",
            "",
            "{}",
            |_| ModelError::RateLimited { retry_after: None },
            true,
        ),
        (
            "400 Bad Request",
            "",
            r#"{"error":"too\nlong"}"#,
            |_| ModelError::Refused {
                status: 400,
                detail: "too long".to_owned(),
            },
            false,
        ),
        (
            "503 Service Unavailable",
            "",
            "busy",
            |_| ModelError::Refused {
                status: 503,
                detail: "busy".to_owned(),
            },
            true,
        ),
    ];
    for (status, headers, body, expected, retryable) in cases {
        let endpoint = FakeEndpoint::start([answer(status, headers, body)]).await;
        let (events, error) = read(&provider(&endpoint.base), hello()).await;
        let error = error.expect("a refusal is an error");
        assert_eq!(
            (events, &error),
            (vec![], &expected(endpoint_of(&endpoint.base))),
            "{status}"
        );
        assert_eq!(error.retryable(), retryable, "{status}");
    }
}

#[tokio::test]
async fn a_redirect_is_refused_and_nothing_is_sent_to_its_target() {
    let mut target = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let location = format!("location: {}/chat/completions\r\n", target.base);
    let origin = FakeEndpoint::start([answer("307 Temporary Redirect", &location, "")]).await;
    let key = Some(SecretString::from("sk-secret"));
    let provider = open_ai_compatible(origin.base.clone(), key, "m".to_owned());
    let (_, error) = read(&provider, hello()).await;
    assert!(matches!(error, Some(ModelError::Redirected { .. })), "{error:?}");
    assert!(target.requests.try_recv().is_err());
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_unreachable() {
    let unused = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let base = Url::parse(&format!("http://{unused}/v1")).unwrap();
    let (_, error) = read(&provider(&base), hello()).await;
    let Some(ModelError::Unreachable { endpoint, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(endpoint, &unused.to_string());
    assert!(provider(&base).models().await.unwrap_err().retryable());
}

#[tokio::test]
async fn a_silent_endpoint_times_out_before_and_inside_the_reply() {
    let limits = Limits {
        first_byte: Duration::from_millis(80),
        idle: Duration::from_millis(60),
        total: Duration::from_secs(5),
        ..Limits::default()
    };
    let said = format!("data: {}\n\n", delta(json!({ "content": "Hei" })));
    let cases = [
        (vec![Step::Hold], "", limits.first_byte),
        (vec![stream_head(), send(&said), Step::Hold], "Hei", limits.idle),
    ];
    for (steps, heard, after) in cases {
        let mut endpoint = FakeEndpoint::start([steps]).await;
        let (events, error) = read(&provider(&endpoint.base).with_limits(limits), hello()).await;
        assert_eq!(
            (text(&events).as_str(), error),
            (heard, Some(ModelError::TimedOut { after }))
        );
        tokio::time::timeout(GUARD, endpoint.hang_ups.recv())
            .await
            .unwrap()
            .unwrap();
    }
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let said = format!("data: {}\n\n", delta(json!({ "content": "Hei" })));
    let mut endpoint = FakeEndpoint::start([vec![stream_head(), send(&said), Step::Hold]]).await;
    let mut stream = provider(&endpoint.base).stream(hello()).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Hei".to_owned()))));
    drop(stream);
    tokio::time::timeout(GUARD, endpoint.hang_ups.recv())
        .await
        .expect("the endpoint sees the hang-up")
        .unwrap();
}

#[tokio::test]
async fn a_reply_that_is_not_a_stream_is_malformed() {
    let (_, error) = reply(answer(
        "200 OK",
        "content-type: text/html\r\n",
        "<h1>Sign in</h1>",
    ))
    .await;
    assert!(matches!(error, Some(ModelError::Malformed { .. })), "{error:?}");
}

#[tokio::test]
async fn the_key_is_sent_as_bearer_and_never_appears_in_errors() {
    let echo = r#"{"error":{"message":"key sk-secret is odd"}}"#;
    let mut endpoint = FakeEndpoint::start([answer("403 Forbidden", "", echo)]).await;
    let key = Some(SecretString::from("sk-secret"));
    let provider = open_ai_compatible(endpoint.base.clone(), key, "m".to_owned());
    let (_, error) = read(&provider, hello()).await;
    let head = endpoint.requests.recv().await.unwrap().head;
    assert_eq!(header(&head, "authorization"), Some("Bearer sk-secret"));
    assert_eq!(
        error,
        Some(ModelError::Refused {
            status: 403,
            detail: "key ••• is odd".to_owned()
        })
    );
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let (_, error) = read(&provider(&endpoint.base), hello()).await;
    assert_eq!(error, None);
    assert_eq!(
        header(&endpoint.requests.recv().await.unwrap().head, "authorization"),
        None
    );
}

#[tokio::test]
async fn plain_http_to_another_computer_needs_permission_and_odd_addresses_are_refused() {
    let refused = |address: &str| {
        let provider = open_ai_compatible(Url::parse(address).unwrap(), None, "m".to_owned());
        async move { read(&provider, hello()).await.1 }
    };
    let insecure = Some(ModelError::Insecure {
        endpoint: "models.example:8080".to_owned(),
    });
    assert_eq!(refused("http://models.example:8080/v1").await, insecure);
    for odd in [
        "https://user:pw@models.example/v1",
        "https://models.example/v1?x=1",
        "ftp://models.example/",
    ] {
        assert!(
            matches!(refused(odd).await, Some(ModelError::Unsendable { .. })),
            "{odd}"
        );
    }
    let allowed = open_ai_compatible(Url::parse("http://127.0.0.2:9/v1").unwrap(), None, "m".to_owned());
    assert!(!matches!(
        allowed.allow_plain_http().models().await,
        Err(ModelError::Insecure { .. })
    ));
}

#[tokio::test]
async fn a_conversation_with_calls_and_results_is_sent_whole() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let call = |id: &str, arguments| ModelCall {
        id: id.to_owned(),
        name: "t__add".to_owned(),
        arguments,
    };
    let whole = CallArguments::Parsed(json!({ "a": 1 }).as_object().unwrap().clone());
    let garbled = CallArguments::Invalid {
        raw: "{\"a".to_owned(),
        reason: "cut".to_owned(),
    };
    let result = |call: &str, parts| ModelMessage::ToolResult {
        call: call.to_owned(),
        name: "t__add".to_owned(),
        parts,
        failed: false,
    };
    let image = ResultPart::Image {
        mime: "image/png".to_owned(),
        base64: "AAAA".to_owned(),
    };
    let request = ModelRequest {
        system: Some("Be brief.".to_owned()),
        messages: vec![
            ModelMessage::User {
                text: "hi".to_owned(),
            },
            ModelMessage::Assistant {
                text: String::new(),
                calls: vec![call("c1", whole), call("c2", garbled)],
            },
            result("c1", vec![ResultPart::Text("3".to_owned()), image]),
            result("c2", vec![]),
            ModelMessage::User {
                text: "thanks".to_owned(),
            },
        ],
        tools: vec![ToolSpec {
            name: "t__add".to_owned(),
            description: "Adds".to_owned(),
            input_schema: json!({ "type": "object" }),
        }],
        max_tokens: Some(64),
        ..ModelRequest::default()
    };
    let (_, error) = read(&provider(&endpoint.base), request).await;
    assert_eq!(error, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    let at = |pointer: &str| body.pointer(pointer).cloned().unwrap_or(Value::Null);
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "user"]);
    assert_eq!(
        (at("/model"), at("/stream"), at("/max_tokens")),
        (json!("m"), json!(true), json!(64))
    );
    assert_eq!(at("/tools/0/function/name"), "t__add");
    assert_eq!(at("/messages/2/tool_calls/0/function/arguments"), "{\"a\":1}");
    assert_eq!(at("/messages/3/tool_call_id"), "c1");
    assert!(
        !body.to_string().contains("AAAA"),
        "an image goes only to models that take images"
    );
    assert!(at("/messages/3/content").to_string().contains("image/png"));
}

/// SA-015, SA-009: what a server says about tools, words and length reaches the model.
#[tokio::test]
async fn pieces_and_choices_are_sent_as_they_were_given() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")]), stream(&[finish("stop")])]).await;
    let image = ResultPart::Image {
        mime: "image/png".to_owned(),
        base64: "AAAA".to_owned(),
    };
    let tool = ToolSpec {
        name: "add".to_owned(),
        description: "Adds".to_owned(),
        input_schema: json!({ "type": "object" }),
    };
    let request = |tool_use| ModelRequest {
        messages: vec![ModelMessage::UserParts {
            parts: vec![ResultPart::Text("what is this".to_owned()), image.clone()],
        }],
        tools: vec![tool.clone()],
        tool_use,
        temperature: Some(0.25),
        stop: vec!["END".to_owned()],
        ..ModelRequest::default()
    };
    let seeing = provider(&endpoint.base).with_images(true);
    assert_eq!(read(&seeing, request(ToolUse::Required)).await.1, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["temperature"], 0.25);
    assert_eq!(body["stop"], json!(["END"]));
    assert!(
        body["messages"]
            .to_string()
            .contains("data:image/png;base64,AAAA"),
        "{body}"
    );

    let blind = provider(&endpoint.base);
    assert_eq!(read(&blind, request(ToolUse::Never)).await.1, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    assert_eq!(body["tool_choice"], "none");
    assert!(!body.to_string().contains("AAAA"), "{body}");
    assert!(
        body["messages"].to_string().contains("this model cannot"),
        "{body}"
    );
}

#[tokio::test]
async fn models_are_listed_by_name() {
    let listing = r#"{"object":"list","data":[{"id":"llama3.1"},{"id":""},{"id":"qwen3"}]}"#;
    let endpoint =
        FakeEndpoint::start([answer("200 OK", "content-type: application/json\r\n", listing)]).await;
    assert_eq!(
        provider(&endpoint.base).models().await,
        Ok(vec!["llama3.1".to_owned(), "qwen3".to_owned()])
    );
}

#[tokio::test]
async fn a_label_names_the_model_and_the_place() {
    let provider = open_ai_compatible(
        Url::parse("http://localhost:11434/v1").unwrap(),
        None,
        "llama3.1".to_owned(),
    );
    assert_eq!(
        (provider.label(), provider.scripted()),
        ("llama3.1 · localhost:11434", false)
    );
}
