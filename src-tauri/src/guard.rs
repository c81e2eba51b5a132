//! The guard: a small program beside the application that ends the servers it started, whatever happens to it. Each
//! server has one as its parent process, so it holds nothing else: it starts and ends fast, and takes little memory.

use std::process::ExitCode;

fn main() -> ExitCode {
    vestibule_transport::guard::main(std::env::args_os().skip(1))
}
