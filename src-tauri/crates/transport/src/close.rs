//! How a connection ended, in words a user can use. Everyone who waited for an answer receives the same
//! reason, so it is cheap to copy and small: the last few lines the server wrote, not its whole log.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Why and how a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseReason {
    pub cause: CloseCause,
    /// How the process ended, when there was one and it was seen to end.
    pub exit: Option<Exit>,
    /// The last lines the server wrote beside the protocol, oldest first. Untrusted text.
    pub diagnostics: Vec<String>,
}

/// What ended a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseCause {
    /// We asked for it.
    Asked,
    /// The server closed the connection or ended.
    Ended,
    /// The program never ran.
    NotStarted(SpawnError),
    /// The server did not read what was written for this long.
    NotReading(Duration),
    /// The server wrote a line of more than this many bytes that did not end.
    EndlessLine(usize),
    /// The server wrote this many things in a row that are no messages.
    OnlyJunk(usize),
    /// Reading or writing failed.
    Failed(String),
    /// The server no longer knows the session; a new one may be opened at once.
    SessionLost,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// Why a server could not be started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpawnError {
    /// The program was not given as an absolute path.
    #[error("the program {0} is not an absolute path; it must be resolved before it is started")]
    NotAbsolute(PathBuf),
    /// There is no such program, or it is not executable.
    #[error("there is no executable program at {0}; check that it is installed")]
    NotExecutable(PathBuf),
    /// The folder to start in is not there.
    #[error("the folder {0} to start in does not exist")]
    NoFolder(PathBuf),
    /// A declared variable has a name or value no environment can hold.
    #[error("the environment variable {0:?} has a name or value that cannot be passed on")]
    BadVariable(String),
    /// The process that keeps servers from outliving the app is not working.
    #[error("the guard process is not working, so nothing is started: {0}")]
    Guard(String),
    /// A file of the launch is not as it was when the launch was approved.
    #[error("{0} changed after the start was approved, so nothing was started; start it again")]
    Changed(PathBuf),
    /// The operating system refused to run the program.
    #[error("the operating system would not run it: {0}")]
    Refused(String),
}

impl CloseReason {
    /// A reason without a process.
    #[must_use]
    pub fn new(cause: CloseCause) -> Self {
        Self {
            cause,
            exit: None,
            diagnostics: Vec::new(),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (None, Some(signal)) => write!(f, "signal {signal}"),
            (None, None) => f.write_str("an unknown end"),
        }
    }
}

impl CloseCause {
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("the connection was closed from this side"),
            Self::Ended => f.write_str("the server ended the connection"),
            Self::NotStarted(error) => write!(f, "the server could not be started: {error}"),
            Self::NotReading(time) => {
                write!(f, "the server has read nothing for {} seconds", time.as_secs())
            }
            Self::EndlessLine(bytes) => {
                write!(
                    f,
                    "the server wrote a line of more than {bytes} bytes without an end"
                )
            }
            Self::OnlyJunk(count) => {
                write!(f, "the server wrote {count} lines in a row that are no messages")
            }
            Self::Failed(error) => write!(f, "the connection failed: {error}"),
            Self::SessionLost => f.write_str("the server no longer knows this session"),
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.describe(f)?;
        if let Some(exit) = self.exit {
            write!(f, " ({exit})")?;
        }
        Ok(())
    }
}

impl std::error::Error for CloseReason {}
