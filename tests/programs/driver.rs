//! Stands in for the application in the tests: the guard of its servers, a whole host without windows that can be
//! killed at any moment, and our client as other programs measure and judge it. Not part of the product.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "who starts this program reads what it says"
)]

mod bench;
mod conformance;
mod inspect_url;
mod survivors;

use std::ffi::OsString;
use std::process::ExitCode;

/// That of the application, so that what is measured here is what it costs there.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let role = args.next().and_then(|role| role.into_string().ok());
    match role.as_deref() {
        // The folder is there to be seen on the command line.
        Some("guard") => vestibule_transport::guard::main(args.skip(1)),
        Some("worker") => match args.nth(1).as_deref().and_then(|role| role.to_str()) {
            Some(vestibule_schema::ROLE) => vestibule_schema::serve(),
            Some(vestibule_pdf_text::ROLE) => vestibule_pdf_text::serve(),
            Some(vestibule_pictures::ROLE) => vestibule_pictures::serve(),
            _ => ExitCode::from(2),
        },
        Some("write-until-killed") => vestibule_tests::write_until_killed(&folder(args.next())),
        Some("daemonise-until-killed") => vestibule_tests::daemonise_until_killed(&folder(args.next())),
        Some("survivors") => survivors::main(args.map(|arg| arg.to_string_lossy().into_owned())),
        Some("inspect-url") => ended(inspect_url::answer_lines()),
        Some("inspect-speed") => ended(inspect_url::measure()),
        Some("conformance") => conformance::main(args.map(|arg| arg.to_string_lossy().into_owned())),
        // As a browser is called, with nothing but the page.
        Some(page) if page.starts_with("http") => conformance::browse(page),
        Some("bench") => bench::main(args.map(|arg| arg.to_string_lossy().into_owned())),
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
