//! What a user picked, over the end of a session; and the tour, which offers one of everything.

use std::collections::BTreeMap;

use serde_json::json;
use vestibule_host::view::{
    AttachmentView, CompletionAsk, CompletionOf, ContentView, EntryBody, ResourcePick,
};
use vestibule_policy::Scope;
use vestibule_protocol::mcp::LogLevel;
use vestibule_tests::{
    Projection, Puppet, Scene, Stage, Turn, ended, eventually, records, text_result, tool,
};

fn text(attachment: &AttachmentView) -> String {
    let part = &attachment.parts[0].content;
    match part {
        ContentView::Resource { text: Some(text), .. } | ContentView::Text { text } => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// RS-001, RS-004, RS-006, PR-002, CP-001, LG-002: everything the tour offers besides tools, as a user uses it.
#[tokio::test]
async fn the_tour_offers_one_of_everything() {
    let scene = Scene::new().await;
    let server = scene.tour().await;
    let all = scene.offers(server, |offers| !offers.prompts.is_empty()).await;
    assert!(all.completes && all.watches && all.logs && all.log_level.is_none());
    let (chat, model) = scene.scripted_chat().await;
    let notebook = ResourcePick::Listed {
        uri: "tour://notebook".into(),
    };
    let notebook = scene.host.resource_read(chat, server, notebook).await.unwrap();
    assert_eq!(text(&notebook), "{}");

    model.will(Turn::call(
        "one",
        "tour__remember",
        json!({ "key": "tram", "text": "at nine" }),
    ));
    model.will(Turn::words("Written down."));
    scene.agrees();
    scene.say(chat, "Remember the tram.").await;
    let changed = |seen: &Projection| seen.changed.contains(&notebook.id);
    scene.window.until("what is another now", changed).await;
    scene.finished(chat).await;
    model.will(Turn::words("It is another now."));
    scene.say_with(chat, "Look at what I read.", &[notebook.id]).await;
    let entries = scene.finished(chat).await;
    let marked = entries.iter().any(|entry| {
        matches!(&entry.body, EntryBody::User { attachments, .. } if attachments.iter().any(|one| one.changed))
    });
    assert!(marked, "{entries:?}");

    let ask = CompletionAsk {
        of: CompletionOf::Prompt("plan_trip".into()),
        field: "city".into(),
        value: "os".into(),
        others: BTreeMap::new(),
    };
    assert_eq!(scene.host.complete(server, ask).await.unwrap().values, ["Oslo"]);
    let city = BTreeMap::from([("city".to_owned(), "Oslo".to_owned())]);
    let plan = scene
        .host
        .prompt_get(chat, server, "plan_trip".into(), city)
        .await;
    assert!(text(&plan.unwrap()).contains("weather in Oslo for 3 days"));

    scene
        .host
        .server_log_level(server, LogLevel::Error)
        .await
        .unwrap();
    let now = scene.host.server_offers(server).unwrap();
    assert_eq!(now.log_level, Some(LogLevel::Error));
    scene.close().await;
}

async fn tell_of_a_note(puppet: &mut Puppet) {
    let capabilities = json!({ "tools": {}, "resources": { "subscribe": true } });
    puppet.open_with(capabilities).await;
    let tools = puppet.hear("tools/list").await;
    puppet.answer(&tools, json!({ "tools": [] })).await;
}

async fn list_a_note(puppet: &mut Puppet) {
    let asked = puppet.hear("resources/list").await;
    let note = json!({ "uri": "note://a", "name": "A" });
    puppet.answer(&asked, json!({ "resources": [note] })).await;
    let asked = puppet.hear("resources/templates/list").await;
    puppet.answer(&asked, json!({ "resourceTemplates": [] })).await;
}

/// RS-006: the wish to hear of changes ended with the session, so it is told to the next one.
#[tokio::test]
async fn what_waits_to_be_sent_is_watched_again_in_the_next_session() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    tell_of_a_note(&mut puppet).await;
    list_a_note(&mut puppet).await;
    scene.offers(server, |offers| !offers.resources.is_empty()).await;
    let chat = scene.chat().await;
    let pick = ResourcePick::Listed {
        uri: "note://a".into(),
    };
    let reading = scene.host.resource_read(chat, server, pick);
    let serve = async {
        let asked = puppet.hear("resources/read").await;
        let contents = json!([{ "uri": "note://a", "text": "first" }]);
        puppet.answer(&asked, json!({ "contents": contents })).await;
        let asked = puppet.hear("resources/subscribe").await;
        puppet.answer(&asked, json!({})).await;
    };
    let note = tokio::join!(reading, serve).0.unwrap();
    puppet.exit(0).await;
    let is_ready = |view: &vestibule_host::view::ServerView| {
        matches!(view.state, vestibule_host::view::ServerState::Ready { .. })
    };
    scene
        .server(server, "a lost server", |view| !is_ready(view))
        .await;
    scene.host.server_start(server).await.unwrap();
    let mut puppet = stage.puppet().await;
    tell_of_a_note(&mut puppet).await;
    let asked = puppet.hear("resources/subscribe").await;
    assert_eq!(asked["params"]["uri"], "note://a");
    puppet.answer(&asked, json!({})).await;
    list_a_note(&mut puppet).await;
    puppet
        .notify("notifications/resources/updated", json!({ "uri": "note://a" }))
        .await;
    let ended = puppet.hear("resources/unsubscribe").await;
    puppet.answer(&ended, json!({})).await;
    scene.say_with(chat, "Look.", &[note.id]).await;
    let entries = scene.finished(chat).await;
    let EntryBody::User { attachments, .. } = &entries[0].body else {
        panic!("{entries:?}")
    };
    assert!(attachments[0].changed);
    scene.close().await;
}

/// LG-003: a server of the modern era is told with each request from which level up it may log.
#[tokio::test]
async fn a_modern_server_hears_the_level_with_each_call() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.open_modern(json!({ "tools": {}, "logging": {} })).await;
    let list = puppet.hear("tools/list").await;
    assert!(
        list["params"]["_meta"]
            .get("io.modelcontextprotocol/logLevel")
            .is_none()
    );
    let tools =
        json!({ "resultType": "complete", "tools": [tool("find")], "ttlMs": 0, "cacheScope": "private" });
    puppet.answer(&list, tools).await;
    scene.ready(server).await;
    scene
        .host
        .server_log_level(server, LogLevel::Notice)
        .await
        .unwrap();
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__find", json!({})));
    model.will(Turn::words("Found."));
    scene.agrees();
    scene.say(chat, "Find it.").await;
    let call = puppet.hear("tools/call").await;
    assert_eq!(
        call["params"]["_meta"]["io.modelcontextprotocol/logLevel"],
        "notice"
    );
    let mut result = text_result("here");
    result["resultType"] = json!("complete");
    puppet.answer(&call, result).await;
    scene.finished(chat).await;
    scene.close().await;
}

/// L-5: what goes to a server while the user picks is in the ledger before it is sent, and so is how it ended.
#[tokio::test]
async fn proposals_watches_and_log_levels_are_in_the_ledger() {
    let scene = Scene::new().await;
    let server = scene.tour().await;
    scene.offers(server, |offers| !offers.prompts.is_empty()).await;
    let chat = scene.chat().await;
    let uri = "tour://notebook".to_owned();
    let pick = ResourcePick::Listed { uri };
    let notebook = scene.host.resource_read(chat, server, pick).await.unwrap();
    for value in ["o", "os"] {
        let ask = CompletionAsk {
            of: CompletionOf::Prompt("plan_trip".into()),
            field: "city".into(),
            value: value.into(),
            others: BTreeMap::new(),
        };
        scene.host.complete(server, ask).await.unwrap();
    }
    let level = scene.host.server_log_level(server, LogLevel::Error);
    level.await.unwrap();
    scene.host.attachment_drop(notebook.id).await.unwrap();
    scene.host.server_stop(server).await.unwrap();
    let expected = [
        ("resource.watch", "tour://notebook", "stopped"),
        ("fields.complete", "plan_trip", "stopped"),
        ("log.level", "error", "answered"),
    ];
    eventually("one record of each, with its end", async || {
        let all = ended(&records(&scene.store).await);
        expected.iter().all(|(action, object, end)| {
            let of_action = all.iter().filter(|(found, ..)| found == action);
            let found: Vec<_> = of_action
                .map(|(_, object, end)| (object, end.as_deref()))
                .collect();
            found == [(&(*object).to_owned(), Some(*end))]
        })
    })
    .await;
    scene.close().await;
}
