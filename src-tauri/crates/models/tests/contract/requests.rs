//! What is asked: the conversation as the model reads it, and the models there are.

use super::*;

#[tokio::test]
async fn a_conversation_with_calls_and_results_is_sent_whole() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let call = |id: &str, arguments| ModelCall {
        id: id.to_owned(),
        name: "t__add".to_owned(),
        arguments,
    };
    let whole = CallArguments::Parsed(json!({ "a": 1 }).as_object().unwrap().clone());
    let garbled = CallArguments::Invalid {
        raw: "{\"a".to_owned(),
        reason: "cut".to_owned(),
    };
    let result = |call: &str, parts| ModelMessage::ToolResult {
        call: call.to_owned(),
        name: "t__add".to_owned(),
        parts,
        failed: false,
    };
    let image = ResultPart::Image {
        mime: "image/png".to_owned(),
        base64: "AAAA".to_owned(),
    };
    let request = ModelRequest {
        system: Some("Be brief.".to_owned()),
        messages: vec![
            ModelMessage::User {
                text: "hi".to_owned(),
            },
            ModelMessage::Assistant {
                text: String::new(),
                calls: vec![call("c1", whole), call("c2", garbled)],
                native: None,
            },
            result("c1", vec![ResultPart::Text("3".to_owned()), image]),
            result("c2", vec![]),
            ModelMessage::User {
                text: "thanks".to_owned(),
            },
        ],
        tools: vec![ToolSpec {
            name: "t__add".to_owned(),
            description: "Adds".to_owned(),
            input_schema: json!({ "type": "object" }),
        }],
        max_tokens: Some(64),
        ..ModelRequest::default()
    };
    let (_, error) = read(&provider(&endpoint.base), request).await;
    assert_eq!(error, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    let at = |pointer: &str| body.pointer(pointer).cloned().unwrap_or(Value::Null);
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "user"]);
    assert_eq!(
        (at("/model"), at("/stream"), at("/max_tokens")),
        (json!("m"), json!(true), json!(64))
    );
    assert_eq!(at("/tools/0/function/name"), "t__add");
    assert_eq!(at("/messages/2/tool_calls/0/function/arguments"), "{\"a\":1}");
    assert_eq!(at("/messages/3/tool_call_id"), "c1");
    assert!(
        !body.to_string().contains("AAAA"),
        "an image goes only to models that take images"
    );
    assert!(at("/messages/3/content").to_string().contains("image/png"));
}

/// Azure refuses a request with an id of more than 40 characters, which other vendors and earlier versions make.
#[tokio::test]
async fn long_ids_of_calls_are_shortened_and_still_find_their_results() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let ids = ["a", "b"].map(|last| format!("again-0193a1b2-0000-7000-8000-00000000000{last}"));
    let calls = ids.clone().map(|id| ModelCall {
        id,
        name: "add".to_owned(),
        arguments: CallArguments::Parsed(serde_json::Map::new()),
    });
    let results = ids.map(|call| ModelMessage::ToolResult {
        parts: vec![ResultPart::Text(call.clone())],
        call,
        name: "add".to_owned(),
        failed: false,
    });
    let mut request = hello();
    request.messages.push(ModelMessage::Assistant {
        text: String::new(),
        calls: calls.to_vec(),
        native: None,
    });
    request.messages.extend(results);
    request.tools.push(ToolSpec {
        name: "add".to_owned(),
        description: "Adds".to_owned(),
        input_schema: json!({ "type": "object" }),
    });
    let mut base = endpoint.base.clone();
    base.set_path("");
    let model = remote_model(Wire::Azure, base, None, "m".to_owned());
    assert_eq!(read(&model, request).await.1, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    let at = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).unwrap();
    let sent = [0, 1].map(|call| at(&format!("/messages/1/tool_calls/{call}/id")).to_owned());
    assert_ne!(sent[0], sent[1]);
    for (result, id) in [(2, &sent[0]), (3, &sent[1])] {
        assert!(id.len() <= 40, "{id}");
        assert_eq!(at(&format!("/messages/{result}/tool_call_id")), id);
    }
}

/// SA-015, SA-009: what a server says about tools, words and length reaches the model.
#[tokio::test]
async fn pieces_and_choices_are_sent_as_they_were_given() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")]), stream(&[finish("stop")])]).await;
    let image = ResultPart::Image {
        mime: "image/png".to_owned(),
        base64: "AAAA".to_owned(),
    };
    let tool = ToolSpec {
        name: "add".to_owned(),
        description: "Adds".to_owned(),
        input_schema: json!({ "type": "object" }),
    };
    let request = |tool_use| ModelRequest {
        messages: vec![ModelMessage::UserParts {
            parts: vec![ResultPart::Text("what is this".to_owned()), image.clone()],
        }],
        tools: vec![tool.clone()],
        tool_use,
        temperature: Some(0.25),
        stop: vec!["END".to_owned()],
        ..ModelRequest::default()
    };
    let seeing = provider(&endpoint.base).with_images(true);
    assert_eq!(read(&seeing, request(ToolUse::Required)).await.1, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["temperature"], 0.25);
    assert_eq!(body["stop"], json!(["END"]));
    assert!(
        body["messages"]
            .to_string()
            .contains("data:image/png;base64,AAAA"),
        "{body}"
    );

    let blind = provider(&endpoint.base);
    assert_eq!(read(&blind, request(ToolUse::Never)).await.1, None);
    let body = endpoint.requests.recv().await.unwrap().body;
    assert_eq!(body["tool_choice"], "none");
    assert!(!body.to_string().contains("AAAA"), "{body}");
    assert!(
        body["messages"].to_string().contains("this model cannot"),
        "{body}"
    );
}

#[tokio::test]
async fn models_are_listed_by_name() {
    let listing = r#"{"object":"list","data":[{"id":"llama3.1"},{"id":""},{"id":"qwen3"}]}"#;
    let endpoint =
        FakeEndpoint::start([answer("200 OK", "content-type: application/json\r\n", listing)]).await;
    assert_eq!(
        provider(&endpoint.base).models().await,
        Ok(vec!["llama3.1".to_owned(), "qwen3".to_owned()])
    );
}

#[tokio::test]
async fn a_label_names_the_model_and_the_place() {
    let provider = open_ai_compatible(
        Url::parse("http://localhost:11434/v1").unwrap(),
        None,
        "llama3.1".to_owned(),
    );
    assert_eq!(
        (provider.label(), provider.scripted()),
        ("llama3.1 · localhost:11434", false)
    );
}
