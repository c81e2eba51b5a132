//! A temporary chat is in memory alone: nothing of it is in a file of the data folder or of a backup, the search does not find
//! it, and it ends with the application or when it is closed. The ledger keeps what was called.

use std::path::Path;

use serde_json::json;
use vestibule_host::view::{ChatFileForm, LedgerQuery, SettingsChange, ToolOff};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{LedgerFilter, LedgerKind};
use vestibule_tests::{Model, Puppet, Scene, Stage, Turn, text_result, tool, yes};

use super::found_and_deleted::{files_with, found};

const CANARY: &str = "qzxtemporary";

/// A temporary chat with its model, and a server.
struct Temporary {
    chat: ChatId,
    model: Model,
    server: ServerId,
    puppet: Puppet,
    _stage: Stage,
}

async fn begin(scene: &Scene) -> Temporary {
    let (server, puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    let view = scene.host.chat_create(true).await.unwrap();
    assert!(view.temporary);
    let model = Model::start().await;
    let id = scene.add_model(&model.base_url, None).await;
    scene.host.chat_model(view.id, Some(id)).await.unwrap();
    Temporary {
        chat: view.id,
        model,
        server,
        puppet,
        _stage: stage,
    }
}

impl Temporary {
    fn model_calls(&self, id: &str) {
        let arguments = json!({ "what": CANARY, "at": format!("https://{CANARY}.example/{CANARY}.txt") });
        self.model.will(Turn::call(id, "notes__read", arguments));
    }

    async fn answer_call(&mut self) {
        let call = self.puppet.hear("tools/call").await;
        self.puppet.answer(&call, text_result(CANARY)).await;
    }

    /// Says the canary in every way there is. The call is allowed for this chat.
    async fn reveal(&mut self, scene: &Scene) {
        let (chat, outside) = (self.chat, tempfile::tempdir().unwrap());
        let file = outside.path().join(format!("{CANARY}.txt"));
        std::fs::write(&file, CANARY).unwrap();
        let files = scene.host.attach_files(chat, vec![file]).await.unwrap();
        let attached: Vec<_> = files.attached.iter().map(|file| file.id).collect();
        self.model_calls("one");
        scene.say_with(chat, &format!("Read {CANARY}."), &attached).await;
        let card = scene.person.asked().await;
        scene.person.say(&card, yes(Scope::Chat)).await;
        let call = self.puppet.hear("tools/call").await;
        let queued = format!("Then {CANARY} once more.");
        scene.host.queue_add(chat, queued, vec![]).await.unwrap();
        let off = ToolOff {
            server: self.server,
            tool: CANARY.to_owned(),
        };
        scene.host.chat_tool_switch(chat, off, false).await.unwrap();
        let draft = format!("And {CANARY}?");
        scene.host.draft_save(Some(chat), draft).await.unwrap();
        assert_eq!(files_with(CANARY, scene.folder()), 0, "while it is under way");
        self.puppet.answer(&call, text_result(CANARY)).await;
        self.model.will(Turn::words(&format!("It says {CANARY}.")));
        // The message that waited; its call needs no question.
        self.model_calls("two");
        self.answer_call().await;
        self.model.will(Turn::words(CANARY));
        scene.finished(chat).await;
    }
}

/// What the ledger says of a chat: the kind and the object of each record.
async fn recorded(scene: &Scene, chat: ChatId) -> Vec<(LedgerKind, String)> {
    let filter = LedgerFilter {
        chat: Some(chat),
        limit: 100,
        ..LedgerFilter::default()
    };
    let records = scene.store.ledger(filter).await.unwrap();
    records
        .into_iter()
        .map(|record| (record.kind, record.object))
        .collect()
}

async fn export_all(scene: &Scene, path: &Path) -> u64 {
    let words = super::chat_files::words();
    let all = scene
        .host
        .chats_export_to(path.to_owned(), None, ChatFileForm::Json, &words);
    all.await.unwrap().count
}

#[tokio::test]
async fn nothing_of_a_temporary_chat_is_in_a_file_but_the_ledger_keeps_what_was_called() {
    let scene = Scene::new().await;
    let mut temporary = begin(&scene).await;
    let chat = temporary.chat;
    temporary.reveal(&scene).await;
    let shown = format!("{:?}", scene.newest_entries(chat).await);
    assert!(shown.matches(CANARY).count() > 8, "{shown}");
    assert_eq!(found(&scene, CANARY).await, []);
    let backup = scene.folder().join("backup.db");
    scene.host.backup_write_to(backup).await.unwrap();
    assert_eq!(export_all(&scene, &scene.folder().join("chats.json")).await, 0);
    let ledger = scene.host.ledger_export(LedgerQuery::default()).await.unwrap();
    let exported = std::fs::read_to_string(ledger.path).unwrap();
    assert!(exported.contains(&chat.to_string()), "{exported}");
    assert!(!scene.host.rules_export().contains(&chat.to_string()));
    assert_eq!(scene.store.rules().await.unwrap(), []);
    assert_eq!(files_with(CANARY, scene.folder()), 0);

    let called = recorded(&scene, chat).await;
    let calls = called
        .iter()
        .filter(|(kind, object)| *kind == LedgerKind::Intent && object == "read");
    assert_eq!(calls.count(), 2, "{called:?}");
    let scene = scene.reopen().await;
    assert_eq!(files_with(CANARY, scene.folder()), 0);
    assert!(!scene.window.now().chats.contains_key(&chat));
    assert!(scene.newest_entries(chat).await.is_empty());
    assert_eq!(recorded(&scene, chat).await, called);
    scene.close().await;
}

#[tokio::test]
async fn a_temporary_chat_that_is_closed_takes_its_permissions_along() {
    let scene = Scene::new().await;
    let mut temporary = begin(&scene).await;
    let chat = temporary.chat;
    temporary.reveal(&scene).await;
    let for_chat = scene.host.rules().await.unwrap();
    assert_eq!(for_chat.len(), 1, "{for_chat:?}");
    scene.host.chat_delete(chat).await.unwrap();
    let gone = |seen: &vestibule_tests::Projection| !seen.chats.contains_key(&chat);
    scene.window.until("the end of the chat", gone).await;
    assert!(scene.host.rules().await.unwrap().is_empty());
    assert!(scene.newest_entries(chat).await.is_empty());
    // What comes late reaches no file either.
    let late = scene.host.draft_save(Some(chat), CANARY.to_owned()).await;
    late.unwrap();
    assert!(scene.host.chat_rename(chat, CANARY).await.is_err());
    assert_eq!(files_with(CANARY, scene.folder()), 0);

    // Another temporary chat is asked again.
    let other = scene.host.chat_create(true).await.unwrap().id;
    let models = scene.store.models().await.unwrap();
    let model = models.iter().find(|model| model.connection.is_some()).unwrap();
    scene.host.chat_model(other, Some(model.id)).await.unwrap();
    temporary.model_calls("three");
    scene.say(other, "Read.").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    temporary.answer_call().await;
    temporary.model.will(Turn::words("Read."));
    scene.finished(other).await;
    scene.close().await;
}

#[tokio::test]
async fn a_title_that_the_model_writes_for_a_temporary_chat_is_in_no_file() {
    let scene = Scene::new().await;
    let change = SettingsChange {
        title_chats: Some(true),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
    let temporary = begin(&scene).await;
    let chat = temporary.chat;
    temporary.model.will(Turn::words("Hello."));
    scene.say(chat, "Hi.").await;
    scene.finished(chat).await;
    temporary.model.will(Turn::words(CANARY));
    let titled = |seen: &vestibule_tests::Projection| seen.chats[&chat].title == CANARY;
    scene.window.until("the title", titled).await;
    assert_eq!(files_with(CANARY, scene.folder()), 0);
    scene.close().await;
}
