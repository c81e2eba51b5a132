//! A text of six megabytes and a picture of three are kept beside their entries: shown in pieces, read by the model in parts,
//! found, exported and imported as the same bytes, and in no file once their chats are deleted for ever.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use vestibule_host::view::{
    CallState, ChatFileForm, ChatFindPlace, ContentView, EntryBody, EntryView, InputProblem, PicturePlace,
    Problem, StoredForm, StoredPart,
};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Model, Puppet, Scene, Turn, results, text_result, tool};

use super::chat_files::words;
use super::found_and_deleted::{files_with, found};

const CANARY: &str = "qzxstored";
const PICTURE_CANARY: &str = "QZXPICTURECANARY";

/// A log of about six megabytes, with a word where the search index reads it, and one in the middle.
fn log() -> String {
    let line = |n: u32| match n {
        2_000 => format!("line {n}: {CANARY} early\n"),
        60_000 => format!("line {n}: the vault opens with {CANARY}-4471\n"),
        n => format!("line {n}: nothing happened here, 第 {n} 行，{}\n", "·".repeat(10)),
    };
    (1..=90_000).map(line).collect()
}

/// A file of three megabytes that says it is a picture of 8 × 8 pixels.
fn picture() -> Vec<u8> {
    let mut bytes = STANDARD
        .decode("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSnc")
        .unwrap();
    bytes.extend(PICTURE_CANARY.bytes().cycle().take(3 * 1024 * 1024));
    bytes
}

/// A chat with an answer of a server that has this result.
async fn chat_with(scene: &Scene, puppet: &mut Puppet, result: Value) -> (ChatId, Model) {
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "files__read", json!({})));
    model.will(Turn::words("I see."));
    scene.say(chat, "Read.").await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, result).await;
    scene.finished(chat).await;
    (chat, model)
}

/// The entry of the call of a chat, as its window reads it, and its stored part.
async fn stored(scene: &Scene, chat: ChatId) -> (EntryView, StoredPart) {
    let entries = scene.newest_entries(chat).await;
    let has_result = |entry: &EntryView| {
        let EntryBody::Call(call) = &entry.body else {
            return None;
        };
        let CallState::Answered { result, .. } = &call.state else {
            return None;
        };
        match &result.content[..] {
            [ContentView::Stored { part }] => Some((entry.clone(), part.clone())),
            _ => None,
        }
    };
    entries.iter().find_map(has_result).unwrap()
}

async fn text_of(scene: &Scene, entry: EntryId, part: &StoredPart) -> String {
    let mut pieces = vec![];
    while pieces.len() < part.pieces as usize {
        let first = u32::try_from(pieces.len()).unwrap();
        let read = scene.host.stored_pieces(entry, part.number, first).await.unwrap();
        assert!(read.iter().map(String::len).sum::<usize>() <= 256 * 1024);
        pieces.extend(read);
    }
    assert_eq!(pieces.len(), part.pieces as usize);
    pieces.concat()
}

async fn export(scene: &Scene, chat: ChatId, form: ChatFileForm, path: &Path) -> String {
    let words = words();
    let written = scene
        .host
        .chats_export_to(path.to_owned(), Some(chat), form, &words);
    written.await.unwrap();
    std::fs::read_to_string(path).unwrap()
}

fn digest(file: &str) -> String {
    let file: Value = serde_json::from_str(file).unwrap();
    file["chats"][0]["digest"].as_str().unwrap().to_owned()
}

async fn import(scene: &Scene, file: &Path) -> ChatId {
    scene.host.chats_import_read(file).await.unwrap();
    scene.host.chats_import().await.unwrap().only.unwrap()
}

async fn delete(scene: &Scene, chat: ChatId) {
    scene.host.chat_trash(chat, true).await.unwrap();
    scene.host.chat_delete(chat).await.unwrap();
}

#[tokio::test]
async fn a_long_text_is_shown_in_pieces_read_in_parts_and_carried_by_files() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("files", &[tool("read")]).await;
    scene.agrees();
    let log = log();
    assert!(log.len() > 6_000_000);
    let (chat, mut model) = chat_with(&scene, &mut puppet, text_result(&log)).await;
    let (entry, part) = stored(&scene, chat).await;
    assert_eq!(
        (part.bytes, part.lines, &part.form),
        (log.len() as u64, 90_001, &StoredForm::Text)
    );
    assert!(log.starts_with(&part.beginning) && log.ends_with(&part.end));
    assert!(serde_json::to_string(&entry.body).unwrap().len() < 64 * 1024);
    assert_eq!(text_of(&scene, entry.id, &part).await, log);

    // The model got both ends, and reads a part.
    model.asked().await;
    let given = results(&model.asked().await).remove(0).1;
    assert!(given.starts_with("line 1:") && given.contains("line 90000:") && !given.contains(CANARY));
    let find = json!({ "handle": entry.id.to_string(), "search": CANARY, "line": 50_000 });
    model.will(Turn::call("find", "read_result", find));
    model.will(Turn::words("Found."));
    scene.say(chat, "What opens the vault?").await;
    scene.finished(chat).await;
    model.asked().await;
    let read = results(&model.asked().await).pop().unwrap().1;
    assert!(
        read.contains("60000: line 60000: the vault opens with qzxstored-4471"),
        "{read}"
    );

    // Found in its chat, wherever it is, and by the search over all chats near its beginning.
    let in_chat = scene
        .host
        .chat_find(chat, "vault opens with qzxstored")
        .await
        .unwrap();
    assert!(
        in_chat
            .hits
            .iter()
            .any(|hit| hit.entry == entry.id && hit.place == ChatFindPlace::Result)
    );
    assert_eq!(found(&scene, "qzxstored early").await.len(), 1);

    // Out and in again as the same.
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.json");
    let exported = export(&scene, chat, ChatFileForm::Json, &first).await;
    let copy = import(&scene, &first).await;
    let (copied, copied_part) = stored(&scene, copy).await;
    assert_eq!(copied_part, part);
    assert_eq!(text_of(&scene, copied.id, &copied_part).await, log);
    let second = export(
        &scene,
        copy,
        ChatFileForm::Json,
        &folder.path().join("second.json"),
    )
    .await;
    assert_eq!(digest(&second), digest(&exported));
    let markdown = export(
        &scene,
        copy,
        ChatFileForm::Markdown,
        &folder.path().join("chat.md"),
    )
    .await;
    assert!(markdown.contains("the vault opens with qzxstored-4471"));

    let scene = scene.reopen().await;
    assert_eq!(text_of(&scene, entry.id, &part).await, log);
    assert_ne!(files_with(CANARY, scene.folder()), 0);
    delete(&scene, chat).await;
    delete(&scene, copy).await;
    assert_eq!(files_with(CANARY, scene.folder()), 0);
    let gone = scene.host.stored_pieces(entry.id, part.number, 0).await;
    assert!(
        matches!(gone, Err(Problem::Input(InputProblem::Gone))),
        "{gone:?}"
    );
    scene.close().await;
}

/// The result of a tool may be longer than other messages.
#[tokio::test]
async fn a_text_longer_than_other_messages_may_be_is_kept_whole() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("files", &[tool("read")]).await;
    scene.agrees();
    let text = "0123456789abcde\n".repeat(12 * 1024 * 1024 / 16);
    let (chat, _model) = chat_with(&scene, &mut puppet, text_result(&text)).await;
    let (entry, part) = stored(&scene, chat).await;
    assert_eq!(part.bytes, text.len() as u64);
    assert!(
        text_of(&scene, entry.id, &part).await == text,
        "the text came back changed"
    );
    scene.close().await;
}

#[tokio::test]
async fn a_large_picture_is_given_to_the_window_saved_and_carried_by_files() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("files", &[tool("read")]).await;
    scene.agrees();
    let bytes = picture();
    let block = json!({ "type": "image", "mimeType": "image/png", "data": STANDARD.encode(&bytes) });
    let (chat, mut model) = chat_with(&scene, &mut puppet, json!({ "content": [block] })).await;
    let (entry, part) = stored(&scene, chat).await;
    assert_eq!(part.bytes, bytes.len() as u64);
    assert_eq!(
        part.form,
        StoredForm::Image {
            mime: "image/png".into()
        }
    );
    let shown = scene
        .host
        .stored_picture(entry.id, part.number)
        .await
        .unwrap()
        .unwrap();
    assert!(shown.mime == "image/png" && shown.bytes == bytes);
    // The bytes are no text, so they are not read in pieces.
    let pieces = scene.host.stored_pieces(entry.id, part.number, 0).await;
    assert!(
        matches!(pieces, Err(Problem::Input(InputProblem::Gone))),
        "{pieces:?}"
    );
    // It is damaged beyond its first bytes, so the model reads that it was left out: the bytes reached who draws it.
    model.asked().await;
    let request = model.asked().await.to_string();
    assert!(!request.contains("stored:"), "{request}");

    let folder = tempfile::tempdir().unwrap();
    let place = PicturePlace::Result {
        entry: entry.id,
        part: 0,
    };
    let file = folder.path().join("picture.png");
    let saved = scene.host.picture_file(place).await.unwrap();
    scene.host.picture_write(file.clone(), saved).await.unwrap();
    assert!(std::fs::read(&file).unwrap() == bytes);

    let first = folder.path().join("first.json");
    let exported = export(&scene, chat, ChatFileForm::Json, &first).await;
    let copy = import(&scene, &first).await;
    let (copied, copied_part) = stored(&scene, copy).await;
    assert_eq!(copied_part, part);
    let second = export(
        &scene,
        copy,
        ChatFileForm::Json,
        &folder.path().join("second.json"),
    )
    .await;
    assert_eq!(digest(&second), digest(&exported));

    assert_ne!(files_with(PICTURE_CANARY, scene.folder()), 0);
    delete(&scene, chat).await;
    delete(&scene, copy).await;
    assert_eq!(files_with(PICTURE_CANARY, scene.folder()), 0);
    let gone = scene.host.stored_picture(copied.id, part.number).await.unwrap();
    assert!(gone.is_none());
    scene.close().await;
}
