//! Makes our client without the host do one thing and says in one line of JSON what that cost, by the same contract as the
//! drivers of other clients (`tests/bench`). Nothing is left out that a user's call would go through; what is raised
//! (sizes, counts, rates) is raised by settings that every user of the crates has.

#[path = "../../bench/src/contract.rs"]
pub mod contract;
pub mod session;

use contract::{Run, memory_kb};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// # Errors
/// Says `otherwise` unless it holds.
pub fn check(holds: bool, otherwise: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// How many kilobytes more than `base` each of `count` sessions takes, a member of the line.
#[must_use]
pub fn kilobytes_each(base: u64, count: usize) -> f64 {
    memory_kb("VmRSS").saturating_sub(base) as f64 / count.max(1) as f64
}

/// Adds the further members of a run with many sessions.
#[must_use]
pub fn of_sessions(run: Run, base: u64, each: f64) -> Run {
    let ready = run.cost.wall.as_secs_f64() * 1e3;
    run.with("sessions_ready_ms", ready)
        .with("base_rss_kb", base)
        .with("rss_per_session_kb", each)
}
