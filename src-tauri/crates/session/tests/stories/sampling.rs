//! What a server asks of a model. What its parts mean is read by the host; here it is whether it may be asked.

use serde_json::{Value, json};
use vestibule_protocol::Revision;
use vestibule_session::{ServerRequest, SessionEvent, SessionOptions};

use super::{opened, opened_with, options, request};

/// SA-001, SA-007, SA-021, ER-003, ER-004.
#[tokio::test(start_paused = true)]
async fn a_wish_for_a_model_arrives_as_it_was_written_and_a_no_has_its_code() {
    let (_handle, mut server, mut events) = opened().await;
    let params = json!({"maxTokens": 9, "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}],
        "tools": [{"name": "t", "inputSchema": {"type": "object"}}], "future": 1});
    server.ask(1, "sampling/createMessage", params.clone()).await;
    let (asked, reply) = request(&mut events).await;
    let ServerRequest::CreateMessage(raw) = asked else {
        panic!("{asked:?}")
    };
    assert_eq!(raw.as_raw().get(), params.to_string());
    reply.refuse(-1, "User rejected sampling request");
    assert_eq!(server.read().await["error"]["code"], -1);
}

/// SA-014, ER-004.
#[tokio::test(start_paused = true)]
async fn tools_that_were_not_declared_and_too_much_at_once_are_refused_and_nobody_is_asked() {
    let all = options().capabilities;
    let without = json!({"sampling": {}});
    let cases: [(Revision, &Value, Value, i64); 5] = [
        (
            Revision::V2025_11_25,
            &without,
            json!({"messages": [], "tools": []}),
            -32602,
        ),
        (
            Revision::V2025_11_25,
            &without,
            json!({"messages": [], "toolChoice": {}}),
            -32602,
        ),
        (
            Revision::V2025_06_18,
            &all,
            json!({"messages": [], "tools": []}),
            -32602,
        ),
        (
            Revision::V2025_11_25,
            &all,
            json!({"systemPrompt": "x".repeat(17 << 20)}),
            -32602,
        ),
        (Revision::V2025_11_25, &all, json!([]), -32600),
    ];
    for (revision, capabilities, params, code) in cases {
        let options = SessionOptions {
            capabilities: capabilities.clone(),
            ..options()
        };
        let (_handle, mut server, mut events) = opened_with(options, revision, 64).await;
        server.ask(1, "sampling/createMessage", params).await;
        assert_eq!(server.read().await["error"]["code"], code);
        assert!(!matches!(events.try_recv(), Ok(SessionEvent::Request { .. })));
    }
}

/// TK-008, TK-014, EF-022: a task of the server is named in the answer, and a wish for one of ours is not heard.
#[tokio::test(start_paused = true)]
async fn an_answer_for_a_task_names_it() {
    let (_handle, mut server, mut events) = opened().await;
    let related = json!({"io.modelcontextprotocol/related-task": {"taskId": "t-1"}});
    let params = json!({"maxTokens": 9, "messages": [], "task": {"ttl": 5}, "_meta": related});
    server.ask(1, "sampling/createMessage", params).await;
    let (_, reply) = request(&mut events).await;
    assert_eq!(reply.origin().task.as_deref(), Some("t-1"));
    reply.reply(&json!({"role": "assistant", "_meta": {"k": 1}}));
    let mut expected = related;
    expected["k"] = json!(1);
    assert_eq!(
        server.read().await["result"],
        json!({"role": "assistant", "_meta": expected})
    );
}
