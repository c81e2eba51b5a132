//! A server as a child process: frames on its stdin and stdout, its log on stderr. The program is started
//! with exactly the arguments given, never through a shell, in a process group of its own that the guard
//! knows of. It ends in stages, politely first, and always as a whole group. What its three streams are made
//! of, and why, stands in `streams`.

mod environment;
mod leader;
mod streams;

use std::ffi::OsString;
use std::fmt;
use std::future::{Future, poll_fn};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::time::{Sleep, sleep};

use crate::diagnostics::Diagnostics;
use crate::guard::{GuardHandle, REFUSED};
use crate::pipe::{Pipe, PipeEvent};
use crate::{CloseCause, CloseReason, Exit, Incoming, Outgoing, SendError, SpawnError, Transport, Wire};
use leader::Leader;

/// How long the last words of a server that has ended are waited for. Its whole group is gone by then, so
/// only a process that left the group can hold the pipes open.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Everything that decides what is started.
#[derive(Clone)]
pub struct LaunchSpec {
    /// The program, absolute; see [`resolve`](crate::path::resolve).
    pub program: PathBuf,
    /// Its arguments, passed on one by one.
    pub args: Vec<String>,
    /// Variables on top of the few that every server gets: `HOME`, `USER`, `LOGNAME`, `SHELL`, `LANG`,
    /// `LANGUAGE`, `LC_*`, `TZ`, `TMPDIR`, `TERM`, `XDG_*` from our environment, and `PATH`.
    pub env: Vec<(String, SecretString)>,
    /// The folder to start in.
    pub cwd: PathBuf,
    pub search_path: OsString,
}

impl fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments can hold secrets too.
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// How patient we are with a server.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From the end of its input until it is asked to end by signal.
    pub after_end_of_input: Duration,
    /// From that signal until it is ended.
    pub after_signal: Duration,
    /// While it does not read what is written.
    pub while_not_reading: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            after_end_of_input: Duration::from_secs(2),
            after_signal: Duration::from_secs(2),
            while_not_reading: Duration::from_secs(30),
        }
    }
}

/// A server running as a child process. Dropping it ends the server and everything it started.
pub struct StdioTransport {
    pipe: Pipe<UnixStream, UnixStream>,
    diagnostics: Diagnostics<UnixStream>,
    leader: Leader,
    patience: Patience,
    phase: Phase,
    /// The end of the current stage of ending.
    timer: Option<Pin<Box<Sleep>>>,
    /// Which stream is read first, so that neither can keep the other waiting.
    diagnostics_first: bool,
}

enum Phase {
    Running,
    Ending(CloseCause, Stage),
    /// The leader has ended; what it wrote before is still read.
    LastWords(CloseCause, Option<Exit>),
    Closed(CloseReason),
}

#[derive(Clone, Copy)]
enum Stage {
    InputClosed,
    Asked,
    Killed,
}

impl StdioTransport {
    /// Starts the program. It runs when this returns, except that the system may still refuse to run it; that
    /// is reported as [`CloseCause::NotStarted`].
    ///
    /// # Errors
    /// When something about the launch is wrong or the guard does not work; nothing runs then.
    pub async fn spawn(
        launch: LaunchSpec,
        guard: &GuardHandle,
        patience: Patience,
    ) -> Result<Self, SpawnError> {
        check(&launch)?;
        let env = environment::build(std::env::vars_os(), &launch.search_path, &launch.env)?;
        let children = Leader::watch_children()?;
        let (mut input, stdin) = streams::to_child().map_err(refused)?;
        let (output, stdout) = streams::from_child().map_err(refused)?;
        let (errors, stderr) = streams::from_child().map_err(refused)?;
        let child = guard
            .exec()
            .arg(&launch.program)
            .args(&launch.args)
            .env_clear()
            .envs(env)
            .current_dir(&launch.cwd)
            .process_group(0)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .map_err(refused)?;
        // From here on the child is ended when this future is dropped.
        let leader = Leader::new(child, children, guard.clone())?;
        guard.add(leader.group()).await?;
        input.write_all(b"go\n").await.map_err(refused)?;
        Ok(Self {
            pipe: Pipe::new(output, input, patience.while_not_reading),
            diagnostics: Diagnostics::new(errors),
            leader,
            patience,
            phase: Phase::Running,
            timer: None,
            diagnostics_first: false,
        })
    }

    /// Reads frames of at most this many bytes; else [`MAX_FRAME_BYTES`](crate::MAX_FRAME_BYTES).
    pub fn limit_frames(&mut self, bytes: usize) {
        self.pipe.limit_frames(bytes);
    }

    /// The number of the process group, for showing.
    #[must_use]
    pub fn group(&self) -> i32 {
        self.leader.group().as_raw_nonzero().get()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        loop {
            if let Phase::Closed(reason) = &self.phase {
                return Poll::Ready(Incoming::Closed(reason.clone()));
            }
            // What the server said is handed out before its end is.
            if let Poll::Ready(said) = self.poll_said(cx) {
                match said {
                    PipeEvent::Incoming(incoming) => return Poll::Ready(incoming),
                    PipeEvent::End(cause) => self.begin_end(cause),
                }
                continue;
            }
            if self.poll_phase(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }

    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<PipeEvent> {
        self.diagnostics_first = !self.diagnostics_first;
        let mut diagnostics_first = self.diagnostics_first;
        for _ in 0..2 {
            let event = if diagnostics_first {
                self.diagnostics
                    .poll(cx)
                    .map(|line| PipeEvent::Incoming(Incoming::Diagnostic(line)))
            } else {
                self.pipe.poll(cx)
            };
            if event.is_ready() {
                return event;
            }
            diagnostics_first = !diagnostics_first;
        }
        Poll::Pending
    }

    /// Ready when the phase has changed.
    fn poll_phase(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if matches!(self.phase, Phase::LastWords(..)) {
            let all_said = self.pipe.is_read_out() && self.diagnostics.is_read_out();
            if !all_said && self.poll_timer(cx).is_pending() {
                return Poll::Pending;
            }
            self.close_phase();
            return Poll::Ready(());
        }
        if self.leader.poll_ended(cx).is_ready() {
            let exit = self.leader.sweep();
            self.pipe.close_input();
            self.phase = Phase::LastWords(self.cause(), exit);
            self.timer = Some(Box::pin(sleep(LAST_WORDS)));
            return Poll::Ready(());
        }
        self.poll_timer(cx).map(|()| self.next_stage())
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.timer
            .as_mut()
            .map_or(Poll::Pending, |timer| timer.as_mut().poll(cx))
    }

    fn begin_end(&mut self, cause: CloseCause) {
        if matches!(self.phase, Phase::Running) {
            self.leader.look_for_strays();
            self.pipe.close_input();
            self.timer = Some(Box::pin(sleep(self.patience.after_end_of_input)));
            self.phase = Phase::Ending(cause, Stage::InputClosed);
        }
    }

    fn next_stage(&mut self) {
        let Phase::Ending(_, stage) = &mut self.phase else {
            return;
        };
        let wait = match stage {
            Stage::InputClosed => {
                *stage = Stage::Asked;
                self.leader.ask_to_end();
                self.patience.after_signal
            }
            Stage::Asked => {
                *stage = Stage::Killed;
                self.leader.kill();
                self.patience.after_signal
            }
            // Not even the system can end it now; it is waiting inside the kernel.
            Stage::Killed => {
                self.phase = Phase::LastWords(self.cause(), self.leader.sweep());
                LAST_WORDS
            }
        };
        self.timer = Some(Box::pin(sleep(wait)));
    }

    fn cause(&self) -> CloseCause {
        match &self.phase {
            Phase::Running => CloseCause::Ended,
            Phase::Ending(cause, _) | Phase::LastWords(cause, _) => cause.clone(),
            Phase::Closed(reason) => reason.cause.clone(),
        }
    }

    fn close_phase(&mut self) {
        let Phase::LastWords(cause, exit) = &self.phase else {
            return;
        };
        let diagnostics = self.diagnostics.tail();
        let refusal = diagnostics.first().and_then(|line| line.strip_prefix(REFUSED));
        let cause = match refusal {
            Some(said) if exit.is_some_and(|exit| exit.code == Some(127)) => {
                CloseCause::NotStarted(SpawnError::Refused(said.to_owned()))
            }
            _ => cause.clone(),
        };
        self.phase = Phase::Closed(CloseReason {
            cause,
            exit: *exit,
            diagnostics,
        });
    }
}

#[async_trait]
impl Transport for StdioTransport {
    fn wire(&self) -> Wire {
        Wire::Stream
    }

    fn send(&mut self, outgoing: Outgoing) -> Result<(), SendError> {
        match self.phase {
            Phase::Running => self.pipe.send(outgoing.frame),
            _ => Err(SendError::Closed),
        }
    }

    async fn receive(&mut self) -> Incoming {
        poll_fn(|cx| self.poll(cx)).await
    }

    async fn close(&mut self) -> CloseReason {
        self.begin_end(CloseCause::Asked);
        loop {
            // Read on, so that the server can finish writing and leave by itself.
            if let Incoming::Closed(reason) = self.receive().await {
                return reason;
            }
        }
    }
}

fn check(launch: &LaunchSpec) -> Result<(), SpawnError> {
    let program = &launch.program;
    if !program.is_absolute() {
        return Err(SpawnError::NotAbsolute(program.clone()));
    }
    let is_program = |data: std::fs::Metadata| data.is_file() && data.permissions().mode() & 0o111 != 0;
    if !std::fs::metadata(program).is_ok_and(is_program) {
        return Err(SpawnError::NotExecutable(program.clone()));
    }
    if !launch.cwd.is_dir() {
        return Err(SpawnError::NoFolder(launch.cwd.clone()));
    }
    Ok(())
}

fn refused(error: std::io::Error) -> SpawnError {
    SpawnError::Refused(error.to_string())
}
