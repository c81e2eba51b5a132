//! What vendors refuse, and how they end an answer: the chat goes on, and the user reads what happened.

use serde_json::json;
use vestibule_host::view::EntryBody;
use vestibule_tests::{Scene, Turn, results};

/// Some models make up names for what they want to do. Their own vendors refuse a request with such a name.
#[tokio::test]
async fn a_chat_goes_on_after_a_call_by_a_name_that_vendors_refuse() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let name = "multi_tool_use.parallel";
    model.will(Turn::signed_call(
        "Both at once.",
        "c2ln",
        "call_1",
        name,
        &json!({}),
    ));
    model.will(Turn::words("I cannot do that."));
    scene.say(chat, "Read both pages.").await;
    let entries = scene.finished(chat).await;
    assert!(
        entries
            .iter()
            .any(|entry| matches!(&entry.body, EntryBody::Call(call) if call.tool == name)),
        "the user sees the name as the model wrote it"
    );
    model.asked().await;
    let told = model.asked().await;
    let called = told["messages"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|message| message.pointer("/tool_calls/0/function/name"));
    assert_eq!(called, Some(&json!("multi_tool_use_parallel")), "{told}");
    assert_eq!(results(&told)[0].0, "call_1");
    scene.close().await;
}
