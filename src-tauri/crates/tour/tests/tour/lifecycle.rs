//! Opening, revisions, framing, and the requests that every server answers.

use super::client::Client;
use serde_json::{Value, json};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[tokio::test(start_paused = true)]
async fn a_known_revision_is_agreed_to_and_an_unknown_one_gets_the_newest() {
    for revision in REVISIONS {
        let (_, result) = Client::open(revision, json!({})).await;
        assert_eq!(result["protocolVersion"], revision);
        assert!(
            result["instructions"]
                .as_str()
                .is_some_and(|text| text.contains("tour"))
        );
    }
    for unknown in ["1999-01-01", "2026-07-28", ""] {
        assert_eq!(
            Client::open(unknown, json!({})).await.1["protocolVersion"],
            "2025-11-25"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_only_gets_members_its_revision_knows() {
    let mut seen = vec![];
    for revision in REVISIONS {
        let (mut client, opened) = Client::open(revision, json!({})).await;
        let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
        let add = tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == "add")
            .unwrap();
        let structured = client
            .call("add", json!({ "a": 1, "b": 2 }))
            .await
            .get("structuredContent")
            .is_some();
        let picture = client.call("picture", json!({})).await["content"]
            .as_array()
            .unwrap()
            .len();
        let has = |name| add.get(name).is_some();
        let completions = opened["capabilities"].get("completions").is_some();
        seen.push((
            completions,
            has("annotations"),
            has("title"),
            has("outputSchema"),
            structured,
            picture,
        ));
    }
    assert_eq!(
        seen,
        [
            (false, false, false, false, false, 2),
            (true, true, false, false, false, 2),
            (true, true, true, true, true, 3),
            (true, true, true, true, true, 3),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn before_the_session_is_open_only_opening_and_ping_work() {
    let mut client = Client::connect();
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    assert_eq!(
        client.request("tools/list", json!({})).await["error"]["code"],
        -32600
    );
    assert_eq!(
        client.request("tools/call", json!({ "name": "add" })).await["error"]["code"],
        -32600
    );
    assert_eq!(
        client.request("server/discover", json!({})).await["error"]["code"],
        -32601
    );
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    assert_eq!(
        client.request("initialize", json!({})).await["error"]["code"],
        -32600
    );
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_messages_are_answered_and_the_session_goes_on() {
    let (mut client, _) = Client::open("2025-06-18", json!({})).await;
    let cases = [
        ("{", -32700),
        ("7", -32600),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ];
    for (line, code) in cases {
        client.raw(line).await;
        assert_eq!(client.expect().await["error"]["code"], code, "{line}");
    }
    client.raw("").await;
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/unheard-of" }))
        .await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": 999, "result": {} }))
        .await;
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_line_over_one_mebibyte_is_refused_and_the_next_one_is_read() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    client.raw(&"x".repeat(1024 * 1024 + 1)).await;
    assert_eq!(client.expect().await["error"]["code"], -32600);
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn batches_are_answered_in_the_revision_that_has_them() {
    let (mut client, _) = Client::open("2025-03-26", json!({})).await;
    let ping = |id: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    client
        .send(json!([ping("a"), { "jsonrpc": "2.0", "method": "notifications/x" }, ping("b")]))
        .await;
    let replies = client.expect().await;
    let ids: Vec<_> = replies
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["id"].clone())
        .collect();
    assert_eq!(ids, ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn tools_are_one_page_and_other_cursors_are_refused() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    let page = client.request("tools/list", json!({})).await;
    assert!(page["result"].get("nextCursor").is_none());
    assert_eq!(
        client.request("tools/list", json!({ "cursor": "2" })).await["error"]["code"],
        -32602
    );
}

#[tokio::test(start_paused = true)]
async fn every_tool_is_described_completely() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let mut names = vec![];
    for tool in tools.as_array().unwrap() {
        names.push(tool["name"].as_str().unwrap().to_owned());
        assert!(tool["description"].as_str().unwrap().len() > 30, "{tool}");
        assert_eq!(tool["annotations"]["title"], tool["title"], "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        for property in tool["inputSchema"]["properties"].as_object().unwrap().values() {
            assert!(
                property["type"].is_string() && property["title"].is_string(),
                "{property}"
            );
        }
    }
    names.sort();
    let expected = [
        "add",
        "ask_form",
        "ask_model",
        "change_tools",
        "fail",
        "forget",
        "list_roots",
        "open_page",
        "picture",
        "recall",
        "remember",
        "slow",
        "weather",
    ];
    assert_eq!(names, expected);
}

#[tokio::test(start_paused = true)]
async fn prompts_are_listed_filled_in_and_completed() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    let prompts = client.request("prompts/list", json!({})).await["result"]["prompts"].clone();
    assert_eq!(prompts.as_array().unwrap().len(), 2);
    let trip = json!({ "name": "plan_trip", "arguments": { "city": "Oslo" } });
    let text = client.request("prompts/get", trip).await["result"]["messages"][0]["content"]["text"].clone();
    assert!(text.as_str().unwrap().contains("Oslo for 3 days"), "{text}");
    for wrong in [json!({ "name": "plan_trip" }), json!({ "name": "nothing" })] {
        assert_eq!(
            client.request("prompts/get", wrong).await["error"]["code"],
            -32602
        );
    }
    client
        .call("remember", json!({ "key": "milk", "text": "two" }))
        .await;
    let cases = [
        (
            json!({ "type": "ref/prompt", "name": "plan_trip" }),
            "city",
            "li",
            json!(["Lima", "Lisbon"]),
        ),
        (
            json!({ "type": "ref/prompt", "name": "explain_tool" }),
            "tool",
            "re",
            json!(["remember", "recall"]),
        ),
        (
            json!({ "type": "ref/resource", "uri": "tour://notes/{key}" }),
            "key",
            "",
            json!(["milk"]),
        ),
    ];
    for (reference, name, value, expected) in cases {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        let reply = client.request("completion/complete", params).await;
        assert_eq!(reply["result"]["completion"]["values"], expected);
    }
}

#[tokio::test(start_paused = true)]
async fn subscribers_hear_of_a_changed_note_and_can_read_it() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    for uri in ["tour://notebook", "tour://notes/a%20b"] {
        assert_eq!(
            client.request("resources/subscribe", json!({ "uri": uri })).await["result"],
            json!({})
        );
    }
    client
        .begin("remember", json!({ "key": "a b", "text": "bread" }))
        .await;
    let mut told = vec![];
    while told.len() < 2 {
        let message = client.expect().await;
        assert_eq!(message["method"], "notifications/resources/updated", "{message}");
        told.push(message["params"]["uri"].clone());
    }
    assert_eq!(told, ["tour://notebook", "tour://notes/a%20b"]);
    assert_eq!(client.expect().await["result"]["isError"], Value::Null);
    let read = client
        .request("resources/read", json!({ "uri": "tour://notes/a%20b" }))
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "bread");
    client
        .request("resources/unsubscribe", json!({ "uri": "tour://notebook" }))
        .await;
    client
        .request("resources/unsubscribe", json!({ "uri": "tour://notes/a%20b" }))
        .await;
    assert_eq!(
        client.call("forget", json!({ "key": "a b" })).await["isError"],
        Value::Null
    );
}

#[tokio::test(start_paused = true)]
async fn resources_are_listed_and_a_missing_one_is_an_error() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    let listed = client.request("resources/list", json!({})).await["result"]["resources"].clone();
    for resource in listed.as_array().unwrap() {
        let read = client
            .request("resources/read", json!({ "uri": resource["uri"] }))
            .await;
        assert_eq!(read["result"]["contents"][0]["mimeType"], resource["mimeType"]);
    }
    let templates = client.request("resources/templates/list", json!({})).await;
    assert_eq!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"],
        "tour://notes/{key}"
    );
    assert_eq!(
        client
            .request("resources/read", json!({ "uri": "file:///etc/hosts" }))
            .await["error"]["code"],
        -32002
    );
    assert_eq!(
        client
            .request("resources/subscribe", json!({ "uri": "x:y" }))
            .await["error"]["code"],
        -32002
    );
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_input_ends_the_server_and_its_calls() {
    let (mut client, _) = Client::open("2025-11-25", json!({})).await;
    client.begin("slow", json!({ "seconds": 30 })).await;
    assert_eq!(client.expect().await["method"], "notifications/message");
    client.close();
    assert_eq!(client.read().await, None);
    assert!(client.server.await.unwrap().is_ok());
}
