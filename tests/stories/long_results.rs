//! A result that is too long for a model, about which the user wants to be asked: the model reads nothing before the user
//! has chosen, and then as much as the user gave it.

use serde_json::json;
use vestibule_consent::QuestionBody;
use vestibule_host::view::{
    CallBody, CallState, ChatSettings, InputProblem, LargeResults, Problem, ResultChoice, ResultShare,
    SettingsChange,
};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Model, Puppet, Scene, Turn, results, text_result, tool, tool_names, yes};

use super::compaction::riddles::small_chat;

const SECRET: &str = "KX-4471-99-ZULU";

/// A log of `lines` lines with a value in the middle, which no shortened result has.
fn log(lines: u32) -> String {
    let line = |n: u32| match n == lines / 2 {
        true => format!("line {n}: the vault opens with {SECRET}\n"),
        false => format!("line {n}: nothing happened here\n"),
    };
    (1..=lines).map(line).collect()
}

async fn asks(scene: &Scene) {
    let change = SettingsChange {
        large_results: Some(LargeResults::Ask),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
}

/// Says something, lets the model call `files__read_log`, and answers with a log.
async fn read_log(scene: &Scene, chat: ChatId, model: &mut Model, files: &mut Puppet, lines: u32) {
    model.will(Turn::call("log", "files__read_log", json!({})));
    scene.say(chat, "What opens the vault?").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = files.hear("tools/call").await;
    files.answer(&call, text_result(&log(lines))).await;
}

fn choice(state: &CallState) -> Option<ResultChoice> {
    match state {
        CallState::Answered { result, .. } => result.choice,
        _ => None,
    }
}

fn is_asked(state: &CallState) -> bool {
    matches!(choice(state), Some(ResultChoice::Asked { .. }))
}

/// The call about which the user is asked, once they are.
async fn open_choice(scene: &Scene, chat: ChatId) -> (EntryId, CallBody) {
    let call = scene.call(chat, "a choice about a result", is_asked).await;
    let entries = scene.newest_entries(chat).await;
    let of_call = |entry: &&vestibule_host::view::EntryView| matches!(&entry.body, vestibule_host::view::EntryBody::Call(one) if is_asked(&one.state));
    (entries.iter().find(of_call).unwrap().id, call)
}

fn cut_bytes(state: &CallState) -> u64 {
    match state {
        CallState::Answered { result, .. } => result.model_cut_bytes,
        _ => 0,
    }
}

#[tokio::test]
async fn a_long_result_is_given_whole_where_the_user_says_so_and_stays_the_servers() {
    let scene = Scene::new().await;
    let (_, mut files, _files_stage) = scene.puppet("files", &[tool("read_log")]).await;
    let (_, _web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    asks(&scene).await;
    read_log(&scene, chat, &mut model, &mut files, 4_000).await;
    let (entry, call) = open_choice(&scene, chat).await;
    let Some(ResultChoice::Asked { tokens, fits: true }) = choice(&call.state) else {
        panic!("{call:?}")
    };
    assert!(tokens > 10_000, "{tokens}");
    assert!(model.is_unasked(), "the model reads nothing before");

    scene.host.result_share(entry, ResultShare::Whole).await.unwrap();
    model.will(Turn::call("leak", "web__search", json!({ "q": SECRET })));
    let request = model.asked().await;
    assert_eq!(results(&request)[0].1, log(4_000));
    assert_eq!(
        tool_names(&request),
        ["files__read_log", "web__search"],
        "nothing is left to read"
    );
    let question = scene.person.asked().await;
    let QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    let carried: Vec<_> = call
        .carried
        .iter()
        .map(|one| (&*one.server, &*one.value))
        .collect();
    assert_eq!(carried, [("files", SECRET)]);
    scene.host.chat_stop(chat);
    let calls = Scene::calls(&scene.finished(chat).await);
    assert_eq!(cut_bytes(&calls[0].state), 0);

    // The choice is made once, since the model has read the result.
    let again = scene.host.result_share(entry, ResultShare::Nothing).await;
    assert_eq!(again, Err(Problem::Input(InputProblem::Gone)));
    scene.close().await;
}

#[tokio::test]
async fn the_model_reads_nothing_of_a_result_that_the_user_keeps_from_it() {
    let scene = Scene::new().await;
    let (_, mut files, _files_stage) = scene.puppet("files", &[tool("read_log")]).await;
    let (_, _web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    asks(&scene).await;
    read_log(&scene, chat, &mut model, &mut files, 4_000).await;
    let (entry, _) = open_choice(&scene, chat).await;
    scene
        .host
        .result_share(entry, ResultShare::Nothing)
        .await
        .unwrap();
    let request = model.asked().await;
    assert_eq!(
        results(&request)[0].1,
        "[The user chose to give you nothing of this result.]"
    );
    assert_eq!(tool_names(&request), ["files__read_log", "web__search"]);
    model.will(Turn::words("I see."));
    scene.finished(chat).await;

    // Also not in parts, which a second result makes possible; and what is compared stays.
    read_log(&scene, chat, &mut model, &mut files, 2_000).await;
    let (second, _) = open_choice(&scene, chat).await;
    scene.host.result_share(second, ResultShare::Part).await.unwrap();
    let request = model.asked().await;
    let (_, given) = &results(&request)[1];
    assert!(
        given.contains("are left out here") && !given.contains(SECRET),
        "{given}"
    );
    assert!(tool_names(&request).contains(&"read_result".to_owned()));
    let handle = entry.to_string();
    model.will(Turn::call(
        "peek",
        "read_result",
        json!({ "handle": handle, "search": "vault" }),
    ));
    let refused = model.asked().await;
    assert!(
        results(&refused)[2].1.contains("nothing of"),
        "{:?}",
        results(&refused)[2]
    );
    model.will(Turn::call("leak", "web__search", json!({ "q": SECRET })));
    let question = scene.person.asked().await;
    let QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    assert!(!call.carried.is_empty(), "{call:?}");
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    scene.close().await;
}

/// The choice outlives the turn and the application: the next message waits for it as well.
#[tokio::test]
async fn no_message_reaches_the_model_while_a_choice_is_open() {
    let scene = Scene::new().await;
    let (_, mut files, files_stage) = scene.puppet("files", &[tool("read_log")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    asks(&scene).await;
    read_log(&scene, chat, &mut model, &mut files, 1_000).await;
    let (entry, _) = open_choice(&scene, chat).await;
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    drop(files_stage);
    let scene = scene.reopen().await;
    scene.say(chat, "Go on.").await;
    scene
        .window
        .until("a turn that waits", |seen| {
            seen.chats.get(&chat).is_some_and(|chat| chat.busy)
        })
        .await;
    assert!(model.is_unasked());
    scene.host.result_share(entry, ResultShare::Part).await.unwrap();
    model.will(Turn::words("Here I am."));
    let request = model.asked().await;
    assert!(results(&request)[0].1.contains("are left out here"));
    scene.finished(chat).await;
    scene.close().await;
}

#[tokio::test]
async fn a_result_that_the_model_has_no_room_for_is_not_given_whole() {
    let scene = Scene::new().await;
    let (_, mut files, _stage) = scene.puppet("files", &[tool("read_log")]).await;
    let (chat, mut model) = small_chat(&scene).await;
    // The chat says it, the settings do not.
    let settings = ChatSettings {
        large_results: Some(LargeResults::Ask),
        ..ChatSettings::default()
    };
    scene.host.chat_settings(chat, settings).await.unwrap();
    read_log(&scene, chat, &mut model, &mut files, 4_000).await;
    let (entry, call) = open_choice(&scene, chat).await;
    assert!(
        matches!(choice(&call.state), Some(ResultChoice::Asked { fits: false, .. })),
        "{call:?}"
    );
    let whole = scene.host.result_share(entry, ResultShare::Whole).await;
    assert_eq!(whole, Err(Problem::Input(InputProblem::Gone)));
    scene.host.result_share(entry, ResultShare::Part).await.unwrap();
    model.will(Turn::words("It is long."));
    assert!(results(&model.asked().await)[0].1.contains("are left out here"));
    scene.finished(chat).await;

    // In another chat nothing is asked.
    let (other, mut other_model) = scene.scripted_chat().await;
    read_log(&scene, other, &mut other_model, &mut files, 4_000).await;
    other_model.will(Turn::words("It is long."));
    other_model.asked().await;
    let entries = scene.finished(other).await;
    assert_eq!(choice(&Scene::calls(&entries)[0].state), None);
    scene.close().await;
}
