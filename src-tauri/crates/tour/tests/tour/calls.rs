//! Every tool, as a raw client sees it.

use super::client::{Client, text};
use serde_json::{Value, json};

async fn plain() -> Client {
    Client::open("2025-11-25", json!({})).await.0
}

/// A call that asks: returns the question and leaves the call running.
async fn asked(client: &mut Client, tool: &str, arguments: Value) -> (u64, Value) {
    let call = client.begin(tool, arguments).await;
    (call, client.expect().await)
}

#[tokio::test(start_paused = true)]
async fn add_returns_the_sum_as_text_and_as_structure() {
    let mut client = plain().await;
    let result = client.call("add", json!({ "a": 2, "b": 3 })).await;
    assert_eq!(result["structuredContent"], json!({ "sum": 5 }));
    assert_eq!(
        serde_json::from_str::<Value>(text(&result)).unwrap(),
        result["structuredContent"]
    );
    assert_eq!(
        client.call("add", json!({ "a": 0.5, "b": 1 })).await["structuredContent"],
        json!({ "sum": 1.5 })
    );
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_are_told_in_the_result() {
    let mut client = plain().await;
    let cases = [
        ("add", json!({ "a": 1 }), "b must be a number"),
        ("add", json!({ "a": 1, "b": 2, "c": 3 }), "no argument \"c\""),
        ("weather", json!({ "city": "" }), "city must be a text"),
        (
            "weather",
            json!({ "city": "Oslo", "days": 8 }),
            "days must be a whole number from 1 to 7",
        ),
        (
            "weather",
            json!({ "city": "Oslo", "unit": "kelvin" }),
            "one of: celsius, fahrenheit",
        ),
        ("slow", json!({ "seconds": 31 }), "seconds must be from 1 to 30"),
        ("recall", json!({ "key": "nothing" }), "there is no note"),
    ];
    for (tool, arguments, told) in cases {
        let result = client.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}");
        assert!(text(&result).contains(told), "{tool}: {result}");
    }
    let reply = client.request("tools/call", json!({ "name": "nothing" })).await;
    assert_eq!(reply["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn the_same_city_always_has_the_same_weather() {
    let (mut one, mut other) = (plain().await, plain().await);
    let arguments = json!({ "city": "Oslo", "days": 7, "unit": "fahrenheit" });
    let forecast = one.call("weather", arguments.clone()).await["structuredContent"].clone();
    assert_eq!(
        forecast,
        other.call("weather", arguments).await["structuredContent"]
    );
    assert_eq!(forecast["days"].as_array().unwrap().len(), 7);
    let bergen = one.call("weather", json!({ "city": "Bergen" })).await["structuredContent"]["days"].clone();
    let oslo = one.call("weather", json!({ "city": "Oslo" })).await["structuredContent"]["days"].clone();
    assert_ne!(bergen, oslo);
    assert!(
        oslo.as_array()
            .unwrap()
            .iter()
            .all(|day| day["low"].as_i64() < day["high"].as_i64()),
        "{oslo}"
    );
}

#[tokio::test(start_paused = true)]
async fn slow_reports_every_step_and_logs_what_was_asked_for() {
    let mut client = plain().await;
    assert_eq!(
        client
            .request("logging/setLevel", json!({ "level": "debug" }))
            .await["result"],
        json!({})
    );
    let params = json!({ "name": "slow", "arguments": { "seconds": 4, "steps": 2 },
        "_meta": { "progressToken": "p" } });
    let started = tokio::time::Instant::now();
    let call = client.start("tools/call", params).await;
    let (mut steps, mut logs) = (vec![], vec![]);
    let result = loop {
        let message = client.expect().await;
        match message["method"].as_str() {
            Some("notifications/progress") => steps.push(message["params"].clone()),
            Some("notifications/message") => logs.push(message["params"]["level"].clone()),
            _ => break message,
        }
    };
    assert_eq!(
        (result["id"].clone(), started.elapsed().as_secs()),
        (json!(call), 4)
    );
    let step =
        |n| json!({ "progressToken": "p", "progress": n, "total": 2, "message": format!("Step {n} of 2") });
    assert_eq!(steps, [step(1), step(2)]);
    assert_eq!(logs, ["info", "debug", "debug", "info"]);
    assert_eq!(
        client
            .request("logging/setLevel", json!({ "level": "loud" }))
            .await["error"]["code"],
        -32602
    );
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_never_answered_and_others_go_on() {
    let mut client = plain().await;
    client
        .request("logging/setLevel", json!({ "level": "error" }))
        .await;
    let cancelled = client.begin("slow", json!({ "seconds": 2 })).await;
    let kept = client.begin("slow", json!({ "seconds": 3 })).await;
    let params = json!({ "requestId": cancelled, "reason": "stop" });
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    assert_eq!(client.expect().await["id"], kept);
    client.close();
    assert_eq!(client.read().await, None);
}

#[tokio::test(start_paused = true)]
async fn fail_fails_in_each_way() {
    let mut client = plain().await;
    assert_eq!(client.call("fail", json!({})).await["isError"], true);
    let params = json!({ "name": "fail", "arguments": { "how": "protocol_error" } });
    assert_eq!(
        client.request("tools/call", params).await["error"]["code"],
        -32603
    );
    client.begin("fail", json!({ "how": "crash" })).await;
    assert_eq!(client.read().await, None);
    assert!(client.server.await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn the_notebook_remembers_and_forgets() {
    let mut client = plain().await;
    client
        .call("remember", json!({ "key": "k", "text": "bread" }))
        .await;
    assert_eq!(text(&client.call("recall", json!({ "key": "k" })).await), "bread");
    client.call("forget", json!({ "key": "k" })).await;
    assert_eq!(
        client.call("recall", json!({ "key": "k" })).await["isError"],
        true
    );
    for number in 0..100 {
        client
            .call("remember", json!({ "key": number.to_string(), "text": "x" }))
            .await;
    }
    let full = client
        .call("remember", json!({ "key": "one more", "text": "x" }))
        .await;
    assert_eq!(full["isError"], true);
}

#[tokio::test(start_paused = true)]
async fn only_what_destroys_says_so_and_what_reads_says_so() {
    let mut client = plain().await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let hinted = |hint: &str| {
        let marked = tools
            .as_array()
            .unwrap()
            .iter()
            .filter(|tool| tool["annotations"][hint] == true);
        marked
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(hinted("destructiveHint"), ["fail", "remember", "forget"]);
    assert_eq!(
        hinted("readOnlyHint"),
        ["add", "weather", "slow", "picture", "recall"]
    );
    assert_eq!(
        hinted("openWorldHint"),
        ["ask_form", "open_page", "ask_model", "list_roots"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_form_is_asked_for_and_its_answer_is_told() {
    let mut client = Client::able().await;
    let answers = [
        (
            json!({ "action": "accept", "content": { "name": "Åse", "nights": 2 } }),
            Value::Null,
            "Åse",
        ),
        (json!({ "action": "decline" }), json!(true), "declined"),
        (json!({ "action": "cancel" }), json!(true), "put the form aside"),
    ];
    for (answer, failed, told) in answers {
        let (call, question) = asked(&mut client, "ask_form", json!({})).await;
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["mode"], "form");
        assert_eq!(
            question["params"]["requestedSchema"]["required"],
            json!(["name", "nights"])
        );
        client.answer(&question, answer).await;
        let reply = client.expect().await;
        assert_eq!(
            (&reply["id"], &reply["result"]["isError"]),
            (&json!(call), &failed)
        );
        assert!(text(&reply["result"]).contains(told), "{reply}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_form_of_the_first_revision_with_forms_has_no_newer_members() {
    let (mut client, _) = Client::open("2025-06-18", json!({ "elicitation": {} })).await;
    let (_, question) = asked(&mut client, "ask_form", json!({})).await;
    let params = &question["params"];
    assert!(params.get("mode").is_none());
    let properties = &params["requestedSchema"]["properties"];
    assert!(properties["food"]["enumNames"].is_array() && properties["food"].get("oneOf").is_none());
    assert!(properties.get("luggage").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_page_is_asked_for_and_completed() {
    let mut client = Client::able().await;
    let (call, question) = asked(&mut client, "open_page", json!({})).await;
    let params = &question["params"];
    assert_eq!(params["mode"], "url");
    assert!(params["url"].as_str().unwrap().starts_with("https://"));
    client.answer(&question, json!({ "action": "accept" })).await;
    let complete = client.expect().await;
    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(complete["params"]["elicitationId"], params["elicitationId"]);
    assert_eq!(client.expect().await["id"], call);
    let (_, question) = asked(&mut client, "open_page", json!({})).await;
    assert_ne!(question["params"]["elicitationId"], params["elicitationId"]);
    client.answer(&question, json!({ "action": "decline" })).await;
    assert_eq!(client.expect().await["result"]["isError"], true);
}

#[tokio::test(start_paused = true)]
async fn the_model_is_asked_and_its_answer_is_told() {
    let mut client = Client::able().await;
    let contents = [
        json!({ "type": "text", "text": "A small hall." }),
        json!([{ "type": "text", "text": "A small" }, { "type": "text", "text": "hall." }]),
    ];
    for content in contents {
        let (_, question) = asked(&mut client, "ask_model", json!({ "question": "What is it?" })).await;
        assert_eq!(question["method"], "sampling/createMessage");
        assert_eq!(
            question["params"]["messages"][0]["content"]["text"],
            "What is it?"
        );
        client
            .answer(
                &question,
                json!({ "role": "assistant", "content": content, "model": "m" }),
            )
            .await;
        let result = client.expect().await["result"].clone();
        assert!(
            text(&result).starts_with("m answered:") && text(&result).ends_with("hall."),
            "{result}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn folders_are_asked_for_and_listed() {
    let mut client = Client::able().await;
    let (_, question) = asked(&mut client, "list_roots", json!({})).await;
    assert_eq!(question["method"], "roots/list");
    client
        .answer(
            &question,
            json!({ "roots": [{ "uri": "file:///home/a", "name": "a" }] }),
        )
        .await;
    assert!(text(&client.expect().await["result"]).contains("- a: file:///home/a"));
    let (_, question) = asked(&mut client, "list_roots", json!({})).await;
    client.answer(&question, json!({ "roots": [] })).await;
    assert!(text(&client.expect().await["result"]).contains("no folders"));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_cannot_be_asked_is_not_asked() {
    let cases = [
        (
            "2025-11-25",
            json!({}),
            vec!["ask_form", "open_page", "ask_model", "list_roots"],
        ),
        ("2025-11-25", json!({ "elicitation": {} }), vec!["open_page"]),
        (
            "2025-11-25",
            json!({ "elicitation": { "url": {} } }),
            vec!["ask_form"],
        ),
        (
            "2025-06-18",
            json!({ "elicitation": { "url": {} } }),
            vec!["open_page"],
        ),
        (
            "2025-03-26",
            json!({ "elicitation": {} }),
            vec!["ask_form", "open_page"],
        ),
        ("2024-11-05", json!({}), vec!["ask_model", "list_roots"]),
    ];
    for (revision, capabilities, tools) in cases {
        let (mut client, _) = Client::open(revision, capabilities).await;
        for tool in tools {
            let result = client.call(tool, json!({ "question": "q" })).await;
            assert_eq!(result["isError"], true, "{revision} {tool}");
            assert!(text(&result).contains("did not say that it supports"), "{result}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_from_the_host_is_told_politely() {
    let mut client = Client::able().await;
    let (_, question) = asked(&mut client, "ask_model", json!({ "question": "q" })).await;
    let error = json!({ "code": -1, "message": "User rejected sampling request" });
    client
        .send(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }))
        .await;
    let result = client.expect().await["result"].clone();
    assert_eq!(
        (&result["isError"], text(&result)),
        (&json!(true), "The host said no: User rejected sampling request")
    );
}

#[tokio::test(start_paused = true)]
async fn cancelling_a_call_withdraws_what_it_asked() {
    let mut client = Client::able().await;
    let (call, question) = asked(&mut client, "ask_form", json!({})).await;
    let params = json!({ "requestId": call });
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    let withdrawn = client.expect().await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_question_nobody_answers_is_withdrawn_after_ten_minutes() {
    let mut client = Client::able().await;
    let (call, question) = asked(&mut client, "ask_form", json!({})).await;
    let started = tokio::time::Instant::now();
    let withdrawn = client.expect().await;
    assert_eq!(
        (&withdrawn["method"], started.elapsed().as_secs()),
        (&json!("notifications/cancelled"), 600)
    );
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    let reply = client.expect().await;
    assert_eq!(
        (&reply["id"], &reply["result"]["isError"]),
        (&json!(call), &json!(true))
    );
}

#[tokio::test(start_paused = true)]
async fn calls_go_on_while_another_waits_for_the_person() {
    let mut client = Client::able().await;
    let (waiting, question) = asked(&mut client, "ask_form", json!({})).await;
    assert_eq!(
        client.call("add", json!({ "a": 1, "b": 1 })).await["structuredContent"]["sum"],
        2
    );
    client
        .answer(&question, json!({ "action": "accept", "content": {} }))
        .await;
    assert_eq!(client.expect().await["id"], waiting);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_calls_run_at_once_and_an_id_runs_once() {
    let mut client = Client::able().await;
    for _ in 0..64 {
        asked(&mut client, "ask_form", json!({})).await;
    }
    let params = json!({ "name": "add", "arguments": { "a": 1, "b": 1 } });
    assert_eq!(
        client.request("tools/call", params).await["error"]["code"],
        -32000
    );
    let mut client = Client::able().await;
    let (call, _) = asked(&mut client, "ask_form", json!({})).await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": call, "method": "ping" }))
        .await;
    assert_eq!(client.expect().await["error"]["code"], -32600);
}

#[tokio::test(start_paused = true)]
async fn a_tool_changes_and_changes_back_and_says_so() {
    let mut client = plain().await;
    let mut seen = vec![];
    for _ in 0..2 {
        client.begin("change_tools", json!({})).await;
        assert_eq!(
            client.expect().await["method"],
            "notifications/tools/list_changed"
        );
        assert_eq!(client.expect().await["result"]["isError"], Value::Null);
        let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
        let weather = tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == "weather")
            .unwrap();
        let email = weather["inputSchema"]["properties"].get("email").is_some();
        let told = weather["description"].as_str().unwrap().contains("email");
        let call = client
            .call("weather", json!({ "city": "Oslo", "email": "a@b.example" }))
            .await;
        seen.push((email, told, call["isError"] == true));
    }
    assert_eq!(seen, [(true, true, false), (false, false, true)]);
}

#[tokio::test(start_paused = true)]
async fn the_picture_has_text_an_image_and_a_link() {
    let mut client = plain().await;
    let result = client.call("picture", json!({})).await;
    let kinds: Vec<_> = result["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["type"].clone())
        .collect();
    assert_eq!(kinds, ["text", "image", "resource_link"]);
    assert_eq!(result["content"][1]["mimeType"], "image/png");
    assert_eq!(result["content"][2]["uri"], "tour://welcome");
}
