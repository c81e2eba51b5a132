//! What a server asks of a model.

use serde_json::{Value, json};
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::Role;
use vestibule_protocol::sampling::{CreateMessageResult, SamplingContent};
use vestibule_session::{ServerRequest, SessionOptions};

use super::{opened, opened_with, options, request};

fn said(blocks: &[&str]) -> CreateMessageResult {
    CreateMessageResult {
        role: Role::Assistant,
        content: blocks.iter().copied().map(SamplingContent::text).collect(),
        model: "m".into(),
        stop_reason: Some("endTurn".into()),
    }
}

/// SA-001, SA-007, SA-019, SA-021, ER-003, ER-004.
#[tokio::test(start_paused = true)]
async fn a_wish_for_a_model_arrives_read_and_a_no_has_its_code() {
    let (_handle, mut server, mut events) = opened().await;
    let params = json!({"maxTokens": 9, "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}],
        "tools": [{"name": "t", "inputSchema": {"type": "object"}}], "future": 1});
    server.ask(1, "sampling/createMessage", params.clone()).await;
    let (asked, reply) = request(&mut events).await;
    let ServerRequest::CreateMessage(asked) = asked else {
        panic!("{asked:?}")
    };
    assert_eq!((asked.messages.len(), asked.tools.len()), (1, 1));
    reply.reply_message(said(&["hello"]));
    assert_eq!(
        server.read().await["result"],
        json!({"role": "assistant", "model": "m", "stopReason": "endTurn",
            "content": {"type": "text", "text": "hello"}})
    );
    server.ask(2, "sampling/createMessage", params).await;
    let (_, reply) = request(&mut events).await;
    reply.refuse(-1, "User rejected sampling request");
    assert_eq!(server.read().await["error"]["code"], -1);
}

/// SA-014, SA-016, SA-017, SA-018, ER-004.
#[tokio::test(start_paused = true)]
async fn a_wish_that_breaks_the_rules_is_refused_and_nobody_is_asked() {
    let used =
        json!({"role": "assistant", "content": {"type": "tool_use", "id": "u", "name": "t", "input": {}}});
    let result = json!({"type": "tool_result", "toolUseId": "u", "content": []});
    let mixed = json!({"role": "user", "content": [result, {"type": "text", "text": "a"}]});
    let all = options().capabilities;
    let cases: [(Revision, Value, Value, &str); 6] = [
        (
            Revision::V2025_11_25,
            all.clone(),
            json!({"maxTokens": 5, "messages": [used]}),
            "Tool result missing",
        ),
        (
            Revision::V2025_11_25,
            all.clone(),
            json!({"maxTokens": 5, "messages": [used, mixed]}),
            "Tool results mixed",
        ),
        (
            Revision::V2025_11_25,
            all.clone(),
            json!({"messages": []}),
            "maxTokens",
        ),
        (
            Revision::V2025_11_25,
            json!({"sampling": {}}),
            json!({"maxTokens": 5, "messages": [], "tools": []}),
            "sampling.tools",
        ),
        (
            Revision::V2025_06_18,
            all,
            json!({"maxTokens": 5, "messages": [], "toolChoice": {}}),
            "sampling.tools",
        ),
        (Revision::V2025_11_25, json!({"sampling": {}}), json!([]), ""),
    ];
    for (revision, capabilities, params, why) in cases {
        let options = SessionOptions {
            capabilities,
            ..options()
        };
        let (_handle, mut server, mut events) = opened_with(options, revision, 64).await;
        server.ask(1, "sampling/createMessage", params.clone()).await;
        let error = server.read().await["error"].clone();
        let expected = if params.is_array() { -32600 } else { -32602 };
        assert_eq!(error["code"], expected, "{params}");
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
        assert!(!matches!(
            events.try_recv(),
            Ok(vestibule_session::SessionEvent::Request { .. })
        ));
    }
}

/// SA-008, SA-020, SA-030.
#[tokio::test(start_paused = true)]
async fn several_blocks_are_a_list_only_where_the_revision_has_lists() {
    let params = json!({"maxTokens": 9, "messages": []});
    for (revision, expected) in [
        (
            Revision::V2025_11_25,
            json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        ),
        (Revision::V2025_06_18, json!({"type": "text", "text": "a\n\nb"})),
    ] {
        let (_handle, mut server, mut events) = opened_with(options(), revision, 64).await;
        server.ask(1, "sampling/createMessage", params.clone()).await;
        let (_, reply) = request(&mut events).await;
        reply.reply_message(said(&["a", "b"]));
        assert_eq!(server.read().await["result"]["content"], expected, "{revision}");
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
    reply.reply_message(said(&["a"]));
    let result = server.read().await["result"].clone();
    assert_eq!(result["_meta"], related);
    assert_eq!(result["content"]["text"], "a");
}
