//! Ending whole process groups. On Linux also the processes that left a group they were started in, for as
//! long as their parents lead to them; they have to be looked up while the parents still live.

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// How often strays that start others are looked for again. Each round stops one generation.
const ROUNDS: usize = 16;

/// Asks every process of the group to end.
pub(crate) fn end_softly(group: Pid) {
    // A group that is already gone is what we want.
    let _ = kill_process_group(group, Signal::TERM);
}

/// Ends every process of the group.
pub(crate) fn end_hard(group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
}

/// Whether nothing is left of the group, not even a process that was not reaped.
pub(super) fn is_gone(group: Pid) -> bool {
    test_kill_process_group(group).is_err()
}

/// Processes that descend from a group but are no longer in it.
#[derive(Debug, Default)]
pub(crate) struct Strays(Vec<Process>);

impl Strays {
    /// Looks for those of a group, besides the ones known already.
    #[cfg(target_os = "linux")]
    pub(crate) fn find_strays(&mut self, group: Pid) {
        let everyone = proc::everyone();
        for stray in proc::strays(&everyone, group.as_raw_nonzero().get(), &self.0) {
            if !self.0.iter().any(|known| known.is(&stray)) {
                self.0.push(stray);
            }
        }
    }

    /// Elsewhere nothing leads to them without unsafe code.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn find_strays(&mut self, _group: Pid) {}

    pub(super) fn end_softly(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends them, and what they started in the meantime: they are stopped first, so that no process that is about
    /// to start another process can do so behind our back.
    pub(crate) fn end_hard(&mut self, group: Pid) {
        for _ in 0..ROUNDS {
            let before = self.0.len();
            self.signal(Signal::STOP);
            self.find_strays(group);
            if self.0.len() == before {
                break;
            }
        }
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        for process in self.0.iter().filter(|process| process.still_runs()) {
            if let Some(number) = Pid::from_raw(process.number) {
                let _ = kill_process(number, signal);
            }
        }
    }
}

/// A process, told apart from a later one with the same number by the time it began.
#[derive(Clone, Debug)]
struct Process {
    number: i32,
    began: u64,
    parent: i32,
    group: i32,
}

impl Process {
    fn is(&self, other: &Self) -> bool {
        self.number == other.number && self.began == other.began
    }

    #[cfg(target_os = "linux")]
    fn still_runs(&self) -> bool {
        proc::read(self.number).is_some_and(|now| now.is(self))
    }

    #[cfg(not(target_os = "linux"))]
    fn still_runs(&self) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod proc {
    use std::collections::BTreeSet;

    use super::Process;

    /// Every process we may see.
    pub(super) fn everyone() -> Vec<Process> {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?))
            .collect()
    }

    pub(super) fn read(number: i32) -> Option<Process> {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // The second field is the program's name in brackets and may itself hold brackets and spaces.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let (parent, group, began) = (field(1)?, field(2)?, field(19)?);
        Some(Process {
            number,
            began,
            parent: i32::try_from(parent).ok()?,
            group: i32::try_from(group).ok()?,
        })
    }

    /// Those outside the group that descend from it or from a stray that is known already.
    pub(super) fn strays(everyone: &[Process], group: i32, known: &[Process]) -> Vec<Process> {
        let is_known = |process: &Process| known.iter().any(|stray| stray.is(process));
        let mut family: BTreeSet<i32> = everyone
            .iter()
            .filter(|process| is_known(process))
            .map(|process| process.number)
            .collect();
        // Parents need not come before children in the list, so it is walked until nothing is added.
        loop {
            let before = family.len();
            for process in everyone {
                if process.group == group || family.contains(&process.parent) {
                    family.insert(process.number);
                }
            }
            if family.len() == before {
                break;
            }
        }
        let strayed = |process: &&Process| process.group != group && family.contains(&process.number);
        everyone.iter().filter(strayed).cloned().collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn strays_are_the_descendants_outside_the_group_and_nobody_else() {
            let process = |number, parent, group| Process {
                number,
                began: 0,
                parent,
                group,
            };
            let everyone = [
                process(9, 8, 9),
                process(8, 5, 8),
                process(5, 1, 5),
                process(6, 5, 5),
                process(7, 1, 7),
            ];
            let numbers: Vec<i32> = strays(&everyone, 5, &[])
                .iter()
                .map(|stray| stray.number)
                .collect();
            assert_eq!(numbers, [9, 8]);
            assert!(strays(&everyone, 99, &[]).is_empty());
            let orphans = [process(8, 1, 8), process(9, 8, 9), process(7, 1, 7)];
            let numbers: Vec<i32> = strays(&orphans, 5, &everyone[1..2])
                .iter()
                .map(|stray| stray.number)
                .collect();
            assert_eq!(numbers, [8, 9], "their parent is known though the group is gone");
        }

        #[test]
        fn our_own_process_is_read() {
            let own = i32::try_from(std::process::id()).unwrap();
            let read = read(own).unwrap();
            assert!(read.number == own && read.began > 0 && read.parent > 0 && read.group > 0);
        }
    }
}
