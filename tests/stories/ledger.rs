//! The ledger as evidence: what a server could have seen, who signed it, and what is left of a chat that is gone.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use vestibule_host::check_ledger_file;
use vestibule_host::view::{HeadState, LedgerBreak, LedgerCheck, LedgerQuery};
use vestibule_policy::{Mention, Scope};
use vestibule_store::{LedgerKind, LedgerRecord};
use vestibule_tests::{Opening, Projection, Scene, TestKeychain, Turn, records, text_result, tool, yes};

fn keychain() -> Arc<TestKeychain> {
    Arc::default()
}

fn about(file: Option<&str>, host: Option<&str>) -> LedgerQuery {
    LedgerQuery {
        file: file.map(str::to_owned),
        host: host.map(str::to_owned),
        ..LedgerQuery::default()
    }
}

/// Shows TL-023 and HO-006.
#[tokio::test]
async fn what_a_server_could_have_seen_is_found_by_file_and_host_until_the_chat_is_gone() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("fetch")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let arguments =
        json!({ "url": "https://API.ours.example/v1?token=1", "save_to": "/home/ada/x/../Notes/a.md" });
    model.will(Turn::call("one", "notes__fetch", arguments));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("ok")).await;
    model.will(Turn::words("Done."));
    model.asked().await;
    model.asked().await;
    scene.finished(chat).await;
    let found = async |query| {
        let page = scene.host.ledger_page(query).await.unwrap();
        page.records
            .into_iter()
            .map(|record| record.kind)
            .collect::<Vec<_>>()
    };
    let both = ["outcome", "intent"];
    assert_eq!(found(about(Some("/home/ada/Notes"), None)).await, both);
    assert_eq!(found(about(None, Some("ours.example"))).await, both);
    assert_eq!(
        found(about(None, Some("https://api.ours.example/else"))).await,
        both
    );
    assert_eq!(
        found(about(Some("/home/ada/x"), None)).await,
        [""; 0],
        "not where the path only passed"
    );
    let seen = scene.host.ledger_seen(server).await.unwrap();
    let names: Vec<Mention> = seen.names.into_iter().map(|seen| seen.named).collect();
    assert!(
        names.contains(&Mention::File("/home/ada/Notes/a.md".into())),
        "{names:?}"
    );
    assert!(
        names.contains(&Mention::Host("api.ours.example".into())),
        "{names:?}"
    );
    scene.host.chat_delete(chat).await.unwrap();
    assert_eq!(found(about(Some("/home/ada/Notes"), None)).await, [""; 0]);
    assert_eq!(found(about(None, Some("ours.example"))).await, [""; 0]);
    let text = json!(scene.host.ledger_page(LedgerQuery::default()).await.unwrap()).to_string();
    assert!(!text.contains("ours.example") && !text.contains("a.md"), "{text}");
    let check = scene.host.ledger_verify().await.unwrap();
    assert!(matches!(check, LedgerCheck::Intact { .. }), "{check:?}");
    scene.close().await;
}

/// Shows TL-023.
#[tokio::test]
async fn the_ledger_is_signed_with_a_key_that_only_the_keychain_holds() {
    let secrets = keychain();
    let scene = Opening::default().keeping(secrets.clone()).open().await;
    let (_, _puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let opening = scene.close().await;
    let database = opening.database();
    let (check, head) = check_ledger_file(&database, &*secrets).await.unwrap();
    let LedgerCheck::Intact {
        records: count,
        signed,
        ..
    } = check
    else {
        panic!("{check:?}")
    };
    assert!(signed.checkpoints > 0);
    assert_eq!(
        (signed.through, signed.of_other_keys),
        (Some(count - 1), 0),
        "signed at the end"
    );
    assert_eq!(head, HeadState::Continues);
    let (elsewhere, head) = check_ledger_file(&database, &*keychain()).await.unwrap();
    let LedgerCheck::Intact { signed, .. } = elsewhere else {
        panic!("{elsewhere:?}")
    };
    assert_eq!((signed.through, signed.checkpoints), (None, 0));
    assert!(signed.of_other_keys > 0);
    assert_eq!(head, HeadState::First);
    let scene = opening.open().await;
    let held = records(&scene.store).await;
    let mut bodies = held.iter().filter(|record| record.kind == LedgerKind::Checkpoint);
    let first: &Value = &bodies.next().unwrap().body;
    // A checkpoint written without the key stands in an honest chain, and is found all the same.
    let forged = vestibule_store::LedgerDraft {
        kind: LedgerKind::Checkpoint,
        server: None,
        chat: None,
        action: "ledger.checkpoint".into(),
        object: String::new(),
        decision: None,
        because: Value::Null,
        body: json!({ "of": held.len(), "hash": "00", "key": first["key"], "signature": first["signature"] }),
    };
    let forged = scene.store.append(forged).await.unwrap();
    let check = scene.host.ledger_verify().await.unwrap();
    let broken = LedgerCheck::Broken {
        seq: forged.seq,
        what: LedgerBreak::Forged,
    };
    assert_eq!(check, broken);
    scene.close().await;
}

/// However much is written at once, no more than so many records stay unsigned.
/// Shows TL-023.
#[tokio::test]
async fn many_records_at_once_are_signed_before_the_minute_is_over() {
    let secrets = keychain();
    let scene = Opening::default().keeping(secrets).open().await;
    let end = scene.store.ledger_end();
    let draft = |number: i64| vestibule_store::LedgerDraft {
        kind: LedgerKind::Config,
        server: None,
        chat: None,
        action: "test".into(),
        object: number.to_string(),
        decision: None,
        because: Value::Null,
        body: json!({}),
    };
    for number in 0..600 {
        scene.store.append(draft(number)).await.unwrap();
    }
    assert!(*end.borrow() >= 600);
    vestibule_tests::eventually("two checkpoints among the records", async || {
        scene.store.checkpoints().await.unwrap().len() >= 2
    })
    .await;
    let check = scene.host.ledger_verify().await.unwrap();
    assert!(matches!(check, LedgerCheck::Intact { .. }), "{check:?}");
    scene.close().await;
}

/// A backup put in the place of the file hides what was done since; the keychain remembers.
/// Shows TL-023.
#[tokio::test]
async fn a_ledger_that_is_older_than_it_was_is_said_until_it_is_accepted() {
    let scene = Scene::new().await;
    let (_, puppet, stage) = scene.puppet("mail", &[tool("send")]).await;
    drop((puppet, stage));
    let opening = scene.close().await;
    let backup = std::fs::read(opening.database()).unwrap();
    let scene = opening.open().await;
    assert_eq!(scene.host.ledger_head_state(), HeadState::Continues);
    let (_, _puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let opening = scene.close().await;
    let database = opening.database();
    for end in ["-wal", "-shm"] {
        let beside = format!("{}{end}", database.display());
        assert!(!std::path::Path::new(&beside).exists() || std::fs::remove_file(&beside).is_ok());
    }
    std::fs::write(&database, backup).unwrap();
    let scene = opening.open().await;
    let HeadState::Older { remembered, found } = scene.host.ledger_head_state() else {
        panic!("{:?}", scene.host.ledger_head_state())
    };
    assert!(found < remembered);
    let opening = scene.close().await;
    let scene = opening.open().await;
    assert!(
        matches!(scene.host.ledger_head_state(), HeadState::Older { .. }),
        "said until it is accepted"
    );
    let change = scene.host.ledger_accept().await.unwrap();
    scene.agreed(change).await;
    assert_eq!(scene.host.ledger_head_state(), HeadState::Continues);
    let scene = scene.close().await.open().await;
    assert_eq!(scene.host.ledger_head_state(), HeadState::Continues);
    scene.close().await;
}

/// What was changed while Vestibule was closed is said when it is opened, in the window and without anybody asking;
/// servers are served all the same.
/// Shows TL-023.
#[tokio::test]
async fn an_edited_ledger_is_said_on_opening() {
    let is_intact = |check: &LedgerCheck| matches!(check, LedgerCheck::Intact { .. });
    let scene = Scene::new().await;
    let (_, puppet, stage) = scene.puppet("mail", &[tool("send")]).await;
    drop((puppet, stage));
    let scene = scene.reopen().await;
    let checked = |seen: &Projection| seen.ledger_check.is_some();
    let seen = scene.window.until("a check of the ledger", checked).await;
    assert!(seen.ledger_check.as_ref().is_some_and(is_intact), "{seen:?}");
    let held = records(&scene.store).await;
    let opening = scene.close().await;
    let seq = edit(&opening.database(), &held);

    let scene = opening.open().await;
    let what = LedgerBreak::Altered;
    let broken = Some(LedgerCheck::Broken { seq, what });
    let seen = scene.window.until("a check of the ledger", checked).await;
    assert_eq!(seen.ledger_check, broken);
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    assert_eq!(snapshot.ledger_check, broken, "also to a window that is reloaded");
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("Done."));
    scene.say(chat, "Read.").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("read")).await;
    scene.finished(chat).await;
    scene.end().await;
}

/// As anybody can who has the file: another question is written under a decision. Gives back the record it shows at.
fn edit(database: &Path, held: &[LedgerRecord]) -> i64 {
    let asked = |record: &LedgerRecord| Some(record.body["question"].as_str()?.to_owned());
    let question = held.iter().find_map(asked).unwrap();
    let mut file = std::fs::read(database).unwrap();
    let at = |file: &[u8]| {
        file.windows(question.len())
            .position(|bytes| bytes == question.as_bytes())
    };
    while let Some(at) = at(&file) {
        file[at..at + 4].copy_from_slice(b"beef");
    }
    std::fs::write(database, file).unwrap();
    let first = held
        .iter()
        .find(|record| asked(record).as_ref() == Some(&question));
    first.unwrap().seq
}
