//! Stands in for the application in the tests: the guard of its servers, and a whole host without windows that can be
//! killed at any moment. Not part of the product.

mod inspect_url;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let role = args.next().and_then(|role| role.into_string().ok());
    match role.as_deref() {
        // The folder is there to be seen on the command line.
        Some("guard") => vestibule_transport::guard::main(args.skip(1)),
        Some("write-until-killed") => vestibule_tests::write_until_killed(&folder(args.next())),
        Some("inspect-url") => ended(inspect_url::answer_lines()),
        Some("inspect-speed") => ended(inspect_url::measure()),
        _ => ExitCode::from(2),
    }
}

fn ended(result: std::io::Result<()>) -> ExitCode {
    if result.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn folder(argument: Option<OsString>) -> std::path::PathBuf {
    argument.expect("the folder to write to").into()
}
