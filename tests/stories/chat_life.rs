//! A chat from day to day: one call is stopped alone, a draft survives the end of the application, a text is found in
//! one chat, and a server or a single tool is switched off.

use serde_json::json;
use vestibule_consent::QuestionBody;
use vestibule_host::view::{CallState, DraftView, Problem, ToolOff, ToolRule};
use vestibule_policy::Scope;
use vestibule_store::{LedgerFilter, LedgerKind};
use vestibule_tests::{Scene, Turn, eventually, results, text_result, tool, tool_names, yes};

#[tokio::test]
async fn one_call_is_stopped_alone_and_the_turn_goes_on() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("slow"), tool("read")]).await;
    scene.allow(server, "slow").await;
    scene.allow(server, "read").await;
    eventually("both permissions", async || {
        let tools = scene.host.server_tools(server);
        tools.iter().all(|tool| tool.rule == ToolRule::Allow)
    })
    .await;
    let (chat, mut model) = scene.scripted_chat().await;
    let shown = scene.person.shown().len();
    model.will(Turn::calls(&[
        ("one", "notes__slow", "{}"),
        ("two", "notes__read", "{}"),
    ]));
    model.will(Turn::words("Only one of them."));
    scene.say(chat, "Go.").await;
    model.asked().await;
    let slow = puppet.hear("tools/call").await;
    let read = puppet.hear("tools/call").await;
    assert_eq!(
        (&slow["params"]["name"], &read["params"]["name"]),
        (&json!("slow"), &json!("read")),
        "calls are sent in the order of the model"
    );
    puppet.answer(&read, text_result("in time")).await;
    let running = scene.window.now().chat(chat).iter().find_map(|entry| {
        let call = Scene::calls(std::slice::from_ref(entry)).pop()?;
        (call.tool == "slow").then_some(entry.id)
    });
    scene.host.call_stop(running.unwrap()).unwrap();
    let cancelled = puppet.hear("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], slow["id"]);
    let told = results(&model.asked().await);
    assert!(
        told[0].1.contains("whether it took effect is not known"),
        "{told:?}"
    );
    assert_eq!(told[1].1, "in time");
    let calls = Scene::calls(&scene.finished(chat).await);
    assert_eq!(calls[0].state, CallState::Cancelled { sent: true });
    assert!(matches!(calls[1].state, CallState::Answered { .. }));
    assert!(scene.host.call_stop(running.unwrap()).is_err(), "it is over");
    assert_eq!(scene.person.shown().len(), shown);
    scene.close().await;
}

/// Calls that are made at once are asked about in the order of the model.
#[tokio::test]
async fn requests_stand_in_the_order_of_the_calls() {
    let scene = Scene::new().await;
    let names = ["a", "b", "c", "d", "e", "f"];
    let (_, _puppet, _stage) = scene.puppet("notes", &names.map(tool)).await;
    let (chat, model) = scene.scripted_chat().await;
    let called = names.map(|name| (name, format!("notes__{name}")));
    let calls: Vec<_> = called.iter().map(|(id, name)| (*id, &**name, "{}")).collect();
    let before = scene.person.shown().len();
    model.will(Turn::calls(&calls));
    scene.say(chat, "All of them.").await;
    let mut asked = vec![];
    for _ in names {
        let question = scene.person.asked().await;
        let QuestionBody::CallTool(call) = &question.about else {
            panic!("{question:?}")
        };
        asked.push(call.tool.name.clone());
    }
    assert_eq!(asked, names);
    assert_eq!(scene.person.shown().len(), before + names.len());
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    scene.close().await;
}

/// Calls that are made at once and need no question are written down together, in the order of the model.
#[tokio::test]
async fn allowed_calls_are_recorded_and_sent_in_the_order_of_the_model() {
    let scene = Scene::new().await;
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let (server, mut puppet, _stage) = scene.puppet("notes", &names.map(tool)).await;
    for name in names {
        scene.allow(server, name).await;
    }
    eventually("all permissions", async || {
        let tools = scene.host.server_tools(server);
        tools.iter().all(|tool| tool.rule == ToolRule::Allow)
    })
    .await;
    let (chat, model) = scene.scripted_chat().await;
    let called = names.map(|name| (name, format!("notes__{name}")));
    let calls: Vec<_> = called.iter().map(|(id, name)| (*id, &**name, "{}")).collect();
    model.will(Turn::calls(&calls));
    model.will(Turn::words("All of them."));
    scene.say(chat, "All of them.").await;
    let mut heard = vec![];
    for _ in names {
        heard.push(puppet.hear("tools/call").await);
    }
    // Answered from the last to the first: no call waits for the end of the one before it.
    for call in heard.iter().rev() {
        puppet.answer(call, text_result("done")).await;
    }
    let called: Vec<_> = heard.iter().map(|call| call["params"]["name"].clone()).collect();
    assert_eq!(called, names);
    let shown = Scene::calls(&scene.finished(chat).await);
    assert!(shown.iter().map(|call| &*call.tool).eq(names), "{shown:?}");
    let filter = LedgerFilter {
        action: Some("tool.call".into()),
        kinds: vec![LedgerKind::Intent],
        limit: 100,
        ..LedgerFilter::default()
    };
    let mut intents = scene.store.ledger(filter).await.unwrap();
    intents.reverse();
    assert!(
        intents.iter().map(|intent| &*intent.object).eq(names),
        "{intents:?}"
    );
    scene.close().await;
}

#[tokio::test]
async fn a_draft_survives_the_end_of_the_application() {
    let scene = Scene::new().await;
    let (kept, gone) = (scene.chat().await, scene.chat().await);
    for chat in [Some(kept), Some(gone), None] {
        scene
            .host
            .draft_save(chat, "Half a thought".into())
            .await
            .unwrap();
    }
    scene.host.draft_save(None, String::new()).await.unwrap();
    scene.host.chat_delete(gone).await.unwrap();
    let too_long = scene.host.draft_save(None, "x".repeat(2 * 1024 * 1024)).await;
    assert!(matches!(too_long, Err(Problem::Input(_))), "{too_long:?}");
    let scene = scene.reopen().await;
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    let draft = DraftView {
        chat: Some(kept),
        text: "Half a thought".into(),
    };
    assert_eq!(snapshot.drafts, [draft]);
    scene.close().await;
}

/// More entries than one part has are searched.
#[tokio::test]
async fn a_text_is_found_in_the_whole_branch_that_a_chat_shows() {
    const EXCHANGES: usize = 32;
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    let mut entries = vec![];
    for _ in 0..EXCHANGES {
        model.will(Turn::words("Fjord, or 峡湾: a FJORD."));
        scene.say(chat, "What is a fjord?").await;
        entries = scene.finished(chat).await;
    }
    let find = async |text: &str| {
        let found = scene.host.chat_find(chat, text).await.unwrap();
        assert!(found.complete);
        found.hits
    };
    let all = find("fjord").await;
    assert_eq!(
        all.iter().map(|hit| hit.count).sum::<u32>() as usize,
        3 * EXCHANGES
    );
    assert!(all.is_sorted_by_key(|hit| hit.position) && all[0].position == 0);
    assert_eq!(find("峡湾").await.len(), EXCHANGES);
    for nothing in ["fjords", "", "  "] {
        assert_eq!(find(nothing).await, [], "{nothing:?}");
    }
    let message = entries[entries.len() - 2].id;
    model.will(Turn::words("A town."));
    scene
        .host
        .message_edit(message, "What is Bergen?".into())
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await;
    assert_eq!(find("峡湾").await.len(), EXCHANGES - 1);
    assert_eq!(find("bergen").await.len(), 1);
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_is_off_in_a_chat_is_not_offered_there() {
    let scene = Scene::new().await;
    let (notes, _notes_puppet, _notes_stage) = scene.puppet("notes", &[tool("read")]).await;
    let (_, _mail_puppet, _mail_stage) = scene.puppet("mail", &[tool("send")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    scene.host.chat_server_switch(chat, notes, false).await.unwrap();
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hello?").await;
    assert_eq!(tool_names(&model.asked().await), ["mail__send"]);
    scene.finished(chat).await;
    scene.host.chat_server_switch(chat, notes, true).await.unwrap();
    model.will(Turn::words("Hello again."));
    scene.say(chat, "And now?").await;
    assert_eq!(tool_names(&model.asked().await), ["notes__read", "mail__send"]);
    scene.finished(chat).await;

    let (other, mut other_model) = scene.scripted_chat().await;
    other_model.will(Turn::call("one", "notes__read", json!({})));
    scene.say(other, "Read.").await;
    other_model.asked().await;
    let question = scene.person.asked().await;
    scene.host.chat_stop(other);
    scene.finished(other).await;
    let late = vestibule_tests::give(&scene.host, &question, yes(Scope::Once)).await;
    assert!(late.is_err());
    scene.close().await;
}

#[tokio::test]
async fn switches_that_are_changed_at_once_all_hold() {
    let scene = Scene::new().await;
    let (notes, _notes, _notes_stage) = scene.puppet("notes", &[tool("read"), tool("write")]).await;
    let (mail, _mail, _mail_stage) = scene.puppet("mail", &[tool("send")]).await;
    let (web, _web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let write = ToolOff {
        server: notes,
        tool: "write".into(),
    };
    let host = &scene.host;
    let (mail_off, web_off, write_off) = tokio::join!(
        host.chat_server_switch(chat, mail, false),
        host.chat_server_switch(chat, web, false),
        host.chat_tool_switch(chat, write, false),
    );
    assert_eq!((mail_off, web_off, write_off), (Ok(()), Ok(()), Ok(())));
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hello?").await;
    assert_eq!(tool_names(&model.asked().await), ["notes__read"]);
    scene.finished(chat).await;
    scene.close().await;
}

#[tokio::test]
async fn a_removed_server_stays_in_the_switches_of_no_chat() {
    let scene = Scene::new().await;
    let (notes, _notes, notes_stage) = scene.puppet("notes", &[tool("read"), tool("write")]).await;
    let (mail, _mail, mail_stage) = scene.puppet("mail", &[tool("send")]).await;
    let (first, second) = (scene.chat().await, scene.chat().await);
    for server in [notes, mail] {
        scene.host.chat_server_switch(first, server, false).await.unwrap();
    }
    let write = ToolOff {
        server: notes,
        tool: "write".into(),
    };
    scene.host.chat_tool_switch(second, write, false).await.unwrap();
    scene.host.server_remove(notes).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    let switches = |scene: &Scene| {
        let chats = scene.window.now().chats;
        (
            chats[&first].servers_off.clone(),
            chats[&second].tools_off.clone(),
        )
    };
    assert_eq!(switches(&scene), (vec![mail], vec![]));
    drop((notes_stage, mail_stage));
    let scene = scene.reopen().await;
    assert_eq!(switches(&scene), (vec![mail], vec![]));
    scene.close().await;
}

/// The switch of a single tool is kept over a restart and is for its chat alone.
#[tokio::test]
async fn a_tool_that_is_off_in_a_chat_is_not_offered_there() {
    let scene = Scene::new().await;
    let (notes, _puppet, stage) = scene.puppet("notes", &[tool("read"), tool("write")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let off = ToolOff {
        server: notes,
        tool: "write".into(),
    };
    scene
        .host
        .chat_tool_switch(chat, off.clone(), false)
        .await
        .unwrap();
    let scene = scene.reopen().await;
    assert_eq!(scene.window.now().chats[&chat].tools_off, [off]);
    scene.start(notes, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read"), tool("write")]).await;
    scene.ready(notes).await;
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hello?").await;
    assert_eq!(tool_names(&model.asked().await), ["notes__read"]);
    scene.finished(chat).await;
    let (other, mut other_model) = scene.scripted_chat().await;
    other_model.will(Turn::words("Hello."));
    scene.say(other, "Hello?").await;
    assert_eq!(
        tool_names(&other_model.asked().await),
        ["notes__read", "notes__write"]
    );
    scene.finished(other).await;
    scene.close().await;
}
