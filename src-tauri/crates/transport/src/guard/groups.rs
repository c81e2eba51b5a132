//! Ending whole process groups. On Linux also what the group's processes started and what then left the
//! group, as long as it can still be found through its parents.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// Asks every process of the group to end.
pub(crate) fn end_softly(group: Pid) {
    // A group that is already gone is what we want.
    let _ = kill_process_group(group, Signal::TERM);
}

/// Ends every process of the group, and their descendants that left it.
pub(crate) fn end_hard(group: Pid) {
    // Looked up first: once the parents are gone nothing leads to them any more.
    let strays = strays(group);
    let _ = kill_process_group(group, Signal::KILL);
    for stray in strays {
        let _ = kill_process(stray, Signal::KILL);
    }
}

/// Whether nothing is left of the group, not even a process nobody has collected.
pub(super) fn is_gone(group: Pid) -> bool {
    test_kill_process_group(group).is_err()
}

/// Descendants of the group's processes that are in other groups.
#[cfg(target_os = "linux")]
fn strays(group: Pid) -> Vec<Pid> {
    let mut family = BTreeSet::new();
    let everyone = processes();
    // Parents need not come before children in the list, so it is walked until nothing is added.
    loop {
        let before = family.len();
        for &(process, parent, its_group) in &everyone {
            if its_group == group.as_raw_nonzero().get() || family.contains(&parent) {
                family.insert(process);
            }
        }
        if family.len() == before {
            break;
        }
    }
    everyone
        .into_iter()
        .filter(|(process, _, its_group)| {
            family.contains(process) && *its_group != group.as_raw_nonzero().get()
        })
        .filter_map(|(process, ..)| Pid::from_raw(process))
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn strays(_group: Pid) -> Vec<Pid> {
    Vec::new()
}

/// Process, parent and group of every process we may see.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(i32, i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let read = |entry: std::fs::DirEntry| {
        let process: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The second field is the program's name in brackets and may itself hold brackets and spaces.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(1);
        Some((
            process,
            fields.next()?.parse().ok()?,
            fields.next()?.parse().ok()?,
        ))
    };
    entries.flatten().filter_map(read).collect()
}
