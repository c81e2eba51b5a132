//! A list of parent processes, a pipe, and what to do when the pipe closes. Each parent process notices the end of the
//! application by itself; this process makes sure of it. It does nothing else, so there is little in it that could
//! fail.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, setsid};
use tokio::signal::unix::{SignalKind, signal};

use super::family::{end_family, is_gone};
use super::limits;

/// How long a parent process may take to end its family. It gives a second itself.
const SOFT: Duration = Duration::from_millis(2500);
/// How long to make sure of the hard way.
const HARD: Duration = Duration::from_millis(500);
const STEP: Duration = Duration::from_millis(20);

/// Keeps the list until the app is gone, then ends what is on it.
pub(super) fn run() -> ExitCode {
    // Fails only for a group's leader, and the app does not start us as one; then we share its session.
    let _ = setsid();
    limits::protect_process();
    let runtime = ignore_signals();
    let mut groups = BTreeMap::new();
    let mut out = io::stdout().lock();
    if writeln!(out, "ready").and_then(|()| out.flush()).is_ok() {
        obey_all(&mut groups, &mut out);
    }
    end_all(groups.into_values().collect());
    drop(runtime);
    ExitCode::SUCCESS
}

/// Obeys the orders of the app until it is gone, and answers each.
fn obey_all(groups: &mut BTreeMap<i32, Pid>, out: &mut impl Write) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let answer = if obey(groups, &line) {
            line
        } else {
            "what?".to_owned()
        };
        // Without a reader the app is gone, which the next read tells as well.
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
}

/// A signal to every process of a session, or `killall vestibule-guard`, must not end
/// the guard before it has done its work. The end of the pipe is its only reason to leave.
fn ignore_signals() -> Option<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .ok()?;
    runtime.block_on(async {
        for kind in [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
            SignalKind::quit(),
        ] {
            // The handler stays when the stream is dropped, and a handled signal no longer ends us.
            let _ = signal(kind);
        }
    });
    Some(runtime)
}

fn obey(groups: &mut BTreeMap<i32, Pid>, line: &str) -> bool {
    let Some((verb, number)) = line.split_once(' ') else {
        return false;
    };
    // `kill` of group 0 is our own group, and group 1 is that of init.
    let Some(number) = number.parse().ok().filter(|number: &i32| *number > 1) else {
        return false;
    };
    let Some(group) = Pid::from_raw(number) else {
        return false;
    };
    match verb {
        "add" => drop(groups.insert(number, group)),
        "remove" => drop(groups.remove(&number)),
        _ => return false,
    }
    true
}

fn end_all(groups: Vec<Pid>) {
    for group in &groups {
        // A stopped process reads no signal.
        let _ = kill_process(*group, Signal::CONT);
        let _ = kill_process(*group, Signal::TERM);
    }
    let groups = wait_until_gone(groups, SOFT);
    for group in &groups {
        end_family(*group);
    }
    wait_until_gone(groups, HARD);
}

/// The groups that are still there after the time.
fn wait_until_gone(mut groups: Vec<Pid>, time: Duration) -> Vec<Pid> {
    let end = Instant::now() + time;
    loop {
        groups.retain(|group| !is_gone(*group));
        if groups.is_empty() || Instant::now() >= end {
            return groups;
        }
        sleep(STEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_orders_about_other_groups_are_obeyed() {
        let mut groups = BTreeMap::new();
        for bad in [
            "", "add", "add x", "add 0", "add 1", "add -5", "drop 7", "add 7 8",
        ] {
            assert!(!obey(&mut groups, bad), "{bad:?} was obeyed");
        }
        assert!(groups.is_empty());
        assert!(obey(&mut groups, "add 7") && obey(&mut groups, "add 8") && obey(&mut groups, "remove 7"));
        assert_eq!(groups.into_keys().collect::<Vec<_>>(), [8]);
    }
}
