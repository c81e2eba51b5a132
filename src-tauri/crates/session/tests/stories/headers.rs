//! What modern HTTP repeats in headers.

use serde_json::{Value, json};
use vestibule_session::{CallError, CallOptions, SessionEvent, SessionHandle, Wire};
use vestibule_transport::{OutgoingKind, Sent};

use super::{Server, event, modern_over, no_arguments, options, text};

async fn over(wire: Wire) -> (SessionHandle, Server, super::Events) {
    modern_over(
        wire,
        options(),
        json!({"tools": {}, "resources": {}, "prompts": {}}),
    )
    .await
}

/// The next request with its headers; what else the wire was told is passed over.
async fn request(server: &mut Server) -> (Value, Vec<(String, String)>) {
    loop {
        if let Sent::Frame(outgoing) = server.sent().await
            && let OutgoingKind::Request { headers, .. } = outgoing.kind
        {
            return (serde_json::from_slice(&outgoing.frame).unwrap(), headers);
        }
    }
}

fn tool(name: &str, properties: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

async fn list(handle: &SessionHandle, server: &mut Server, tools: Value) -> Vec<(String, String)> {
    let serve = async {
        let (message, _) = request(server).await;
        assert_eq!(message["method"], "tools/list");
        server.answer(&message["id"], json!({"tools": tools})).await;
    };
    let (listing, ()) = tokio::join!(handle.list_tools(), serve);
    let dropped = listing.unwrap().dropped;
    dropped.into_iter().map(|one| (one.name, one.reason)).collect()
}

/// The headers of one call, without those every request has.
async fn call(
    handle: &SessionHandle,
    server: &mut Server,
    name: &str,
    arguments: Value,
) -> Vec<(String, String)> {
    let arguments = arguments.as_object().cloned().unwrap();
    let serve = async {
        let (message, headers) = request(server).await;
        server.answer(&message["id"], text("done")).await;
        headers
    };
    let (outcome, headers) = tokio::join!(handle.call_tool(name, arguments, CallOptions::default()), serve);
    outcome.unwrap();
    headers.into_iter().skip(2).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// TR-101, TR-102, TR-103, TR-110.
#[tokio::test(start_paused = true)]
async fn every_request_repeats_its_revision_its_method_and_its_name() {
    let (handle, mut server, _events) = over(Wire::Http).await;
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let serve = async {
        let expected = [
            pairs(&[version, ("Mcp-Method", "tools/list")]),
            pairs(&[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "Read.File")]),
            pairs(&[
                version,
                ("Mcp-Method", "resources/read"),
                ("Mcp-Name", "file:///a b"),
            ]),
            pairs(&[
                version,
                ("Mcp-Method", "resources/read"),
                ("Mcp-Name", "=?base64?eDovL8Ok?="),
            ]),
            pairs(&[version, ("Mcp-Method", "prompts/get"), ("Mcp-Name", "plan")]),
            pairs(&[version, ("Mcp-Method", "server/discover")]),
        ];
        for expected in expected {
            let (message, headers) = request(&mut server).await;
            assert_eq!(headers, expected);
            let result = json!({"tools": [], "content": [], "contents": [], "messages": []});
            server.answer(&message["id"], result).await;
        }
    };
    let calls = async {
        handle.list_tools().await.unwrap();
        let options = CallOptions::default;
        handle
            .call_tool("Read.File", no_arguments(), options())
            .await
            .unwrap();
        handle.read_resource("file:///a b", options()).await.unwrap();
        handle.read_resource("x://ä", options()).await.unwrap();
        handle
            .get_prompt("plan", &Default::default(), options())
            .await
            .unwrap();
        handle.ping().await.unwrap();
    };
    tokio::join!(calls, serve);
}

/// TR-108: a stream has no headers.
#[tokio::test(start_paused = true)]
async fn over_a_stream_nothing_is_repeated_and_no_tool_is_dropped() {
    let (handle, mut server, _events) = over(Wire::Stream).await;
    let wrong = tool("t", json!({"a": {"type": "number", "x-mcp-header": "A"}}));
    assert_eq!(list(&handle, &mut server, json!([wrong])).await, []);
    assert_eq!(call(&handle, &mut server, "t", json!({"a": 1})).await, []);
}

/// TR-104, TR-109, TR-110, TR-111, TR-112.
#[tokio::test(start_paused = true)]
async fn marked_arguments_are_repeated_by_the_schema_listed_last() {
    let (handle, mut server, _events) = over(Wire::Http).await;
    let name = ("Mcp-Name", "t");
    let arguments = json!({"zone": "Grüße", "count": 42, "dry": true, "none": null, "free": "x"});
    assert_eq!(
        call(&handle, &mut server, "t", arguments.clone()).await,
        pairs(&[name]),
        "never listed"
    );
    let marked = json!({
        "zone": {"type": "string", "x-mcp-header": "Zone"}, "count": {"type": "integer", "x-mcp-header": "N"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"}, "none": {"type": "string", "x-mcp-header": "None"},
        "free": {"type": "string"}
    });
    assert_eq!(list(&handle, &mut server, json!([tool("t", marked)])).await, []);
    let mut headers = call(&handle, &mut server, "t", arguments.clone()).await;
    headers.sort();
    let expected = [
        name,
        ("Mcp-Param-Dry", "true"),
        ("Mcp-Param-N", "42"),
        ("Mcp-Param-Zone", "=?base64?R3LDvMOfZQ==?="),
    ];
    assert_eq!(headers, pairs(&expected));
    assert_eq!(
        list(&handle, &mut server, json!([tool("t", json!({}))])).await,
        []
    );
    assert_eq!(call(&handle, &mut server, "t", arguments).await, pairs(&[name]));
}

#[tokio::test(start_paused = true)]
async fn an_argument_no_header_can_repeat_is_not_sent() {
    let (handle, mut server, _events) = over(Wire::Http).await;
    let marked = tool("t", json!({"a": {"type": "integer", "x-mcp-header": "A"}}));
    list(&handle, &mut server, json!([marked])).await;
    let arguments = json!({"a": 9_007_199_254_740_993_i64})
        .as_object()
        .cloned()
        .unwrap();
    let outcome = handle.call_tool("t", arguments, CallOptions::default()).await;
    assert!(matches!(outcome, Err(CallError::NotSendable(_))));
    server.expect_nothing(&handle).await;
}

/// TR-105, TR-106, TR-107.
#[tokio::test(start_paused = true)]
async fn a_tool_with_a_wrong_mark_is_dropped_with_the_reason_and_no_other() {
    let (handle, mut server, _events) = over(Wire::Http).await;
    let wrong = tool("wrong", json!({"a": {"type": "number", "x-mcp-header": "A"}}));
    let dropped = list(&handle, &mut server, json!([tool("good", json!({})), wrong])).await;
    assert!(matches!(&dropped[..], [(name, reason)] if name == "wrong" && reason.contains("x-mcp-header")));
}

/// TR-112.
#[tokio::test(start_paused = true)]
async fn headers_the_server_finds_wrong_are_written_anew_once() {
    let (handle, mut server, mut events) = over(Wire::Http).await;
    let mismatch = json!({"code": -32020, "message": "headers"});
    let marked = json!({"a": {"type": "string", "x-mcp-header": "A"}});
    for heals in [true, false] {
        let serve = async {
            let (message, _) = request(&mut server).await;
            server.refuse(&message["id"], mismatch.clone()).await;
            let (message, _) = request(&mut server).await;
            assert_eq!(message["method"], "tools/list");
            server
                .answer(&message["id"], json!({"tools": [tool("t", marked.clone())]}))
                .await;
            let (message, headers) = request(&mut server).await;
            assert!(headers.contains(&("Mcp-Param-A".into(), "x".into())));
            match heals {
                true => server.answer(&message["id"], text("done")).await,
                false => server.refuse(&message["id"], mismatch.clone()).await,
            }
        };
        let arguments = json!({"a": "x"}).as_object().cloned().unwrap();
        let call = handle.call_tool("t", arguments, CallOptions::default());
        assert_eq!(tokio::join!(call, serve).0.is_ok(), heals);
        assert!(
            matches!(event(&mut events).await, SessionEvent::ToolsChanged),
            "the host looks again"
        );
    }
}
