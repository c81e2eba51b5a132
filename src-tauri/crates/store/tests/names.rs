//! What stands beside the ledger, files and hosts and the salt of its digests: found again, gone with its chat, and as
//! sealed as the records.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use support::{Folder, chat, draft, intruder, server};
use vestibule_policy::{Digest, Mention};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{
    LedgerBreak, LedgerDraft, LedgerFilter, LedgerKind, Sidecar, Store, Verification, verify_file,
};

fn file(path: &str) -> Mention {
    Mention::File(path.into())
}

fn host(name: &str) -> Mention {
    Mention::Host(name.into())
}

struct Kept {
    store: Store,
    server: ServerId,
    chat: ChatId,
}

/// A store with a server and a chat, in `folder`.
async fn kept(folder: &Folder) -> Kept {
    let store = folder.open();
    let (server, chat) = (server("notes"), chat("Notes", 1));
    store.put_server(&server).await.expect("a server is kept");
    store.create_chat(&chat).await.expect("a chat is kept");
    Kept {
        store,
        server: server.id,
        chat: chat.id,
    }
}

impl Kept {
    async fn record(&self, sidecar: Sidecar) -> i64 {
        let draft = LedgerDraft {
            server: Some(self.server),
            chat: Some(self.chat),
            body: json!({ "bytes": 1 }),
            ..draft(1)
        };
        let added = self.store.append_with(draft, sidecar).await;
        added.expect("a record is added").seq
    }

    async fn intent(&self, names: &[Mention]) -> i64 {
        let names = names.iter().cloned().collect();
        let said = BTreeMap::new();
        self.record(Sidecar {
            names,
            content_digests: said,
        })
        .await
    }

    /// A record of something short that was sent.
    async fn sent(&self, content: &Value) -> i64 {
        let names = BTreeSet::new();
        let said = [("arguments", Digest::of_arguments(content))].into();
        self.record(Sidecar {
            names,
            content_digests: said,
        })
        .await
    }

    async fn body(&self, seq: i64) -> Value {
        let page = self.store.ledger(LedgerFilter::default()).await;
        let page = page.expect("the ledger can be read");
        let record = page.into_iter().find(|record| record.seq == seq);
        record.expect("the record is there").body
    }

    async fn outcome(&self, intent: i64) -> i64 {
        let draft = LedgerDraft {
            kind: LedgerKind::Outcome,
            body: json!({ "intent": intent, "ended": "answered" }),
            ..draft(2)
        };
        self.store.append(draft).await.expect("a record is added").seq
    }

    async fn found(&self, filter: LedgerFilter) -> Vec<i64> {
        let page = self.store.ledger(filter).await.expect("the ledger can be read");
        page.iter().map(|record| record.seq).collect()
    }
}

fn about_file(path: &str) -> LedgerFilter {
    LedgerFilter {
        file: Some(path.into()),
        ..LedgerFilter::default()
    }
}

fn about_host(name: &str) -> LedgerFilter {
    LedgerFilter {
        host: Some(name.into()),
        ..LedgerFilter::default()
    }
}

#[tokio::test]
async fn a_request_and_its_end_are_found_by_a_folder_or_a_domain() {
    let folder = Folder::new();
    let kept = kept(&folder).await;
    let read = kept.intent(&[file("/home/ada/Notes/a.md")]).await;
    let done = kept.outcome(read).await;
    let fetched = kept
        .intent(&[host("api.ours.example"), file("/home/ada/Notes2")])
        .await;
    kept.intent(&[]).await;
    for path in ["/home/ada/Notes/a.md", "/home/ada/Notes", "/home/ada/Notes/"] {
        assert_eq!(kept.found(about_file(path)).await, [done, read], "{path}");
    }
    assert_eq!(kept.found(about_file("/home/ada")).await, [fetched, done, read]);
    assert_eq!(kept.found(about_file("/")).await, [fetched, done, read]);
    for name in ["api.ours.example", "ours.example"] {
        assert_eq!(kept.found(about_host(name)).await, [fetched], "{name}");
    }
    for name in ["urs.example", "example.api", "%"] {
        assert_eq!(kept.found(about_host(name)).await, [0_i64; 0], "{name}");
    }
    let names = kept.store.ledger_names(kept.server).await.unwrap();
    let names: Vec<_> = names.into_iter().map(|name| (name.named, name.records)).collect();
    assert_eq!(
        names,
        [
            (file("/home/ada/Notes2"), 1),
            (host("api.ours.example"), 1),
            (file("/home/ada/Notes/a.md"), 1)
        ]
    );
}

/// What a record spoke of goes with the chat; that it spoke stays, and so does the chain.
#[tokio::test]
async fn deleting_a_chat_leaves_digests_and_a_whole_chain() {
    let folder = Folder::new();
    let kept = kept(&folder).await;
    let seq = kept.intent(&[file("/home/ada/a-secret-name.md")]).await;
    let sealed = || async { kept.body(seq).await["names"].as_str().map(str::to_owned) };
    let digest = sealed().await.unwrap();
    assert_eq!(digest.len(), 64);
    kept.store.delete_chat(kept.chat).await.unwrap();
    assert_eq!(sealed().await, Some(digest));
    assert_eq!(kept.found(about_file("/home/ada")).await, [0_i64; 0]);
    assert_eq!(kept.store.ledger_names(kept.server).await.unwrap(), []);
    let late = kept.intent(&[file("/home/ada/late.md")]).await;
    assert_eq!(
        kept.found(about_file("/home/ada")).await,
        [0_i64; 0],
        "not kept for a chat that is gone"
    );
    assert_eq!(late, seq + 2, "after the record of the deletion");
    kept.store.close().await;
    let verified = verify_file(&folder.database()).unwrap();
    assert!(
        matches!(verified, Verification::Intact { records: 3, .. }),
        "{verified:?}"
    );
    let bytes = std::fs::read(folder.database()).unwrap();
    assert!(!bytes.windows(13).any(|part| part == b"a-secret-name"));
}

#[tokio::test]
async fn the_same_names_have_another_digest_each_time() {
    let folder = Folder::new();
    let kept = kept(&folder).await;
    for _ in 0..2 {
        kept.intent(&[host("ours.example")]).await;
    }
    let page = kept.store.ledger(LedgerFilter::default()).await.unwrap();
    assert_ne!(
        page[0].body["names"], page[1].body["names"],
        "a short name could be guessed"
    );
}

/// "yes" is found in a digest of "yes" by whoever tries it; under a salt that is gone nobody can.
#[tokio::test]
async fn what_was_sent_can_be_shown_until_its_chat_is_deleted_and_never_guessed_after() {
    let folder = Folder::new();
    let kept = kept(&folder).await;
    let content = json!({ "answer": "yes" });
    let (first, second) = (kept.sent(&content).await, kept.sent(&content).await);
    let (salt, other) = (
        kept.store.ledger_salt(first).await.unwrap().expect("it is kept"),
        kept.store.ledger_salt(second).await.unwrap().expect("it is kept"),
    );
    assert_ne!(salt, other);
    let digest = Digest::of_arguments(&content);
    let (one, two) = (kept.body(first).await, kept.body(second).await);
    assert_eq!(one["arguments"], json!(digest.salted(&salt)));
    assert_eq!(two["arguments"], json!(digest.salted(&other)));
    assert_eq!(one["bytes"], 1, "what is no digest stands as it was");
    kept.store.delete_chat(kept.chat).await.unwrap();
    assert_eq!(kept.store.ledger_salt(first).await.unwrap(), None);
    assert_eq!(kept.body(first).await, one, "the record stays as it is sealed");
    let late = kept.sent(&content).await;
    assert_eq!(
        kept.store.ledger_salt(late).await.unwrap(),
        None,
        "not kept for a chat that is gone"
    );
    kept.store.close().await;
    let verified = verify_file(&folder.database()).unwrap();
    assert!(
        matches!(verified, Verification::Intact { records: 4, .. }),
        "{verified:?}"
    );
    let bytes = std::fs::read(folder.database()).unwrap();
    for gone in [salt, other] {
        assert!(!bytes.windows(gone.len()).any(|part| part == gone.as_bytes()));
    }
}

/// Records of versions that had no salt are as sealed as ever, among records that have one.
#[tokio::test]
async fn a_salt_that_was_changed_is_found_and_a_record_without_one_is_whole() {
    for (change, whole) in [
        ("SELECT 1", true),
        ("DELETE FROM ledger_words WHERE seq = 2", false),
        ("UPDATE ledger_words SET salt = 'other' WHERE seq = 2", false),
        (
            "INSERT INTO ledger_words (seq, salt) VALUES (3, 'made up')",
            false,
        ),
        (
            "INSERT INTO ledger_words (seq, salt) VALUES (77, 'of no record')",
            false,
        ),
    ] {
        let folder = Folder::new();
        let kept = kept(&folder).await;
        kept.sent(&json!(1)).await;
        kept.sent(&json!(2)).await;
        let old = LedgerDraft {
            body: json!({ "arguments": "0".repeat(64) }),
            ..draft(3)
        };
        kept.store.append(old).await.unwrap();
        kept.store.close().await;
        intruder(&folder.database()).execute_batch(change).unwrap();
        let found = verify_file(&folder.database()).unwrap();
        assert_eq!(
            matches!(found, Verification::Intact { .. }),
            whole,
            "{change}: {found:?}"
        );
    }
}

#[tokio::test]
async fn words_that_were_changed_are_found() {
    for change in [
        "UPDATE ledger_names SET name = '/home/ada/b.md' WHERE seq = 2 AND what = 'file'",
        "UPDATE ledger_names SET what = 'host' WHERE seq = 2 AND what = 'file'",
        "DELETE FROM ledger_names WHERE seq = 2 AND what = 'file'",
        "INSERT INTO ledger_names VALUES (2, 'file', '/home/ada/c.md')",
        "UPDATE ledger_words SET salt = 'other' WHERE seq = 2",
    ] {
        let folder = Folder::new();
        let kept = kept(&folder).await;
        for _ in 0..3 {
            kept.intent(&[file("/home/ada/a.md"), host("ours.example")]).await;
        }
        kept.store.close().await;
        intruder(&folder.database()).execute_batch(change).unwrap();
        let found = verify_file(&folder.database()).unwrap();
        assert_eq!(
            found,
            Verification::Broken {
                seq: 2,
                what: LedgerBreak::Words
            },
            "{change}"
        );
    }
}

#[tokio::test]
async fn pages_after_a_record_come_oldest_first() {
    let store = Store::in_memory().unwrap();
    for number in 1..=25 {
        store.append(draft(number)).await.unwrap();
    }
    let (mut seen, mut after) = (vec![], 0);
    loop {
        let filter = LedgerFilter {
            after: Some(after),
            limit: 7,
            ..LedgerFilter::default()
        };
        let page = store.ledger(filter).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.seq;
        seen.extend(page.iter().map(|record| record.seq));
    }
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
}

#[tokio::test]
async fn whoever_follows_the_end_hears_of_each_record() {
    let store = Store::in_memory().unwrap();
    let mut end = store.ledger_end();
    let receipt = store.append(draft(1)).await.unwrap();
    assert_eq!(*end.wait_for(|end| *end > 0).await.unwrap(), receipt.seq);
}
