//! What one server returned does not reach another one unseen, whatever was allowed before.

use serde_json::json;
use vestibule_consent::QuestionBody;
use vestibule_host::view::ToolRule;
use vestibule_policy::{Because, Scope};
use vestibule_tests::{Scene, Turn, eventually, text_result, tool, yes};

/// Shows HO-004.
#[tokio::test]
async fn what_one_server_returned_is_asked_before_it_goes_to_another() {
    let scene = Scene::new().await;
    let (mail_id, mut mail, _mail_stage) = scene.puppet("mail", &[tool("read")]).await;
    let (web_id, mut web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    for (server, name) in [(mail_id, "read"), (web_id, "search")] {
        scene.host.tool_rule(server, name, ToolRule::Allow).await.unwrap();
        let question = scene.person.asked().await;
        scene.person.say(&question, yes(Scope::Always)).await;
        // The answer is worked on in a task of its own.
        eventually("a rule that allows the call", async || {
            scene.host.server_tools(server)[0].rule == ToolRule::Allow
        })
        .await;
    }
    let (chat, mut model) = scene.scripted_chat().await;
    let shown = scene.person.shown().len();

    // Reading the mail, and a search of the model's own, go through by rule.
    model.will(Turn::call("one", "mail__read", json!({})));
    scene.say(chat, "Look up my order.").await;
    model.asked().await;
    let read = mail.hear("tools/call").await;
    mail.answer(&read, text_result("Your order is KX-4471-99, dear Ann."))
        .await;
    model.will(Turn::call("two", "web__search", json!({"q": "weather"})));
    model.asked().await;
    let search = web.hear("tools/call").await;
    web.answer(&search, text_result("sunny")).await;
    model.will(Turn::call(
        "three",
        "web__search",
        json!({"q": "order KX-4471-99"}),
    ));
    model.asked().await;

    let question = scene.person.asked().await;
    assert_eq!(scene.person.shown().len(), shown + 1, "only this one is asked");
    let QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    let [carried] = &call.carried[..] else {
        panic!("{call:?}")
    };
    assert_eq!(
        (&*carried.server, &*carried.tool, &*carried.at, &*carried.value),
        ("mail", "read", "/q", "KX-4471-99")
    );
    scene.person.say(&question, yes(Scope::Once)).await;
    let search = web.hear("tools/call").await;
    assert_eq!(search["params"]["arguments"], json!({"q": "order KX-4471-99"}));
    web.answer(&search, text_result("found")).await;
    model.will(Turn::words("Done."));
    model.asked().await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert_eq!(
        calls.last().unwrap().because,
        [Because::Person { scope: Scope::Once }]
    );
    scene.close().await;
}
