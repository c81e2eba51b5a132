//! Removing a server one suspects does not erase what it could have seen: that goes when the user says so.

use serde_json::{Value, json};
use vestibule_host::view::{InputProblem, LedgerCheck, LedgerPage, LedgerQuery, Problem};
use vestibule_policy::{Mention, Scope};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{ExportBreak, verify_export};
use vestibule_tests::{Puppet, Scene, Stage, Turn, text_result, tool, yes};

const PLACE: &str = "/home/ada/secret.txt";

/// What keeps a server of the tests running; one that is dropped would end, and be started again.
type Running = (Puppet, Stage);

/// A server of this name that was called once in a chat, with a file and a host.
async fn called(scene: &Scene, name: &str) -> (ServerId, ChatId, Running) {
    let (server, mut puppet, stage) = scene.puppet(name, &[tool("fetch")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let arguments = json!({ "from": "https://api.ours.example/v1", "to": PLACE });
    model.will(Turn::call("one", &format!("{name}__fetch"), arguments));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("ok")).await;
    model.will(Turn::words("Done."));
    model.asked().await;
    model.asked().await;
    scene.finished(chat).await;
    (server, chat, (puppet, stage))
}

async fn page(scene: &Scene, query: LedgerQuery) -> LedgerPage {
    scene.host.ledger_page(query).await.unwrap()
}

fn about_the_place(server: Option<ServerId>) -> LedgerQuery {
    LedgerQuery {
        server,
        file: Some(PLACE.into()),
        ..LedgerQuery::default()
    }
}

fn saying(words: &str) -> LedgerQuery {
    LedgerQuery {
        words: words.into(),
        ..LedgerQuery::default()
    }
}

/// Shows TL-023.
#[tokio::test]
async fn what_a_removed_server_could_have_seen_is_known_until_the_user_deletes_that() {
    let scene = Scene::new().await;
    let (suspicious, _, _suspicious_runs) = called(&scene, "suspicious").await;
    let (other, _, _other_runs) = called(&scene, "other").await;
    let before = page(&scene, saying("suspicious")).await.records;
    assert!(before.len() > 2 && before.iter().all(|record| record.server == Some(suspicious)));
    assert_eq!(page(&scene, LedgerQuery::default()).await.removed, []);

    for server in [suspicious, other] {
        scene.host.server_remove(server).await.unwrap();
    }
    let scene = scene.reopen().await;
    let removed = page(&scene, LedgerQuery::default()).await.removed;
    let told_apart: Vec<_> = removed
        .iter()
        .map(|server| (server.id, server.name.as_str()))
        .collect();
    assert_eq!(told_apart, [(other, "other"), (suspicious, "suspicious")]);
    assert!(removed.iter().all(|server| server.removed_ms > 0));
    // Removing it stopped it, which is a record of its own.
    let found = page(&scene, saying("suspicious")).await.records;
    assert!(found.ends_with(&before), "found by its name: {found:?}");
    assert!(found.iter().all(|record| record.server == Some(suspicious)));
    assert_eq!(page(&scene, about_the_place(None)).await.records.len(), 4);
    assert_eq!(
        page(&scene, about_the_place(Some(suspicious)))
            .await
            .records
            .len(),
        2
    );
    let seen = scene.host.ledger_seen(suspicious).await.unwrap().names;
    let seen: Vec<_> = seen.into_iter().map(|seen| seen.named).collect();
    for named in [
        Mention::File(PLACE.into()),
        Mention::Host("api.ours.example".into()),
    ] {
        assert!(seen.contains(&named), "{seen:?}");
    }

    scene.host.ledger_forget_server(suspicious).await.unwrap();
    assert_eq!(page(&scene, about_the_place(Some(suspicious))).await.records, []);
    assert_eq!(
        page(&scene, about_the_place(None)).await.records.len(),
        2,
        "of the other"
    );
    assert_eq!(page(&scene, saying("suspicious")).await.records, []);
    assert_eq!(scene.host.ledger_seen(suspicious).await.unwrap().names, []);
    let left = page(&scene, LedgerQuery::default()).await;
    assert_eq!(left.removed.len(), 1);
    let newest = left
        .records
        .iter()
        .find(|record| record.kind == "config")
        .unwrap();
    assert_eq!(
        (newest.action.as_str(), newest.server),
        ("server.forget", Some(suspicious))
    );
    let again = scene.host.ledger_forget_server(suspicious).await;
    assert_eq!(again, Err(Problem::Input(InputProblem::Gone)));
    let check = scene.host.ledger_verify().await.unwrap();
    assert!(matches!(check, LedgerCheck::Intact { .. }), "{check:?}");
    scene.close().await;
}

/// Shows TL-023.
#[tokio::test]
async fn what_the_ledger_knows_of_a_server_that_is_there_cannot_be_deleted() {
    let scene = Scene::new().await;
    let (server, _, _runs) = called(&scene, "notes").await;
    assert_eq!(
        scene.host.ledger_forget_server(server).await,
        Err(Problem::Input(InputProblem::Gone))
    );
    assert_eq!(page(&scene, about_the_place(None)).await.records.len(), 2);
    scene.close().await;
}

/// Shows TL-023.
#[tokio::test]
async fn an_export_has_what_the_screen_shows_with_names_and_can_be_checked_by_itself() {
    let scene = Scene::new().await;
    let (suspicious, chat, _suspicious_runs) = called(&scene, "suspicious").await;
    let (_, _, _other_runs) = called(&scene, "other").await;
    scene.host.chat_rename(chat, "A trip").await.unwrap();
    scene.host.server_remove(suspicious).await.unwrap();
    for (query, is_whole) in [
        (LedgerQuery::default(), true),
        (saying("suspicious"), false),
        (about_the_place(Some(suspicious)), false),
        (
            LedgerQuery {
                kinds: vec!["outcome".into()],
                ..LedgerQuery::default()
            },
            false,
        ),
    ] {
        let shown = page(&scene, query.clone()).await;
        let file = scene.host.ledger_export(query).await.unwrap();
        let text = std::fs::read_to_string(&file.path).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut exported: Vec<_> = lines.iter().filter_map(|line| line["seq"].as_i64()).collect();
        exported.reverse();
        let shown: Vec<_> = shown.records.iter().map(|record| record.seq).collect();
        assert_eq!(exported, shown);
        let check = verify_export(file.path.as_ref()).unwrap();
        assert_eq!((check.records, check.broken), (file.count, None));
        assert_eq!(check.gaps == 0 && check.first == 1, is_whole, "{check:?}");
    }
    let file = scene
        .host
        .ledger_export(about_the_place(Some(suspicious)))
        .await
        .unwrap();
    let text = std::fs::read_to_string(&file.path).unwrap();
    let intent: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(intent["server_name"], "suspicious");
    assert_eq!(intent["chat_title"], "A trip");
    assert_eq!(intent["files"], json!([PLACE]));
    assert_eq!(intent["hosts"], json!(["api.ours.example"]));
    std::fs::write(&file.path, text.replace("fetch", "other")).unwrap();
    let check = verify_export(file.path.as_ref()).unwrap();
    assert_eq!(check.broken, Some((1, ExportBreak::Altered)));
    scene.close().await;
}
