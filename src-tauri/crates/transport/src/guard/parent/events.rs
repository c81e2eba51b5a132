//! What can happen to the parent process of a server: orders of the application, signals, ends of children, times.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use crate::guard::wire::{ASK, KILL, Report};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The application asks all processes to end.
    Ask,
    /// The application orders them to be killed.
    Kill,
    /// The application is gone, or a signal asked this process to end.
    Alone,
    /// A child has ended, or a time is up.
    Look,
}

pub(super) struct Events {
    /// Gone once the application is.
    control: Option<UnixStream>,
    children: Signal,
    /// Signals that would end a process that does not handle them. A handled signal is not inherited by the server.
    asked: [Signal; 4],
}

impl Events {
    pub(super) fn new(control: UnixStream) -> io::Result<Self> {
        Ok(Self {
            control: Some(control),
            children: signal(SignalKind::child())?,
            asked: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::quit())?,
            ],
        })
    }

    /// Waits for what happens next, at most until this time. May be dropped without losing anything.
    pub(super) async fn next(&mut self, until: Option<Instant>) -> Event {
        let time_up = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        let [terminate, interrupt, hangup, quit] = &mut self.asked;
        let event = tokio::select! {
            order = order(&mut self.control) => order,
            _ = self.children.recv() => Event::Look,
            () = time_up => Event::Look,
            _ = terminate.recv() => Event::Alone,
            _ = interrupt.recv() => Event::Alone,
            _ = hangup.recv() => Event::Alone,
            _ = quit.recv() => Event::Alone,
        };
        event
    }

    pub(super) async fn report(&mut self, report: &Report) {
        let Some(control) = &mut self.control else {
            return;
        };
        if let Ok(mut line) = serde_json::to_vec(report) {
            line.push(b'\n');
            // Without a reader the application is gone, which the next read finds as well.
            let _ = control.write_all(&line).await;
        }
    }
}

async fn order(control: &mut Option<UnixStream>) -> Event {
    let Some(socket) = control else {
        return std::future::pending().await;
    };
    match socket.read_u8().await {
        Ok(ASK) => Event::Ask,
        Ok(KILL) => Event::Kill,
        Ok(_) | Err(_) => {
            *control = None;
            Event::Alone
        }
    }
}
