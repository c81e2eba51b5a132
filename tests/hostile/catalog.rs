//! A server that changes its tools all the time: how often it is listed, how many cards that makes, and what is kept.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vestibule_consent::QuestionBody;
use vestibule_tests::{Scene, eventually, records, tool};

/// So many tools with the same description.
fn many(count: usize, words: &str) -> Vec<Value> {
    let described = |number| {
        let mut tool = tool(&format!("tool{number}"));
        tool["description"] = json!(words);
        tool
    };
    (0..count).map(described).collect()
}

/// M2: the user sees a few cards, and the ledger holds no decision that the user did not make.
#[tokio::test]
async fn a_change_of_all_tools_shows_few_cards_and_invents_no_decision() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &many(100, "Reads.")).await;
    puppet.change(&many(100, "Sends.")).await;
    scene
        .server(server, "a hundred held tools", |view| view.held_count == 100)
        .await;
    let question = scene.person.asked().await;
    assert!(
        matches!(&question.about, QuestionBody::ToolChanged(_)),
        "{question:?}"
    );
    puppet.change(&many(100, "Sends more.")).await;
    puppet
        .notify(
            "notifications/message",
            json!({ "level": "info", "data": "settled" }),
        )
        .await;
    scene.logged(server, &["settled"]).await;
    let shown = scene.person.shown().into_iter();
    let cards = shown
        .filter(|question| matches!(question.about, QuestionBody::ToolChanged(_)))
        .count();
    assert!(cards <= 8, "{cards} cards");
    let records = records(&scene.store).await;
    let decided = records.iter().filter(|record| record.action == "tool.accept");
    assert_eq!(decided.count(), 0);
    scene.close().await;
}

/// M2: a server that reports a change after each listing is not listed without end.
#[tokio::test]
async fn changes_reported_without_end_are_listed_at_a_limited_rate() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let since = Instant::now();
    for _ in 0..7 {
        puppet.change(&[tool("read")]).await;
    }
    assert!(since.elapsed() >= Duration::from_secs(5), "{:?}", since.elapsed());
    scene.close().await;
}

/// M3: what is kept of the tools of one server is bounded, however many names it invents.
#[tokio::test]
async fn ever_new_names_of_tools_fill_neither_the_disk_nor_the_memory() {
    let scene = Scene::new().await;
    let named = |round: usize| -> Vec<Value> {
        (0..500)
            .map(|number| tool(&format!("tool{round}-{number}")))
            .collect()
    };
    let (server, mut puppet, _stage) = scene.puppet("notes", &named(0)).await;
    puppet.change(&named(1)).await;
    puppet.change(&named(2)).await;
    scene.logged(server, &["tools are left out"]).await;
    // The listing is shown after what it has is kept.
    eventually(
        "the tools that have a kept definition, and no other",
        async || scene.host.server_tools(server).len() == 24,
    )
    .await;
    let kept = scene.store.approved_tools(server).await.unwrap();
    assert_eq!(kept.len(), 1024);
    scene.close().await;
}
