//! Power loss: what was written and not yet synced is lost, or reaches the disk in part and in any order. A process that
//! is killed does not show this, because the kernel still writes what it has.

mod support;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use support::Folder;
use support::acknowledged::{Acknowledged, write};
use support::trace::{self, Call};

const NAME: &str = "every_acknowledged_row_survives_the_loss_of_unsynced_writes";
/// So many that the log is merged into the file several times.
const ROUNDS: i64 = 400;
/// How many moments of power loss are tried.
const LOSSES: usize = 60;
/// A disk writes whole sectors.
const SECTOR: usize = 512;

/// Which writes that were not synced reach the disk.
#[derive(Clone, Copy, Debug)]
enum Unsynced {
    Lost,
    Kept,
    /// Each sector by chance.
    Some,
}

/// A file as it is on the disk, and what was written to it since it was synced.
#[derive(Clone, Default)]
struct Disk {
    synced: Vec<u8>,
    pending: Vec<Call>,
}

/// This test plays both parts: started with [`trace::ROLE`] set, it is the process that is traced.
#[tokio::test]
async fn every_acknowledged_row_survives_the_loss_of_unsynced_writes() {
    if let Some(path) = env::var_os(trace::ROLE) {
        return write(Path::new(&path), ROUNDS).await;
    }
    let calls = trace::of_test(NAME).calls;
    let merged = calls.iter().filter(|call| writes_at_start(call)).count();
    assert!(merged > 2, "the log was merged into the file {merged} times");
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let after_opening = 1 + calls
        .iter()
        .position(|call| matches!(call, Call::Say(said) if said.contains("ledger")))
        .expect("something was acknowledged");
    for _ in 0..LOSSES {
        let at = after_opening + below(&mut random, calls.len() - after_opening);
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Some] {
            let (folder, acknowledged) = after_loss(&calls[..at], unsynced, &mut random);
            println!("power is lost before call {at} of {}: {unsynced:?}", calls.len());
            acknowledged.check(&folder.database()).await;
        }
    }
}

/// The check above would notice a store that does not wait for the disk.
#[tokio::test]
#[should_panic(expected = "is gone")]
async fn a_store_that_does_not_sync_would_lose_acknowledged_rows() {
    let mut calls = trace::of_test(NAME).calls;
    let opened = calls.iter().position(|call| matches!(call, Call::Say(_)));
    let mut index = 0;
    calls.retain(|call| {
        index += 1;
        index < opened.expect("something was said") || !matches!(call, Call::Sync { .. })
    });
    let (folder, acknowledged) = after_loss(&calls, Unsynced::Lost, &mut 1);
    acknowledged.check(&folder.database()).await;
}

/// Whether the call writes the first page of the database itself.
fn writes_at_start(call: &Call) -> bool {
    matches!(call, Call::Write { file, at: 0, .. } if file.ends_with("vestibule.db"))
}

/// The files after these calls and a loss of power, and what was acknowledged before it.
fn after_loss(calls: &[Call], unsynced: Unsynced, random: &mut u64) -> (Folder, Acknowledged) {
    let mut disks: BTreeMap<PathBuf, Disk> = BTreeMap::new();
    let mut acknowledged = Acknowledged::default();
    // A line is written in several pieces.
    let mut line = String::new();
    for call in calls {
        match call {
            Call::Say(said) => {
                line.push_str(said);
                if line.ends_with('\n') {
                    acknowledged.note(&line);
                    line.clear();
                }
            }
            Call::Write { file, .. } | Call::Truncate { file, .. } => {
                disks.entry(file.clone()).or_default().pending.push(call.clone());
            }
            Call::Sync { file } => {
                let Some(disk) = disks.get_mut(file) else { continue };
                for pending in std::mem::take(&mut disk.pending) {
                    apply(&mut disk.synced, &pending, |_| true);
                }
            }
            Call::Remove { file } => {
                disks.remove(file);
            }
        }
    }
    assert!(!acknowledged.ledger.is_empty(), "something was acknowledged");
    let folder = Folder::new();
    for (file, mut disk) in disks {
        for pending in &disk.pending {
            apply(&mut disk.synced, pending, |_| match unsynced {
                Unsynced::Lost => false,
                Unsynced::Kept => true,
                Unsynced::Some => below(random, 2) == 0,
            });
        }
        let name = file.file_name().expect("a file has a name").to_string_lossy();
        // Shared memory of processes, which SQLite makes again.
        if name.starts_with("vestibule.db") && !name.ends_with("-shm") {
            fs::write(folder.database().with_file_name(&*name), disk.synced)
                .expect("the folder can be written");
        }
    }
    (folder, acknowledged)
}

/// Does to the bytes of a file what the call did, sector by sector where `reaches` says so.
fn apply(bytes: &mut Vec<u8>, call: &Call, mut reaches: impl FnMut(usize) -> bool) {
    let size = |number: u64| usize::try_from(number).expect("test files are small");
    match call {
        Call::Truncate { length, .. } if reaches(0) => bytes.resize(size(*length), 0),
        Call::Write {
            at, bytes: written, ..
        } => {
            for (sector, part) in written.chunks(SECTOR).enumerate() {
                if reaches(sector) {
                    let from = size(*at) + sector * SECTOR;
                    bytes.resize(bytes.len().max(from + part.len()), 0);
                    bytes[from..from + part.len()].copy_from_slice(part);
                }
            }
        }
        _ => {}
    }
}

/// A number below `limit`, the same in each run (xorshift).
fn below(random: &mut u64, limit: usize) -> usize {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    usize::try_from(*random >> 33).expect("31 bits") % limit
}
