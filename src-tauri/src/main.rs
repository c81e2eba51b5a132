//! The application's binary: the window, or one of the commands that need none.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

/// For this process whole, with GTK and SQLite: it gives pages that are free back to the system after ten seconds. The C library
/// keeps those that have memory in use behind them.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    vestibule::start(&args)
}
