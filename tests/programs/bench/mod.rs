//! `vestibule-driver bench …`: makes our own client do one thing and says in one line of JSON what that cost, by the
//! same contract as the drivers of other clients (`tests/bench`). Nothing is left out that a user's call would go
//! through; what is raised (sizes, counts, rates) is raised by settings that every user of the crates has.

#[allow(unreachable_pub, reason = "other drivers have this file as a library")]
#[path = "../../bench/src/contract.rs"]
mod contract;
mod host;
mod session;

use std::process::ExitCode;

use contract::{Order, Run};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Does what the command line says.
pub(crate) fn main(args: impl Iterator<Item = String>) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: impl Iterator<Item = String>) -> Result<()> {
    let order = Order::read(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let run = match order.layer.as_str() {
        "session" => Some(runtime.block_on(session::run(&order))?),
        "host" => runtime.block_on(host::run(&order))?,
        other => return Err(format!("there is no layer {other:?}").into()),
    };
    let client = if order.layer == "host" {
        "vestibule-host"
    } else {
        "vestibule"
    };
    match run {
        Some(run) => println!("{}", run.line(&order, client, env!("CARGO_PKG_VERSION"))),
        None => println!(r#"{{"unsupported":"the host does seq, pipe and sessions"}}"#),
    }
    Ok(())
}

fn check(holds: bool, otherwise: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// A number as it is told in the line.
fn kilobytes_each(base: u64, count: usize) -> f64 {
    contract::memory_kb("VmRSS").saturating_sub(base) as f64 / count.max(1) as f64
}

impl Run {
    /// The further members of a run with many sessions.
    fn of_sessions(self, base: u64, each: f64) -> Self {
        let ready = self.cost.wall.as_secs_f64() * 1e3;
        self.with("sessions_ready_ms", ready)
            .with("base_rss_kb", base)
            .with("rss_per_session_kb", each)
    }
}
