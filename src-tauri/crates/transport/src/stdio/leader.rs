//! The leader of a server's process group: notices its end, takes the rest of the group with it, and only then
//! lets the system forget its number. In this order the number cannot belong to another process when the
//! group is ended.

use std::os::unix::process::ExitStatusExt;
use std::task::{Context, Poll, ready};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::process::Child;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::guard::{GuardHandle, Strays, end_hard, end_softly};
use crate::{Exit, SpawnError};

pub(super) struct Leader {
    child: Child,
    group: Pid,
    guard: GuardHandle,
    children: Signal,
    strays: Strays,
    /// Whether a child of the app has ended since we last looked. Looking costs a system call.
    look: bool,
    /// Set once the group was ended and the leader's number given back.
    done: bool,
}

impl Leader {
    /// Takes charge of a child that leads a group of its own.
    ///
    /// `children` must be older than the child, so that its end cannot be missed.
    pub(super) fn new(child: Child, children: Signal, guard: GuardHandle) -> Result<Self, SpawnError> {
        let number = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        let group = number.ok_or_else(|| SpawnError::Refused("it has no process number".into()))?;
        Ok(Self {
            child,
            group,
            guard,
            children,
            strays: Strays::default(),
            look: true,
            done: false,
        })
    }

    /// A stream that tells when any child ends.
    pub(super) fn watch_children() -> Result<Signal, SpawnError> {
        signal(SignalKind::child()).map_err(|error| SpawnError::Refused(error.to_string()))
    }

    pub(super) fn group(&self) -> Pid {
        self.group
    }

    /// Ready when the leader has ended. It is not collected yet, see [`sweep`](Self::sweep).
    pub(super) fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.done || (std::mem::take(&mut self.look) && self.has_ended()) {
                return Poll::Ready(());
            }
            // The stream of signals ends only with the runtime.
            if ready!(self.children.poll_recv(cx)).is_none() {
                return Poll::Pending;
            }
            self.look = true;
        }
    }

    /// Notes which descendants have left the group, while their parents still lead to them.
    pub(super) fn look_for_strays(&mut self) {
        if !self.done {
            self.strays.find_strays(self.group);
        }
    }

    pub(super) fn ask_to_end(&self) {
        if !self.done {
            end_softly(self.group);
        }
    }

    pub(super) fn kill(&mut self) {
        if !self.done {
            self.look_for_strays();
            end_hard(self.group);
            self.strays.end_hard(self.group);
        }
    }

    /// Ends what is left of the group and collects the leader, if it has ended.
    pub(super) fn sweep(&mut self) -> Option<Exit> {
        self.kill();
        if !std::mem::replace(&mut self.done, true) {
            self.guard.remove(self.group);
        }
        let status = self.child.try_wait().ok().flatten()?;
        Some(Exit {
            code: status.code(),
            signal: status.signal(),
        })
    }

    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is no such child any more.
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        // Dropping a running server ends it; the runtime collects the leader later.
        self.sweep();
    }
}
