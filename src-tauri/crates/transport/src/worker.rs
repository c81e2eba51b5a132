//! A small program of ours that does work in a process of its own: a line in, a line out. It is killed when its handle
//! is dropped, and it ends by itself when its input ends, which also happens when the application is gone.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The longest line that is read from a worker, in bytes, unless its work has longer ones.
const LONGEST: u64 = 256 * 1024;

/// A running worker. Its process ends with it.
#[derive(Debug)]
pub struct Worker {
    /// Killed when it is dropped.
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The longest line that is read from it, in bytes.
    longest: u64,
}

impl Worker {
    /// Starts `program` with `args`, without an environment. `program` must be absolute.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &Path, args: &[String]) -> io::Result<Self> {
        if !program.is_absolute() {
            return Err(io::Error::other(format!(
                "{} is not an absolute path",
                program.display()
            )));
        }
        let mut process = spawn(program, args)?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        Ok(Self {
            process,
            input,
            output: BufReader::new(output),
            longest: LONGEST,
        })
    }

    /// Reads lines of so many bytes from it.
    #[must_use]
    pub fn with_longest(self, longest: u64) -> Self {
        Self { longest, ..self }
    }

    /// Whether the process has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Sends a line, which ends with a newline, and waits for the answer. Takes the worker, so that one whose answer was
    /// not waited for is not asked again; it comes back with the answer.
    ///
    /// # Errors
    /// When it ended, was killed, or wrote too long a line.
    pub async fn ask(mut self, line: &str) -> io::Result<(Self, String)> {
        self.input.write_all(line.as_bytes()).await?;
        self.input.flush().await?;
        let mut answer = String::new();
        (&mut self.output)
            .take(self.longest)
            .read_line(&mut answer)
            .await?;
        if !answer.ends_with('\n') {
            return Err(io::Error::other("it ended before it answered"));
        }
        Ok((self, answer))
    }
}

/// Starts the process, without an environment and with pipes for its input and output.
fn spawn(program: &Path, args: &[String]) -> io::Result<Child> {
    Command::new(program)
        .args(args)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}
