//! A result that is too long for a model: it gets both ends and reads the rest in parts, in the same chat only, and what
//! it read stays known as the server's.

use serde_json::json;
use vestibule_consent::QuestionBody;
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, results, text_result, tool, tool_names, yes};

/// What a model may be given of one result, in bytes.
const SHORT: usize = 16 * 1024;

/// A log of about three megabytes with one line that matters.
fn log() -> String {
    let line = |n: u32| match n {
        40_000 => "line 40000: the vault opens with KX-4471-99-ZULU\n".to_owned(),
        n => format!("line {n}: nothing happened here, {} times\n", n % 7),
    };
    (1..=70_000).map(line).collect()
}

/// The handle that a shortened result names.
fn handle(text: &str) -> String {
    let rest = text.split("the handle ").nth(1).unwrap();
    rest.split('.').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_long_result_is_read_in_parts_and_stays_the_servers() {
    let scene = Scene::new().await;
    let (_, mut files, _files_stage) = scene.puppet("files", &[tool("read_log")]).await;
    let (_, _web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("log", "files__read_log", json!({})));
    scene.say(chat, "What opens the vault?").await;
    assert_eq!(
        tool_names(&model.asked().await),
        ["files__read_log", "web__search"]
    );
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = files.hear("tools/call").await;
    files.answer(&call, text_result(&log())).await;

    model.will(Turn::call("early", "read_result", json!({ "handle": "0" })));
    let first = model.asked().await;
    let (_, given) = &results(&first)[0];
    assert!(given.len() <= SHORT, "{}", given.len());
    assert!(given.starts_with("line 1:") && given.contains("line 70000:") && !given.contains("KX-4471"));
    assert_eq!(
        tool_names(&first),
        ["files__read_log", "web__search", "read_result"]
    );
    let handle = handle(given);

    let shown = scene.person.shown().len();
    model.will(Turn::call(
        "find",
        "read_result",
        json!({ "handle": handle, "search": "vault" }),
    ));
    let refused = model.asked().await;
    assert!(
        results(&refused)[1].1.contains("no result with the handle"),
        "{:?}",
        results(&refused)[1]
    );
    model.will(Turn::call(
        "leak",
        "web__search",
        json!({ "q": "KX-4471-99-ZULU" }),
    ));
    let found = model.asked().await;
    let (_, part) = &results(&found)[2];
    assert!(
        part.contains("40000: line 40000: the vault opens with KX-4471-99-ZULU"),
        "{part}"
    );
    assert_eq!(
        results(&found)[0],
        results(&first)[0],
        "what was given stays the same"
    );

    let question = scene.person.asked().await;
    assert_eq!(
        scene.person.shown().len(),
        shown + 1,
        "reading is not asked, the search is"
    );
    let QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    let carried = call
        .carried
        .iter()
        .map(|one| (&*one.server, &*one.tool, &*one.value));
    assert_eq!(
        carried.collect::<Vec<_>>(),
        [("files", "read_log", "KX-4471-99-ZULU")]
    );
    scene.host.chat_stop(chat);
    scene.finished(chat).await;

    // The handle is good in its own chat only.
    let (other, mut other_model) = scene.scripted_chat().await;
    other_model.will(Turn::call("log", "files__read_log", json!({})));
    scene.say(other, "Again.").await;
    other_model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = files.hear("tools/call").await;
    files.answer(&call, text_result(&log())).await;
    other_model.will(Turn::call("steal", "read_result", json!({ "handle": handle })));
    other_model.asked().await;
    other_model.will(Turn::words("I cannot."));
    let refused = other_model.asked().await;
    assert!(
        results(&refused)[1]
            .1
            .contains("a handle of another chat is not read")
    );
    scene.finished(other).await;
    scene.close().await;
}
