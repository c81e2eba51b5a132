//! The application's side of the parent process of a server: what it orders, what it hears, and what is done when that
//! process is gone or does not answer.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::net::UnixStream;
use tokio::process::Child;

use crate::guard::{ASK, GuardHandle, KILL, Report, ServerLaunch, Streams, end_family, send_streams};
use crate::{Exit, SpawnError};

/// More than a report ever takes.
const LONGEST_REPORT: usize = 64 * 1024;

pub(super) struct ParentProcess {
    /// Collected when this is dropped.
    _child: Child,
    number: Pid,
    control: UnixStream,
    guard: GuardHandle,
    reported: Vec<u8>,
    /// Whether the process said that nothing of the server is left.
    swept: bool,
    /// Set once the process is gone or was killed.
    gone: bool,
}

/// What came of the server.
pub(super) enum Outcome {
    /// It never ran, or was killed before it did anything.
    NotStarted(SpawnError),
    /// It has ended. `None` where the parent process was killed, so that it is not known how.
    Ended(Option<Exit>),
}

impl ParentProcess {
    /// Starts the parent process and sends it the launch.
    pub(super) async fn start(
        guard: &GuardHandle,
        launch: &ServerLaunch,
        streams: Streams,
    ) -> Result<Self, SpawnError> {
        let refused = |error: std::io::Error| SpawnError::Refused(error.to_string());
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(refused)?;
        let child = guard.parent(theirs.into()).spawn().map_err(refused)?;
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        let number = number.and_then(Pid::from_raw);
        let number = number.ok_or_else(|| SpawnError::Refused("it has no process number".into()))?;
        let bytes = launch.to_bytes().map_err(refused)?;
        ours.set_nonblocking(true).map_err(refused)?;
        let sender = ours.try_clone().map_err(refused)?;
        // From here on it is ended when this future is dropped.
        let mut parent = Self {
            _child: child,
            number,
            control: UnixStream::from_std(ours).map_err(refused)?,
            guard: guard.clone(),
            reported: Vec::new(),
            swept: false,
            gone: false,
        };
        guard.add(number).await?;
        send_streams(&sender, &streams).map_err(refused)?;
        drop(streams);
        // The parent process starts the server once it has the last byte. Nothing is awaited after this write, so a start
        // that is dropped has started nothing.
        parent.control.write_all(&bytes).await.map_err(refused)?;
        Ok(parent)
    }

    /// Ready when the server has ended, or the parent process.
    pub(super) fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            if let Some(report) = self.next_report() {
                match report {
                    Report::Refused(reason) => {
                        return Poll::Ready(Outcome::NotStarted(SpawnError::Refused(reason)));
                    }
                    Report::Changed(file) => {
                        return Poll::Ready(Outcome::NotStarted(SpawnError::Changed(file.into())));
                    }
                    Report::Ended { code, signal } => {
                        return Poll::Ready(Outcome::Ended(Some(Exit { code, signal })));
                    }
                    Report::Gone => self.swept = true,
                }
            } else if self.gone || !ready!(self.poll_read(cx)) {
                self.leave();
                return Poll::Ready(Outcome::Ended(None));
            }
        }
    }

    /// Ready when nothing of the server is left. What was killed beside the parent process is ended here.
    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.gone {
            if let Some(report) = self.next_report() {
                self.swept |= report == Report::Gone;
            } else if !ready!(self.poll_read(cx)) {
                self.leave();
            }
        }
        Poll::Ready(())
    }

    fn next_report(&mut self) -> Option<Report> {
        loop {
            let end = self.reported.iter().position(|byte| *byte == b'\n')?;
            let line: Vec<u8> = self.reported.drain(..=end).collect();
            if let Ok(report) = serde_json::from_slice(&line) {
                return Some(report);
            }
        }
    }

    pub(super) fn ask_to_end(&self) {
        self.order(ASK);
    }

    pub(super) fn kill(&self) {
        self.order(KILL);
    }

    /// Ends all of it from here, where the parent process did not.
    pub(super) fn kill_family(&mut self) {
        if !self.gone {
            self.leave();
        }
    }

    fn order(&self, order: u8) {
        if !self.gone {
            // It may have been stopped by what it should end.
            let _ = kill_process(self.number, Signal::CONT);
            // One byte always fits, unless the other end is gone.
            let _ = self.control.try_write(&[order]);
        }
    }

    /// The end of the control socket is the end of the process: it closes it by nothing else. Its number stays its own
    /// until it is collected.
    fn leave(&mut self) {
        if !self.swept {
            end_family(self.number);
        }
        self.gone = true;
        self.guard.remove(self.number);
    }

    /// Ready with whether there may be more.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let mut bytes = [0; 1024];
        let mut buffer = ReadBuf::new(&mut bytes);
        let read = ready!(Pin::new(&mut self.control).poll_read(cx, &mut buffer));
        self.reported.extend_from_slice(buffer.filled());
        let some = read.is_ok() && !buffer.filled().is_empty();
        Poll::Ready(some && self.reported.len() <= LONGEST_REPORT)
    }
}

impl Drop for ParentProcess {
    fn drop(&mut self) {
        if !self.gone {
            self.kill();
            self.guard.remove(self.number);
        }
    }
}
