//! What happens when the file is opened: by the right version, the wrong one, twice, or when it is not ours.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{Folder, at, chat, draft, intruder, rule, server};
use vestibule_protocol::{ConnectionId, EntryId};
use vestibule_store::{
    ApprovedTool, BranchRow, ConnectionRecord, EntriesFrom, EntryRecord, LedgerFilter, ModelRecord, Store,
    StoreError, verify_file,
};

/// A body that is read as a type.
#[derive(Debug, serde::Deserialize)]
struct Words {
    text: String,
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).expect("the file can be read")
}

#[tokio::test]
async fn everything_kept_is_there_after_reopening() {
    let folder = Folder::new();
    let store = folder.open();
    let server = server("notes");
    let connection = ConnectionRecord {
        id: ConnectionId::new(),
        label: "At home".to_owned(),
        wire: "open_ai_compatible".to_owned(),
        base_url: "http://localhost:11434/v1".to_owned(),
        headers: vec!["X-Team".to_owned()],
        created: at(7),
        unmerged: false,
    };
    let model = ModelRecord {
        label: "At home".to_owned(),
        price_in: Some(150_000),
        tools: Some(true),
        reported: Some(json!({ "context": 8192 })),
        favourite: true,
        ..ModelRecord::new(Some(connection.id), "small", at(7))
    };
    let mut chat = chat("Trip to Oslo", 10);
    chat.model = Some(model.id);
    let rule = rule(server.id, Some(chat.id));
    let tool = ApprovedTool {
        server: server.id,
        name: "read_page".to_owned(),
        digest: "sha256:00".to_owned(),
        definition: json!({ "inputSchema": { "type": "object" } }),
        approved: at(8),
    };
    let entry = EntryId::new();
    let body = json!({ "text": "What should I pack?", "state": "done" });

    store.put_server(&server).await.unwrap();
    store.put_connection(&connection).await.unwrap();
    store.put_model(&model).await.unwrap();
    store.create_chat(&chat).await.unwrap();
    store.put_rule(&rule).await.unwrap();
    store.approve_tool(&tool).await.unwrap();
    assert_eq!(
        store
            .append_entry(chat.id, entry, at(20), body.clone())
            .await
            .unwrap(),
        0
    );
    store.put_setting("theme", json!("dark")).await.unwrap();
    let receipt = store.append(draft(1)).await.unwrap();
    store.close().await;

    let store = folder.open();
    assert_eq!(store.servers().await.unwrap(), std::slice::from_ref(&server));
    assert_eq!(store.connections().await.unwrap(), [connection]);
    assert_eq!(store.models().await.unwrap(), [model]);
    chat.updated = at(20);
    assert_eq!(store.chats().await.unwrap(), [chat.clone()]);
    assert_eq!(store.rules().await.unwrap(), [rule]);
    assert_eq!(store.approved_tools(server.id).await.unwrap(), [tool]);
    let entry = EntryRecord {
        id: entry,
        chat: chat.id,
        position: 0,
        parent: None,
        at: at(20),
        body,
    };
    assert_eq!(
        store.entries(chat.id).await.unwrap(),
        std::slice::from_ref(&entry)
    );
    assert_eq!(store.entry(entry.id).await.unwrap(), Some(entry));
    assert_eq!(store.setting("theme").await.unwrap(), Some(json!("dark")));
    assert_eq!(store.setting("language").await.unwrap(), None);
    assert_eq!(
        store.settings().await.unwrap(),
        BTreeMap::from([("theme".to_owned(), json!("dark"))])
    );
    assert_eq!(store.ledger_head().await.unwrap(), receipt);
    let ledger = store.ledger(LedgerFilter::default()).await.unwrap();
    assert_eq!(ledger.len(), 1);
    assert_eq!(ledger[0].body, draft(1).body);
}

#[tokio::test]
async fn a_file_from_a_newer_version_is_refused_and_left_as_it_was() {
    let folder = Folder::new();
    let store = folder.open();
    store.append(draft(1)).await.unwrap();
    store.close().await;
    intruder(&folder.database())
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = bytes(&folder.database());

    let refusal = Store::open(&folder.database()).unwrap_err();
    assert!(
        matches!(
            refusal,
            StoreError::Newer {
                found: 99,
                known: 2..
            }
        ),
        "{refusal:?}"
    );
    let sentence = refusal.to_string();
    assert!(
        sentence.contains("format 99") && sentence.contains("up to"),
        "{sentence}"
    );
    assert_eq!(bytes(&folder.database()), before);
    assert!(matches!(
        verify_file(&folder.database()),
        Err(StoreError::Newer { .. })
    ));
    assert_eq!(bytes(&folder.database()), before);
}

/// The newer version may have crashed before its log was merged into the file.
#[tokio::test]
async fn a_newer_version_is_also_seen_in_an_unmerged_log() {
    let folder = Folder::new();
    let store = folder.open();
    store.append(draft(1)).await.unwrap();
    store.close().await;
    let newer = intruder(&folder.database());
    newer.pragma_update(None, "user_version", 99).unwrap();
    let log = folder.database().with_file_name("vestibule.db-wal");
    let before = (bytes(&folder.database()), bytes(&log));
    assert!(!before.1.is_empty());

    let refusal = Store::open(&folder.database()).unwrap_err();
    assert!(
        matches!(
            refusal,
            StoreError::Newer {
                found: 99,
                known: 2..
            }
        ),
        "{refusal:?}"
    );
    assert_eq!((bytes(&folder.database()), bytes(&log)), before);
}

#[test]
fn somebody_elses_database_is_refused_and_left_as_it_was() {
    let folder = Folder::new();
    intruder(&folder.database())
        .execute_batch("CREATE TABLE recipes (name TEXT)")
        .unwrap();
    let before = bytes(&folder.database());
    let refusal = Store::open(&folder.database()).unwrap_err();
    assert!(matches!(refusal, StoreError::Foreign { .. }), "{refusal:?}");
    let refusal = verify_file(&folder.database()).unwrap_err();
    assert!(matches!(refusal, StoreError::Foreign { .. }), "{refusal:?}");
    assert_eq!(bytes(&folder.database()), before);
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_was() {
    let folder = Folder::new();
    let before = b"Dear diary, this is long enough to look like a header of a hundred bytes, or so I hope, dear diary.".repeat(9);
    fs::write(folder.database(), &before).unwrap();
    let refusal = Store::open(&folder.database()).unwrap_err();
    assert!(matches!(refusal, StoreError::Corrupt { .. }), "{refusal:?}");
    assert_eq!(bytes(&folder.database()), before);
}

#[test]
fn a_missing_file_is_named() {
    let folder = Folder::new();
    let refusal = verify_file(&folder.database()).unwrap_err();
    assert!(matches!(refusal, StoreError::Io { .. }), "{refusal:?}");
    assert!(refusal.to_string().contains("vestibule.db"), "{refusal}");
    assert!(!folder.database().exists());
}

/// What a process that was killed a moment ago leaves to a child that has not yet become its program.
#[test]
fn a_lock_that_is_given_back_in_a_moment_is_waited_for() {
    let folder = Folder::new();
    let lock = folder.database().with_file_name("vestibule.db.lock");
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| Store::open(&folder.database()).map(drop));
        while handles_on(&lock) < 2 && !opening.is_finished() {
            std::thread::yield_now();
        }
        drop(held);
        opening.join().unwrap().unwrap();
    });
}

fn handles_on(file: &std::path::Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").expect("a process may look at its own files");
    open.filter_map(|one| std::fs::read_link(one.ok()?.path()).ok())
        .filter(|target| target == file)
        .count()
}

#[tokio::test]
async fn a_second_opening_is_refused_until_the_first_is_closed() {
    let folder = Folder::new();
    let first = folder.open();
    let refusal = Store::open(&folder.database()).unwrap_err();
    assert!(matches!(refusal, StoreError::InUse { .. }), "{refusal:?}");
    let clone = first.clone();
    first.close().await;
    let second = folder.open();
    assert!(second.servers().await.unwrap().is_empty());
    assert!(matches!(clone.servers().await, Err(StoreError::Closed)));
    assert!(matches!(clone.append(draft(1)).await, Err(StoreError::Closed)));
}

#[tokio::test]
async fn what_was_asked_before_the_closing_is_still_done() {
    let folder = Folder::new();
    let store = folder.open();
    let (put, ()) = tokio::join!(store.put_setting("theme", json!("dark")), store.close());
    put.unwrap();
    assert_eq!(folder.open().setting("theme").await.unwrap(), Some(json!("dark")));
}

#[cfg(unix)]
/// Shows HO-009.
#[tokio::test]
async fn nobody_else_on_this_computer_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let store = folder.open();
    store.append(draft(1)).await.unwrap();
    let mut files = 0;
    for file in fs::read_dir(folder.database().parent().unwrap()).unwrap() {
        let file = file.unwrap();
        assert_eq!(
            file.metadata().unwrap().permissions().mode() & 0o077,
            0,
            "{:?}",
            file.path()
        );
        files += 1;
    }
    assert!(files >= 3, "the database, its log and its lock");
}

#[tokio::test]
async fn a_damaged_row_is_reported_and_not_guessed() {
    let folder = Folder::new();
    let store = folder.open();
    store.put_setting("theme", Value::Null).await.unwrap();
    intruder(&folder.database())
        .execute("UPDATE settings SET value = '{'", [])
        .unwrap();
    let refusal = store.setting("theme").await.unwrap_err();
    assert!(matches!(refusal, StoreError::Corrupt { .. }), "{refusal:?}");
}

#[tokio::test]
async fn an_entry_of_another_shape_is_no_damage_and_a_broken_one_is() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = chat("Trip to Oslo", 10);
    store.create_chat(&chat).await.unwrap();
    let mut ids = vec![];
    for body in [json!({ "text": "Pack a coat." }), json!({ "picture": 3 })] {
        let id = EntryId::new();
        store.append_entry(chat.id, id, at(11), body).await.unwrap();
        ids.push(id);
    }
    let typed = store
        .typed_entries::<Words, EntryId>(chat.id, None, |_, _| None)
        .await
        .unwrap();
    let typed = typed.rows.into_iter().map(|row| match row {
        BranchRow::Read(read) => read.record,
        BranchRow::Known(id) => panic!("{id} is not known"),
    });
    let typed = typed.collect();
    let page = store.typed_entries_page::<Words>(chat.id, EntriesFrom::Newest);
    let page = page.await.unwrap().entries;
    for read in [typed, page] {
        let ids_read: Vec<_> = read.iter().map(|record| record.id).collect();
        assert_eq!(ids_read, ids);
        assert_eq!(read[0].body.as_ref().unwrap().text, "Pack a coat.");
        assert!(read[1].body.as_ref().unwrap_err().to_string().contains("text"));
    }

    intruder(&folder.database())
        .execute("UPDATE entries SET body = '{' WHERE position = 0", [])
        .unwrap();
    let refusal = store
        .typed_entries::<Words, EntryId>(chat.id, None, |_, _| None)
        .await
        .unwrap_err();
    assert!(matches!(refusal, StoreError::Corrupt { .. }), "{refusal:?}");
}
