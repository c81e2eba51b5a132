//! The application that is killed: a host that writes and says what it has saved, until it is no more.

use std::path::Path;
use std::process::ExitCode;

/// Uses a host on `folder` until the process is killed.
#[must_use]
pub fn write_until_killed(folder: &Path) -> ExitCode {
    let _ = folder;
    ExitCode::SUCCESS
}
