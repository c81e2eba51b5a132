//! The processes that belong to a server, found through /proc on Linux: the members of a session or group and everything
//! that descends from them. Elsewhere only the group is known.

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// How often descendants that start others are looked for again. Each round stops one generation.
const ROUNDS: usize = 16;

/// Whether nothing is left of the group, not even a process that was not reaped.
pub(super) fn is_gone(group: Pid) -> bool {
    test_kill_process_group(group).is_err()
}

/// Asks everything that descends from this process to end.
#[cfg(target_os = "linux")]
pub(super) fn end_descendants_softly(ancestor: Pid) {
    signal_each(&descendants(ancestor), Signal::TERM);
}

/// Kills a parent process that does not do its work, with everything that descends from it and everything of the session
/// and group it leads. A stopped ancestor still leads to its descendants, so it is killed last.
pub(crate) fn end_family(leader: Pid) {
    let mut family = Vec::new();
    for _ in 0..ROUNDS {
        let before = family.len();
        add_new(&mut family, members(leader));
        if family.len() == before {
            break;
        }
        // A stopped process cannot start another one while the next round looks.
        signal_each(&family[before..], Signal::STOP);
    }
    signal_each(&family, Signal::KILL);
    // A group that is already gone is what we want.
    let _ = kill_process_group(leader, Signal::KILL);
}

/// A process, told apart from a later one with the same number by the time it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    number: i32,
    began: u64,
    parent: i32,
    group: i32,
    session: i32,
}

impl Process {
    fn is(&self, other: &Self) -> bool {
        self.number == other.number && self.began == other.began
    }
}

fn add_new(family: &mut Vec<Process>, found: Vec<Process>) {
    for process in found {
        if !family.iter().any(|known| known.is(&process)) {
            family.push(process);
        }
    }
}

fn signal_each(processes: &[Process], signal: Signal) {
    for process in processes {
        // Looked at again, because its number may belong to another process by now.
        if read(process.number).is_some_and(|now| now.is(process))
            && let Some(number) = Pid::from_raw(process.number)
        {
            let _ = kill_process(number, signal);
        }
    }
}

#[cfg(target_os = "linux")]
fn descendants(ancestor: Pid) -> Vec<Process> {
    let number = ancestor.as_raw_nonzero().get();
    family_of(&everyone(), |process| process.parent == number)
}

/// The descendants of a process, and the other members of the session and group that it leads.
fn members(leader: Pid) -> Vec<Process> {
    let number = leader.as_raw_nonzero().get();
    let mut members = family_of(&everyone(), |process| {
        process.parent == number || process.session == number || process.group == number
    });
    members.retain(|process| process.number != number);
    members
}

/// Those that match, and everything that descends from them.
fn family_of(everyone: &[Process], matches: impl Fn(&Process) -> bool) -> Vec<Process> {
    let mut family: Vec<Process> = everyone
        .iter()
        .filter(|process| matches(process))
        .cloned()
        .collect();
    // Parents need not come before children in the list, so it is walked until nothing is added.
    loop {
        let before = family.len();
        for process in everyone {
            let descends = family.iter().any(|known| known.number == process.parent);
            if descends && !family.iter().any(|known| known.is(process)) {
                family.push(process.clone());
            }
        }
        if family.len() == before {
            return family;
        }
    }
}

/// Every process we may see.
#[cfg(target_os = "linux")]
fn everyone() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// Elsewhere nothing leads to them without unsafe code.
#[cfg(not(target_os = "linux"))]
fn everyone() -> Vec<Process> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn read(number: i32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The second field is the program's name in brackets and may itself hold brackets and spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |index: usize| fields.get(index)?.parse::<i64>().ok();
    let number_at = |index: usize| i32::try_from(field(index)?).ok();
    Some(Process {
        number,
        began: u64::try_from(field(19)?).ok()?,
        parent: number_at(1)?,
        group: number_at(2)?,
        session: number_at(3)?,
    })
}

#[cfg(not(target_os = "linux"))]
fn read(_number: i32) -> Option<Process> {
    None
}

/// The children of this process, those that were adopted included. Only this process can reap them, so their numbers
/// stay theirs until it does.
#[cfg(target_os = "linux")]
pub(super) fn own_children() -> Vec<Pid> {
    let Some(listed) = listed_children() else {
        let own = i32::try_from(std::process::id()).ok();
        let is_ours = |process: &Process| Some(process.parent) == own;
        let numbers = everyone()
            .into_iter()
            .filter(is_ours)
            .map(|process| process.number);
        return numbers.filter_map(Pid::from_raw).collect();
    };
    listed
        .split_whitespace()
        .filter_map(|number| Pid::from_raw(number.parse().ok()?))
        .collect()
}

/// What the system lists, where it was built to do so.
#[cfg(target_os = "linux")]
fn listed_children() -> Option<String> {
    let mut listed = String::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        listed += &std::fs::read_to_string(thread.path().join("children")).ok()?;
    }
    Some(listed)
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
