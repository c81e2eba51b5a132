use serde_json::json;
use vestibule_protocol::json::RawJsonBuf;

use super::*;

fn read_value(params: &Value) -> Result<SamplingRequest, String> {
    read(RawJsonBuf::write(params).unwrap().as_raw(), true)
}

fn with(messages: Value) -> Result<SamplingRequest, String> {
    read_value(&json!({ "maxTokens": 100, "messages": messages }))
}

fn said(role: &str, content: Value) -> Value {
    json!({ "role": role, "content": content })
}

fn text() -> Value {
    json!({ "type": "text", "text": "hi" })
}

fn tool_use(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "wx", "input": {} })
}

fn result(id: &str) -> Value {
    json!({ "type": "tool_result", "toolUseId": id, "content": [text()] })
}

/// SA-007, SA-008: every member that means something is read, and content is one block or a list.
#[test]
fn a_request_is_read_whole() {
    let wanted = read_value(&json!({
        "maxTokens": 800.0, "systemPrompt": "Be brief.", "temperature": 0.5, "includeContext": "allServers",
        "modelPreferences": { "hints": [{ "name": "sonnet" }, {}], "speedPriority": 0.4, "costPriority": 7 },
        "messages": [
            said("user", json!({ "type": "image", "mimeType": "image/png", "data": "AAAA" })),
            said("assistant", json!([text(), tool_use("u1")])),
            said("user", json!([result("u1")])),
        ],
        "tools": [{ "name": "wx", "inputSchema": { "type": "object" } }],
        "toolChoice": { "mode": "required" },
        "metadata": { "any": "thing" },
        "stopSequences": ["END"],
    }))
    .unwrap();
    assert_eq!((wanted.max_tokens, wanted.temperature), (800, Some(0.5)));
    assert_eq!(wanted.stop, ["END"]);
    assert_eq!(wanted.hints, ["sonnet"]);
    assert_eq!(
        wanted.priorities,
        Priorities {
            cost: 1.0,
            speed: 0.4,
            intelligence: 0.0
        }
    );
    assert_eq!(wanted.context.as_deref(), Some("allServers"));
    assert_eq!(
        (wanted.tools.len(), wanted.tool_use),
        (1, SampleToolUse::Required)
    );
    assert_eq!(wanted.messages[1].blocks.len(), 2);
    assert_eq!(rounds(&wanted.messages), 1);
}

/// SA-016, SA-017: each broken rule is refused with the words the protocol gives it.
#[test]
fn tool_results_stand_alone_and_answer_every_use() {
    let mixed = "Tool results mixed with other content";
    let missing = "Tool result missing in request";
    let uses = said("assistant", json!([tool_use("u1"), tool_use("u2")]));
    let cases = [
        (
            json!([uses, said("user", json!([result("u1"), result("u2"), text()]))]),
            mixed,
        ),
        (json!([uses, said("user", json!([result("u1")]))]), missing),
        (
            json!([uses, said("user", json!([result("u1"), result("u3")]))]),
            missing,
        ),
        (json!([uses, said("user", text())]), missing),
        (json!([uses]), missing),
        (json!([uses, said("assistant", text())]), missing),
        (
            json!([said("user", json!([result("u1")]))]),
            "Tool result without a tool use before it",
        ),
        (
            json!([said("user", tool_use("u1"))]),
            "Tool uses belong in an assistant message",
        ),
        (
            json!([uses, said("assistant", json!([result("u1"), result("u2")]))]),
            "Tool results belong in a user message",
        ),
        (
            json!([said("assistant", json!([tool_use("u1"), tool_use("u1")]))]),
            "The id u1 is used twice in one message",
        ),
        (json!([]), "There are no messages"),
        (json!([said("user", json!([]))]), "A message is empty"),
    ];
    for (messages, refusal) in cases {
        assert_eq!(with(messages.clone()).unwrap_err(), refusal, "{messages}");
    }
    let whole = json!([
        uses,
        said("user", json!([result("u2"), result("u1")])),
        said("assistant", text())
    ]);
    assert_eq!(with(whole).unwrap().messages.len(), 3);
}

/// SA-025: content that is not what it says is refused.
#[test]
fn media_are_checked() {
    for (kind, mime, data) in [
        ("image", "text/html", "AAAA"),
        ("image", "image/png", "not base64!"),
        ("image", "image/png", ""),
        ("audio", "image/png", "AAAA"),
        ("image", "image/png\"><script>", "AAAA"),
        ("video", "video/mp4", "AAAA"),
    ] {
        let content = json!({ "type": kind, "mimeType": mime, "data": data });
        let refusal = with(json!([said("user", content)]));
        assert!(refusal.is_err(), "{kind} {mime} {data}");
    }
    let sound = json!({ "type": "audio", "mimeType": "audio/wav", "data": "AAAA" });
    assert!(with(json!([said("user", sound)])).is_ok());
}

/// SA-014: tools nobody allowed are an error, not something to leave out.
#[test]
fn tools_are_taken_only_where_they_were_declared() {
    let params = json!({ "maxTokens": 1, "messages": [said("user", text())], "tools": [] });
    let raw = RawJsonBuf::write(&params).unwrap();
    assert!(read(raw.as_raw(), false).is_err());
    assert!(read(raw.as_raw(), true).is_ok());
}

#[test]
fn nothing_is_read_without_a_ceiling_or_a_known_role() {
    for params in [
        json!({ "messages": [said("user", text())] }),
        json!({ "maxTokens": 0, "messages": [said("user", text())] }),
        json!({ "maxTokens": "9", "messages": [said("user", text())] }),
        json!({ "maxTokens": 9, "messages": [said("system", text())] }),
        json!({ "maxTokens": 9, "messages": [said("user", json!("hi"))] }),
    ] {
        assert!(read_value(&params).is_err(), "{params}");
    }
}

/// What no provider takes is refused, because leaving it out would change where the model stops.
#[test]
fn texts_to_stop_at_that_no_provider_takes_are_refused() {
    let with = |stops: Value| {
        read_value(&json!({
            "maxTokens": 10, "messages": [said("user", json!(text()))], "stopSequences": stops,
        }))
    };
    assert!(with(json!(["a", "b", "c", "d"])).is_ok());
    assert!(with(json!(["a", "b", "c", "d", "e"])).is_err());
    assert!(with(json!([""])).is_err());
    assert!(with(json!(["x".repeat(201)])).is_err());
}
