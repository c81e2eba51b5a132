//! Chats leave as files and come back as the same chats. What comes from a file is marked, brings no permission, and is
//! never called.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vestibule_consent::Answer;
use vestibule_host::MarkdownWords;
use vestibule_host::view::{ChatFileForm, ChatSource, ChatView, EntryBody, EntryView, InputProblem, Problem};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Scene, Turn, tool, yes};

/// A picture of one pixel.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) fn words() -> MarkdownWords {
    let word = str::to_owned;
    MarkdownWords {
        you: word("You"),
        thoughts: word("Thoughts"),
        call: word("Tool call"),
        arguments: word("Arguments"),
        result: word("Result"),
        failed: word("Failed"),
        denied: word("Denied"),
        unfinished: word("Not finished"),
        attachment: word("Attachment"),
        picture: word("Picture"),
        sound: word("Sound"),
        problem: word("Problem"),
        untitled: word("Chat"),
    }
}

async fn export(scene: &Scene, chat: Option<ChatId>, form: ChatFileForm, name: &str) -> PathBuf {
    let path = scene.folder().join(name);
    let exported = scene
        .host
        .chats_export_to(path.clone(), chat, form, &words())
        .await;
    assert_eq!(exported.unwrap().path, path.display().to_string());
    path
}

async fn import(scene: &Scene, file: &Path) -> ChatId {
    scene.host.chats_import_read(file).await.unwrap();
    scene.host.chats_import().await.unwrap().only.unwrap()
}

/// The digests of the chats of a file.
fn digests(file: &Path) -> Vec<String> {
    let file: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let chats = file["chats"].as_array().unwrap().iter();
    chats
        .map(|chat| chat["digest"].as_str().unwrap().to_owned())
        .collect()
}

async fn chats(scene: &Scene) -> Vec<ChatView> {
    scene.host.main_window().await.unwrap().0.chats
}

fn message(entries: &[EntryView], words: &str) -> EntryId {
    let is_it = |entry: &&EntryView| matches!(&entry.body, EntryBody::User { text, .. } if text == words);
    entries.iter().find(is_it).unwrap().id
}

/// A call that the user denied.
fn denied(entries: &[EntryView]) -> EntryId {
    let state = |entry: &EntryView| serde_json::to_value(&entry.body).unwrap()["state"] == "refused";
    entries.iter().find(|entry| state(entry)).unwrap().id
}

#[tokio::test]
async fn an_exported_chat_comes_back_as_the_same_chat_and_can_call_nothing() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    for turn in [
        Turn::words("Hello."),
        Turn::call("one", "notes__read", json!({ "which": 1 })),
        Turn::words("It says milk."),
        Turn::call("two", "notes__read", json!({ "which": 2 })),
        Turn::words("Then not."),
    ] {
        model.will(turn);
    }
    scene.say(chat, "Hi, to be deleted.").await;
    scene.host.chat_rename(chat, "A note").await.unwrap();
    let entries = scene.finished(chat).await;
    scene.say(chat, "What is in my note?").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    let picture = json!({ "content": [{ "type": "text", "text": "milk" },
        { "type": "image", "mimeType": "image/png", "data": PICTURE }] });
    puppet.answer(&call, picture).await;
    scene.finished(chat).await;
    scene
        .host
        .message_delete(message(&entries, "Hi, to be deleted."))
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.say(chat, "And the other?").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let entries = scene.finished(chat).await;
    model.will(Turn::words("In another branch."));
    let other = message(&entries, "And the other?");
    scene
        .host
        .message_edit(other, "And the third?".into())
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await;
    scene.host.branch_show(other).await.unwrap();
    let before = scene.newest_entries(chat).await;

    let first = export(&scene, Some(chat), ChatFileForm::Json, "first.json").await;
    let text = std::fs::read_to_string(&first).unwrap();
    assert!(text.contains(PICTURE) && text.contains("In another branch."));
    assert!(!text.contains("to be deleted"), "what was deleted is in no file");
    let copy = import(&scene, &first).await;
    assert_ne!(copy, chat);
    let second = export(&scene, Some(copy), ChatFileForm::Json, "second.json").await;
    assert_eq!(digests(&second), digests(&first));

    // Nothing of the first one changed, and the second one says where it is from.
    assert_eq!(scene.newest_entries(chat).await, before);
    let source = |chats: &[ChatView], id| chats.iter().find(|chat| chat.id == id).unwrap().imported;
    let all = chats(&scene).await;
    assert_eq!(
        (source(&all, chat), source(&all, copy)),
        (None, Some(ChatSource::Vestibule))
    );
    let scene = scene.reopen().await;
    assert_eq!(source(&chats(&scene).await, copy), Some(ChatSource::Vestibule));
    let entries = scene.newest_entries(copy).await;
    let calls = Scene::calls(&entries);
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call.imported && call.because.is_empty()));
    let again = scene
        .host
        .call_ask_again(denied(&entries), "Please.".into())
        .await;
    assert_eq!(
        again,
        Err(Problem::Input(InputProblem::Gone)),
        "a call of a file is not made"
    );
    let shown = scene.person.shown().len();

    // It goes on with a model that the user chooses, which reads it; its calls are not made again.
    for _ in 0..6 {
        model.asked().await;
    }
    model.will(Turn::words("As I said."));
    let id = chats(&scene)
        .await
        .iter()
        .find(|view| view.id == chat)
        .unwrap()
        .model;
    let change = scene.host.chat_model(copy, id).await.unwrap();
    scene.agreed(change).await;
    scene.say(copy, "Once more?").await;
    scene.finished(copy).await;
    let request = model.asked().await.to_string();
    assert!(
        request.contains("What is in my note?") && request.contains("milk"),
        "{request}"
    );
    assert!(!request.contains("In another branch."));
    assert_eq!(
        scene.person.shown().len(),
        shown + 1,
        "only the model was asked about"
    );
    scene.close().await;
}

#[tokio::test]
async fn all_chats_are_exported_and_markdown_reads_like_the_chat() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::words("It is *cold*."));
    scene.say(chat, "How is Oslo?").await;
    scene.finished(chat).await;
    let (trashed, other) = scene.scripted_chat().await;
    other.will(Turn::words("Gone."));
    scene.say(trashed, "A chat in the trash").await;
    scene.finished(trashed).await;
    scene.host.chat_trash(trashed, true).await.unwrap();
    let answer = scene.newest_entries(chat).await.remove(1).body;
    let EntryBody::Assistant { model: name, .. } = answer else {
        panic!("the model did not answer");
    };
    let expected = format!("# How is Oslo?\n\n## You\n\nHow is Oslo?\n\n## {name}\n\nIt is *cold*.\n");
    assert_eq!(
        scene.host.markdown_of_chat(chat, &words()).await.unwrap(),
        expected
    );
    let path = scene.folder().join("all.md");
    std::fs::write(&path, "what was here before").unwrap();
    let all = export(&scene, None, ChatFileForm::Markdown, "all.md").await;
    assert_eq!(std::fs::read_to_string(&all).unwrap(), expected);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&all).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let all = export(&scene, None, ChatFileForm::Json, "all.json").await;
    assert_eq!(digests(&all).len(), 1);
    let missing = scene.folder().join("no such folder").join("x.md");
    let failed = scene
        .host
        .chats_export_to(missing, None, ChatFileForm::Markdown, &words())
        .await;
    assert!(failed.is_err());
    let parts = std::fs::read_dir(scene.folder()).unwrap();
    assert!(
        parts
            .into_iter()
            .all(|file| !file.unwrap().path().ends_with(".part"))
    );
    scene.close().await;
}

#[tokio::test]
async fn files_that_are_no_chats_are_refused_in_words_and_change_nothing() {
    let scene = Scene::new().await;
    let before = chats(&scene).await;
    let at = |name: &str| scene.folder().join(name);
    let large = std::fs::File::create(at("large.json")).unwrap();
    large.set_len(1024 * 1024 * 1024).unwrap();
    std::fs::write(at("packed.zip"), b"PK\x03\x04rest").unwrap();
    std::fs::write(at("rules.json"), r#"{"format":"vestibule-rules","version":2}"#).unwrap();
    std::fs::write(at("newer.json"), r#"{"format":"vestibule-chats","version":9}"#).unwrap();
    std::fs::write(at("latin.json"), b"[\"\xe9\"]").unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let file = |name: &str| name.to_owned();
    let refused = [
        (
            "large.json",
            InputProblem::ChatFileTooLarge {
                file: file("large.json"),
                limit_mb: 256,
            },
        ),
        (
            "packed.zip",
            InputProblem::ChatFilePacked {
                file: file("packed.zip"),
            },
        ),
        (
            "rules.json",
            InputProblem::ChatFileUnknown {
                file: file("rules.json"),
            },
        ),
        (
            "newer.json",
            InputProblem::ChatFileNewer {
                file: file("newer.json"),
                found: 9,
                known: 1,
            },
        ),
    ];
    for (name, problem) in refused {
        let read = scene.host.chats_import_read(&at(name)).await;
        assert_eq!(read, Err(Problem::Input(problem)), "{name}");
    }
    for name in ["latin.json", "pipe", "nothing.json", "."] {
        let read = scene.host.chats_import_read(&at(name)).await;
        let is_unreadable = matches!(
            &read,
            Err(Problem::Input(InputProblem::ChatFileUnreadable { .. }))
        );
        assert!(is_unreadable, "{name}: {read:?}");
    }
    assert_eq!(
        scene.host.chats_import().await,
        Err(Problem::Input(InputProblem::Gone))
    );
    assert_eq!(chats(&scene).await, before);
    scene.close().await;
}

/// What is shown before is what is imported, and only after the user's word.
#[tokio::test]
async fn an_import_is_shown_first_and_written_when_the_user_confirms() {
    let scene = Scene::new().await;
    let before = chats(&scene).await;
    let path = scene.folder().join("conversations.json");
    let said = |id: &str, parent: Value| json!({ "uuid": id, "sender": "human", "text": format!("I say {id}"), "parent_message_uuid": parent });
    let root = json!("00000000-0000-4000-8000-000000000000");
    let file = json!([
        { "name": "", "chat_messages": [said("a", root.clone()), said("b", json!("a")), said("c", json!("x"))] },
        { "name": "Broken" },
        { "name": "Second", "chat_messages": [said("a", root)] },
    ]);
    std::fs::write(&path, file.to_string()).unwrap();
    let view = scene.host.chats_import_read(&path).await.unwrap();
    assert_eq!(
        (view.source, view.chats, view.messages, view.calls),
        (ChatSource::Claude, 2, 3, 0)
    );
    assert_eq!(view.titles, ["I say a", "Second"]);
    assert_eq!(view.file, "conversations.json");
    assert_eq!(view.left_out.len(), 2);
    assert_eq!(chats(&scene).await, before, "nothing is written before");
    scene.host.chats_import_drop();
    assert_eq!(
        scene.host.chats_import().await,
        Err(Problem::Input(InputProblem::Gone))
    );
    scene.host.chats_import_read(&path).await.unwrap();
    // The file may change meanwhile: what was shown is imported.
    std::fs::remove_file(&path).unwrap();
    let imported = scene.host.chats_import().await.unwrap();
    assert_eq!((imported.chats, imported.only), (2, None));
    let found = scene.host.chat_search("say b").await.unwrap();
    assert_eq!(found.hits.len(), 1, "what was imported is found");
    assert_eq!(chats(&scene).await.len(), before.len() + 2);
    let deleted = found.hits[0].chat;
    scene.host.chat_delete(deleted).await.unwrap();
    assert_eq!(chats(&scene).await.len(), before.len() + 1);
    scene.close().await;
}
