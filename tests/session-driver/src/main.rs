//! `vestibule-session-driver …`: our client without the host, in a program that has nothing else in it, as the drivers of other
//! clients are. Memory and time are then those of the client.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "who starts this program reads what it says"
)]

use std::process::ExitCode;

use vestibule_session_driver::contract::Order;
use vestibule_session_driver::{Result, session};

/// That of the application, so that what is measured here is what it costs there.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let order = Order::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let run = runtime.block_on(session::run(&order))?;
    println!("{}", run.line(&order, "vestibule", env!("CARGO_PKG_VERSION")));
    Ok(())
}
