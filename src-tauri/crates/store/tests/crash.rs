//! Kill the process while it writes, again and again: what was acknowledged is there, and nothing is half done.

#![allow(clippy::disallowed_methods, reason = "the store's crash test starts itself")]

mod support;

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use support::Folder;
use support::acknowledged::{Acknowledged, write};
use vestibule_store::{Store, StoreError};

const ROLE: &str = "VESTIBULE_STORE_TEST_WRITES_TO";
const ROUNDS: usize = 6;

/// This test plays both parts: started with [`ROLE`] set, it is the process that is killed.
#[tokio::test]
async fn every_acknowledged_row_survives_a_killed_process() {
    if let Some(path) = env::var_os(ROLE) {
        return write(Path::new(&path), i64::MAX).await;
    }
    let folder = Folder::new();
    let mut acknowledged = Acknowledged::default();
    for round in 0..ROUNDS {
        let child = spawn_writer(&folder.database());
        let before = acknowledged.ledger.len();
        kill_after(child, 20 + round * 17, &folder.database(), &mut acknowledged);
        assert!(acknowledged.ledger.len() > before);
        acknowledged.check(&folder.database()).await;
    }
}

fn spawn_writer(path: &Path) -> Child {
    Command::new(env::current_exe().expect("this test has a file"))
        .args([
            "--exact",
            "every_acknowledged_row_survives_a_killed_process",
            "--nocapture",
        ])
        .env(ROLE, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test can start itself")
}

fn kill_after(mut child: Child, lines: usize, path: &Path, acknowledged: &mut Acknowledged) {
    let mut out = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut line = String::new();
    let mut seen = 0;
    // After the kill, what the pipe still holds was acknowledged as well.
    while {
        line.clear();
        out.read_line(&mut line).expect("the pipe can be read") > 0
    } {
        if !acknowledged.note(&line) {
            continue;
        }
        seen += 1;
        if seen == lines {
            let refusal = Store::open(path).expect_err("the child has it open");
            assert!(matches!(refusal, StoreError::InUse { .. }), "{refusal:?}");
            child.kill().expect("the child can be killed");
        }
    }
    let status = child.wait().expect("the child has ended");
    assert!(
        seen >= lines && !status.success(),
        "the child ended by itself: {status}"
    );
}
