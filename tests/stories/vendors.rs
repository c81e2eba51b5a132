//! What vendors refuse, and how they end an answer: the chat goes on, and the user reads what happened.

use serde_json::json;
use vestibule_host::view::{EntryBody, ModelProblem, Problem, TextState};
use vestibule_tests::{Scene, Turn, results, tool};

/// Some models make up names for what they want to do. Their own vendors refuse a request with such a name.
#[tokio::test]
async fn a_chat_goes_on_after_a_call_by_a_name_that_vendors_refuse() {
    let scene = Scene::new().await;
    // Without a tool the request would have calls as text.
    let (_, _puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
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

/// A part of an answer looks like a whole one, so the user reads why it ended, and nothing goes on from it by itself.
#[tokio::test]
async fn an_answer_that_its_vendor_broke_off_says_so_and_stops_what_waits() {
    for reason in ["RECITATION", "insufficient_system_resource"] {
        let scene = Scene::new().await;
        let (chat, mut model) = scene.scripted_chat().await;
        scene.say(chat, "Tell me.").await;
        model.asked().await;
        scene
            .host
            .queue_add(chat, "And then?".into(), vec![])
            .await
            .unwrap();
        model.will(Turn::broken_off(&[("call_1", "notes__read", "{}")], reason));
        let entries = scene.finished(chat).await;
        let [.., answer, failure] = &entries[..] else {
            panic!("{entries:?}")
        };
        assert!(
            matches!(&answer.body, EntryBody::Assistant { text, state: TextState::Done, .. } if text == "Let me see."),
            "the part is kept, and its call is not made: {answer:?}"
        );
        let expected = EntryBody::Failure {
            problem: Problem::Model(ModelProblem::ModelRefused {
                status: 200,
                detail: reason.into(),
            }),
            retryable: false,
        };
        assert_eq!(failure.body, expected);
        assert!(model.is_unasked());

        // The user goes on, and the model knows what it said.
        scene.window.catch_up(&scene.host).await;
        let waiting = scene.window.now().chats[&chat].queue.clone();
        assert_eq!(waiting.len(), 1);
        model.will(Turn::words("That is all."));
        scene.host.queue_send(chat, waiting[0].id).await.unwrap();
        let told = model.asked().await;
        assert!(told.to_string().contains("Let me see."), "{told}");
        scene.finished(chat).await;
        scene.close().await;
    }
}
