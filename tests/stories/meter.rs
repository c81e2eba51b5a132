//! The meter of a chat: what its next request takes of what the model reads.

use serde_json::json;
use vestibule_host::view::{MeterView, ModelDraft};
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, model_draft, text_result, tool, yes};

fn sum(meter: &MeterView) -> u64 {
    let tools: u64 = meter.tools.iter().map(|server| server.tokens).sum();
    meter.instructions + tools + meter.results + meter.talk + meter.pictures
}

/// What the model reports of a round corrects the estimate of the next one.
#[tokio::test]
async fn the_meter_shows_the_parts_of_the_next_request_and_learns_from_each_reply() {
    let scene = Scene::new().await;
    let (server, mut notes, _stage) = scene.puppet("notes", &[tool("read"), tool("add")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let added = scene.store.models().await.unwrap();
    let id = added
        .iter()
        .find(|record| record.connection.is_some())
        .unwrap()
        .id;
    let known = ModelDraft {
        context: Some(32_768),
        ..model_draft(id, "Known")
    };
    scene.host.model_save(known).await.unwrap();

    let empty = scene.host.chat_meter(chat).await.unwrap();
    assert_eq!((empty.context, empty.reported), (Some(32_768), None));
    assert_eq!((empty.talk, empty.results, empty.pictures), (0, 0, 0));
    let of_server: Vec<_> = empty.tools.iter().map(|part| (part.server, part.count)).collect();
    assert_eq!(of_server, [(Some(server), 2)]);
    assert!(empty.instructions > 50 && empty.tools[0].tokens > 20, "{empty:?}");

    model.will(Turn::call("read", "notes__read", json!({})));
    scene
        .say(chat, "Read my notes and tell me what is in them.")
        .await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = notes.hear("tools/call").await;
    notes
        .answer(&call, text_result(&"buy bread and milk, ".repeat(200)))
        .await;
    model.asked().await;
    let estimated = scene.host.chat_meter(chat).await.unwrap();
    assert!(estimated.results > 800 && estimated.talk > 10, "{estimated:?}");
    assert_eq!((estimated.reported, sum(&estimated)), (None, estimated.total));

    let counted = estimated.total * 5 / 4;
    model.will(Turn::counted("Bread and milk.", counted, 0, 5));
    scene.finished(chat).await;
    let corrected = scene.host.chat_meter(chat).await.unwrap();
    assert_eq!(
        (corrected.reported, sum(&corrected)),
        (Some(counted), corrected.total)
    );
    let reply = corrected.total.abs_diff(counted);
    assert!(
        corrected.total + 6 > counted && reply < 30,
        "{corrected:?} after {counted}"
    );

    // A server that leaves out what it read from its cache is not believed.
    model.will(Turn::counted("You are welcome.", 7, 0, 5));
    scene.say(chat, "Thank you.").await;
    model.asked().await;
    scene.finished(chat).await;
    let doubted = scene.host.chat_meter(chat).await.unwrap();
    assert_eq!(doubted.reported, None);
    assert!(
        doubted.total > estimated.total && doubted.total < corrected.total,
        "{doubted:?}"
    );
    scene.close().await;
}
