//! The helper that waits for `go` and then becomes the server. It adds nothing to the environment it was
//! given and reads not a byte beyond its own line, because the rest of the input is the server's. One thing is
//! not in its hands: the C library gives a text file without an interpreter line to `/bin/sh`, with its
//! arguments as they are, as every launcher does.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// How the helper's only sentence begins. With exit code 127 it means that the program never ran.
pub(crate) const REFUSED: &str = "vestibule: could not run ";

/// Returns only when the program cannot be run.
pub(super) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    if args.next().is_none_or(|separator| separator != "--") {
        return refuse("nothing: the arguments do not begin with --");
    }
    let Some(program) = args.next() else {
        return refuse("nothing: no program was named");
    };
    match wait_for_go() {
        Ok(true) => {}
        // The app is gone or changed its mind.
        Ok(false) => return ExitCode::SUCCESS,
        Err(error) => return refuse(&format!("anything: {error}")),
    }
    let error = Command::new(&program).args(args).exec();
    refuse(&format!("{}: {error}", program.display()))
}

/// Reads exactly `go` and its newline, byte by byte: std's own stdin would read ahead and swallow the rest.
fn wait_for_go() -> io::Result<bool> {
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    for expected in b"go\n" {
        let mut byte = [0];
        match input.read_exact(&mut byte) {
            Ok(()) if byte[0] == *expected => {}
            Ok(()) => return Err(io::Error::other("the input does not begin with \"go\"")),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

fn refuse(what: &str) -> ExitCode {
    // When stderr is closed there is no receiver.
    let _ = writeln!(io::stderr(), "{REFUSED}{what}");
    ExitCode::from(127)
}
