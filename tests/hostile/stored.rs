//! Large parts of results are asked for by a reference that does not belong to them: of another chat, of a file, of a chat
//! that is gone.

use serde_json::{Value, json};
use vestibule_host::MarkdownWords;
use vestibule_host::view::{
    CallState, ChatFileForm, ContentView, EntryBody, EntryView, InputProblem, Problem, StoredPart,
};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Scene, Turn, results, text_result};

use crate::Street;

const SECRET: &str = "KX-4471-99-ZULU";

fn log() -> String {
    let line = |n: u32| match n {
        20_000 => format!("line {n}: the vault opens with {SECRET}\n"),
        n => format!("line {n}: nothing happened here\n"),
    };
    (1..=40_000).map(line).collect()
}

/// The form that is exported has none of these words.
fn words() -> MarkdownWords {
    let word = String::new;
    MarkdownWords {
        you: word(),
        thoughts: word(),
        call: word(),
        arguments: word(),
        result: word(),
        failed: word(),
        denied: word(),
        unfinished: word(),
        attachment: word(),
        picture: word(),
        sound: word(),
        problem: word(),
        untitled: word(),
    }
}

/// The stored parts of the newest call of a chat.
async fn stored(scene: &Scene, chat: ChatId) -> (EntryView, Vec<StoredPart>) {
    let entries = scene.newest_entries(chat).await;
    let parts = |entry: &EntryView| {
        let EntryBody::Call(call) = &entry.body else {
            return None;
        };
        let CallState::Answered { result, .. } = &call.state else {
            return None;
        };
        let parts = result.content.iter().filter_map(|part| match part {
            ContentView::Stored { part } => Some(part.clone()),
            _ => None,
        });
        Some((entry.clone(), parts.collect()))
    };
    entries.iter().rev().find_map(parts).unwrap()
}

async fn has_nothing(scene: &Scene, entry: EntryId, number: u32, first: u32) {
    let pieces = scene.host.stored_pieces(entry, number, first).await;
    assert!(
        matches!(pieces, Err(Problem::Input(InputProblem::Gone))),
        "{pieces:?}"
    );
    assert!(scene.host.stored_picture(entry, number).await.unwrap().is_none());
}

/// A reference is good for the entry it stands in, and the model of another chat gets nothing for it.
#[tokio::test]
async fn a_stored_part_is_read_by_its_own_entry_alone() {
    let mut street = Street::new().await;
    let call = street.call().await;
    street.puppet.answer(&call, text_result(&log())).await;
    street.told().await;
    let (entry, parts) = stored(&street.scene, street.chat).await;
    let [part] = &parts[..] else { panic!("{parts:?}") };
    for (of, number, first) in [
        (entry.id, part.number + 1, 0),
        (entry.id, part.number, part.pieces),
        (entry.id, u32::MAX, u32::MAX),
        (EntryId::in_chat(street.chat), part.number, 0),
        (EntryId::in_chat(ChatId::temporary()), part.number, 0),
    ] {
        has_nothing(&street.scene, of, number, first).await;
    }
    // A text is no picture.
    let picture = street.scene.host.stored_picture(entry.id, part.number).await;
    assert!(picture.unwrap().is_none());

    let temporary = street.scene.host.chat_create(true).await.unwrap().id;
    for other in [street.scene.chat().await, temporary] {
        let model = street.model.base_url.clone();
        let id = street.scene.add_model(&model, None).await;
        street.scene.host.chat_model(other, Some(id)).await.unwrap();
        let handle = json!({ "handle": entry.id.to_string(), "search": "vault" });
        street.model.will(Turn::call("steal", "read_result", handle));
        street.model.will(Turn::words("I cannot."));
        street.scene.say(other, "What opens the vault?").await;
        let entries = street.scene.finished(other).await;
        let shown = serde_json::to_string(&entries).unwrap();
        assert!(!shown.contains(SECRET), "{shown}");
    }
    street.close().await;
}

/// A file that names what this computer keeps is given nothing of it, neither in the chat nor in its next export.
#[tokio::test]
async fn a_file_cannot_name_what_is_stored_here() {
    let mut street = Street::new().await;
    let call = street.call().await;
    street.puppet.answer(&call, text_result(&log())).await;
    street.told().await;
    let (entry, parts) = stored(&street.scene, street.chat).await;
    let body = serde_json::to_value(&entry.body).unwrap();
    let mut structured = body.clone();
    structured["result"]["structured_stored"] = json!(parts[0]);
    let folder = tempfile::tempdir().unwrap();
    for body in [body, structured] {
        let file = json!({ "format": "vestibule-chats", "version": 1, "exported": 1, "chats": [{
            "id": entry.chat, "title": "Mine", "created": 1, "updated": 1, "shown": entry.id,
            "entries": [{ "id": entry.id, "parent": null, "at": 1, "body": body }] }] });
        let path = folder.path().join("chats.json");
        std::fs::write(&path, file.to_string()).unwrap();
        street.scene.host.chats_import_read(&path).await.unwrap();
        let imported = street.scene.host.chats_import().await.unwrap().only.unwrap();
        let (copied, parts) = stored(&street.scene, imported).await;
        assert_eq!(parts, []);
        has_nothing(&street.scene, copied.id, 0, 0).await;
        let path = folder.path().join("again.json");
        let (host, words) = (&street.scene.host, words());
        let written = host.chats_export_to(path.clone(), Some(imported), ChatFileForm::Json, &words);
        written.await.unwrap();
        let again: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert!(!again.to_string().contains(SECRET));
    }
    street.close().await;
}

/// A reference that was kept from a temporary chat reads nothing once the chat is closed.
#[tokio::test]
async fn what_a_temporary_chat_stored_ends_with_it() {
    let mut street = Street::new().await;
    let chat = street.scene.host.chat_create(true).await.unwrap().id;
    let id = street.scene.add_model(&street.model.base_url, None).await;
    street.scene.host.chat_model(chat, Some(id)).await.unwrap();
    street.chat = chat;
    let call = street.call().await;
    street.puppet.answer(&call, text_result(&log())).await;
    street.told().await;
    let (entry, parts) = stored(&street.scene, chat).await;
    let pieces = street
        .scene
        .host
        .stored_pieces(entry.id, parts[0].number, 0)
        .await;
    assert!(pieces.unwrap()[0].starts_with("line 1:"));
    street.scene.host.chat_delete(chat).await.unwrap();
    has_nothing(&street.scene, entry.id, parts[0].number, 0).await;
    street.model.asked().await;
    let told = results(&street.model.asked().await);
    assert!(told[0].1.contains("bytes are left out"), "{}", told[0].1);
    street.close().await;
}
