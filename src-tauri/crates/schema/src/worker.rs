//! The process that builds and checks: one line of JSON in, one line out, until its input ends. Between two lines it keeps
//! only what it can build again, so that it can be killed at any time and replaced by another.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Checked, Schema, Unchecked};

/// What the program is called with, behind its leading arguments, to do this work.
pub const ROLE: &str = "check-schemas";
/// Stack for building and checking: both recurse over what a server wrote. Only what is used takes memory.
const STACK: usize = 64 * 1024 * 1024;

/// One job: a schema to build, and a value to check against it.
#[derive(Deserialize)]
struct CheckJob<'a> {
    #[serde(borrow)]
    schema: &'a RawValue,
    #[serde(default)]
    check: Option<Check>,
}

#[derive(Deserialize)]
struct Check {
    value: Value,
    drop_nulls: bool,
}

/// The answer to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The processor time that it took, in microseconds.
    pub cpu_us: u64,
    /// What came of it. Empty where only a schema was built.
    pub outcome: Result<Checked, Unchecked>,
}

/// The line for a job, of JSON texts: a schema and, where one is to be checked, a value and whether refused `null`s of
/// optional members are left out.
#[must_use]
pub fn job_line(schema: &str, check: Option<(&str, bool)>) -> String {
    match check {
        None => format!("{{\"schema\":{schema}}}\n"),
        Some((value, drop_nulls)) => {
            format!("{{\"schema\":{schema},\"check\":{{\"value\":{value},\"drop_nulls\":{drop_nulls}}}}}\n")
        }
    }
}

/// Does the jobs on standard input until it ends.
#[must_use]
pub fn serve() -> ExitCode {
    limits::set_for_process();
    let worker = std::thread::Builder::new()
        .name("schema".into())
        .stack_size(STACK)
        .spawn(work);
    let ended = worker
        .map_err(drop)
        .and_then(|worker| worker.join().map_err(drop));
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(_)) | Err(()) => ExitCode::FAILURE,
    }
}

fn work() -> io::Result<()> {
    let mut output = io::stdout().lock();
    let mut last = LastSchema::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let before = limits::cpu_time();
        limits::set_for_job(before);
        let outcome = job(&line, &mut last);
        let cpu = limits::cpu_time().saturating_sub(before);
        let cpu_us = u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX);
        serde_json::to_writer(&mut output, &Finished { cpu_us, outcome })?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

pub(crate) fn job(line: &str, last: &mut LastSchema) -> Result<Checked, Unchecked> {
    let job: CheckJob<'_> = read(line)?;
    let schema = last.build(job.schema.get())?;
    match job.check {
        None => Ok(Checked::default()),
        Some(Check { value, drop_nulls }) => schema.check(value, drop_nulls),
    }
}

/// The schema of the job before, since calls of one tool often come together.
#[derive(Default)]
pub(crate) struct LastSchema(Option<(String, Schema)>);

impl LastSchema {
    /// The schema of this text, built where it is another one.
    fn build(&mut self, text: &str) -> Result<&Schema, Unchecked> {
        let (_, schema) = match self.0.take().filter(|(last, _)| last == text) {
            Some(last) => self.0.insert(last),
            None => {
                let schema = Schema::build(&read(text)?)?;
                self.0.insert((text.to_owned(), schema))
            }
        };
        Ok(schema)
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Unchecked> {
    serde_json::from_str(text).map_err(|error| Unchecked::Failed {
        detail: error.to_string(),
    })
}

/// Limits that the system enforces, whatever this process does and whether or not the application still lives.
#[cfg(unix)]
mod limits {
    use std::time::Duration;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    /// The most address space, in bytes.
    const MEMORY: u64 = 1024 * 1024 * 1024;
    /// The most processor time of one job, in seconds; up to one more, because the system counts whole seconds.
    const SECONDS: u64 = 1;

    pub(super) fn set_for_process() {
        // Where the system refuses a limit, the application still ends this process at the time limit.
        let _ = setrlimit(Resource::As, lowered(Resource::As, MEMORY));
        let _ = setrlimit(Resource::Core, lowered(Resource::Core, 0));
    }

    pub(super) fn set_for_job(spent: Duration) {
        let _ = setrlimit(
            Resource::Cpu,
            lowered(Resource::Cpu, spent.as_secs() + 1 + SECONDS),
        );
    }

    fn lowered(resource: Resource, current: u64) -> Rlimit {
        let maximum = getrlimit(resource).maximum;
        Rlimit {
            current: Some(maximum.map_or(current, |maximum| maximum.min(current))),
            maximum,
        }
    }

    pub(super) fn cpu_time() -> Duration {
        let spent = clock_gettime(ClockId::ProcessCPUTime);
        Duration::try_from(spent).unwrap_or_default()
    }
}

#[cfg(not(unix))]
mod limits {
    use std::time::Duration;

    pub(super) fn set_for_process() {}

    pub(super) fn set_for_job(_spent: Duration) {}

    pub(super) fn cpu_time() -> Duration {
        Duration::ZERO
    }
}
