//! What was said is found again in every chat, is left out while its chat is in the trash, and is in no file once the chat
//! is deleted for ever.

use std::path::Path;

use serde_json::json;
use vestibule_host::view::{ExcerptPart, HitSpeaker, ToolRule};
use vestibule_protocol::ChatId;
use vestibule_tests::{Puppet, Scene, Stage, Turn, eventually, text_result, tool};

/// Who said what was found, with the hits in brackets; the newest first.
pub(super) async fn found(scene: &Scene, search: &str) -> Vec<(HitSpeaker, String)> {
    let found = scene.host.chat_search(search).await.unwrap();
    let hits = found.hits.into_iter().map(|hit| {
        let part = |part: ExcerptPart| {
            if part.hit {
                format!("[{}]", part.text)
            } else {
                part.text
            }
        };
        (hit.speaker, hit.excerpt.into_iter().map(part).collect())
    });
    hits.collect()
}

#[tokio::test]
async fn words_are_found_in_every_chat_with_the_hits_marked() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::words(
        "The harbour of Zanzibar\nopens at nine, 100 % sure. 今天北京天气很好。",
    ));
    scene.say(chat, "When does it open?").await;
    scene.finished(chat).await;
    for (search, excerpt) in [
        (
            "ZANZI nine",
            "The harbour of [Zanzi]bar opens at [nine], 100 % sure. 今天北京天气很好。",
        ),
        (
            "天气 zanzibar",
            "The harbour of [Zanzibar] opens at nine, 100 % sure. 今天北京[天气]很好。",
        ),
        (
            "100 %",
            "The harbour of Zanzibar opens at nine, [100] [%] sure. 今天北京天气很好。",
        ),
    ] {
        let said = (HitSpeaker::Model, excerpt.to_owned());
        assert_eq!(found(&scene, search).await, [said], "{search}");
    }
    model.will(Turn::words(
        "The **ferry** to `Pemba` is [here](https://ferry.example/pemba).",
    ));
    scene.say(chat, "And then?").await;
    scene.finished(chat).await;
    for (search, excerpt) in [
        ("ferry pemba", "The [ferry] to [Pemba] is here."),
        (
            "ferry.example",
            "… **ferry** to `Pemba` is [here](https://[ferry.example]/pemba).",
        ),
    ] {
        let said = (HitSpeaker::Model, excerpt.to_owned());
        assert_eq!(found(&scene, search).await, [said], "{search}");
    }
    for nothing in ["zanzibar ten", "%%", "", "  "] {
        assert_eq!(found(&scene, nothing).await, [], "{nothing:?}");
    }
    scene.close().await;
}

const CANARY: &str = "qzxcanary";

/// A chat that says the canary in every way there is.
async fn revealing_chat(scene: &Scene) -> (ChatId, Puppet, Stage) {
    let (server, mut puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    scene.allow(server, "read").await;
    eventually("the permission", async || {
        scene
            .host
            .server_tools(server)
            .iter()
            .all(|tool| tool.rule == ToolRule::Allow)
    })
    .await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call(
        "one",
        "notes__read",
        json!({ "what": format!("the {CANARY} note") }),
    ));
    model.will(Turn::words(&format!("It says {CANARY} twice.")));
    scene.say(chat, &format!("Read the {CANARY}.")).await;
    let call = puppet.hear("tools/call").await;
    puppet
        .answer(&call, text_result(&format!("{CANARY} {CANARY}")))
        .await;
    scene.finished(chat).await;
    let draft = format!("And the other {CANARY}?");
    scene.host.draft_save(Some(chat), draft).await.unwrap();
    (chat, puppet, stage)
}

/// How many files of a folder have a text.
pub(super) fn files_with(text: &str, folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let count = entries.map(|path| {
        if path.is_dir() {
            return files_with(text, &path);
        }
        // The sockets of the puppets are no files.
        let bytes = if path.is_file() {
            std::fs::read(&path).unwrap()
        } else {
            vec![]
        };
        usize::from(bytes.windows(text.len()).any(|part| part == text.as_bytes()))
    });
    count.sum()
}

#[tokio::test]
async fn a_chat_comes_back_from_the_trash_and_once_deleted_is_in_no_file() {
    let scene = Scene::new().await;
    let (chat, _puppet, _stage) = revealing_chat(&scene).await;
    let speakers = async || {
        let found = found(&scene, CANARY).await.into_iter();
        found.map(|(speaker, _)| speaker).collect::<Vec<_>>()
    };
    assert_eq!(speakers().await.len(), 3, "the message, the call and the answer");
    scene.host.chat_trash(chat, true).await.unwrap();
    assert_eq!(speakers().await, []);
    scene.host.chat_trash(chat, false).await.unwrap();
    assert_eq!(speakers().await.len(), 3);
    assert_ne!(files_with(CANARY, scene.folder()), 0);
    scene.host.chat_trash(chat, true).await.unwrap();
    scene.host.trash_empty().await.unwrap();
    assert_eq!(files_with(CANARY, scene.folder()), 0);
    let scene = scene.reopen().await;
    assert_eq!(files_with(CANARY, scene.folder()), 0);
    assert_eq!(found(&scene, CANARY).await, []);
    scene.close().await;
}

/// An earlier version deleted the chat first, and could end before it deleted what waited in it.
#[tokio::test]
async fn what_was_written_in_a_deleted_chat_and_not_sent_is_in_no_file_after_a_restart() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    scene.host.chat_delete(chat).await.unwrap();
    scene
        .host
        .draft_save(Some(chat), CANARY.to_owned())
        .await
        .unwrap();
    assert_eq!(files_with(CANARY, scene.folder()), 0, "a late draft is not kept");
    for key in ["draft", "chat-queue"] {
        let key = format!("{key}.{chat}");
        scene.store.put_setting(&key, CANARY.into()).await.unwrap();
    }
    assert_ne!(files_with(CANARY, scene.folder()), 0);
    let scene = scene.reopen().await;
    assert_eq!(files_with(CANARY, scene.folder()), 0);
    scene.close().await;
}

#[tokio::test]
async fn a_pinned_or_archived_chat_stays_so_and_is_found() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::words("Zanzibar."));
    scene.say(chat, "Where?").await;
    scene.finished(chat).await;
    scene.host.chat_pin(chat, true).await.unwrap();
    scene.host.chat_archive(chat, true).await.unwrap();
    let scene = scene.reopen().await;
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    let view = snapshot.chats.into_iter().find(|view| view.id == chat).unwrap();
    assert!(view.pinned && view.archived && view.trashed_ms.is_none());
    assert_eq!(found(&scene, "zanzibar").await.len(), 1);
    scene.close().await;
}

/// The restoration comes at another moment of the deletion each time.
#[tokio::test]
async fn a_chat_that_is_restored_while_the_trash_is_emptied_keeps_what_was_said() {
    let scene = Scene::new().await;
    for moment in 0..24 {
        let (first, _first) = scene.scripted_chat().await;
        let (second, model) = scene.scripted_chat().await;
        model.will(Turn::words("It opens at nine."));
        scene.say(second, "When does it open?").await;
        scene.finished(second).await;
        for chat in [first, second] {
            scene.host.chat_trash(chat, true).await.unwrap();
        }
        let restore = async {
            for _ in 0..moment {
                tokio::task::yield_now().await;
            }
            scene.host.chat_trash(second, false).await
        };
        let (emptied, restored) = tokio::join!(scene.host.trash_empty(), restore);
        emptied.unwrap();
        let left = scene.store.entries(second).await.unwrap();
        assert_eq!(left.len(), if restored.is_ok() { 2 } else { 0 }, "{moment}");
    }
    scene.close().await;
}
