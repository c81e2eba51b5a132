//! A message is sent again with another text, an answer is given once more, and the branches of before are still there.

use serde_json::{Value, json};
use vestibule_consent::QuestionBody;
use vestibule_host::view::{CallState, EntryBody, EntryView, InputProblem, Problem, ToolRule};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EntryId, ServerId};
use vestibule_tests::{Scene, Turn, eventually, text_result, tool, yes};

/// What a chat shows in words.
fn said(entries: &[EntryView]) -> Vec<&str> {
    entries
        .iter()
        .filter_map(|entry| {
            let text = match &entry.body {
                EntryBody::User { text, .. } | EntryBody::Assistant { text, .. } => text.as_str(),
                EntryBody::Call(call) => call.tool.as_str(),
                _ => return None,
            };
            Some(text)
        })
        .collect()
}

/// What the model was sent, without our own sentences.
fn sent(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter().skip(1);
    messages
        .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The number of an entry among its versions, and how many there are.
fn place(entry: &EntryView) -> Option<(u32, u32)> {
    entry.versions.map(|versions| (versions.at, versions.of))
}

/// The entry with these words.
fn entry(entries: &[EntryView], words: &str) -> EntryId {
    let found = entries
        .iter()
        .find(|entry| said(std::slice::from_ref(entry)) == [words]);
    found.unwrap().id
}

/// Says something, and gives back the chat once the model has answered.
async fn talk(scene: &Scene, chat: ChatId, text: &str) -> Vec<EntryView> {
    scene.say(chat, text).await;
    scene.finished(chat).await
}

async fn edit(scene: &Scene, chat: ChatId, message: EntryId, text: &str) -> Vec<EntryView> {
    scene.host.message_edit(message, text.into()).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await
}

async fn regenerate(scene: &Scene, entry: EntryId) {
    scene.host.answer_regenerate(entry).await.unwrap();
    scene.window.catch_up(&scene.host).await;
}

async fn show(scene: &Scene, chat: ChatId, entry: EntryId) -> Vec<EntryView> {
    scene.host.branch_show(entry).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await
}

#[tokio::test]
async fn an_edited_message_begins_a_branch_and_the_other_one_is_kept() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    for answer in ["Hello.", "Oslo is cold.", "Bring gloves."] {
        model.will(Turn::words(answer));
    }
    talk(&scene, chat, "Hi.").await;
    talk(&scene, chat, "How is Oslo?").await;
    let entries = talk(&scene, chat, "What then?").await;
    for _ in 0..3 {
        model.asked().await;
    }
    let oslo = entry(&entries, "How is Oslo?");
    model.will(Turn::words("Rome is hot."));
    let entries = edit(&scene, chat, oslo, "How is Rome?").await;
    assert_eq!(said(&entries), ["Hi.", "Hello.", "How is Rome?", "Rome is hot."]);
    let places: Vec<_> = entries.iter().map(place).collect();
    assert_eq!(places, [None, None, Some((2, 2)), None]);
    let request = model.asked().await;
    assert_eq!(
        sent(&request),
        ["Hi.", "Hello.", "How is Rome?"],
        "only what comes before it"
    );

    let entries = show(&scene, chat, oslo).await;
    let before = [
        "Hi.",
        "Hello.",
        "How is Oslo?",
        "Oslo is cold.",
        "What then?",
        "Bring gloves.",
    ];
    assert_eq!(said(&entries), before);
    assert_eq!(place(&entries[2]), Some((1, 2)));
    // The branch that is shown is the one the chat goes on with, also after a restart.
    let scene = scene.reopen().await;
    assert_eq!(said(&scene.newest_entries(chat).await), before);
    model.will(Turn::words("Mittens."));
    talk(&scene, chat, "And else?").await;
    let request = model.asked().await;
    assert_eq!(
        sent(&request)[2..],
        [
            "How is Oslo?",
            "Oslo is cold.",
            "What then?",
            "Bring gloves.",
            "And else?"
        ]
    );
    scene.close().await;
}

/// Allows a tool for every call.
async fn allow(scene: &Scene, server: ServerId, tool: &str) {
    scene.allow(server, tool).await;
    eventually("a rule that allows the call", async || {
        let tools = scene.host.server_tools(server);
        tools
            .iter()
            .any(|one| one.name == tool && one.rule == ToolRule::Allow)
    })
    .await;
}

#[tokio::test]
async fn an_answer_given_once_more_asks_for_each_tool_by_the_rules_as_they_are() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("It says milk."));
    scene.say(chat, "What is in my note?").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("milk")).await;
    let entries = scene.finished(chat).await;
    assert_eq!(said(&entries)[1..], ["Let me see.", "read", "It says milk."]);
    let answer = entry(&entries, "It says milk.");
    model.asked().await;
    model.asked().await;

    // The yes was for one call, so the same call is asked about again.
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("It says bread."));
    regenerate(&scene, answer).await;
    assert_eq!(
        sent(&model.asked().await),
        ["What is in my note?"],
        "nothing of the other answer"
    );
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("bread")).await;
    let entries = scene.finished(chat).await;
    assert_eq!(said(&entries)[1..], ["Let me see.", "read", "It says bread."]);
    assert_eq!(place(&entries[1]), Some((2, 2)));

    // By a rule that was made meanwhile it is not.
    allow(&scene, server, "read").await;
    let shown = scene.person.shown().len();
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("It says eggs."));
    regenerate(&scene, entry(&entries, "It says bread.")).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("eggs")).await;
    let entries = scene.finished(chat).await;
    assert_eq!(scene.person.shown().len(), shown);
    assert_eq!(place(&entries[1]), Some((3, 3)));
    let entries = show(&scene, chat, answer).await;
    assert_eq!(said(&entries)[1..], ["Let me see.", "read", "It says milk."]);
    scene.close().await;
}

/// Shows HO-004 in a chat with branches.
#[tokio::test]
async fn what_a_server_returned_counts_only_in_the_branches_that_have_it() {
    let scene = Scene::new().await;
    let (mail_id, mut mail, _mail_stage) = scene.puppet("mail", &[tool("read")]).await;
    let (web_id, mut web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    allow(&scene, mail_id, "read").await;
    allow(&scene, web_id, "search").await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "mail__read", json!({})));
    model.will(Turn::words("Found it."));
    scene.say(chat, "Read my mail.").await;
    let read = mail.hear("tools/call").await;
    mail.answer(&read, text_result("Your order is KX-4471-99, dear Ann."))
        .await;
    let entries = scene.finished(chat).await;
    let (message, found) = (entry(&entries, "Read my mail."), entry(&entries, "Found it."));
    let shown = scene.person.shown().len();

    // In a branch without the mail, the model knows the order from elsewhere.
    let search = || Turn::call("two", "web__search", json!({"q": "order KX-4471-99"}));
    model.will(search());
    model.will(Turn::words("It is on its way."));
    scene
        .host
        .message_edit(message, "Look up an order.".into())
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    let call = web.hear("tools/call").await;
    web.answer(&call, text_result("on its way")).await;
    scene.finished(chat).await;
    assert_eq!(scene.person.shown().len(), shown, "nothing is carried here");

    show(&scene, chat, found).await;
    model.will(search());
    scene.say(chat, "Look it up.").await;
    let question = scene.person.asked().await;
    let QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    let carried: Vec<_> = call.carried.iter().map(|value| &*value.value).collect();
    assert_eq!(carried, ["KX-4471-99"]);
    scene.host.chat_stop(chat);
    let calls = Scene::calls(&scene.finished(chat).await);
    assert_eq!(calls.last().unwrap().state, CallState::Cancelled { sent: false });
    scene.close().await;
}

#[tokio::test]
async fn stopped_before_its_first_word_a_new_answer_leaves_the_old_one_shown() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::words("Hello."));
    let entries = talk(&scene, chat, "Hi.").await;
    model.asked().await;
    let answer = entry(&entries, "Hello.");
    regenerate(&scene, answer).await;
    model.asked().await;
    assert_eq!(said(scene.window.now().chat(chat)), ["Hi."]);
    scene.host.chat_stop(chat);
    let whole = |seen: &vestibule_tests::Projection| said(seen.chat(chat)) == ["Hi.", "Hello."];
    scene.window.until("the old answer", whole).await;
    let entries = scene.finished(chat).await;
    assert_eq!(place(&entries[1]), None);
    scene.close().await;
}

#[tokio::test]
async fn while_a_chat_works_its_branch_stays() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::words("Hello."));
    let entries = talk(&scene, chat, "Hi.").await;
    model.asked().await;
    let (message, answer) = (entry(&entries, "Hi."), entry(&entries, "Hello."));
    let refused = Err(Problem::Input(InputProblem::Gone));
    assert_eq!(
        scene.host.message_edit(answer, "x".into()).await,
        refused,
        "no message"
    );
    assert_eq!(scene.host.answer_regenerate(EntryId::new()).await, refused);
    scene.say(chat, "And?").await;
    model.asked().await;
    let busy = Err(Problem::Input(InputProblem::ChatBusy));
    assert_eq!(scene.host.message_edit(message, "x".into()).await, busy);
    assert_eq!(scene.host.answer_regenerate(answer).await, busy);
    assert_eq!(scene.host.branch_show(message).await, busy);
    scene.host.chat_stop(chat);
    assert_eq!(said(&scene.finished(chat).await), ["Hi.", "Hello.", "And?"]);
    scene.close().await;
}

#[tokio::test]
async fn a_deleted_message_goes_with_its_answer_and_the_model_reads_it_no_more() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    for answer in ["Hello.", "Oslo is cold.", "Bring gloves."] {
        model.will(Turn::words(answer));
    }
    talk(&scene, chat, "Hi.").await;
    talk(&scene, chat, "How is Oslo?").await;
    let entries = talk(&scene, chat, "What then?").await;
    for _ in 0..3 {
        model.asked().await;
    }
    let refused = scene.host.message_delete(entry(&entries, "Hello.")).await;
    assert_eq!(
        refused,
        Err(Problem::Input(InputProblem::Gone)),
        "no message of the user"
    );
    scene
        .host
        .message_delete(entry(&entries, "How is Oslo?"))
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    let left = ["Hi.", "Hello.", "What then?", "Bring gloves."];
    assert_eq!(said(scene.window.now().chat(chat)), left);
    model.will(Turn::words("Mittens."));
    talk(&scene, chat, "And else?").await;
    assert_eq!(sent(&model.asked().await), [&left[..], &["And else?"]].concat());
    assert_eq!(scene.host.chat_search("Oslo").await.unwrap().hits, []);
    scene.close().await;
}

/// The summary of a branch that is not shown has the words of what it stands for, and is shown and sent with its branch.
#[tokio::test]
async fn what_is_deleted_is_in_no_summary_of_another_branch() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::words("Hello."));
    talk(&scene, chat, "Hi.").await;
    model.will(Turn::words("Oslo is cold."));
    let entries = talk(&scene, chat, "How is Oslo?").await;
    let summary = EntryId::new();
    let body = json!({
        "kind": "compaction", "state": "summarized", "summary": "The user said hi.", "up_to": entry(&entries, "Hello."),
        "before_tokens": 100, "after_tokens": 10, "used": true, "edited": false,
    });
    let now = jiff::Timestamp::now();
    scene.store.append_entry(chat, summary, now, body).await.unwrap();
    model.will(Turn::words("Bring gloves."));
    talk(&scene, chat, "What then?").await;
    let asked = entry(&entries, "How is Oslo?");
    model.will(Turn::words("Rome is warm."));
    let other = edit(&scene, chat, asked, "How is Rome?").await;

    scene.host.message_delete(entry(&other, "Hi.")).await.unwrap();
    assert!(scene.store.entry(summary).await.unwrap().is_none());
    scene.host.branch_show(asked).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    let left = ["How is Oslo?", "Oslo is cold.", "What then?", "Bring gloves."];
    assert_eq!(said(&scene.newest_entries(chat).await), left);
    scene.close().await;
}

/// A long chat is made ready while its next message is written. Nothing is sent before the message is, and what goes out
/// is what the chat shows then, also where that changed meanwhile.
#[tokio::test]
async fn what_is_prepared_while_one_writes_goes_out_only_as_the_chat_is_then() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let texts: Vec<String> = (0..210).map(|number| format!("Words {number}")).collect();
    let ids: Vec<_> = texts.iter().map(|_| EntryId::in_chat(chat)).collect();
    let body = |(number, text): (usize, &String)| match number % 2 {
        0 => json!({ "kind": "user", "text": text, "attachments": [] }),
        _ => json!({
            "kind": "assistant", "text": text, "reasoning": "", "model": "m", "scripted": false, "state": "done",
        }),
    };
    let now = jiff::Timestamp::now();
    let bodies = texts.iter().enumerate().map(body);
    let entries = std::iter::zip(&ids, bodies).map(|(id, body)| (*id, now, body));
    scene.store.append_entries(chat, entries.collect()).await.unwrap();

    let before = model.heads().await.len();
    scene.host.chat_prepare(Some(chat)).await.unwrap();
    assert_eq!(model.heads().await.len(), before);
    model.will(Turn::words("Yes."));
    talk(&scene, chat, "Is all of it here?").await;
    let all = [&texts[..], &["Is all of it here?".to_owned()]].concat();
    assert_eq!(sent(&model.asked().await), all);

    scene.host.chat_prepare(Some(chat)).await.unwrap();
    model.will(Turn::words("Gone."));
    edit(&scene, chat, ids[4], "And now?").await;
    let shown = [&texts[..4], &["And now?".to_owned()]].concat();
    assert_eq!(sent(&model.asked().await), shown);
    scene.close().await;
}
