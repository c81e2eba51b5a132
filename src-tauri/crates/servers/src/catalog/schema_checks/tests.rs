//! The checks of a server with programs in the place of the one that checks: the shell, told to behave in some way.

#![cfg(unix)]

use std::path::Path;
use std::sync::LazyLock;

use super::*;

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Answers each line as the real program does.
const WORKING: &str =
    r#"while read -r line; do echo '{"cpu_us":10,"outcome":{"Ok":{"misfits":[],"dropped":[]}}}'; done"#;
/// Reads a line and never answers. Notes its process first.
const ENDLESS: &str = r#"echo $$ >> PIDS; read -r line; exec sleep 1000"#;
/// Ends in the middle of a job, as at a limit of the system.
const ENDING: &str = "read -r line; kill -XCPU $$";

/// The allowance of the checks grows by no time that passes in the test.
fn checks(script: &str) -> SchemaChecks {
    let program = HelperProgram {
        program: "/bin/sh".into(),
        leading_args: vec!["-c".into(), script.into()],
    };
    SchemaChecks::with_clock(program, || *BEGUN)
}

async fn build(checks: &SchemaChecks) -> Result<(), Unchecked> {
    checks.build(&serde_json::json!({})).await.map(drop)
}

/// The first try of one that works may have been stopped by the clock of the test; the next starts another process.
async fn works(checks: &SchemaChecks) {
    tokio::time::resume();
    assert_eq!(build(checks).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_uses_its_time_up_has_its_own_checks_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let (endless, other) = (
        checks(&ENDLESS.replace("PIDS", &pids.display().to_string())),
        checks(WORKING),
    );
    for _ in 0..5 {
        assert_eq!(build(&endless).await, Err(Unchecked::Stopped));
    }
    assert!(matches!(build(&endless).await, Err(Unchecked::UsedUp { .. })));
    works(&other).await;
    killed(&pids).await;
}

/// Waits until no process is left that a script noted.
async fn killed(pids: &Path) {
    let noted = std::fs::read_to_string(pids).unwrap_or_default();
    let lives = |pid: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    let all_ended = async {
        while noted.lines().any(lives) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), all_ended)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_process_that_ends_in_the_middle_costs_one_check() {
    let checks = checks(ENDING);
    assert_eq!(build(&checks).await, Err(Unchecked::Stopped));
    assert_eq!(
        build(&checks).await,
        Err(Unchecked::Stopped),
        "another was started"
    );
}

#[tokio::test]
async fn a_check_that_is_given_up_takes_its_process_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let endless = checks(&ENDLESS.replace("PIDS", &pids.display().to_string()));
    let started = async {
        while std::fs::read_to_string(&pids).unwrap_or_default().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        ended = build(&endless) => panic!("{ended:?}"),
        started = tokio::time::timeout(Duration::from_secs(10), started) => started.unwrap(),
    }
    killed(&pids).await;
}

#[tokio::test]
async fn a_program_that_is_missing_is_named_and_costs_no_time() {
    let missing = SchemaChecks::new(HelperProgram {
        program: "/nonexistent".into(),
        leading_args: vec![],
    });
    for _ in 0..20 {
        assert!(matches!(build(&missing).await, Err(Unchecked::Failed { .. })));
    }
}

#[tokio::test(start_paused = true)]
async fn one_server_has_so_many_places() {
    let checks = checks("exec sleep 1000");
    let many = (0..=WAITING).map(|_| build(&checks));
    let busy = futures::future::join_all(many).await;
    let refused = busy.iter().filter(|one| **one == Err(Unchecked::Busy)).count();
    assert_eq!(refused, 1);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_is_idle_is_ended() {
    let checks = checks(WORKING);
    works(&checks).await;
    assert!(checks.0.state.lock().await.worker.is_some());
    tokio::time::pause();
    tokio::time::sleep(3 * IDLE).await;
    assert!(checks.0.state.lock().await.worker.is_none());
    works(&checks).await;
}
