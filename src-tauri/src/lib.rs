//! The shell: the only Rust that knows windows. It opens the host on the user's folder, gives it the keychain,
//! and connects each window to exactly the commands that window may call. It decides nothing.

mod app;
mod attention;
mod cli;
mod clipboard;
mod commands;
mod consent_window;
mod folder;
mod folder_dialog;
mod instance;
mod keychain;
mod logging;
mod look;
mod media;
mod rendering;
mod spelling;
mod web_process;
mod window_stream;
mod windows;
mod words;
mod zoom;

use std::process::ExitCode;

pub use app::context;
pub use commands::handler;

/// Starts what the arguments ask for: the application, or a command without a window.
#[must_use]
pub fn start(args: &[String]) -> ExitCode {
    // Before anything secret is in memory.
    #[cfg(unix)]
    vestibule_transport::guard::forbid_core_dumps();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            web_process::set_variables();
            app::run()
        }
        ["tour"] => cli::tour(),
        ["ledger", "verify"] => cli::verify_ledger(None),
        ["ledger", "verify", file] => cli::verify_ledger(Some(file)),
        ["--version" | "-V"] => cli::version(),
        ["--help" | "-h"] => cli::help(ExitCode::SUCCESS),
        _ => cli::help(ExitCode::from(2)),
    }
}
