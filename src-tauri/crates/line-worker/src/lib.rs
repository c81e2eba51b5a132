//! A process that does work for the application which a file or a server could make endless: one line in, one line of JSON
//! out, until its input ends. It keeps nothing between two lines, so that it can be killed at any time.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde::Serialize;

/// Limits that the system enforces on this process, whatever a job makes of it.
#[derive(Clone, Copy, Debug)]
pub struct ProcessLimits {
    /// The most address space, in bytes.
    pub memory: u64,
    /// The most processor time of the whole process, in seconds.
    pub seconds: u64,
}

/// Does a job for each line on standard input until it ends.
#[must_use]
pub fn serve<T: Serialize>(limits: ProcessLimits, job: impl FnMut(String) -> T) -> ExitCode {
    limits.set();
    match work(io::stdin().lock(), &mut io::stdout().lock(), job) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn work<T: Serialize>(
    input: impl BufRead,
    output: &mut impl Write,
    mut job: impl FnMut(String) -> T,
) -> io::Result<()> {
    for line in input.lines() {
        serde_json::to_writer(&mut *output, &job(line?))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

impl ProcessLimits {
    #[cfg(unix)]
    fn set(self) {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        // Where the system refuses a limit, the application still ends this process at the time limit.
        for (resource, most) in [
            (Resource::As, self.memory),
            (Resource::Core, 0),
            (Resource::Cpu, self.seconds),
        ] {
            let maximum = getrlimit(resource).maximum;
            let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
            let _ = setrlimit(resource, Rlimit { current, maximum });
        }
    }

    #[cfg(not(unix))]
    fn set(self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_answered_by_one_line() {
        let mut output = vec![];
        work(b"one\ntwo\n".as_slice(), &mut output, |line| line.len()).unwrap();
        assert_eq!(output, b"3\n3\n");
    }
}
