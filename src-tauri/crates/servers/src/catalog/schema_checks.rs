//! Checks against the schemas of one server, in a process of its own. A server writes the schemas and much of what is
//! checked against them, so the work is bounded three times: by the limits of the crate `schema`, by the process, which
//! is killed at a time limit, and by what one server may use. A server that uses that up has its own checks refused; the
//! other servers have processes and allowances of their own.

mod allowance;

use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{Mutex, Semaphore};
use vestibule_schema::{Checked, Finished, ROLE, Unchecked, job_line};
use vestibule_transport::worker::Worker;

use crate::context::HelperProgram;
use allowance::Allowance;

/// How many checks of one server may wait; a model may ask for many calls at once.
const WAITING: usize = 256;
/// How long a check may take, its process being started included. The processor time, which a check that runs wild uses
/// up, is bounded more tightly by the process itself; this bounds a process that waits.
const LONGEST: Duration = Duration::from_secs(30);
/// The processor time that a check is counted with whose process was ended.
const CHARGED: Duration = Duration::from_secs(2);
/// The least that a check is counted with; some systems count processor time in steps of milliseconds.
const LEAST: Duration = Duration::from_micros(100);
/// A process that used this much for one check is ended, because what it took from the system it keeps.
const COSTLY: Duration = Duration::from_millis(250);
/// How long a process is kept that nothing is asked of.
const IDLE: Duration = Duration::from_secs(30);

/// The checks of one server. Cheap to clone; all clones share the process and the allowance.
#[derive(Clone)]
pub struct SchemaChecks(Arc<CheckerShared>);

struct CheckerShared {
    program: HelperProgram,
    places: Semaphore,
    now: fn() -> Instant,
    state: Mutex<CheckerState>,
}

struct CheckerState {
    /// Started with the first check; `None` as well while a check is under way, so that a check that is given up takes
    /// its process with it.
    worker: Option<Worker>,
    allowance: Allowance,
    /// How many checks were made, to know a process that is idle.
    checks: u64,
    /// Whether a task ends the process when it is idle.
    is_watched: bool,
}

impl CheckerState {
    fn new(now: Instant) -> Self {
        Self {
            worker: None,
            allowance: Allowance::new(now),
            checks: 0,
            is_watched: false,
        }
    }
}

/// A schema of a tool that values can be checked against.
#[derive(Clone)]
pub struct ToolSchema {
    checks: SchemaChecks,
    schema: Arc<str>,
}

impl ToolSchema {
    /// Checks a value, given as JSON. With `drop_nulls`, refused `null`s of optional members are left out first.
    ///
    /// # Errors
    /// Why it was not checked.
    pub async fn check(&self, value: &str, drop_nulls: bool) -> Result<Checked, Unchecked> {
        self.checks
            .run(&job_line(&self.schema, Some((value, drop_nulls))))
            .await
    }
}

impl SchemaChecks {
    /// Checks made by a program of workers. Nothing is started yet.
    pub fn new(program: HelperProgram) -> Self {
        Self::with_clock(program, Instant::now)
    }

    fn with_clock(program: HelperProgram, now: fn() -> Instant) -> Self {
        Self(Arc::new(CheckerShared {
            program,
            places: Semaphore::new(WAITING),
            now,
            state: Mutex::new(CheckerState::new(now())),
        }))
    }

    /// Builds a schema, to learn whether values can be checked against it.
    ///
    /// # Errors
    /// Why they cannot.
    pub async fn build(&self, schema: &Value) -> Result<ToolSchema, Unchecked> {
        let schema: Arc<str> = schema.to_string().into();
        self.run(&job_line(&schema, None)).await?;
        Ok(ToolSchema {
            checks: self.clone(),
            schema,
        })
    }

    /// Ends the process. The next check starts another.
    pub async fn end(&self) {
        self.0.state.lock().await.worker = None;
    }

    async fn run(&self, line: &str) -> Result<Checked, Unchecked> {
        let _place = self.0.places.try_acquire().map_err(|_| Unchecked::Busy)?;
        let mut state = self.0.state.lock().await;
        state
            .allowance
            .left((self.0.now)())
            .map_err(|seconds| Unchecked::UsedUp { seconds })?;
        let worker = self.worker(&mut state).map_err(|error| failed(&error))?;
        // A check that is given up while it is made is counted as one that took too long.
        let mut charge = Charge {
            state: &mut state,
            cpu: CHARGED,
        };
        // The process ends in the middle of a check where its own limits end it: processor time, memory, stack.
        let asked = tokio::time::timeout(LONGEST, worker.ask(line)).await;
        let (worker, answer) = asked
            .map_err(|_| Unchecked::Stopped)?
            .map_err(|_| Unchecked::Stopped)?;
        let finished: Finished = serde_json::from_str(&answer).map_err(|error| failed(&error.into()))?;
        charge.cpu = Duration::from_micros(finished.cpu_us).max(LEAST);
        if charge.cpu < COSTLY {
            charge.state.worker = Some(worker);
        }
        finished.outcome
    }

    /// Takes the process, and starts one where there is none.
    fn worker(&self, state: &mut CheckerState) -> io::Result<Worker> {
        state.checks += 1;
        if let Some(mut worker) = state.worker.take()
            && !worker.has_ended()
        {
            return Ok(worker);
        }
        let worker = self.0.program.start_worker(ROLE)?;
        if !state.is_watched {
            state.is_watched = true;
            tokio::spawn(end_when_idle(Arc::downgrade(&self.0)));
        }
        Ok(worker)
    }
}

/// Ends the process of a server that was not asked anything for a while.
async fn end_when_idle(shared: Weak<CheckerShared>) {
    let mut seen = None;
    loop {
        tokio::time::sleep(IDLE).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut state = shared.state.lock().await;
        if seen == Some(state.checks) {
            state.worker = None;
            state.is_watched = false;
            return;
        }
        seen = Some(state.checks);
    }
}

/// What a check has cost the server in the end, also where it was given up.
struct Charge<'a> {
    state: &'a mut CheckerState,
    cpu: Duration,
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.state.allowance.spend(self.cpu);
    }
}

fn failed(error: &io::Error) -> Unchecked {
    Unchecked::Failed {
        detail: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
