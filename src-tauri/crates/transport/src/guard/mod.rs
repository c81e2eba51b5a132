//! No server outlives the application, even when the application is killed outright.
//!
//! Each server has a parent process ([`parent`]) that stays as long as anything of the server runs, adopts what descends
//! from it, and ends all of it when the application says so or is gone. The application never starts a server directly:
//! it starts this program in that role, and sends it the launch over a socket.
//!
//! A second process, [`watch`], keeps a list of the parent processes and holds one end of a pipe. When the pipe closes,
//! for whatever reason, it asks every parent process on the list to end its server, and kills the whole family of one
//! that does not. It leads a session of its own, so that a signal of a terminal reaches the application first.
//!
//! What the user of the computer can end, a server can end: one that kills its own parent process, with a descendant
//! outside of its session, keeps that descendant.

mod family;
mod files;
mod limits;
mod parent;
mod watch;
mod wire;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use crate::SpawnError;

pub(crate) use family::end_family;
pub use files::CheckedFile;
pub use limits::forbid_core_dumps;
pub(crate) use wire::{ASK, KILL, Report, ServerLaunch, Streams, send_streams};

/// How long the guard process may take to answer. It has nothing to wait for, so this is generous.
const ANSWER: Duration = Duration::from_secs(5);
/// How often in a row a dead guard is replaced before it is given up until the next server starts.
const ATTEMPTS: u32 = 4;

/// What the guard's program runs: `watch` keeps the list, `parent` starts one server and stays until nothing of it is
/// left. `args` are those after the leading ones given to [`GuardHandle::start`].
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let role = args.next();
    match role.as_ref().and_then(|role| role.to_str()) {
        Some("watch") => watch::run(),
        Some("parent") => parent::run(),
        _ => {
            let _ = writeln!(
                io::stderr(),
                "this program is started by the app; it does nothing by itself"
            );
            ExitCode::from(2)
        }
    }
}

/// A handle to the guard process. It ends when the last handle is gone.
#[derive(Clone, Debug)]
pub struct GuardHandle {
    program: Arc<PathBuf>,
    leading_args: Arc<[String]>,
    /// Unbounded, because forgetting a group must never wait; each entry belongs to one process start.
    requests: mpsc::UnboundedSender<GuardRequest>,
}

#[derive(Debug)]
enum GuardRequest {
    Add(Pid, oneshot::Sender<Result<(), SpawnError>>),
    Remove(Pid),
}

impl GuardHandle {
    /// Starts `program leading_args… watch` and waits until it stands guard. `program` must be absolute.
    ///
    /// # Errors
    /// When it cannot be started or does not answer.
    pub async fn start(program: PathBuf, leading_args: Vec<String>) -> Result<Self, SpawnError> {
        let leading_args: Arc<[String]> = leading_args.into();
        let program = Arc::new(program);
        check_absolute(&program)?;
        let watch = GuardWatch::start(&program, &leading_args).await;
        let watch = watch.map_err(guard_error)?;
        let (requests, inbox) = mpsc::unbounded_channel();
        let keeper = Keeper {
            program: Arc::clone(&program),
            leading_args: Arc::clone(&leading_args),
            watch: Some(watch),
            live: BTreeSet::new(),
            inbox,
        };
        tokio::spawn(keeper.run());
        Ok(Self {
            program,
            leading_args,
            requests,
        })
    }

    /// The command that is the parent process of a server, with its control socket. It has no part of the environment
    /// of the server.
    pub(crate) fn parent(&self, control: OwnedFd) -> Command {
        let mut command = Command::new(&*self.program);
        command
            .args(&*self.leading_args)
            .arg("parent")
            .env_clear()
            .current_dir("/")
            .stdin(control)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Puts a parent process on the list. When this returns well, its family will not outlive the application.
    pub(crate) async fn add(&self, group: Pid) -> Result<(), SpawnError> {
        let gone = || SpawnError::Guard("it has ended".into());
        let (done, answer) = oneshot::channel();
        self.requests
            .send(GuardRequest::Add(group, done))
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Takes a parent process off the list, because its number may soon belong to someone else.
    pub(crate) fn remove(&self, group: Pid) {
        // Without a keeper there is no list to be taken off.
        let _ = self.requests.send(GuardRequest::Remove(group));
    }
}

/// Owns the guard process and what it should know.
struct Keeper {
    program: Arc<PathBuf>,
    leading_args: Arc<[String]>,
    watch: Option<GuardWatch>,
    live: BTreeSet<i32>,
    inbox: mpsc::UnboundedReceiver<GuardRequest>,
}

impl Keeper {
    async fn run(mut self) {
        loop {
            tokio::select! {
                request = self.inbox.recv() => match request {
                    Some(request) => self.handle(request).await,
                    None => break,
                },
                () = died(&mut self.watch) => {
                    tracing::warn!("guard process ended; starting another");
                    if let Err(error) = self.replace().await {
                        tracing::error!(%error, "failed to start a guard process; running servers may outlive the application");
                    }
                }
            }
        }
        if let Some(watch) = self.watch {
            watch.abandon().await;
        }
    }

    async fn handle(&mut self, request: GuardRequest) {
        match request {
            GuardRequest::Add(group, done) => {
                let outcome = self.add(group.as_raw_nonzero().get()).await;
                // A caller that stopped waiting drops its process and removes the group itself.
                let _ = done.send(outcome.map_err(guard_error));
            }
            GuardRequest::Remove(group) => self.remove(group.as_raw_nonzero().get()).await,
        }
    }

    /// Puts a group on the list. One that the guard did not learn of is taken off again.
    async fn add(&mut self, group: i32) -> io::Result<()> {
        self.live.insert(group);
        let outcome = self.send_line("add", group).await;
        if outcome.is_err() {
            self.live.remove(&group);
        }
        outcome
    }

    async fn remove(&mut self, group: i32) {
        self.live.remove(&group);
        if self.watch.is_some() && self.send_line("remove", group).await.is_err() {
            tracing::warn!("failed to unregister the parent process of a server from the guard process");
        }
    }

    /// Tells the guard; one that does not answer is replaced by one that gets everything.
    async fn send_line(&mut self, verb: &str, group: i32) -> io::Result<()> {
        if let Some(watch) = &mut self.watch
            && watch.send_line(verb, group).await.is_ok()
        {
            return Ok(());
        }
        self.replace().await
    }

    async fn replace(&mut self) -> io::Result<()> {
        self.watch = None;
        let mut pause = Duration::from_millis(50);
        let mut last = io::Error::other("not tried");
        for _ in 0..ATTEMPTS {
            match self.replacement().await {
                Ok(watch) => {
                    self.watch = Some(watch);
                    return Ok(());
                }
                Err(error) => last = error,
            }
            sleep(pause).await;
            pause *= 3;
        }
        Err(last)
    }

    async fn replacement(&self) -> io::Result<GuardWatch> {
        let mut watch = GuardWatch::start(&self.program, &self.leading_args).await?;
        for group in &self.live {
            watch.send_line("add", *group).await?;
        }
        Ok(watch)
    }
}

/// Resolves when the guard process closes its output, which it does only by ending.
async fn died(watch: &mut Option<GuardWatch>) {
    match watch {
        // Nothing is owed between two requests, so any line here is as wrong as the end.
        Some(watch) => drop(watch.answers.next_line().await),
        None => std::future::pending().await,
    }
}

/// One guard process and the pipes to it.
struct GuardWatch {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl GuardWatch {
    async fn start(program: &Path, leading_args: &[String]) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(leading_args)
            .arg("watch")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(orders), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        let mut watch = Self {
            child,
            orders,
            answers: BufReader::new(output).lines(),
        };
        watch.answer("ready").await?;
        Ok(watch)
    }

    async fn send_line(&mut self, verb: &str, group: i32) -> io::Result<()> {
        self.orders
            .write_all(format!("{verb} {group}\n").as_bytes())
            .await?;
        self.answer(&format!("{verb} {group}")).await
    }

    async fn answer(&mut self, expected: &str) -> io::Result<()> {
        match timeout(ANSWER, self.answers.next_line()).await {
            Ok(Ok(Some(line))) if line == expected => Ok(()),
            Ok(Ok(Some(_))) => Err(io::Error::other("it answered something else")),
            Ok(Ok(None)) => Err(io::Error::other("it ended")),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::Error::other("it does not answer")),
        }
    }

    /// Closes the pipe and collects the process.
    async fn abandon(mut self) {
        drop(self.orders);
        let _ = timeout(ANSWER, self.child.wait()).await;
    }
}

fn check_absolute(program: &Path) -> Result<(), SpawnError> {
    if program.is_absolute() {
        return Ok(());
    }
    let why = format!("{} is not an absolute path", program.display());
    Err(SpawnError::Guard(why))
}

fn guard_error(error: io::Error) -> SpawnError {
    SpawnError::Guard(error.to_string())
}
