//! A long ledger is checked while a user waits for it. `make ledger` does this with a million records in a release
//! build and says how long it took; otherwise there are fewer.

mod support;

use std::time::{Duration, Instant};

use support::{Folder, intruder, long_ledger};
use vestibule_store::{LedgerBreak, Verification, verify_file};

/// How long a user waits for a million records.
const PATIENCE: Duration = Duration::from_secs(10);

fn wanted() -> i64 {
    let wanted = std::env::var("VESTIBULE_RECORDS").ok();
    wanted.map_or(5_000, |number| {
        number.parse().expect("VESTIBULE_RECORDS is a number")
    })
}

#[tokio::test]
async fn a_million_records_are_checked_within_ten_seconds() {
    let folder = Folder::new();
    folder.open().close().await;
    let records = wanted();
    long_ledger::write(&folder.database(), records);
    let began = Instant::now();
    let found = verify_file(&folder.database()).expect("the ledger can be checked");
    let took = began.elapsed();
    assert!(
        matches!(found, Verification::Intact { records: checked, .. } if checked == records),
        "{found:?}"
    );
    if records >= 1_000_000 {
        assert!(took < PATIENCE, "{records} records took {took:?}");
    }
    let bad = records - records / 7;
    let flip = format!("UPDATE ledger SET body = replace(body, 'false', 'falsf') WHERE seq = {bad}");
    intruder(&folder.database())
        .execute_batch(&flip)
        .expect("it is changed");
    let found = verify_file(&folder.database()).expect("the ledger can be checked");
    let altered = Verification::Broken {
        seq: bad,
        what: LedgerBreak::Altered,
    };
    assert_eq!(found, altered);
    report(records, took);
}

#[allow(clippy::print_stderr, reason = "whoever measures reads it")]
fn report(records: i64, took: Duration) {
    eprintln!("{records} records were checked in {:.2} s", took.as_secs_f64());
}
