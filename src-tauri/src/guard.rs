//! The guard: a small program beside the application that ends the servers it started, whatever happens to it. It
//! is a binary of its own so that it stays a few megabytes and loads no windows.

use std::process::ExitCode;

fn main() -> ExitCode {
    vestibule_transport::guard::main(std::env::args_os().skip(1))
}
