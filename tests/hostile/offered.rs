//! What the definitions of one server do to the requests to a model, and so to every chat. M4.

use serde_json::{Value, json};
use vestibule_host::view::{EntryBody, EntryView, LeftOutReason, SettingsChange, ToolDiscovery, ToolLeftOut};
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, text_result, tool, tool_names, yes};

fn described(name: &str, bytes: usize) -> Value {
    let mut tool = tool(name);
    tool["description"] = json!("x".repeat(bytes));
    tool
}

/// What the chat says about tools that are not offered, entry by entry.
fn named(entries: &[EntryView]) -> Vec<(Vec<ToolLeftOut>, u32)> {
    let named = |entry: &EntryView| match &entry.body {
        EntryBody::ToolsLeftOut { tools, more } => Some((tools.clone(), *more)),
        _ => None,
    };
    entries.iter().filter_map(named).collect()
}

/// M4: a schema that providers refuse, and a definition of 70 kB, are not sent; the chat names both and goes on.
#[tokio::test]
async fn definitions_that_would_end_every_chat_are_left_out_and_named() {
    let scene = Scene::new().await;
    let broken = json!({ "type": "object", "properties": { "a": { "type": "strnig" } } });
    let tools = [
        tool("read"),
        json!({ "name": "broken", "inputSchema": broken }),
        described("large", 70_000),
    ];
    let (server, mut puppet, _stage) = scene.puppet("notes", &tools).await;
    let (_, _other, _other_stage) = scene.puppet("other", &[tool("find")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    let entries = scene.finished(chat).await;
    assert_eq!(tool_names(&model.asked().await), ["notes__read", "other__find"]);
    let said = named(&entries);
    let (left_out, more) = &said[0];
    let names: Vec<_> = left_out
        .iter()
        .map(|tool| (tool.server, tool.tool.as_str()))
        .collect();
    assert_eq!((names, *more), (vec![(server, "large"), (server, "broken")], 0));
    assert!(
        matches!(left_out[1].reason, LeftOutReason::InvalidSchema { .. }),
        "{left_out:?}"
    );
    assert!(
        matches!(left_out[0].reason, LeftOutReason::NotRead { .. }),
        "{left_out:?}"
    );

    // What was said once is not said at each message; that it is over is said.
    model.will(Turn::words("Still here."));
    scene.say(chat, "And now?").await;
    assert_eq!(named(&scene.finished(chat).await).len(), 1);
    model.asked().await;
    puppet.change(&[tool("read")]).await;
    scene
        .server(server, "one tool", |view| view.tool_count == 1)
        .await;
    model.will(Turn::words("Better."));
    scene.say(chat, "And now?").await;
    let said = named(&scene.finished(chat).await);
    assert_eq!(said.last(), Some(&(vec![], 0)));
    scene.close().await;
}

/// M4: what all servers together send to a model is bounded, and the server that sends the most leaves out its own.
#[tokio::test]
async fn the_definitions_of_one_server_take_no_room_from_another() {
    let scene = Scene::new().await;
    let all = SettingsChange {
        tool_discovery: Some(ToolDiscovery::All),
        ..SettingsChange::default()
    };
    scene.host.settings_save(all).await.unwrap();
    let many: Vec<Value> = (0..200).map(|n| described(&format!("tool{n}"), 8_000)).collect();
    let (greedy, _puppet, _stage) = scene.puppet("greedy", &many).await;
    let modest: Vec<Value> = (0..10).map(|n| described(&format!("find{n}"), 4_000)).collect();
    let (_, _other, _other_stage) = scene.puppet("other", &modest).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    let entries = scene.finished(chat).await;
    let request = model.asked().await;
    let names = tool_names(&request);
    let of_other = names.iter().filter(|name| name.starts_with("other__"));
    assert_eq!(of_other.count(), 10);
    assert!(request["tools"].to_string().len() < 300 * 1024, "{}", names.len());
    let said = named(&entries);
    let (left_out, more) = &said[0];
    assert!(left_out.iter().all(|tool| tool.server == greedy));
    assert!(
        left_out
            .iter()
            .all(|tool| matches!(tool.reason, LeftOutReason::NoRoom { .. }))
    );
    assert_eq!(left_out.len() + *more as usize + names.len(), 210);
    scene.close().await;
}

/// OpenAI refuses a request with more than 128 tools, and with it the chat.
#[tokio::test]
async fn a_long_result_leaves_a_request_within_the_tools_that_vendors_take() {
    let scene = Scene::new().await;
    let all = SettingsChange {
        tool_discovery: Some(ToolDiscovery::All),
        ..SettingsChange::default()
    };
    scene.host.settings_save(all).await.unwrap();
    let many: Vec<Value> = (0..130).map(|n| tool(&format!("tool{n}"))).collect();
    let (_, mut puppet, _stage) = scene.puppet("many", &many).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("log", "many__tool0", json!({})));
    scene.say(chat, "Read it.").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result(&"line\n".repeat(20_000))).await;
    model.will(Turn::words("Done."));
    let names = tool_names(&model.asked().await);
    scene.finished(chat).await;
    assert!(names.contains(&"read_result".to_owned()), "{names:?}");
    assert_eq!(names.len(), 128);
    scene.close().await;
}
