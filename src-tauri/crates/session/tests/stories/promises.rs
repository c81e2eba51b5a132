//! Promises about everything a session sends, whatever it is asked to do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tokio::time::timeout;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{Frame, parse};
use vestibule_protocol::mcp::{CompletionParams, CompletionTarget, LogLevel};
use vestibule_session::{CallError, CallOptions, SessionHandle, SessionOptions, Wire};

use super::era::opening;
use super::{
    BOUND, Server, discovery, legacy_with, modern_over, no_arguments, opened_with, options, request, text,
};

/// What a server that can do everything answers.
fn answer_to(method: &str) -> Value {
    match method {
        "server/discover" => discovery(everything()),
        _ => {
            json!({"tools": [], "resources": [], "prompts": [], "contents": [], "messages": [], "content": [],
            "completion": {"values": []}})
        }
    }
}

fn everything() -> Value {
    json!({"tools": {}, "prompts": {}, "resources": {"subscribe": true}, "logging": {}, "completions": {}})
}

/// Makes a session do everything it can and returns what it wrote.
async fn everything_written(handle: SessionHandle, mut server: Server) -> Vec<Vec<u8>> {
    let doing = tokio::spawn(async move {
        handle.set_log_level(LogLevel::Debug).await.unwrap();
        handle.list_tools().await.unwrap();
        handle
            .call_tool("t", no_arguments(), CallOptions::default())
            .await
            .unwrap();
        handle.list_resources().await.unwrap();
        handle
            .read_resource("x://a\n", CallOptions::default())
            .await
            .unwrap();
        handle.list_prompts().await.unwrap();
        handle
            .get_prompt("p", &BTreeMap::new(), CallOptions::default())
            .await
            .unwrap();
        let target = CompletionTarget::Prompt { name: "p".into() };
        let written = CompletionParams {
            target,
            argument: "a".into(),
            value: "\r\n".into(),
            chosen: BTreeMap::new(),
        };
        handle.complete(&written).await.unwrap();
        handle.notify_roots_changed().await.unwrap();
        handle.ping().await.unwrap();
        handle.close().await;
    });
    let mut frames = Vec::new();
    while let Some(frame) = timeout(BOUND, server.0.read()).await.expect("in time") {
        let message: Value = serde_json::from_slice(&frame).unwrap();
        frames.push(frame);
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            server.answer(id, answer_to(method)).await;
        }
    }
    doing.await.unwrap();
    frames
}

/// BASE-001, BASE-002, BASE-010, STD-002, STD-003, STD-016: over any transport, one message at a time and nothing
/// else.
#[tokio::test(start_paused = true)]
async fn everything_that_is_written_is_one_message_on_one_line() {
    let mut written = Vec::new();
    for revision in Revision::HANDSHAKES {
        let (handle, server, _events) = legacy_with(everything(), revision).await;
        let frames = everything_written(handle, server).await;
        assert!(frames.len() >= 10, "{revision}: {}", frames.len());
        written.extend(frames);
    }
    for wire in [Wire::Stream, Wire::Http] {
        let (handle, server, _events) = modern_over(wire, options(), everything()).await;
        written.extend(everything_written(handle, server).await);
    }
    for frame in written {
        assert!(!frame.contains(&b'\n') && !frame.contains(&b'\r'));
        assert!(
            matches!(parse(&frame), Ok(Frame::One(_))),
            "{}",
            String::from_utf8_lossy(&frame)
        );
    }
}

/// META-001, META-002: we have no keys of our own, so all of them are the protocol's.
#[tokio::test(start_paused = true)]
async fn every_key_beside_our_parameters_is_one_the_protocol_defines() {
    let (handle, server, _events) = modern_over(Wire::Stream, options(), everything()).await;
    let mut keys = BTreeSet::new();
    for frame in everything_written(handle, server).await {
        let message: Value = serde_json::from_slice(&frame).unwrap();
        let meta = message["params"]["_meta"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        keys.extend(meta.into_iter().map(|(key, _)| key));
    }
    let expected = ["clientCapabilities", "clientInfo", "logLevel", "protocolVersion"]
        .map(|name| format!("io.modelcontextprotocol/{name}"));
    let expected: BTreeSet<String> = expected.into_iter().chain(["progressToken".to_owned()]).collect();
    assert_eq!(keys, expected);
}

/// META-003, META-007, BASE-015, LC-015, EXT-006.
#[tokio::test(start_paused = true)]
async fn reserved_keys_and_capabilities_we_do_not_know_change_nothing() {
    let declared =
        json!({"tools": {}, "experimental": {"a": {}}, "extensions": {"com.example/x": {}}, "future": {}});
    for (handle, mut server, _events) in [
        legacy_with(declared.clone(), Revision::V2025_11_25).await,
        modern_over(Wire::Stream, options(), declared.clone()).await,
    ] {
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            let mut result = text("done");
            result["_meta"] = json!({"io.modelcontextprotocol/future": {"resultType": "task"},
                "io.modelcontextprotocol/related-task": 5, "mcp.dev/x": [], "": null});
            result["future"] = json!({"isError": true});
            server.answer(&id, result).await;
        };
        let (called, ()) = tokio::join!(
            handle.call_tool("t", no_arguments(), CallOptions::default()),
            serve
        );
        assert!(!called.unwrap().is_error);
    }
}

/// NEG-004: what was found out holds for the session, and can be kept with the server.
#[tokio::test(start_paused = true)]
async fn the_era_is_asked_for_once_and_kept() {
    let (handle, mut server, _events) = modern_over(Wire::Stream, options(), everything()).await;
    for _ in 0..3 {
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.answer(&id, text("done")).await;
        };
        tokio::join!(
            handle.call_tool("t", no_arguments(), CallOptions::default()),
            serve
        )
        .0
        .unwrap();
    }
    let kept = handle.info().era();
    let (again, mut server, _events) = opening(Wire::Stream, kept);
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, discovery(everything())).await;
    };
    let (again, ()) = tokio::join!(again, serve);
    assert_eq!(again.unwrap().info().era(), kept);
}

/// CA-003, CA-009, CA-010: no answer is kept for another request, nor for the same one again.
#[tokio::test(start_paused = true)]
async fn every_question_is_asked_of_the_server() {
    let (handle, mut server, _events) = modern_over(Wire::Stream, options(), everything()).await;
    for uri in ["x://a", "x://b", "x://a"] {
        let serve = async {
            let (id, params) = server.expect("resources/read").await;
            assert_eq!(params["uri"], uri);
            let contents = json!([{"uri": uri, "text": uri}]);
            let result = json!({"contents": contents, "ttlMs": 60_000, "cacheScope": "public"});
            server.answer(&id, result).await;
        };
        let (read, ()) = tokio::join!(handle.read_resource(uri, CallOptions::default()), serve);
        assert_eq!(
            serde_json::to_value(read.unwrap().value.contents).unwrap()[0]["text"],
            uri
        );
    }
}

/// PG-005, CA-008: a list that broke off is begun from its first page, in this session and in another.
#[tokio::test(start_paused = true)]
async fn no_cursor_outlives_its_listing() {
    let (handle, mut server, _events) = legacy_with(everything(), Revision::V2025_11_25).await;
    let page = json!({"tools": [], "nextCursor": "secret"});
    for _ in 0..2 {
        let serve = async {
            let (id, params) = server.expect("tools/list").await;
            assert!(params.get("cursor").is_none());
            server.answer(&id, page.clone()).await;
            let (id, params) = server.expect("tools/list").await;
            assert_eq!(params["cursor"], "secret");
            server
                .refuse(&id, json!({"code": -32603, "message": "down"}))
                .await;
        };
        let (listed, ()) = tokio::join!(handle.list_tools(), serve);
        assert!(matches!(listed, Err(CallError::Rpc(_))));
    }
    let (handle, mut server, _events) = legacy_with(everything(), Revision::V2025_11_25).await;
    let serve = async {
        let (id, params) = server.expect("tools/list").await;
        assert!(params.get("cursor").is_none());
        server.answer(&id, json!({"tools": []})).await;
    };
    tokio::join!(handle.list_tools(), serve).0.unwrap();
}

/// CP-006.
#[tokio::test(start_paused = true)]
async fn a_completion_is_not_asked_for_with_more_than_it_needs() {
    let (handle, mut server, _events) = legacy_with(everything(), Revision::V2025_11_25).await;
    let asked = CompletionParams {
        target: CompletionTarget::Prompt { name: "p".into() },
        argument: "a".into(),
        value: "x".repeat(20_000),
        chosen: BTreeMap::new(),
    };
    assert!(matches!(
        handle.complete(&asked).await,
        Err(CallError::NotSendable(_))
    ));
    server.expect_silence().await;
}

/// ER-002, ER-003, ER-004.
#[tokio::test(start_paused = true)]
async fn a_code_that_is_not_ours_to_send_never_leaves() {
    let (_handle, mut server, mut events) = opened_with(options(), Revision::V2025_11_25, 64).await;
    for (code, sent) in [
        (-1, -1),
        (-32601, -32601),
        (-32602, -32602),
        (-32603, -32603),
        (-32002, -32603),
        (-32042, -32603),
        (-32021, -32603),
        (-32099, -32603),
        (-32000, -32603),
        (7, 7),
    ] {
        server.ask(1, "roots/list", json!({})).await;
        request(&mut events).await.1.refuse(code, "no");
        assert_eq!(server.read().await["error"]["code"], sent);
    }
}

/// STD-014, SU-010: what is told of changes is asked for again by each session.
#[tokio::test(start_paused = true)]
async fn a_new_session_listens_again() {
    for _ in 0..2 {
        let declared = json!({"tools": {"listChanged": true}});
        let (_handle, mut server, _events) = modern_over(Wire::Stream, options(), declared).await;
        let (_, params) = server.expect("subscriptions/listen").await;
        assert_eq!(params["notifications"], json!({"toolsListChanged": true}));
    }
}

/// EXT-004, EXT-005: an extension is declared where it is switched on, and nowhere else.
#[tokio::test(start_paused = true)]
async fn no_extension_is_declared_unless_it_is_switched_on() {
    for switched_on in [false, true] {
        let mut options = options();
        if switched_on {
            options.capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        }
        let options = SessionOptions { ..options };
        let (handle, mut server, _events) = modern_over(Wire::Stream, options, everything()).await;
        let serve = async {
            let (id, params) = server.expect("tools/call").await;
            let declared = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
            assert_eq!(declared.get("extensions").is_some(), switched_on);
            server.answer(&id, text("done")).await;
        };
        tokio::join!(
            handle.call_tool("t", no_arguments(), CallOptions::default()),
            serve
        )
        .0
        .unwrap();
    }
}

/// DEP-001: what the newest revision calls deprecated still works in it.
#[tokio::test(start_paused = true)]
async fn what_is_deprecated_still_works() {
    let (handle, mut server, mut events) = modern_over(Wire::Stream, options(), everything()).await;
    handle.set_log_level(LogLevel::Info).await.unwrap();
    let serve = async {
        let (id, params) = server.expect("tools/call").await;
        assert_eq!(params["_meta"]["io.modelcontextprotocol/logLevel"], "info");
        let wishes = json!({"ws": {"method": "roots/list"},
            "say": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}});
        server
            .answer(
                &id,
                json!({"resultType": "input_required", "inputRequests": wishes}),
            )
            .await;
        for _ in 0..2 {
            request(&mut events).await.1.reply(&json!({}));
        }
        let (id, params) = server.expect("tools/call").await;
        assert_eq!(params["inputResponses"], json!({"ws": {}, "say": {}}));
        server.answer(&id, text("done")).await;
    };
    tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    )
    .0
    .unwrap();
}
