//! The ledger as its writers and readers know it: in order, sealed, and only growing.

mod support;

use std::sync::{Arc, Mutex};

use serde_json::json;
use sha2::{Digest, Sha256};
use support::{Folder, draft, intruder, server};
use vestibule_policy::canonical;
use vestibule_protocol::ChatId;
use vestibule_store::{
    LedgerDraft, LedgerFilter, LedgerKind, LedgerReceipt, LedgerRecord, Store, StoreError, Verification,
    verify_file,
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The seal as the documentation describes it, written a second time.
fn seal(record: &LedgerRecord) -> [u8; 32] {
    let value = json!({
        "v": 1,
        "seq": record.seq,
        "prev": hex(&record.prev),
        "at": record.at.as_millisecond(),
        "kind": record.kind.as_str(),
        "server": record.server,
        "chat": record.chat,
        "action": record.action,
        "object": record.object,
        "decision": record.decision,
        "because": record.because,
        "body": record.body,
    });
    let text = canonical(&value);
    Sha256::digest(format!("vestibule/v1/ledger\0{text}")).into()
}

#[tokio::test]
async fn each_record_is_sealed_to_the_one_before() {
    let store = Store::in_memory().unwrap();
    let kinds = [
        LedgerKind::Intent,
        LedgerKind::Outcome,
        LedgerKind::Decision,
        LedgerKind::Grant,
        LedgerKind::Revoke,
        LedgerKind::Config,
    ];
    let mut receipts = Vec::new();
    for (number, kind) in (1..).zip(kinds) {
        let draft = LedgerDraft {
            kind,
            server: (number % 2 == 0).then(|| server("notes").id),
            chat: (number % 3 == 0).then(ChatId::new),
            decision: (number % 2 == 1).then(|| "allow".to_owned()),
            ..draft(number)
        };
        receipts.push(store.append(draft).await.unwrap());
    }
    let mut records = store.ledger(LedgerFilter::default()).await.unwrap();
    records.reverse();
    assert_eq!(
        records.iter().map(|record| record.kind).collect::<Vec<_>>(),
        kinds
    );
    let mut prev = [0; 32];
    for (record, receipt) in records.iter().zip(&receipts) {
        assert_eq!(record.prev, prev);
        assert_eq!(record.hash, seal(record), "record {}", record.seq);
        assert_eq!((record.seq, record.hash), (receipt.seq, receipt.hash));
        prev = record.hash;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_added_at_once_keep_the_chain() {
    let folder = Folder::new();
    let store = folder.open();
    let mut adding = tokio::task::JoinSet::new();
    for number in 0..60 {
        let store = store.clone();
        adding.spawn(async move { store.append(draft(number)).await });
    }
    let receipts = adding
        .join_all()
        .await
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .unwrap();
    let mut numbers: Vec<_> = receipts.iter().map(|receipt| receipt.seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=60).collect::<Vec<_>>());
    let head = *receipts.iter().max_by_key(|receipt| receipt.seq).unwrap();
    assert_eq!(
        store.verify(|_, _| {}).await.unwrap(),
        Verification::Intact { records: 60, head }
    );
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_overlap() {
    let store = Store::in_memory().unwrap();
    let (notes, weather) = (server("notes").id, server("weather").id);
    for number in 1..=25 {
        let server = Some(if number % 5 == 0 { weather } else { notes });
        store
            .append(LedgerDraft {
                server,
                ..draft(number)
            })
            .await
            .unwrap();
    }
    let mut seen = Vec::new();
    let mut filter = LedgerFilter {
        limit: 7,
        ..LedgerFilter::default()
    };
    loop {
        let page = store.ledger(filter.clone()).await.unwrap();
        let Some(last) = page.last() else { break };
        filter.before = Some(last.seq);
        seen.extend(page.iter().map(|record| record.seq));
    }
    assert_eq!(seen, (1..=25).rev().collect::<Vec<_>>());
    let of_weather = LedgerFilter {
        server: Some(weather),
        before: Some(20),
        ..LedgerFilter::default()
    };
    let seen: Vec<_> = store
        .ledger(of_weather)
        .await
        .unwrap()
        .iter()
        .map(|record| record.seq)
        .collect();
    assert_eq!(seen, [15, 10, 5]);
}

#[tokio::test]
async fn the_file_itself_refuses_changes_to_the_ledger() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 1..=3 {
        store.append(draft(number)).await.unwrap();
    }
    let intruder = intruder(&folder.database());
    for change in [
        "UPDATE ledger SET decision = 'deny' WHERE seq = 2",
        "DELETE FROM ledger WHERE seq = 3",
        "DELETE FROM ledger",
        "INSERT OR REPLACE INTO ledger SELECT seq, prev, at, kind, server, chat, action, 'other', decision, because, body, hash FROM ledger WHERE seq = 2",
        "INSERT INTO ledger SELECT 9, prev, at, kind, server, chat, action, object, decision, because, body, hash FROM ledger WHERE seq = 2",
    ] {
        let refusal = intruder.execute(change, []).unwrap_err();
        assert!(refusal.to_string().contains("the ledger"), "{change}: {refusal}");
    }
    let verified = store.verify(|_, _| {}).await.unwrap();
    assert!(
        matches!(verified, Verification::Intact { records: 3, .. }),
        "{verified:?}"
    );
}

#[tokio::test]
async fn an_empty_ledger_is_intact() {
    let folder = Folder::new();
    let store = folder.open();
    let head = LedgerReceipt {
        seq: 0,
        hash: [0; 32],
    };
    let intact = Verification::Intact { records: 0, head };
    assert_eq!(store.ledger_head().await.unwrap(), head);
    assert_eq!(store.verify(|_, _| {}).await.unwrap(), intact);
    store.close().await;
    assert_eq!(verify_file(&folder.database()).unwrap(), intact);
}

#[tokio::test]
async fn checking_works_beside_a_running_store_and_changes_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    let head = store.append(draft(1)).await.unwrap();
    assert_eq!(
        verify_file(&folder.database()).unwrap(),
        Verification::Intact { records: 1, head }
    );
    store.close().await;
    let before = std::fs::read(folder.database()).unwrap();
    assert_eq!(
        verify_file(&folder.database()).unwrap(),
        Verification::Intact { records: 1, head }
    );
    assert_eq!(std::fs::read(folder.database()).unwrap(), before);
}

#[tokio::test]
async fn progress_ends_at_the_last_record() {
    let folder = Folder::new();
    for store in [folder.open(), Store::in_memory().unwrap()] {
        for number in 1..=4 {
            store.append(draft(number)).await.unwrap();
        }
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hear = heard.clone();
        store
            .verify(move |done, total| hear.lock().unwrap().push((done, total)))
            .await
            .unwrap();
        assert_eq!(heard.lock().unwrap().last(), Some(&(4, 4)));
    }
}

#[tokio::test]
async fn a_record_that_is_too_large_is_refused_whole() {
    let store = Store::in_memory().unwrap();
    let large = LedgerDraft {
        body: json!("x".repeat(1024 * 1024)),
        ..draft(1)
    };
    let refusal = store.append(large).await.unwrap_err();
    assert!(matches!(refusal, StoreError::TooLarge { .. }), "{refusal:?}");
    assert_eq!(store.append(draft(1)).await.unwrap().seq, 1);
}
