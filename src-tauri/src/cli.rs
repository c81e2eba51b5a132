//! The commands without a window. They write to the terminal; nothing else in Vestibule does.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are commands for a terminal"
)]

use std::process::ExitCode;

use vestibule_store::{Break, Verification, verify_file};

use crate::folder;

/// Serves the tour over standard input and output.
pub(crate) fn tour() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("vestibule tour: could not begin: {error}");
            return ExitCode::FAILURE;
        }
    };
    let served = runtime.block_on(vestibule_tour::serve_stdio());
    // A thread may still sit in a read of standard input that never ends.
    std::process::exit(i32::from(served.is_err()));
}

/// Checks the ledger of the data folder, row by row.
pub(crate) fn verify_ledger() -> ExitCode {
    let file = folder::database();
    if !file.exists() {
        eprintln!("There is no ledger yet: {} does not exist.", file.display());
        return ExitCode::from(2);
    }
    match verify_file(&file) {
        Ok(Verification::Intact { records, .. }) => {
            println!("The ledger is intact: {records} records.");
            ExitCode::SUCCESS
        }
        Ok(Verification::Broken { seq, what }) => {
            println!("The ledger is broken at record {seq}: {}.", broken(&what));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("The ledger at {} could not be read: {error}", file.display());
            ExitCode::from(2)
        }
    }
}

fn broken(what: &Break) -> &'static str {
    match what {
        Break::Altered => "the record was altered",
        Break::Missing => "the record is missing",
        Break::Inserted => "the record was inserted",
        Break::Reordered => "the record stands in another place",
        Break::Truncated => "everything from this record on was cut off",
        Break::HeadMissing => "the note of where the ledger ends is missing",
    }
}

/// The version.
pub(crate) fn version() -> ExitCode {
    println!("vestibule {}", env!("CARGO_PKG_VERSION"));
    ExitCode::SUCCESS
}

/// How it is used.
pub(crate) fn help(code: ExitCode) -> ExitCode {
    println!(
        "vestibule                  open the application\n\
         vestibule ledger verify    check the ledger; exit code 1 where it was tampered with\n\
         vestibule tour             serve the tour over standard input and output\n\
         vestibule --version\n\n\
         VESTIBULE_HOME             the folder all data is in"
    );
    code
}
