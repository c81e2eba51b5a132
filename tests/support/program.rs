//! A program that serves over the network and is started by a test. It ends with the test, however that ends: when this
//! is dropped, and when the thread of the test is gone.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use crate::soon;

/// More than a server of the tests ever says.
const MAX_LINES: usize = 10_000;

/// A running program and what it said so far.
pub struct Program {
    child: Child,
    group: Pid,
    lines: watch::Receiver<Vec<String>>,
}

impl Program {
    /// Starts a program with these arguments and variables.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(program: &str, args: &[String], env: &[(String, String)]) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "a server the test connects to, not one it starts"
        )]
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", program])
            .args(args)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let group = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
        let (said, lines) = watch::channel(Vec::new());
        keep(child.stdout.take().unwrap(), said.clone());
        keep(child.stderr.take().unwrap(), said);
        Self { child, group, lines }
    }

    /// Waits for a line in which something is found; `None` when the program ends without one.
    ///
    /// # Panics
    /// When neither happens in time.
    pub async fn said<T>(&self, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let mut lines = self.lines.clone();
        let found = |lines: &Vec<String>| lines.iter().any(|line| find(line).is_some());
        let lines = soon("a line of a program", lines.wait_for(found)).await;
        lines.ok()?.iter().find_map(|line| find(line))
    }

    /// Ends it and everything it started.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn end(mut self) {
        let _ = kill_process_group(self.group, Signal::KILL);
        soon("the end of a program", self.child.wait()).await.unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Its number is its own until it was waited for.
        if self.child.id().is_some() {
            let _ = kill_process_group(self.group, Signal::KILL);
        }
    }
}

fn keep(output: impl AsyncRead + Send + Unpin + 'static, said: watch::Sender<Vec<String>>) {
    tokio::spawn(async move {
        let mut output = BufReader::new(output).lines();
        while let Ok(Some(line)) = output.next_line().await {
            said.send_modify(|lines| {
                lines.truncate(MAX_LINES - 1);
                lines.push(line);
            });
        }
    });
}
