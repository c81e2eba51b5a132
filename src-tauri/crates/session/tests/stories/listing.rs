use serde_json::{Value, json};
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::Tool;
use vestibule_session::{CallError, Listing, SessionLimits, SessionOptions};

use super::{Server, opened, opened_with, options};

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// Lists against a server that answers each page from the script: the cursor it must be asked with, and its
/// answer (a `result` or an `error`).
async fn listed(
    limits: SessionLimits,
    script: Vec<(Option<&str>, Value)>,
) -> Result<Listing<Tool>, CallError> {
    let (handle, mut server, _events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    let serve = async {
        for (cursor, mut answer) in script {
            let (id, params) = server.expect("tools/list").await;
            assert_eq!(params["cursor"].as_str(), cursor);
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = id;
            server.say(answer).await;
        }
        server.expect_silence().await;
    };
    tokio::join!(handle.list_tools(), serve).0
}

fn page(tools: Vec<Value>, next: Option<&str>) -> Value {
    let mut result = json!({"tools": tools, "nextCursor": next});
    if next.is_none() {
        result.as_object_mut().unwrap().remove("nextCursor");
    }
    json!({"result": result})
}

fn names(list: &Listing<Tool>) -> Vec<&str> {
    list.items.iter().map(|tool| tool.name.as_str()).collect()
}

/// TL-002, PG-001, PG-002, PG-003, PG-004.
#[tokio::test(start_paused = true)]
async fn all_pages_are_read_in_order_and_an_empty_cursor_is_one() {
    let script = vec![
        (None, page(vec![tool("c"), tool("a")], Some(""))),
        (Some(""), page(vec![], Some("x y"))),
        (
            Some("x y"),
            json!({"result": {"tools": [tool("b")], "nextCursor": null}}),
        ),
    ];
    let list = listed(SessionLimits::default(), script).await.unwrap();
    assert_eq!(names(&list), ["c", "a", "b"]);
    assert_eq!((list.dropped.len(), list.truncated), (0, None));
}

/// PG-007.
#[tokio::test(start_paused = true)]
async fn a_listing_that_never_ends_is_ended() {
    let circle = vec![
        (None, page(vec![tool("a")], Some("1"))),
        (Some("1"), page(vec![tool("b")], Some("2"))),
        (Some("2"), page(vec![tool("c")], Some("1"))),
    ];
    let list = listed(SessionLimits::default(), circle).await.unwrap();
    assert_eq!(names(&list), ["a", "b", "c"]);
    assert!(list.truncated.unwrap().contains("circle"));

    let endless = vec![
        (None, page(vec![], Some("1"))),
        (Some("1"), page(vec![], Some("2"))),
    ];
    let list = listed(
        SessionLimits {
            pages: 2,
            ..SessionLimits::default()
        },
        endless,
    )
    .await
    .unwrap();
    assert!(list.truncated.unwrap().contains("2 pages"));

    let many = vec![(None, page(vec![tool("a"), tool("b"), tool("c")], Some("1")))];
    let list = listed(
        SessionLimits {
            tools: 2,
            ..SessionLimits::default()
        },
        many,
    )
    .await
    .unwrap();
    assert_eq!(names(&list), ["a", "b"]);
    assert!(list.truncated.unwrap().contains("first 2 tools"));

    let large = vec![(None, page(vec![tool("a"), tool("b")], None))];
    let limits = SessionLimits {
        listing_bytes: tool("a").to_string().len(),
        ..SessionLimits::default()
    };
    assert_eq!(names(&listed(limits, large).await.unwrap()), ["a"]);
}

/// PG-007: cursors are kept until the listing ends, so long ones would take as much memory as there are pages.
#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_too_long_ends_the_listing() {
    let longest = "x".repeat(64 * 1024);
    let longer = format!("{longest}x");
    let script = vec![
        (None, page(vec![tool("a")], Some(&longest))),
        (Some(longest.as_str()), page(vec![tool("b")], Some(&longer))),
    ];
    let list = listed(SessionLimits::default(), script).await.unwrap();
    assert_eq!(names(&list), ["a", "b"]);
    assert!(list.truncated.unwrap().contains("65537 bytes"));
}

/// TL-012.
#[tokio::test(start_paused = true)]
async fn a_broken_tool_costs_only_itself() {
    let long = json!({"name": "long", "description": "x".repeat(64 * 1024), "inputSchema": {}});
    let tools = vec![
        tool("good"),
        json!(5),
        json!({"name": "bare"}),
        tool("good"),
        long,
        tool("Good"),
    ];
    let list = listed(SessionLimits::default(), vec![(None, page(tools, None))])
        .await
        .unwrap();
    assert_eq!(names(&list), ["good", "Good"]);
    let dropped: Vec<_> = list.dropped.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(dropped, ["", "bare", "good", "long"]);
    assert!(list.dropped[2].reason.contains("same name") && list.dropped[3].reason.contains("bytes"));
}

#[tokio::test(start_paused = true)]
async fn a_number_no_reader_can_hold_costs_only_its_tool() {
    let (handle, mut server, _events) = opened().await;
    let serve = async {
        let (id, _) = server.expect("tools/list").await;
        let huge = "9".repeat(400);
        server
            .raw(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"a","inputSchema":{{"maximum":{huge}}}}},{}]}}}}"#,
                tool("b")
            ))
            .await;
    };
    let (list, ()) = tokio::join!(handle.list_tools(), serve);
    let list = list.unwrap();
    assert_eq!((names(&list), list.dropped.len()), (vec!["b"], 1));
}

/// PG-006.
#[tokio::test(start_paused = true)]
async fn a_server_that_forgot_its_cursor_is_asked_from_the_start_once() {
    let refusal = || json!({"error": {"code": -32602, "message": "cursor"}});
    let again = vec![
        (None, page(vec![tool("a")], Some("1"))),
        (Some("1"), refusal()),
        (None, page(vec![tool("a"), tool("b")], None)),
    ];
    assert_eq!(
        names(&listed(SessionLimits::default(), again).await.unwrap()),
        ["a", "b"]
    );

    let never = vec![
        (None, page(vec![], Some("1"))),
        (Some("1"), refusal()),
        (None, page(vec![], Some("1"))),
        (Some("1"), refusal()),
    ];
    assert!(matches!(
        listed(SessionLimits::default(), never).await,
        Err(CallError::Rpc(_))
    ));
    assert!(matches!(
        listed(SessionLimits::default(), vec![(None, refusal())]).await,
        Err(CallError::Rpc(_))
    ));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_none_is_said_so() {
    for result in [
        json!({}),
        json!({"tools": {}}),
        json!({"tools": [], "nextCursor": 5}),
    ] {
        let outcome = listed(SessionLimits::default(), vec![(None, json!({"result": result}))]).await;
        assert!(matches!(outcome, Err(CallError::Malformed(_))), "{outcome:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_a_listing_cancels_its_page() {
    let (handle, server, _events) = opened().await;
    let mut server: Server = server;
    tokio::select! {
        _ = handle.list_tools() => panic!("nothing was answered"),
        _ = server.expect("tools/list") => {}
    }
    server.expect("notifications/cancelled").await;
}
