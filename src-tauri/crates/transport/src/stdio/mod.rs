//! A server as a child process: frames on its stdin and stdout, its log on stderr. The program is started
//! with exactly the arguments given, never through a shell, by a parent process of its own that stays with it
//! (`guard::parent`). It ends in stages, politely first, and always with everything that descends from it. What its three
//! streams are made of, and why, is in `streams`.

mod child_input;
mod environment;
mod parent;
mod streams;

use std::ffi::OsString;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use tokio::net::UnixStream;
use tokio::task::coop::cooperative;
use tokio::time::{Instant, Sleep, sleep};

use crate::diagnostics::Diagnostics;
use crate::guard::{CheckedFile, GuardHandle, ServerLaunch};
use crate::pipe::{Pipe, PipeEvent};
use crate::{CloseCause, CloseReason, Exit, Incoming, Outgoing, SendError, SpawnError, Transport, Wire};
use child_input::ChildInput;
use parent::{Outcome, ParentProcess};

/// How long the last words of a server that has ended are waited for. All that descends from it is gone by then, so only
/// a process that was given its streams can hold them open.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How much longer last words are read while more of them are always there.
const MORE_LAST_WORDS: Duration = Duration::from_secs(2);
/// How long the parent process may take to end what a server left behind. It asks first and kills after half a second.
const LEFT_BEHIND: Duration = Duration::from_secs(2);

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
    /// Files that must be as they were when the launch was approved. They are hashed again right before the start.
    pub files: Vec<CheckedFile>,
}

impl fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments can hold secrets too.
        f.debug_struct("LaunchSpec")
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
    /// From its kill until its parent process reports its end; then its processes are killed without the parent.
    pub after_kill: Duration,
    /// While it does not read what is written.
    pub while_not_reading: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            after_end_of_input: Duration::from_secs(2),
            after_signal: Duration::from_secs(2),
            after_kill: Duration::from_secs(2),
            while_not_reading: Duration::from_secs(30),
        }
    }
}

/// A server running as a child process. Dropping it ends the server and everything it started.
pub struct StdioTransport {
    pipe: Pipe<UnixStream, ChildInput>,
    diagnostics: Diagnostics<UnixStream>,
    parent: ParentProcess,
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
    /// The server has ended; what it left behind is ended.
    Sweeping(CloseCause, Option<Exit>),
    /// Nothing of it is left; what it wrote before is still read.
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
    /// is reported as [`CloseCause::NotStarted`]. Where this future is dropped before it is ready, the program never runs.
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
        let ((input, output, errors), streams) = streams::open().map_err(refused)?;
        let launch = server_launch(launch, env)?;
        let parent = ParentProcess::start(guard, &launch, streams).await?;
        Ok(Self {
            pipe: Pipe::new(output, input, patience.while_not_reading),
            diagnostics: Diagnostics::new(errors),
            parent,
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

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        loop {
            if let Phase::Closed(reason) = &self.phase {
                return Poll::Ready(Incoming::Closed(reason.clone()));
            }
            if self.is_phase_first() && self.poll_phase(cx).is_ready() {
                continue;
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

    /// Whether the phase is polled before the output. An output that is written to without a pause is always ready, and
    /// reading it uses up what the task may read before it yields. The end of the server has to be noticed all the same,
    /// because any process that was given the output can write to it. Last words are read first, unless they do not stop.
    fn is_phase_first(&self) -> bool {
        match self.phase {
            Phase::Closed(_) => false,
            Phase::Running | Phase::Ending(..) | Phase::Sweeping(..) => true,
            Phase::LastWords(..) => self
                .timer
                .as_ref()
                .is_some_and(|timer| timer.deadline() + MORE_LAST_WORDS <= Instant::now()),
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
        match &self.phase {
            Phase::Running | Phase::Ending(..) => {
                if let Poll::Ready(outcome) = self.parent.poll_ended(cx) {
                    self.begin_sweep(outcome);
                    return Poll::Ready(());
                }
                self.poll_timer(cx).map(|()| self.next_stage())
            }
            Phase::Sweeping(cause, exit) => {
                let (cause, exit) = (cause.clone(), *exit);
                self.poll_sweep(cx, cause, exit)
            }
            Phase::LastWords(cause, exit) => {
                let (cause, exit) = (cause.clone(), *exit);
                self.poll_last_words(cx, cause, exit)
            }
            Phase::Closed(_) => Poll::Ready(()),
        }
    }

    fn poll_sweep(&mut self, cx: &mut Context<'_>, cause: CloseCause, exit: Option<Exit>) -> Poll<()> {
        if self.parent.poll_gone(cx).is_pending() {
            ready!(self.poll_timer(cx));
            self.parent.kill_family();
        }
        self.phase = Phase::LastWords(cause, exit);
        self.timer = Some(Box::pin(sleep(LAST_WORDS)));
        Poll::Ready(())
    }

    fn poll_last_words(&mut self, cx: &mut Context<'_>, cause: CloseCause, exit: Option<Exit>) -> Poll<()> {
        if !(self.pipe.is_read_out() && self.diagnostics.is_read_out()) {
            ready!(self.poll_timer(cx));
        }
        self.phase = Phase::Closed(CloseReason {
            cause,
            exit,
            diagnostics: self.diagnostics.tail(),
        });
        Poll::Ready(())
    }

    fn begin_sweep(&mut self, outcome: Outcome) {
        self.pipe.close_input();
        self.phase = match outcome {
            Outcome::NotStarted(error) => Phase::Sweeping(CloseCause::NotStarted(error), None),
            Outcome::Ended(exit) => Phase::Sweeping(self.cause(), exit),
        };
        self.timer = Some(Box::pin(sleep(LEFT_BEHIND)));
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.timer
            .as_mut()
            .map_or(Poll::Pending, |timer| timer.as_mut().poll(cx))
    }

    fn begin_end(&mut self, cause: CloseCause) {
        if matches!(self.phase, Phase::Running) {
            self.pipe.close_input();
            self.timer = Some(Box::pin(sleep(self.patience.after_end_of_input)));
            self.phase = Phase::Ending(cause, Stage::InputClosed);
        }
    }

    fn next_stage(&mut self) {
        let Phase::Ending(_, stage) = &mut self.phase else {
            return;
        };
        let longest = match stage {
            Stage::InputClosed => {
                *stage = Stage::Asked;
                self.parent.ask_to_end();
                self.patience.after_signal
            }
            Stage::Asked => {
                *stage = Stage::Killed;
                self.parent.kill();
                self.patience.after_kill
            }
            // The parent process does not answer, or not even the system can end the server now.
            Stage::Killed => {
                self.parent.kill_family();
                return self.begin_sweep(Outcome::Ended(None));
            }
        };
        self.timer = Some(Box::pin(sleep(longest)));
    }

    fn cause(&self) -> CloseCause {
        match &self.phase {
            Phase::Running => CloseCause::Ended,
            Phase::Ending(cause, _) | Phase::Sweeping(cause, _) | Phase::LastWords(cause, _) => cause.clone(),
            Phase::Closed(reason) => reason.cause.clone(),
        }
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

    fn next_received(&mut self) -> Option<Incoming> {
        match self.phase {
            Phase::Closed(_) => None,
            _ => self.pipe.next_read(),
        }
    }

    async fn receive(&mut self) -> Incoming {
        // The timer and the control socket of the parent process become ready only when the task yields. One read holds
        // thousands of frames, so each wait for a frame counts.
        cooperative(poll_fn(|cx| self.poll(cx))).await
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

/// The launch in the form that the parent process reads, with absolute paths.
fn server_launch(launch: LaunchSpec, env: Vec<(OsString, OsString)>) -> Result<ServerLaunch, SpawnError> {
    let files = launch.files.into_iter().map(absolute_file);
    Ok(ServerLaunch {
        program: launch.program.into(),
        args: launch.args.into_iter().map(OsString::from).collect(),
        env,
        cwd: absolute(&launch.cwd)?,
        files: files.collect::<Result<_, _>>()?,
    })
}

/// The parent process does not work in the folder of the application.
fn absolute(path: impl AsRef<Path>) -> Result<OsString, SpawnError> {
    Ok(std::path::absolute(path).map_err(refused)?.into())
}

fn absolute_file(file: CheckedFile) -> Result<CheckedFile, SpawnError> {
    Ok(CheckedFile {
        path: absolute(&file.path)?,
        ..file
    })
}

fn refused(error: io::Error) -> SpawnError {
    SpawnError::Refused(error.to_string())
}
