use serde_json::json;

use super::*;

fn read(params: &Value) -> Result<CreateMessage, BrokenRequest> {
    CreateMessage::read(&RawValue::from_string(params.to_string()).unwrap(), true)
}

fn messages(messages: Value) -> Result<CreateMessage, BrokenRequest> {
    read(&json!({"maxTokens": 5, "messages": messages}))
}

/// SA-007, SA-008, SA-011, SA-012, SA-013, SA-015, SA-028.
#[test]
fn everything_a_server_may_say_in_a_request_is_read() {
    let params = json!({
        "maxTokens": 800, "systemPrompt": "be kind", "temperature": 0.5, "stopSequences": ["END"],
        "includeContext": "thisServer", "metadata": {"a": 1}, "toolChoice": {"mode": "required"},
        "modelPreferences": {"hints": [{"name": "sonnet"}, {}], "speedPriority": 0.4},
        "tools": [{"name": "wx", "inputSchema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Oslo?"}},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "u1", "name": "wx", "input": {"c": "Oslo"}, "_meta": {"k": 1}},
                {"type": "text", "text": "a moment"}]},
            {"role": "user", "content": [{"type": "tool_result", "toolUseId": "u1",
                "content": [{"type": "text", "text": "rain"}], "_meta": {"k": 2}}]},
            {"role": "user", "content": {"type": "image", "data": "AAA=", "mimeType": "image/png"}},
            {"role": "user", "content": {"type": "audio", "data": "", "mimeType": "audio/wav"}}
        ]
    });
    let request = read(&params).unwrap();
    assert_eq!(request.max_tokens, 800);
    assert_eq!(request.tools[0].name, "wx");
    assert_eq!(request.tool_choice, ToolChoice::Required);
    assert_eq!(request.include_context, IncludeContext::ThisServer);
    let preferences = request.model_preferences.unwrap();
    assert_eq!(preferences.hints[0].name.as_deref(), Some("sonnet"));
    assert!(matches!(&request.messages[1].content[0],
        SamplingContent::ToolUse { meta: Some(meta), .. } if meta["k"] == 1));
    let written = serde_json::to_value(&request.messages[2].content[0]).unwrap();
    assert_eq!(
        (&written["_meta"]["k"], &written["toolUseId"]),
        (&json!(2), &json!("u1"))
    );
    let least = read(&json!({"maxTokens": 1, "messages": []})).unwrap();
    assert_eq!(
        (least.tool_choice, least.include_context),
        (ToolChoice::Auto, IncludeContext::None)
    );
}

/// SA-016, SA-017, SA-018.
#[test]
fn results_of_tools_stand_alone_and_answer_exactly_the_uses_before_them() {
    let used = |ids: &[&str]| {
        let uses: Vec<Value> = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "t", "input": {}}))
            .collect();
        json!({"role": "assistant", "content": uses})
    };
    let result = |id: &str| json!({"type": "tool_result", "toolUseId": id, "content": []});
    let answered = |ids: &[&str]| json!({"role": "user", "content": ids.iter().map(|id| result(id)).collect::<Vec<_>>()});
    let said = json!({"role": "user", "content": {"type": "text", "text": "a"}});
    messages(json!([used(&["1", "2"]), answered(&["2", "1"]), said])).unwrap();
    let missing = [
        json!([used(&["1"])]),
        json!([used(&["1"]), said]),
        json!([used(&["1", "2"]), answered(&["1"])]),
        json!([used(&["1"]), said, answered(&["1"])]),
        json!([used(&["1"]), answered(&["1", "2"])]),
        json!([answered(&["1"])]),
    ];
    for broken in missing {
        assert_eq!(messages(broken).unwrap_err().0, "Tool result missing in request");
    }
    let mixed = json!({"role": "user", "content": [result("1"), {"type": "text", "text": "a"}]});
    let error = messages(json!([used(&["1"]), mixed])).unwrap_err();
    assert_eq!(error.0, "Tool results mixed with other content");
    let by_the_wrong_one = json!({"role": "assistant", "content": result("1")});
    assert!(messages(json!([used(&["1"]), by_the_wrong_one])).is_err());
    assert!(messages(json!([used(&["1", "1"]), answered(&["1"])])).is_err());
    assert!(messages(json!([used(&["1"]), answered(&["1", "1"])])).is_err());
}

/// SA-014, SA-025.
#[test]
fn what_is_not_what_it_claims_to_be_is_refused_whole() {
    let content = |content: Value| messages(json!([{"role": "user", "content": content}]));
    for broken in [
        json!({"type": "hologram"}),
        json!("text"),
        json!({"type": "text"}),
        json!({"type": "image", "data": "AA", "mimeType": "image/png"}),
        json!({"type": "image", "data": "<svg>", "mimeType": "image/png"}),
        json!({"type": "image", "data": "AAAA", "mimeType": "text/html"}),
        json!({"type": "audio", "data": "AAAA", "mimeType": "image/png"}),
    ] {
        assert!(content(broken.clone()).is_err(), "{broken}");
    }
    let with = |member: &str, value: Value| {
        let mut params = json!({"maxTokens": 5, "messages": []});
        params[member] = value;
        read(&params)
    };
    for (member, value) in [
        ("maxTokens", json!(0)),
        ("maxTokens", json!(-1)),
        ("maxTokens", json!("5")),
        ("messages", json!({})),
        (
            "messages",
            json!(vec![json!({"role": "user", "content": []}); MAX_MESSAGES + 1]),
        ),
        ("messages", json!([{"role": "system", "content": []}])),
        ("modelPreferences", json!({"costPriority": 1.5})),
        (
            "modelPreferences",
            json!({"hints": vec![json!({}); MAX_WORDS + 1]}),
        ),
        ("stopSequences", json!(vec!["x"; MAX_WORDS + 1])),
        ("stopSequences", json!(["x".repeat(MAX_WORD_BYTES + 1)])),
        ("includeContext", json!("everything")),
        ("toolChoice", json!({"mode": "maybe"})),
        ("tools", json!([{"name": "a"}])),
        (
            "tools",
            json!([{"name": "a", "inputSchema": {}}, {"name": "a", "inputSchema": {}}]),
        ),
        ("tools", json!(vec![json!({}); MAX_TOOLS + 1])),
        ("systemPrompt", json!("x".repeat(MAX_REQUEST_BYTES))),
    ] {
        assert!(with(member, value).is_err(), "{member}");
    }
    assert!(read(&json!({"messages": []})).is_err());
    let tools = json!({"maxTokens": 5, "messages": [], "tools": []});
    let raw = RawValue::from_string(tools.to_string()).unwrap();
    assert!(CreateMessage::read(&raw, false).is_err());
    assert!(CreateMessage::read(&raw, true).is_ok());
}

/// SA-019, SA-020, SA-030.
#[test]
fn an_answer_of_one_block_is_no_list_and_older_servers_never_see_one() {
    let answer = |content| CreateMessageResult {
        role: Role::Assistant,
        content,
        model: "m".into(),
        stop_reason: Some("endTurn".into()),
    };
    let one = answer(vec![SamplingContent::text("a")]);
    assert_eq!(
        serde_json::to_value(&one).unwrap(),
        json!({"role": "assistant", "model": "m", "stopReason": "endTurn",
            "content": {"type": "text", "text": "a"}})
    );
    let used = SamplingContent::ToolUse {
        id: "u".into(),
        name: "t".into(),
        input: Map::new(),
        meta: None,
    };
    let several = answer(vec![
        SamplingContent::text("a"),
        used.clone(),
        SamplingContent::text("b"),
    ]);
    assert!(serde_json::to_value(&several).unwrap()["content"].is_array());
    assert_eq!(several.in_one_block().content, [SamplingContent::text("a\n\nb")]);
    assert_eq!(
        answer(vec![used]).in_one_block().content,
        [SamplingContent::text("")]
    );
}
