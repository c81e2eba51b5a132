//! Too much of what would be fine: results, progress, log lines, and a server that does not read.

use serde_json::{Value, json};
use vestibule_host::view::{
    CallProblem, CallState, ContentView, InputProblem, Problem, ServerState, SettingsChange,
};
use vestibule_tests::{Turn, results, text_result};

use crate::Street;

/// A result that fits on the wire and not in the entry of a chat, in parts that are too short to be kept beside it, is cut,
/// and both the user and the model are told. Shows TL-022.
#[tokio::test]
async fn a_large_result_is_cut_and_says_so() {
    let mut street = Street::new().await;
    let call = street.call().await;
    let part = json!({ "type": "text", "text": "ab".repeat(30_000) });
    let parts = json!({ "content": vec![part; 110] });
    street.puppet.answer(&call, parts).await;
    let shown = street.told().await;
    let CallState::Answered { result, .. } = &shown.state else {
        panic!("no answer is shown")
    };
    assert_eq!(result.cut_bytes, 6_600_000 - 4 * 1024 * 1024);
    let texts = result.content.iter().map(|part| match part {
        ContentView::Text { text } => text.len(),
        other => panic!("{other:?}"),
    });
    assert_eq!(texts.sum::<usize>(), 4 * 1024 * 1024);
    street.model.asked().await;
    let told = results(&street.model.asked().await);
    assert!(
        told[0].1.len() <= 16 * 1024 && told[0].1.contains("bytes are left out"),
        "{}",
        told[0].1.len()
    );
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// A result too large for the wire is passed over; the call fails at once and says why.
#[tokio::test]
async fn a_result_of_seventy_five_megabytes_harms_only_its_own_call() {
    is_refused(text_result(&"x".repeat(75_000_000)), "larger than 68 MiB").await;
}

/// Values take many times the memory of their text.
#[tokio::test]
async fn a_result_of_five_million_values_harms_only_its_own_call() {
    let zeros = json!({ "content": [], "structuredContent": { "zeros": vec![0; 5_000_000] } });
    is_refused(zeros, "more than 1000000 JSON values").await;
}

async fn is_refused(result: Value, why: &str) {
    let mut street = Street::new().await;
    let call = street.call().await;
    street.puppet.answer(&call, result).await;
    let shown = street.told().await;
    assert!(
        matches!(&shown.state, CallState::Failed { problem: Problem::Call(CallProblem::ReplyTooLarge { detail }) }
            if detail.contains(why)),
        "{:?}",
        shown.state
    );
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

#[tokio::test]
async fn a_flood_of_progress_reaches_neither_the_disk_nor_the_window_as_a_flood() {
    let mut street = Street::new().await;
    let call = street.call().await;
    let before = street.scene.window.now().seq;
    let token = &call["params"]["_meta"]["progressToken"];
    let mut flood = String::new();
    for step in 0..4_000 {
        let params = json!({ "progressToken": token, "progress": step, "message": "on and on" });
        let report = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
        flood.push_str(&format!("{report}\n"));
    }
    street.puppet.write(flood.as_bytes()).await;
    street.puppet.answer(&call, text_result("at last")).await;
    let shown = street.told().await;
    assert!(matches!(shown.state, CallState::Answered { .. }), "{shown:?}");
    let events = street.scene.window.now().seq - before;
    assert!(events < 400, "{events} events for one call");
    street.others_are_unharmed().await;
    street.close().await;
}

/// The log keeps its last lines; the window hears of it a few times a second.
#[tokio::test]
async fn a_flood_of_error_output_fills_a_log_and_nothing_else() {
    let mut street = Street::new().await;
    let before = street.scene.window.now().seq;
    let line = "0123456789abcdef ".repeat(64);
    for _ in 0..20 {
        street
            .puppet
            .write_error(format!("{line}\n").repeat(1000).as_bytes())
            .await;
    }
    street.puppet.write_error(&vec![b'y'; 2_000_000]).await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    let page = street.scene.host.server_log(street.server, 0).unwrap();
    assert!(page.lines.len() <= 2000);
    assert!(page.lines.iter().all(|line| line.text.chars().count() < 5000));
    let events = street.scene.window.now().seq - before;
    assert!(events < 400, "{events} events");
    street.close().await;
}

/// However often a server says that its tools changed, it is asked for them once at a time.
#[tokio::test]
async fn a_flood_of_changes_asks_for_one_listing_at_a_time() {
    let mut street = Street::new().await;
    let change = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    street
        .puppet
        .write(format!("{change}\n").repeat(3_000).as_bytes())
        .await;
    street.others_are_unharmed().await;
    let mut asked = 0;
    // A ping of ours comes after everything that was asked before it.
    street
        .puppet
        .say(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
        .await;
    loop {
        let message = street.puppet.next().await.unwrap();
        if message["method"] == "tools/list" {
            asked += 1;
            street
                .puppet
                .answer(&message, json!({ "tools": [vestibule_tests::tool("read")] }))
                .await;
        }
        if message["id"] == "p" {
            break;
        }
    }
    assert!((1..=3).contains(&asked), "{asked} listings");
    street.close().await;
}

/// A server that never reads is noticed, ended and named; nobody waits for it.
#[tokio::test]
async fn a_server_that_never_reads_keeps_nobody_else_waiting() {
    let mut street = Street::new().await;
    // More than the pipe to the server and the socket behind it hold. Longer texts and more calls take a busy machine so
    // long that the server counts as stuck before the last call.
    let long = "z".repeat(450_000);
    for call in 0..2 {
        let arguments = json!({ "text": long });
        street
            .model
            .will(Turn::call(&format!("call{call}"), "notes__read", arguments));
        street.scene.say(street.chat, "Read.").await;
        let running = |state: &CallState| matches!(state, CallState::Running { .. });
        street.scene.call(street.chat, "a running call", running).await;
        if call == 0 {
            street.scene.host.chat_stop(street.chat);
            street.scene.finished(street.chat).await;
        }
    }
    street.others_are_unharmed().await;
    vestibule_tests::pass(std::time::Duration::from_secs(31)).await;
    let server = street.server;
    let failed = |view: &vestibule_host::view::ServerView| matches!(view.state, ServerState::Failed { .. });
    street.scene.server(server, "a failed server", failed).await;
    let shown = street.told().await;
    assert!(
        matches!(&shown.state, CallState::Failed { .. }),
        "the call did not fail: {:?}",
        shown.state
    );
    street.others_are_unharmed().await;
    street.close().await;
}

/// A message of the user has a limit, and is refused whole.
#[tokio::test]
async fn a_message_that_is_too_long_is_refused_whole() {
    let street = Street::new().await;
    let refused = street
        .scene
        .host
        .chat_send(street.chat, "x".repeat(1024 * 1024 + 1), vec![])
        .await;
    assert_eq!(
        refused,
        Err(Problem::Input(InputProblem::TooLong { limit_kb: 1024 }))
    );
    assert_eq!(street.scene.newest_entries(street.chat).await, []);
    let odd = SettingsChange {
        max_rounds: Some(0),
        call_timeout_s: Some(u32::MAX),
        ..SettingsChange::default()
    };
    street.scene.host.settings_save(odd).await.unwrap();
    let kept = street.scene.host.settings();
    assert_eq!((kept.max_rounds, kept.call_timeout_s), (1, 3600));
    street.close().await;
}
