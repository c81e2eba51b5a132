//! The parent process of one server. It starts the server and stays: it adopts every descendant whose own parent ends
//! (`PR_SET_CHILD_SUBREAPER` on Linux), so no process of the server can leave its family by forking twice. When the server
//! ends, when the application orders it, or when the application is gone, it ends all of them, and it leaves only once the
//! system says that it has no child any more.
//!
//! It notices the end of the application by the end of its control socket, whose other end only the application holds.
//! `PR_SET_PDEATHSIG` would not do: it acts when the thread ends that started this process, and the threads of the
//! application come and go.
//!
//! It leads a session of its own, so that a signal of a terminal does not reach it, and so that its family can be found
//! should it be killed. The streams of the server pass through it as descriptors; it reads and writes none of them.

mod events;

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as ControlSocket;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::Duration;

#[cfg(not(target_os = "linux"))]
use rustix::process::kill_process_group;
use rustix::process::{Pid, Signal, WaitOptions, setsid, wait};
use tokio::net::UnixStream;
use tokio::time::Instant;

use self::events::{Event, Events};
use super::files::Unchanged;
use super::limits;
use super::wire::{Report, ServerLaunch, Streams};

/// How long all may take to end when asked, once the application is gone.
const SOFT: Duration = Duration::from_millis(1000);
/// How long what a server leaves behind may take to end when asked.
const REST: Duration = Duration::from_millis(500);
/// How long to wait for the end of killed processes before those that are left are killed again.
const AGAIN: Duration = Duration::from_millis(10);

/// Starts one server and stays until nothing of it is left.
pub(super) fn run() -> ExitCode {
    // Fails only for the leader of a group, and the application does not start this process as one.
    let _ = setsid();
    limits::protect_process();
    adopt_descendants();
    match receive() {
        Ok(Some((control, launch, streams))) => match keep(control, launch, streams) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        // The application is gone or changed its mind.
        Ok(None) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

fn adopt_descendants() {
    #[cfg(target_os = "linux")]
    {
        // Where the system refuses, a descendant that loses its parent is ended as long as it is in the group.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
}

fn receive() -> io::Result<Option<(ControlSocket, ServerLaunch, Streams)>> {
    let mut control = ControlSocket::from(io::stdin().as_fd().try_clone_to_owned()?);
    let Some((launch, streams)) = ServerLaunch::receive(&mut control)? else {
        return Ok(None);
    };
    control.set_nonblocking(true)?;
    Ok(Some((control, launch, streams)))
}

fn keep(control: ControlSocket, launch: ServerLaunch, streams: Streams) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        // Older than the server, so that its end cannot be missed.
        let mut events = Events::new(UnixStream::from_std(control)?)?;
        if let Some(unchanged) = check_files(&launch, &mut events).await {
            match spawn(launch, streams) {
                Ok(server) => events = ServerFamily::new(server, events).keep(&unchanged).await,
                Err(reason) => events.report(&Report::Refused(reason)).await,
            }
        }
        events.report(&Report::Gone).await;
        Ok(())
    })
}

/// `None` where nothing is to be started: a file is not as it was, or an order came meanwhile.
async fn check_files(launch: &ServerLaunch, events: &mut Events) -> Option<Unchanged> {
    let checked = tokio::select! {
        checked = Unchanged::check(&launch.files) => checked,
        _ = events.next(None) => return None,
    };
    match checked {
        Ok(unchanged) => Some(unchanged),
        Err(file) => {
            events.report(&Report::Changed(file)).await;
            None
        }
    }
}

/// Runs the program as the leader of a group of its own. The C library gives a text file without an interpreter line to
/// `/bin/sh`, with its arguments as they are, as every launcher does.
fn spawn(launch: ServerLaunch, streams: Streams) -> Result<Pid, String> {
    let program = launch.program;
    let refused = |error: io::Error| format!("{}: {error}", program.display());
    let child = Command::new(&program)
        .args(launch.args)
        .env_clear()
        .envs(launch.env)
        .current_dir(launch.cwd)
        .process_group(0)
        .stdin(streams.stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr)
        .spawn()
        .map_err(refused)?;
    // All children are reaped together, so nothing waits for this one alone.
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| refused(io::Error::other("it has no process number")))
}

/// The server and everything that descends from it.
struct ServerFamily {
    server: Pid,
    events: Events,
    stage: Stage,
    /// Whether the server itself has ended.
    ended: bool,
}

#[derive(Clone, Copy)]
enum Stage {
    Running,
    /// All were asked to end. What is left at this time is killed.
    Asked(Instant),
    Killed,
}

impl ServerFamily {
    fn new(server: Pid, events: Events) -> Self {
        Self {
            server,
            events,
            stage: Stage::Running,
            ended: false,
        }
    }

    /// Returns once the system says that no child is left. A descendant whose parent has ended is a child.
    async fn keep(mut self, unchanged: &Unchanged) -> Events {
        // The report ends the wait of the application, so it comes after the kill.
        let changed = unchanged.changed().map(|file| Report::Changed(file.to_owned()));
        if let Some(report) = &changed {
            self.stage = Stage::Killed;
            self.kill();
            self.events.report(report).await;
        }
        while self.reap(changed.is_none()).await {
            self.end_what_is_due();
            match self.events.next(self.next_look()).await {
                // The application keeps the time and orders the kill.
                Event::Ask => self.end_softly(),
                Event::Kill => self.stage = Stage::Killed,
                Event::Alone => self.end_within(SOFT),
                Event::Look => {}
            }
        }
        self.events
    }

    /// Asks what the server left behind to end, and kills what had its time.
    fn end_what_is_due(&mut self) {
        if self.ended {
            self.end_within(REST);
        }
        if let Stage::Asked(end) = self.stage
            && Instant::now() >= end
        {
            self.stage = Stage::Killed;
        }
        if matches!(self.stage, Stage::Killed) {
            self.kill();
        }
    }

    fn next_look(&self) -> Option<Instant> {
        match self.stage {
            Stage::Running => None,
            Stage::Asked(end) => Some(end),
            Stage::Killed => Some(Instant::now() + AGAIN),
        }
    }

    /// Collects what has ended. Whether a child is left.
    async fn reap(&mut self, report_end: bool) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == self.server => {
                    if report_end {
                        let (code, signal) = (status.exit_status(), status.terminating_signal());
                        self.events.report(&Report::Ended { code, signal }).await;
                    }
                    self.ended = true;
                }
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn end_within(&mut self, time: Duration) {
        if matches!(self.stage, Stage::Running) {
            self.end_softly();
            self.stage = Stage::Asked(Instant::now() + time);
        }
    }

    /// Asks all to end.
    fn end_softly(&self) {
        #[cfg(target_os = "linux")]
        super::family::end_descendants_softly(rustix::process::getpid());
        #[cfg(not(target_os = "linux"))]
        let _ = kill_process_group(self.server, Signal::TERM);
    }

    /// Kills every child. What descends from it becomes a child then, so repeating this reaches all of them, however
    /// fast they start others.
    fn kill(&self) {
        #[cfg(target_os = "linux")]
        for child in super::family::own_children() {
            let _ = rustix::process::kill_process(child, Signal::KILL);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = kill_process_group(self.server, Signal::KILL);
    }
}
