//! Titles that the model writes for new chats, where the user wants that.

use vestibule_host::view::SettingsChange;
use vestibule_protocol::ChatId;
use vestibule_tests::{Model, Scene, Turn, text_result, tool};

use super::cost_budgets::{round, stops_at};
use super::model_rounds::priced;

const MESSAGE: &str = "Where do the trams of Oslo go?";

async fn wanted(scene: &Scene) {
    let change = SettingsChange {
        title_chats: Some(true),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
}

async fn titled(scene: &Scene, chat: ChatId, title: &str) {
    let is_so = |chat: &vestibule_host::view::ChatView| chat.title == title;
    let seen = scene
        .window
        .until(title, |seen| seen.chats.get(&chat).is_some_and(is_so));
    seen.await;
}

#[tokio::test]
async fn a_model_that_is_wanted_to_writes_the_title_of_a_new_chat_from_the_first_exchange_alone() {
    let scene = Scene::new().await;
    wanted(&scene).await;
    let (server, mut trams, _stage) = scene.puppet("trams", &[tool("lines")]).await;
    scene.allow(server, "lines").await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "trams__lines", serde_json::json!({})));
    scene.say(chat, MESSAGE).await;
    model.asked().await;
    let call = trams.hear("tools/call").await;
    trams.answer(&call, text_result("canary of the server")).await;
    assert!(model.asked().await.to_string().contains("canary of the server"));
    model.will(Turn::words("To the harbour."));
    scene.finished(chat).await;
    titled(&scene, chat, MESSAGE).await;

    let request = model.asked().await;
    let told = request["messages"].to_string();
    assert!(
        told.contains(MESSAGE) && told.contains("To the harbour."),
        "{told}"
    );
    assert!(
        !told.contains("canary") && request.get("tools").is_none(),
        "{request}"
    );
    model.will(Turn::counted("**\"Trams in Oslo.\"**", 90, 0, 8));
    titled(&scene, chat, "Trams in Oslo").await;
    let usage = scene.window.now().chats[&chat].usage.clone().unwrap();
    assert_eq!((usage.input, usage.output), (90, 8), "a title is counted");

    model.will(Turn::words("At nine."));
    scene.say(chat, "When does the next one leave?").await;
    model.asked().await;
    scene.finished(chat).await;
    let scene = scene.reopen().await;
    titled(&scene, chat, "Trams in Oslo").await;
    assert!(model.is_unasked(), "a chat is named once");
    scene.close().await;
}

#[tokio::test]
async fn a_model_is_not_asked_for_titles_unless_the_user_wants_it() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::words("To the harbour."));
    scene.say(chat, MESSAGE).await;
    model.asked().await;
    scene.finished(chat).await;
    wanted(&scene).await;
    another_chat_is_titled(&scene, chat, &mut model).await;
    titled(&scene, chat, MESSAGE).await;
    scene.close().await;
}

/// The user agrees to one message over a budget, and a title is another one.
#[tokio::test]
async fn a_message_over_a_budget_is_followed_by_no_title() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let mut model = priced(&scene, chat).await;
    scene.host.month_budget_save(Some(stops_at(1))).await.unwrap();
    wanted(&scene).await;
    model.will(round());
    scene.say(chat, MESSAGE).await;
    model.asked().await;
    scene.finished(chat).await;
    model.will(Turn::words("To the harbour."));
    let over = scene.chat().await;
    let id = scene.window.now().chats[&chat].model;
    scene.host.chat_model(over, id).await.unwrap();
    scene.say(over, MESSAGE).await;
    scene.finished(over).await;
    let once = scene.host.chat_go_on_once(over).await.unwrap();
    scene.agreed(once).await;
    model.asked().await;
    scene.window.catch_up(&scene.host).await;
    scene.finished(over).await;
    let raised = scene.host.month_budget_save(None).await.unwrap();
    scene.agreed(raised).await;
    another_chat_is_titled(&scene, over, &mut model).await;
    titled(&scene, over, MESSAGE).await;
    scene.close().await;
}

#[tokio::test]
async fn a_request_for_a_title_counts_in_budgets_also_where_no_title_comes_of_it() {
    let endless = "very ".repeat(400);
    for turn in [
        Turn::cut("Trams"),
        Turn::limited("Trams of the"),
        Turn::words(&endless),
    ] {
        let scene = Scene::new().await;
        wanted(&scene).await;
        let chat = scene.chat().await;
        let model = priced(&scene, chat).await;
        model.will(round());
        model.will(turn);
        scene.say(chat, MESSAGE).await;
        scene.finished(chat).await;
        let is_counted = |seen: &vestibule_tests::Projection| {
            let day = seen.costs.day.first();
            day.is_some_and(|cost| cost.amount > 3_500)
        };
        scene.window.until("the cost of the title", is_counted).await;
        titled(&scene, chat, MESSAGE).await;
        scene.close().await;
    }
}

/// Begins a chat with the model of another one. Its requests are the next ones: nothing was sent for a title before.
async fn another_chat_is_titled(scene: &Scene, other: ChatId, model: &mut Model) {
    let chat = scene.chat().await;
    let id = scene.window.now().chats[&other].model;
    scene.host.chat_model(chat, id).await.unwrap();
    model.will(Turn::words("At nine."));
    model.will(Turn::words("The first tram"));
    scene.say(chat, "When does the first one leave?").await;
    assert!(model.asked().await.to_string().contains("the first one leave"));
    titled(scene, chat, "The first tram").await;
    assert!(model.asked().await.to_string().contains("Write a title"));
    assert!(model.is_unasked());
}

/// The title that the user gives holds, also while the model writes another; an answer of no use changes nothing; and
/// the application does not wait for a title when it ends.
#[tokio::test]
async fn a_title_of_the_user_holds_and_a_title_that_does_not_come_holds_nothing_up() {
    let scene = Scene::new().await;
    wanted(&scene).await;
    let (renamed, mut model) = scene.scripted_chat().await;
    let begin = async |chat, model: &mut Model| {
        model.will(Turn::words("To the harbour."));
        scene.say(chat, MESSAGE).await;
        model.asked().await;
        scene.finished(chat).await;
    };
    begin(renamed, &mut model).await;
    model.asked().await;
    let (turn, go_on) = Turn::halting("By the", " model");
    model.will(turn);
    scene.host.chat_rename(renamed, "Mine").await.unwrap();
    go_on.send(()).unwrap();

    let (useless, mut model) = scene.scripted_chat().await;
    begin(useless, &mut model).await;
    assert!(model.asked().await.to_string().contains("title"));
    model.will(Turn::words(&"word ".repeat(1_000)));

    let (hanging, mut model) = scene.scripted_chat().await;
    begin(hanging, &mut model).await;
    model.asked().await;
    let (turn, _never) = Turn::halting("Never", "");
    model.will(turn);
    let scene = scene.reopen().await;
    titled(&scene, renamed, "Mine").await;
    titled(&scene, useless, MESSAGE).await;
    titled(&scene, hanging, MESSAGE).await;
    scene.close().await;
}
