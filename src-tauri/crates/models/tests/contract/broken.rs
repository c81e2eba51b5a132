//! Endpoints that break off, go on without end, or say no: each reply ends with one error that says which.

use std::time::Instant;

use super::*;

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
    let body = json!({ "error": { "message": "out of memory", "type": "cuda" } });
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
    let limits = ModelLimits::default();
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
    let limits = ModelLimits {
        reply: 10_000,
        ..ModelLimits::default()
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
    let cases: [(&str, &str, &str, Expected, bool); 10] = [
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
                detail: "model 'm' not found".to_owned(),
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
                detail: String::new(),
            },
            true,
        ),
        (
            "429 Too Many Requests",
            "",
            r#"{"error":{"message":"m is limited upstream.\nAdd your own key."}}"#,
            |_| ModelError::RateLimited {
                retry_after: None,
                detail: "m is limited upstream. Add your own key.".to_owned(),
            },
            true,
        ),
        (
            "429 Too Many Requests",
            "",
            "{}",
            |_| ModelError::RateLimited {
                retry_after: None,
                detail: String::new(),
            },
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
            "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:50:37 GMT\r\n",
            "busy",
            |_| ModelError::RateLimited {
                retry_after: Some(Duration::from_secs(60)),
                detail: "busy".to_owned(),
            },
            true,
        ),
        (
            "529 Overloaded",
            "",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            |_| ModelError::RateLimited {
                retry_after: None,
                detail: "Overloaded".to_owned(),
            },
            true,
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

/// The model is there and may not be used so: the words say what to do, and that it is missing would be untrue.
#[tokio::test]
async fn a_model_that_is_refused_for_another_reason_is_not_called_missing() {
    for (said, code) in [
        (
            "This model is only supported in v1/responses and not in v1/chat/completions.",
            Value::Null,
        ),
        (
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
            Value::Null,
        ),
        (
            "No endpoints found matching your data policy (Free model publication).",
            json!(404),
        ),
        (
            "Your organization must be verified to use the model `m`.",
            json!("model_not_found"),
        ),
    ] {
        let body = json!({ "error": { "message": said, "code": code } });
        let (_, error) = reply(answer("404 Not Found", "", &body.to_string())).await;
        let expected = ModelError::Refused {
            status: 404,
            detail: said.to_owned(),
        };
        assert_eq!(error, Some(expected));
    }
    for (said, code) in [
        (
            "The model `m` does not exist or you do not have access to it.",
            json!("model_not_found"),
        ),
        ("models/m is not found for API version v1beta", json!(404)),
        (r#"model "m" not found, try pulling it first"#, Value::Null),
    ] {
        let body = json!({ "error": { "message": said, "code": code } });
        let (_, error) = reply(answer("404 Not Found", "", &body.to_string())).await;
        assert!(
            matches!(&error, Some(ModelError::NoSuchModel { detail, .. }) if detail == said),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_chat_that_is_too_long_is_no_other_refusal() {
    for (status, said, code) in [
        (
            "400 Bad Request",
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
            json!("context_length_exceeded"),
        ),
        (
            "400 Bad Request",
            "prompt is too long: 212345 tokens > 200000 maximum",
            Value::Null,
        ),
        (
            "400 Bad Request",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            json!(400),
        ),
        (
            "400 Bad Request",
            "the request exceeds the available context size, try increasing it",
            Value::Null,
        ),
        (
            "413 Payload Too Large",
            "Too long.",
            json!("context_length_exceeded"),
        ),
    ] {
        let body = json!({ "error": { "message": said, "code": code } });
        let endpoint = FakeEndpoint::start([answer(status, "", &body.to_string())]).await;
        let (_, error) = read(&provider(&endpoint.base), hello()).await;
        let detail = said.to_owned();
        assert_eq!(error, Some(ModelError::ContextExceeded { detail }));
    }
}

/// No wait helps there, so the user reads what the vendor says instead of being asked to wait.
#[tokio::test]
async fn an_account_without_credit_is_no_rate_limit() {
    let message = "You exceeded your current quota, please check your plan and billing details.";
    for (kind, code) in [
        ("insufficient_quota", json!("insufficient_quota")),
        ("insufficient_quota", Value::Null),
        ("exceeded_current_quota_error", Value::Null),
    ] {
        let body = json!({ "error": { "message": message, "type": kind, "param": null, "code": code } });
        let refused = answer("429 Too Many Requests", "retry-after: 3\r\n", &body.to_string());
        let (_, error) = reply(refused).await;
        let expected = ModelError::Refused {
            status: 429,
            detail: message.to_owned(),
        };
        assert!(!expected.retryable());
        assert_eq!(error, Some(expected), "{kind} {code}");
    }
}

#[tokio::test]
async fn a_silent_endpoint_times_out_before_and_inside_the_reply() {
    let limits = ModelLimits {
        first_byte: GUARD / 2,
        idle: GUARD / 3,
        ..ModelLimits::default()
    };
    let mut silent = FakeEndpoint::start([vec![Step::Hold]]).await;
    let model = provider(&silent.base).with_limits(limits);
    let asked = async {
        silent.requests.recv().await.unwrap();
        pass(limits.first_byte).await;
    };
    let (reply, ()) = tokio::join!(read(&model, hello()), asked);
    let after = limits.first_byte;
    assert_eq!(reply, (vec![], Some(ModelError::TimedOut { after })));

    let said = format!("data: {}\n\n", delta(json!({ "content": "Hei" })));
    let mut stalled = FakeEndpoint::start([vec![stream_head(), send(&said), Step::Hold]]).await;
    let model = provider(&stalled.base).with_limits(limits);
    let mut stream = model.stream(hello()).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Hei".to_owned()))));
    let (next, ()) = tokio::join!(stream.next(), pass(limits.idle));
    let after = limits.idle;
    assert_eq!(next, Some(Err(ModelError::TimedOut { after })));
    assert_eq!(stream.next().await, None);

    // It went on and on, and nothing says that it was silent.
    let limits = ModelLimits {
        total: limits.idle / 2,
        ..limits
    };
    let mut endless = FakeEndpoint::start([vec![stream_head(), send(&said), Step::Hold]]).await;
    let model = provider(&endless.base).with_limits(limits);
    let mut stream = model.stream(hello()).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Hei".to_owned()))));
    let (next, ()) = tokio::join!(stream.next(), pass(limits.total));
    let error = ModelError::RanTooLong { after: limits.total };
    assert!(!error.retryable());
    assert_eq!(next, Some(Err(error)));

    for endpoint in [&mut silent, &mut stalled, &mut endless] {
        tokio::time::timeout(GUARD, endpoint.hang_ups.recv())
            .await
            .unwrap()
            .unwrap();
    }
}

/// Lets this time pass at once.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
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
