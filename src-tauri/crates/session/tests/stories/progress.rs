use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, advance, sleep};
use vestibule_protocol::mcp::Progress;
use vestibule_session::{CallError, CallOptions, SessionHandle};

use super::{Server, no_arguments, opened, text};

async fn report(server: &Server, token: &Value, progress: f64) {
    let params = json!({"progressToken": token, "progress": progress, "total": 100, "message": "on it"});
    server.tell("notifications/progress", params).await;
}

/// A call whose reports can be seen, its id at the server, and its outcome to come.
async fn watched(
    handle: &SessionHandle,
    server: &mut Server,
) -> (
    Value,
    mpsc::Receiver<Progress>,
    tokio::task::JoinHandle<Result<(), CallError>>,
) {
    let (progress, reports) = mpsc::channel(64);
    let options = CallOptions {
        progress: Some(progress),
        ..CallOptions::default()
    };
    let handle = handle.clone();
    let call = tokio::spawn(async move { handle.call_tool("t", no_arguments(), options).await.map(drop) });
    let (id, _) = server.expect("tools/call").await;
    (id, reports, call)
}

/// TM-003, PS-002.
#[tokio::test(start_paused = true)]
async fn progress_starts_the_clock_anew_but_not_beyond_the_hard_limit() {
    let (handle, mut server, _events) = opened().await;
    let begun = Instant::now();
    let (id, mut reports, call) = watched(&handle, &mut server).await;
    let serve = async {
        for step in 1..100 {
            sleep(Duration::from_secs(50)).await;
            report(&server, &id, f64::from(step)).await;
        }
    };
    tokio::select! {
        () = serve => panic!("the call outlived its hard limit"),
        outcome = call => {
            assert!(matches!(outcome.unwrap(), Err(CallError::TimedOut { after }) if after.as_secs() == 600));
        }
    }
    assert_eq!(begun.elapsed().as_secs(), 600);
    let first = reports.recv().await.unwrap();
    assert_eq!(
        first,
        Progress {
            progress: 1.0,
            total: Some(100.0),
            message: Some("on it".into())
        }
    );
}

#[tokio::test(start_paused = true)]
async fn progress_that_does_not_grow_buys_no_time() {
    let (handle, mut server, _events) = opened().await;
    let begun = Instant::now();
    let (id, mut reports, call) = watched(&handle, &mut server).await;
    for (progress, wait) in [(5.0, 20), (5.0, 20), (4.0, 10)] {
        report(&server, &id, progress).await;
        server.expect_silence().await;
        sleep(Duration::from_secs(wait)).await;
    }
    // Sixty seconds after the first report: the others did not count.
    assert!(matches!(call.await.unwrap(), Err(CallError::TimedOut { .. })));
    assert_eq!(begun.elapsed().as_secs(), 60);
    let seen: Vec<f64> = std::iter::from_fn(|| reports.try_recv().ok())
        .map(|report| report.progress)
        .collect();
    assert_eq!(seen, [5.0, 5.0], "one that falls behind is not shown");
}

/// PS-003.
#[tokio::test(start_paused = true)]
async fn a_storm_of_progress_is_thinned_and_its_last_report_still_arrives() {
    let (handle, mut server, _events) = opened().await;
    let (id, mut reports, call) = watched(&handle, &mut server).await;
    for step in 1..=100 {
        report(&server, &id, f64::from(step)).await;
        server.expect_silence().await;
        advance(Duration::from_millis(2)).await;
    }
    let mut seen = Vec::new();
    while let Ok(Some(report)) = tokio::time::timeout(Duration::from_secs(1), reports.recv()).await {
        seen.push(report.progress);
    }
    assert!((4..=6).contains(&seen.len()), "{seen:?}");
    assert_eq!((seen.first(), seen.last()), (Some(&1.0), Some(&100.0)));

    report(&server, &id, 101.0).await;
    report(&server, &id, 102.0).await;
    server.answer(&id, text("done")).await;
    call.await.unwrap().unwrap();
    assert_eq!(reports.recv().await.unwrap().progress, 101.0);
    assert_eq!(
        reports.recv().await.unwrap().progress,
        102.0,
        "held back, then handed on with the answer"
    );
    assert!(reports.recv().await.is_none());
}

/// PS-003, PS-004.
#[tokio::test(start_paused = true)]
async fn progress_for_nothing_is_ignored() {
    let (handle, mut server, mut events) = opened().await;
    let (id, mut reports, call) = watched(&handle, &mut server).await;
    server.answer(&id, text("done")).await;
    call.await.unwrap().unwrap();
    report(&server, &id, 1.0).await;
    report(&server, &json!(999), 1.0).await;
    report(&server, &json!("text"), 1.0).await;
    server
        .tell("notifications/progress", json!({"progress": "x"}))
        .await;
    server.expect_silence().await;
    assert!(reports.recv().await.is_none());
    assert!(events.try_recv().is_err(), "it is nothing out of order");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_does_not_look_stops_nothing() {
    let (handle, mut server, _events) = opened().await;
    let (progress, _unread) = mpsc::channel(1);
    let options = CallOptions {
        progress: Some(progress),
        ..CallOptions::default()
    };
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        for step in 1..10 {
            report(&server, &id, f64::from(step)).await;
            sleep(Duration::from_millis(60)).await;
        }
        server.answer(&id, text("done")).await;
    };
    let (outcome, ()) = tokio::join!(handle.call_tool("t", no_arguments(), options), serve);
    assert!(outcome.is_ok());
}
